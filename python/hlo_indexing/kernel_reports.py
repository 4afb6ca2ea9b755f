"""What is said of kernels: accesses to memory, figures, launches."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ._commands import JsonObject
from ._errors import Error
from .reports import Record, Report, share

if TYPE_CHECKING:
    from .maps import Map


@dataclass(frozen=True, kw_only=True)
class Access(Record):
    """An access of a kernel to memory, as `explain` and `coalescing` count it."""

    instruction: str
    access: str
    """load, store or atomic."""
    space: str
    """global or shared."""
    array_name: str | None = None
    operand: int | None = None
    output: int | None = None
    vector_bytes: int | None = None
    element_bits: int | None = None
    vector_elements: int | None = None
    """How many neighbouring elements a lane accesses at once."""
    threads: tuple[int, int, int] | None = None
    """Of a block."""
    requests: int | None = None
    sectors: int | None = None
    ideal_sectors: int | None = None
    wavefronts: int | None = None
    ideal_wavefronts: int | None = None
    cause: str | None = None
    """Why it wastes."""
    stride_bytes: int | None = None
    hint: str | None = None
    """What would help."""
    exact: bool | None = None
    shown = (
        "instruction",
        "access",
        "space",
        "array_name",
        "requests",
        "sectors",
        "ideal_sectors",
        "wavefronts",
        "cause",
        "stride_bytes",
        "hint",
    )

    @property
    def efficiency(self) -> float | None:
        """Sectors that are needed, of those that are moved."""
        return share(self.record.get("efficiency"))

    @property
    def metrics(self) -> JsonObject:
        """By what they count, the names of Nsight Compute's metrics, if `ncu` has asked for them."""
        return dict(self.record.get("metrics", {}))

    @cached_property
    def element_map(self) -> Map | None:
        """From threads, blocks and loops to the index of the element; None if it was not asked for."""
        return self._map("element")

    @cached_property
    def position_map(self) -> Map | None:
        """From threads, blocks and loops to where the element lies, in elements; of shared memory
        before the swizzle."""
        return self._map("position")

    def _map(self, name: str) -> Map | None:
        from .maps import Map

        return Map(self.record[name]["text"]) if name in self.record else None

    def lanes(self, warp: int = 0, block: Sequence[int] = (0, 0, 0), **values: int) -> tuple[int | None, ...]:
        """Where each of the 32 lanes of a warp begins, in bytes of the array or of shared memory; None
        for a lane that accesses nothing. Loops are in their first iteration, and what is known at run
        time only has its least value, unless `values` says another: `lanes(3, s0=1)`.
        """
        from ._warp import WarpAccess

        return WarpAccess(self, warp, block, values).byte_offsets

    def svg(self, warp: int = 0, block: Sequence[int] = (0, 0, 0), **values: int) -> str:
        """A picture of what the lanes of a warp access: the sectors of 32 bytes of global memory, or
        the banks of shared memory, each with the lanes that want something there."""
        from ._warp import WarpAccess

        return WarpAccess(self, warp, block, values).svg()

    def _repr_html_(self) -> str:
        from ._notebook import svg, table

        rows = [{"": name, "value": getattr(self, name)} for name in self.shown]
        text = table(rows, title=f"%{self.instruction}", sortable=False)
        return text if self.position_map is None else text + svg(self.svg())


class KernelTexts:
    """What the command line prints of a module and of its kernels; made when it is first wanted."""

    def __init__(self, make: Callable[[], str]) -> None:
        self._make = make

    @cached_property
    def whole(self) -> str:
        return self._make().rstrip("\n")

    @cached_property
    def _blocks(self) -> list[str]:
        # The module comes first, then the kernels in the order of the records.
        return self.whole.split("\n\n")[1:]

    def kernel(self, number: int) -> str:
        return self._blocks[number].rstrip("\n")


