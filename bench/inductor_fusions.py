"""Fusions in PyTorch, each a function of the arrays that the fusion of its name in
inductor_kernels/kernels.hlo has as operands, with the same outputs."""

from __future__ import annotations

import torch
import torch.nn.functional as functional
from torch import Tensor


def add(x: Tensor, y: Tensor) -> Tensor:
    return x + y


def gelu(x: Tensor, bias: Tensor) -> Tensor:
    return functional.gelu(x + bias)


def silu_and_multiply(gate: Tensor, up: Tensor) -> Tensor:
    return functional.silu(gate) * up


def dropout(x: Tensor, bias: Tensor, keep: Tensor, residual: Tensor) -> Tensor:
    return residual + torch.where(keep, (x + bias) * 1.25, 0)


def rotary(heads: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
    left, right = heads.float().chunk(2, dim=-1)
    turned = torch.cat((-right, left), dim=-1)
    return (heads * cosines.unsqueeze(1) + turned * sines.unsqueeze(1)).to(heads.dtype)


def concatenate(left: Tensor, right: Tensor) -> Tensor:
    return torch.cat((left, right), dim=1) * 0.125


def embedding(table: Tensor, tokens: Tensor) -> Tensor:
    return functional.embedding(tokens, table) * 32.0


def transpose_and_add(columns: Tensor, rows: Tensor) -> Tensor:
    return rows + columns.t()


def row_sums(x: Tensor) -> Tensor:
    return x.sum(dim=1)


def column_sums(x: Tensor) -> Tensor:
    return x.sum(dim=0)


def argmax(x: Tensor) -> Tensor:
    return x.argmax(dim=1)


def softmax(x: Tensor) -> Tensor:
    return functional.softmax(x, dim=1)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    return functional.softmax(torch.where(mask, scores * 0.125, -torch.inf), dim=-1)


def layer_norm(x: Tensor, residual: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    total = x + residual
    return functional.layer_norm(total, (total.shape[-1],), weight, bias), total


def rms_norm(x: Tensor, residual: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
    total = x.float() + residual.float()
    mean = total.square().mean(dim=-1, keepdim=True)
    normal = total * torch.rsqrt(mean + 1e-6) * weight
    return normal.to(x.dtype), total.to(x.dtype)


def cross_entropy(logits: Tensor, targets: Tensor) -> Tensor:
    chosen = logits.gather(1, targets.unsqueeze(1)).squeeze(1)
    return torch.logsumexp(logits.float(), dim=1) - chosen.float()
