"""Functions of JAX: what XLA makes of them, and why it is as fast as it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._progress import Progress
from .kernel_reports import Explanation
from .modules import Module
from .sources import parse


def compiled(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Module:
    """The module that XLA makes of a function with these arguments, on the default device."""
    import jax

    jitted = function if hasattr(function, "lower") else jax.jit(function)
    return parse(jitted.lower(*args, **kwargs).compile())


def explain(
    function: Callable[..., Any],
    *args: Any,
    device: str = "h100",
    progress: Progress | bool | None = None,
    **kwargs: Any,
) -> Explanation:
    """Compiles a function and explains its kernels, each with the line of Python it comes from.

    What XLA fuses depends on where it compiles for: on a machine without a GPU these are the
    fusions of the CPU, looked at as if `device` ran them.
    """
    return compiled(function, *args, **kwargs).explain(device=device, progress=progress)
