"""Why is a function of JAX as fast as it is? python examples/jax/explain.py"""

from __future__ import annotations

import hlo_indexing as hi
import jax
import jax.numpy as jnp


def attention(q: jax.Array, k: jax.Array, v: jax.Array) -> jax.Array:
    """Heads are the last dimension but one, so that each read of a row jumps."""
    scores = jnp.einsum("qhd,khd->hqk", q, k) / jnp.sqrt(q.shape[-1])
    return jnp.einsum("hqk,khd->qhd", jax.nn.softmax(scores), v)


def main() -> None:
    """Compiles the function, and prints what each kernel moves and which line it comes from."""
    x = jnp.zeros((512, 16, 64), jnp.float32)
    for kernel in hi.jax.explain(attention, x, x, x):
        print(kernel)
        print(f"    made by {kernel.source}" if kernel.source else "")


if __name__ == "__main__":
    main()
