"""What is said of programs that run on a GPU: their results and their buffers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._commands import JsonObject
from .reports import Record


@dataclass(frozen=True, kw_only=True)
class Comparison(Record):
    """How far the results of a GPU's back end are from those of the interpreter. True as a condition
    if they are within the tolerance."""

    backend: str
    max_abs_error: float
    max_rel_error: float
    is_close: bool
    outputs: tuple[JsonObject, ...] = ()
    """For each array how many elements differ, and where most: `num_different`, `max_abs_error`,
    `max_abs_error_at`, `actual`, `expected`, ..."""
    shown = ("backend", "max_abs_error", "max_rel_error", "is_close")

    def __bool__(self) -> bool:
        return self.is_close


@dataclass(frozen=True, kw_only=True)
class GpuProgram(Record):
    """Kernels, launches, control flow and buffers of a module. Printed, it says what the command line
    says with `--print-buffers`."""

    text: str

    def __str__(self) -> str:
        return self.text.rstrip("\n")

    @property
    def num_kernels(self) -> int:
        return int(self.record["kernels"])

    @property
    def buffers(self) -> list[dict[str, Any]]:
        """The buffers of the frames of all computations, each with its place and lifetime."""
        return [
            {"computation": computation["computation"], **buffer}
            for computation in self.record["computations"]
            for buffer in computation["buffers"]
        ]
