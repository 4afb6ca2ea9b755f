"""Kernels that this project makes of instructions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ._commands import JsonObject

Stage = Literal["plan", "mlir", "cuda", "llvm", "ptx"]


@dataclass(frozen=True)
class EmittedKernel:
    """A kernel as text, and how it is launched."""

    name: str
    text: str
    blocks: tuple[int, int, int]
    threads: tuple[int, int, int]
    arguments: tuple[JsonObject, ...]
    """What it is launched with: operands, outputs, with their shapes, then scratch memory."""
    record: JsonObject

    def __str__(self) -> str:
        return self.text

    @property
    def instruction(self) -> str:
        """The name of the instruction that it computes."""
        return str(self.record["instruction"])


def kernel_of(record: JsonObject) -> EmittedKernel:
    """The kernel of a record of `emit`."""
    return EmittedKernel(
        record["name"],
        record["text"],
        tuple(record["blocks"]),
        tuple(record["threads"]),
        tuple(record["arguments"]),
        record,
    )
