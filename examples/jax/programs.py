"""Ten programs as people write them in JAX, with arguments that are small enough to be evaluated
element by element."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

Array = Any


@dataclass(frozen=True)
class Program:
    """A function with its arguments, and how far apart two right results may be."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    relative: float = 1e-5
    absolute: float = 1e-5
    reason: str = "sums in another order"
    """Why results may differ at all."""


def _normal(seed: int, *shape: int) -> Array:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def _parameters(seed: int, **shapes: tuple[int, ...]) -> dict[str, Array]:
    return {
        name: _normal(seed + number, *shape) / max(1.0, float(np.sqrt(shape[0])))
        for number, (name, shape) in enumerate(shapes.items())
    }


def mlp_training_step() -> Program:
    """A multilayer perceptron: forward, backward, an update by momentum."""

    def loss(p: dict[str, Array], x: Array, y: Array) -> Array:
        h = jax.nn.gelu(x @ p["w1"] + p["b1"])
        logits = h @ p["w2"] + p["b2"]
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), y[:, None], axis=1))

    def step(p: dict[str, Array], m: dict[str, Array], x: Array, y: Array) -> Any:
        value, gradient = jax.value_and_grad(loss)(p, x, y)
        m = jax.tree.map(lambda a, g: 0.9 * a + g, m, gradient)
        return jax.tree.map(lambda a, b: a - 0.1 * b, p, m), m, value

    p = _parameters(1, w1=(12, 16), b1=(16,), w2=(16, 10), b2=(10,))
    m = jax.tree.map(np.zeros_like, p)
    y = np.arange(8, dtype=np.int32) % 10
    return Program(step, (p, m, _normal(2, 8, 12), y))


def transformer_training_step() -> Program:
    """A block of a transformer with a causal mask: the loss and its gradient."""
    heads, size = 2, 8

    def norm(x: Array, scale: Array) -> Array:
        return x * lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6) * scale

    def block(p: dict[str, Array], x: Array) -> Array:
        n = norm(x, p["scale1"])
        q, k, v = jnp.split(n @ p["qkv"], 3, axis=-1)

        def split(t: Array) -> Array:
            return t.reshape(*t.shape[:-1], heads, -1).swapaxes(-2, -3)

        q, k, v = split(q), split(k), split(v)
        scores = q @ k.swapaxes(-1, -2) / np.sqrt(size)
        length = x.shape[-2]
        scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -1e9)
        mixed = (jax.nn.softmax(scores, axis=-1) @ v).swapaxes(-2, -3).reshape(x.shape)
        x = x + mixed @ p["out"]
        return x + jax.nn.silu(norm(x, p["scale2"]) @ p["up"]) @ p["down"]

    def loss(p: dict[str, Array], tokens: Array) -> Array:
        x = block(p, p["embedding"][tokens])
        logits = jax.nn.log_softmax(x @ p["embedding"].T)[:, :-1]
        return -jnp.mean(jnp.take_along_axis(logits, tokens[:, 1:, None], axis=-1))

    p = _parameters(
        3, embedding=(11, 16), qkv=(16, 48), out=(16, 16), up=(16, 32), down=(32, 16),
        scale1=(16,), scale2=(16,),
    )  # fmt: skip
    tokens = np.random.default_rng(4).integers(0, 11, (2, 6)).astype(np.int32)
    return Program(jax.value_and_grad(loss), (p, tokens), 1e-4, 1e-5)


def convolutional_network() -> Program:
    """Convolutions, pooling, a batch norm, and the gradient of the kernels."""

    def forward(p: dict[str, Array], x: Array) -> Array:
        def convolve(x: Array, k: Array, stride: int) -> Array:
            return lax.conv_general_dilated(
                x, k, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
            )

        x = jax.nn.relu(convolve(x, p["k1"], 1))
        x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        x = convolve(x, p["k2"], 2)
        x = (x - x.mean((0, 1, 2))) * lax.rsqrt(x.var((0, 1, 2)) + 1e-5)
        return jnp.sum(jnp.tanh(x.mean((1, 2))) ** 2)

    p = _parameters(5, k1=(3, 3, 2, 4), k2=(3, 3, 4, 6))
    return Program(jax.value_and_grad(forward), (p, _normal(6, 2, 8, 8, 2)), 1e-3, 1e-4)


def scanned_rnn() -> Program:
    """A gated recurrent network by lax.scan."""

    def cell(p: dict[str, Array], h: Array, x: Array) -> tuple[Array, Array]:
        z, r = jnp.split(jax.nn.sigmoid(x @ p["wx"] + h @ p["wh"]), 2, axis=-1)
        candidate = jnp.tanh(x @ p["cx"] + (r * h) @ p["ch"])
        h = (1 - z) * h + z * candidate
        return h, h.sum()

    def run(p: dict[str, Array], xs: Array) -> Any:
        return lax.scan(lambda h, x: cell(p, h, x), jnp.zeros((3, 8)), xs)

    p = _parameters(7, wx=(5, 16), wh=(8, 16), cx=(5, 8), ch=(8, 8))
    return Program(run, (p, _normal(8, 7, 3, 5)), 1e-4, 1e-5)