@dataclass(frozen=True, kw_only=True)
class Kernel(Record):
    """A kernel as `explain` reports it. Printed, it says what the command line says.

    >>> import hlo_indexing as hi
    >>> report = hi.parse("ENTRY e { p = f32[64,64] parameter(0) ROOT n = f32[64,64] negate(p) }").explain()
    >>> print(report[0])
    %n = f32[64,64] negate(%p)
      <text>:1:44; loop, 32 blocks of 128 threads
      moves 32.8 kB, needs 32.8 kB (100%); estimate: 9.78 ns on h100, bound by DRAM,
          100% of DRAM bandwidth
        load   %p      100%  4.0 sectors per request, ideal 4.0; 16.4 kB
        store  output  100%  4.0 sectors per request, ideal 4.0; 16.4 kB
    """

    instruction: str
    computation: str
    emitter: str
    variant: str
    blocks: tuple[int, int, int]
    threads: tuple[int, int, int]
    moved_bytes: int
    needed_bytes: int
    wasted_bytes: int
    dram_bytes: int
    estimated_us: float
    bound: str | None = None
    """What takes longest: DRAM, L2, LSU, shared memory or issue."""
    dram_bandwidth_share: float | None = None
    line: int | None = None
    column: int | None = None
    exact: bool = True
    source: str | None = None
    """The line of the program that made it, `file:line`, if the module says it."""
    accesses: tuple[Access, ...] = ()
    texts: KernelTexts | None = field(default=None, repr=False, compare=False)
    number: int = field(default=0, repr=False, compare=False)
    count_again: Callable[[], Report[Access]] | None = field(default=None, repr=False, compare=False)
    shown = (
        "instruction",
        "emitter",
        "moved_bytes",
        "needed_bytes",
        "efficiency",
        "estimated_us",
        "bound",
        "dram_bandwidth_share",
        "source",
    )

    def __str__(self) -> str:
        return repr(self) if self.texts is None else self.texts.kernel(self.number)

    @property
    def efficiency(self) -> float | None:
        """Bytes that are needed, of those that are moved."""
        return share(self.record.get("efficiency"))

    @property
    def before(self) -> JsonObject | None:
        """The `moved_bytes`, `wasted_bytes` and `estimated_us` of the earlier version, if there is one
        that has this kernel."""
        return self.record.get("before")

    @property
    def cures(self) -> list[JsonObject]:
        """What would help, each with its figures."""
        return list(self.record.get("cures", ()))

    @cached_property
    def patterns(self) -> Report[Access]:
        """The accesses as `coalescing` gives them: with the maps from threads to memory, and pictures."""
        return Report(()) if self.count_again is None else self.count_again()

    def _repr_html_(self) -> str:
        from ._notebook import svg

        table = Report(self.accesses, title=f"%{self.instruction}")._repr_html_()
        pictures = []
        for access in self.patterns:
            try:
                pictures.append(f"<div>{svg(access.svg())}</div>")
            except Error as error:
                pictures.append(f"<div>{html.escape(str(error))}</div>")
        return table + "".join(pictures)


@dataclass(frozen=True, kw_only=True)
class Launch(Record):
    """How a kernel is launched, as `plan` says it."""

    instruction: str
    computation: str
    emitter: str
    variant: str
    blocks: tuple[int, int, int]
    threads: tuple[int, int, int]
    shared_memory_bytes: int = 0
    shown = ("instruction", "emitter", "variant", "blocks", "threads", "shared_memory_bytes")

    @property
    def maps(self) -> tuple[Any, ...]:
        """For each output, the map from threads to the elements that they store."""
        from .maps import Map

        return tuple(Map(output["map"]["text"]) for output in self.record["outputs"])


class Explanation(Report[Kernel]):
    """What `explain` says of a module: its kernels, worst first."""

    def __init__(
        self,
        kernels: Sequence[Kernel],
        module: JsonObject,
        texts: KernelTexts,
        *,
        failures: tuple[Error, ...] = (),
    ) -> None:
        super().__init__(kernels, title=str(module.get("module", "")))
        self.failures = failures
        """The kernels beyond the limit `fail_on`, each with its place."""
        self._texts = texts
        self.module = module
        """The sums of the module, by their names in JSON."""

    def __str__(self) -> str:
        return self._texts.whole

    @property
    def moved_bytes(self) -> int:
        return int(self.module["moved_bytes"])

    @property
    def needed_bytes(self) -> int:
        return int(self.module["needed_bytes"])

    @property
    def wasted_bytes(self) -> int:
        return int(self.module["wasted_bytes"])

    @property
    def estimated_us(self) -> float:
        return float(self.module["estimated_us"])

    @property
    def not_shown(self) -> list[JsonObject]:
        """What runs on the device without being a kernel whose plan is known."""
        return list(self.module["not_shown"])

    @property
    def accesses(self) -> Report[Access]:
        """The accesses of all kernels."""
        return Report([access for kernel in self for access in kernel.accesses], title="accesses")
