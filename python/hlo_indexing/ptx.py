"""Kernels in PTX on the virtual GPU: results, and what its checks find."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from . import _core
from ._commands import JsonObject
from ._errors import UsageError
from ._progress import Progress, reporting
from .kernels import EmittedKernel
from .modules import Check, checks_of

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
    record: JsonObject = field(repr=False, compare=False)
    """What `ptx --list` says of it: registers by width, instructions by family, shared memory."""

    @property
    def live_registers(self) -> int | None:
        """Registers of 32 bits that are live at once; None where the kernel is too large."""
        return self.record.get("live_registers")

    @property
    def shared_memory_bytes(self) -> int:
        return int(self.record["shared_memory_bytes"])

    @property
    def instructions(self) -> dict[str, int]:
        """By family, as ld.global, how many there are in the text."""
        return dict(self.record["instructions"])


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
    record: JsonObject = field(repr=False, compare=False)
    """What `ptx` says of it; with `profile` also sectors, bank conflicts, occupancy, times."""
    accesses: tuple[JsonObject, ...] = field(default=(), repr=False, compare=False)
    """With `profile`, for each memory instruction requests, bytes and sectors, or wavefronts."""

    @property
    def estimated_us(self) -> float | None:
        """With `profile`, the least time on the device."""
        estimate = self.record.get("estimated_us")
        return None if estimate is None else float(estimate["at_least"])

    @property
    def occupancy(self) -> JsonObject | None:
        """With `profile`, how many blocks and warps a multiprocessor holds, and what limits that."""
        return self.record.get("occupancy")

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
    """The kernels of a text.

    >>> import hlo_indexing as hi
    >>> module = hi.parse("ENTRY e { p = f32[64] parameter(0) ROOT n = f32[64] negate(p) }")
    >>> (kernel,) = kernels(str(module.emit("n")))
    >>> kernel.name, kernel.block, kernel.instructions["ld.global"]
    ('n', (32, 1, 1), 1)
    """
    found, report = _core.kernels(text, "<ptx>")
    records = {record["kernel"]: record for record in map(json.loads, report.splitlines())}
    return tuple(
        KernelText(name, tuple(Parameter(*parameter) for parameter in parameters), block, records[name])
        for name, parameters, block in found
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
        if value.dtype.itemsize == parameter.bytes:
            return bytes(value.tobytes())
        value = value.item()
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
    profile: bool = False,
    device: str | os.PathLike[str] = "h100",
    registers: int = 0,
    progress: Progress | bool | None = None,
) -> Launch:
    """Runs a kernel. Arrays are copied to the device; what it leaves in them is in the result.

    Numbers become what the kernel's parameters are. Of an EmittedKernel, the grid and the block are
    those of its plan, and scratch memory that is not given is zeros, behind the other arrays in the
    result. `profile` counts what the memory of `device` sees; `registers` of a thread, as
    ptxas says, are for its occupancy. Ctrl-C ends the launch.

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
        grid = ptx.blocks if grid is None else grid
        block = ptx.threads if block is None else block
        scratch = [one["scratch_bytes"] for one in ptx.arguments if "scratch_bytes" in one]
        if len(args) + len(scratch) == len(ptx.arguments):
            args = [*args, *(np.zeros(size, np.uint8) for size in scratch)]
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
    checks = checks_of(check) or ()
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
    with reporting(progress) as report:
        result = _core.launch(
            text,
            "<ptx>",
            kernel,
            given,
            _sizes(1 if grid is None else grid, "grid"),
            _sizes(block, "block"),
            shared,
            "initcheck" in checks,
            "racecheck" in checks,
            "synccheck" in checks,
            cooperative,
            schedule,
            max_warp_instructions,
            max_findings,
            profile,
            os.fspath(device),
            registers,
            report,
        )
    lines = [json.loads(line) for line in result["report"].splitlines()]
    return Launch(
        tuple(arrays),
        tuple(Finding(**finding) for finding in result["findings"]),
        result["warp_instructions"],
        result["output"],
        result["ended_early"],
        result["unchecked"],
        next(line for line in lines if line["kind"] == "launch"),
        tuple(line for line in lines if line["kind"] == "access"),
    )


__all__ = ["Finding", "KernelText", "Launch", "Parameter", "kernels", "launch"]