def mixture_of_experts() -> Program:
    """Two of four experts for each token, gathered and scattered by the router's choice."""

    def run(p: dict[str, Array], x: Array) -> Array:
        gates, chosen = lax.top_k(jax.nn.softmax(x @ p["router"]), 2)
        gates = gates / gates.sum(-1, keepdims=True)
        experts = p["experts"][chosen]  # tokens, 2, in, out
        outputs = jnp.einsum("td,tkde->tke", x, experts)
        load = jnp.zeros(4).at[chosen.reshape(-1)].add(1.0)
        return (jax.nn.relu(outputs) * gates[..., None]).sum(1), load

    p = _parameters(9, router=(6, 4), experts=(4, 6, 5))
    return Program(run, (p, _normal(10, 9, 6)))


def attention_with_kv_cache() -> Program:
    """Three steps of decoding: each writes its key and value into the cache and attends to it."""

    def step(carry: Any, q_k_v: Array) -> Any:
        keys, values, position = carry
        q, k, v = q_k_v
        keys = lax.dynamic_update_slice(keys, k[None], (position, 0))
        values = lax.dynamic_update_slice(values, v[None], (position, 0))
        scores = jnp.where(jnp.arange(keys.shape[0]) <= position, keys @ q, -jnp.inf)
        return (keys, values, position + 1), jax.nn.softmax(scores) @ values

    def run(keys: Array, values: Array, position: Array, new: Array) -> Any:
        return lax.scan(step, (keys, values, position), new)

    return Program(run, (_normal(11, 8, 4), _normal(12, 8, 4), np.int32(2), _normal(13, 3, 3, 4)))


def diffusion_block() -> Program:
    """A block of a diffusion model's U-Net: group norm, convolutions, the time, a skip, upsampling."""

    def norm(x: Array) -> Array:
        groups = x.reshape(*x.shape[:-1], 2, -1)
        mean = groups.mean((1, 2, 4), keepdims=True)
        variance = ((groups - mean) ** 2).mean((1, 2, 4), keepdims=True)
        return ((groups - mean) * lax.rsqrt(variance + 1e-5)).reshape(x.shape)

    def convolve(x: Array, k: Array) -> Array:
        return lax.conv_general_dilated(x, k, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def run(p: dict[str, Array], x: Array, skip: Array, time: Array) -> Array:
        angles = time[:, None] * jnp.exp(-jnp.arange(4.0))
        embedding = jnp.concatenate([jnp.sin(angles), jnp.cos(angles)], -1) @ p["time"]
        x = jnp.concatenate([jnp.repeat(jnp.repeat(x, 2, 1), 2, 2), skip], -1)
        h = convolve(jax.nn.silu(norm(x)), p["k1"]) + embedding[:, None, None]
        h = convolve(jax.nn.silu(norm(h)), p["k2"])
        return h + x @ p["residual"]

    p = _parameters(14, time=(8, 6), k1=(3, 3, 8, 6), k2=(3, 3, 6, 6), residual=(8, 6))
    arguments = (p, _normal(15, 1, 3, 3, 4), _normal(16, 1, 6, 6, 4), np.array([3.0], np.float32))
    return Program(run, arguments, 1e-4, 1e-4)


def graph_network() -> Program:
    """Messages along the edges of a graph, summed and maximised at the nodes by scatter."""

    def run(p: dict[str, Array], nodes: Array, senders: Array, receivers: Array) -> Array:
        messages = jnp.tanh(nodes[senders] @ p["send"] + nodes[receivers] @ p["receive"])
        total = jnp.zeros((nodes.shape[0], messages.shape[1])).at[receivers].add(messages)
        largest = jax.ops.segment_max(messages, receivers, nodes.shape[0])
        largest = jnp.where(jnp.isfinite(largest), largest, 0.0)
        return jax.nn.relu(jnp.concatenate([nodes, total, largest], -1) @ p["update"])

    rng = np.random.default_rng(17)
    senders, receivers = rng.integers(0, 7, (2, 20)).astype(np.int32)
    p = _parameters(18, send=(5, 6), receive=(5, 6), update=(17, 5))
    return Program(run, (p, _normal(19, 7, 5), senders, receivers))


def top_k_sampling() -> Program:
    """The next tokens: the 5 likeliest of each row, their probabilities in order, a draw by given
    uniform numbers, and the order of all logits."""

    def run(logits: Array, uniform: Array) -> Any:
        values, indices = lax.top_k(logits, 5)
        probabilities = jax.nn.softmax(values / 0.7)
        choice = (jnp.cumsum(probabilities, -1) < uniform[:, None]).sum(-1)
        tokens = jnp.take_along_axis(indices, choice[:, None], axis=1)[:, 0]
        return tokens, probabilities, jnp.argsort(-logits, axis=-1)

    uniform = np.random.default_rng(20).uniform(size=4).astype(np.float32)
    return Program(run, (_normal(21, 4, 17), uniform))


def spectral_filter() -> Program:
    """A filter by the Fourier transform, there and back, and the power of its spectrum."""

    def run(x: Array, response: Array) -> Any:
        spectrum = jnp.fft.rfft(x, axis=-1)
        filtered = jnp.fft.irfft(spectrum * response, n=x.shape[-1], axis=-1)
        return filtered, jnp.abs(jnp.fft.fft2(x)) ** 2

    return Program(run, (_normal(22, 4, 16), _normal(23, 9)), 1e-4, 1e-3)


PROGRAMS: dict[str, Callable[[], Program]] = {
    make.__name__: make
    for make in (
        mlp_training_step,
        transformer_training_step,
        convolutional_network,
        scanned_rnn,
        mixture_of_experts,
        attention_with_kv_cache,
        diffusion_block,
        graph_network,
        top_k_sampling,
        spectral_filter,
    )
}
