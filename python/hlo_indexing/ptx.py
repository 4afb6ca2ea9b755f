"""Kernels in PTX on the virtual GPU: results, and what its checks find."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from . import _core
from ._errors import UsageError
from .modules import Check, EmittedKernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

# How numbers of Python become parameters of a type of PTX.
_FORMATS = {
    "u8": "<B", "s8": "<b", "b8": "<B",
    "u16": "<H", "s16": "<h", "b16": "<H", "f16": "<e",
    "u32": "<I", "s32": "<i", "b32": "<I", "f32": "<f",
    "u64": "<Q", "s64": "<q", "b64": "<Q", "f64": "<d",
}  # fmt: skip


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel."""

    name: str
    type: str
    bytes: int
    is_pointer: bool


@dataclass(frozen=True)
class KernelText:
    """What a text says of one of its kernels."""

    name: str
    parameters: tuple[Parameter, ...]
    block: tuple[int, int, int]
    """The threads of a block that it asks for; zeros if it does not."""


@dataclass(frozen=True)
class Finding:
    """What a check found: where first, and how often."""

    check: Check
    message: str
    kernel: str
    line: int
    source_file: str
    source_line: int
    block: tuple[int, int, int]
    thread: tuple[int, int, int]
    warp: int
    lane: int
    count: int
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Launch:
    """What a launch has come to."""

    arrays: tuple[NDArray[Any], ...]
    """What the kernel left in the arrays that it was given, in their order."""
    findings: tuple[Finding, ...]
    warp_instructions: int
    output: str
    """What the kernel printed."""
    ended_early: str
    """Why not all threads came to their end; empty if they did."""
    unchecked: str
    """What the checks could not look at to its end, and why; empty if nothing."""

    @property
    def is_clean(self) -> bool:
        """Whether all threads ended, and the checks saw everything and found nothing."""
        return not self.findings and not self.ended_early and not self.unchecked

    def _repr_html_(self) -> str:
        from ._notebook import table

        rows = [
            {"check": f.check, "line": f.line, "message": f.message, "count": f.count} for f in self.findings
        ]
        ended = self.ended_early or "all threads ended"
        title = f"{self.warp_instructions:,} warp instructions; {ended}"
        return table(rows or [{"findings": "none"}], title=title)


def kernels(text: str) -> tuple[KernelText, ...]:
    """The kernels of a text."""
    return tuple(
        KernelText(name, tuple(Parameter(*parameter) for parameter in parameters), block)
        for name, parameters, block in _core.kernels(text, "<ptx>")
    )


def _sizes(sizes: int | Sequence[int], name: str) -> list[int]:
    result = [sizes] if isinstance(sizes, int) else list(sizes)
    if not 1 <= len(result) <= 3 or any(size < 1 for size in result):
        raise UsageError(f"{name} is one to three positive numbers, not {sizes!r}")
    return result


def _number(value: Any, parameter: Parameter) -> bytes:
    if value is None:
        return bytes(parameter.bytes)
    if isinstance(value, (bytes, bytearray)):
        return bytes(value)
    if hasattr(value, "dtype"):  # a scalar of NumPy
        return bytes(value.tobytes())
    if parameter.type not in _FORMATS:
        raise UsageError(f"give the {parameter.bytes} bytes of {parameter.name} as bytes")
    is_bits = parameter.type.startswith("b")
    form = _FORMATS[parameter.type]
    if isinstance(value, float) and is_bits:
        form = {4: "<f", 8: "<d"}.get(parameter.bytes, form)
    try:
        return struct.pack(form, value)
    except struct.error as error:
        raise UsageError(f"{value!r} is no {parameter.type}, as {parameter.name} is") from error


def launch(
    ptx: str | EmittedKernel,
    kernel: str = "",
    *,
    grid: int | Sequence[int] | None = None,
    block: int | Sequence[int] | None = None,
    args: Sequence[Any] = (),
    shared: int = 0,
    check: Sequence[Check] | Literal["all"] = ("memcheck", "synccheck"),
    cooperative: bool = False,
    schedule: int = 0,
    max_warp_instructions: int = 2_000_000_000,
    max_findings: int = 100,
) -> Launch:
    """Runs a kernel. Arrays are copied to the device; what it leaves in them is in the result.

    Numbers become what the kernel's parameters are. Of an EmittedKernel, the grid and the block are
    those of its plan.

    >>> import hlo_indexing as hi, numpy as np
    >>> module = hi.parse("ENTRY e { p = f32[64] parameter(0) ROOT n = f32[64] negate(p) }")
    >>> x = np.arange(64, dtype=np.float32)
    >>> result = hi.ptx.launch(module.emit("n"), args=[x, np.zeros_like(x)], check="all")
    >>> result.is_clean, bool((result.arrays[1] == -x).all())
    (True, True)
    """
    import numpy as np

    text = str(ptx)
    if isinstance(ptx, EmittedKernel):
        kernel = kernel or ptx.name
        grid = grid or ptx.blocks
        block = block or ptx.threads
    known = {k.name: k for k in kernels(text)}
    if not kernel and len(known) == 1:
        kernel = next(iter(known))
    if kernel not in known:
        raise UsageError(f"there is no kernel {kernel!r}: the text has {', '.join(known) or 'none'}")
    parameters = known[kernel].parameters
    if len(args) != len(parameters):
        raise UsageError(f"{kernel} has {len(parameters)} parameters, not {len(args)}")
    if block is None:
        block = [max(1, size) for size in known[kernel].block]
    checks = ("memcheck", "initcheck", "racecheck", "synccheck") if check == "all" else check
    given: list[Any] = []
    arrays: list[NDArray[Any]] = []
    for value, parameter in zip(args, parameters, strict=True):
        # A scalar of NumPy is a number.
        if (hasattr(value, "__array__") and not isinstance(value, np.generic)) or (
            hasattr(value, "__dlpack__")
        ):
            from .arrays import as_numpy

            if parameter.bytes != 8:
                raise UsageError(f"{parameter.name} is a {parameter.type}, not an address")
            array = np.array(as_numpy(value), order="C", copy=True)
            arrays.append(array)
            given.append((array.reshape(-1).view(np.uint8), True))
        else:
            given.append(_number(value, parameter))
    result = _core.launch(
        text,
        "<ptx>",
        kernel,
        given,
        _sizes(grid or 1, "grid"),
        _sizes(block, "block"),
        shared,
        "initcheck" in checks,
        "racecheck" in checks,
        "synccheck" in checks,
        cooperative,
        schedule,
        max_warp_instructions,
        max_findings,
    )
    return Launch(
        tuple(arrays),
        tuple(Finding(**finding) for finding in result["findings"]),
        result["warp_instructions"],
        result["output"],
        result["ended_early"],
        result["unchecked"],
    )


__all__ = ["Finding", "KernelText", "Launch", "Parameter", "kernels", "launch"]
