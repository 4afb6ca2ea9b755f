"""Reports of modules: what kernels move, how they are launched, what is read. Each is a list of
records, which shows itself as a table and becomes a data frame."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, overload

from ._commands import JsonObject
from ._errors import Error

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


@dataclass(frozen=True, kw_only=True)
class Record:
    """What the command line says with `--format=json`, by its names there."""

    record: JsonObject = field(repr=False, compare=False)
    """All of it."""
    shown: ClassVar[tuple[str, ...]] = ()

    def to_dict(self) -> JsonObject:
        """The record as the command line writes it."""
        return dict(self.record)


def _share(text: object) -> float | None:
    """Example: "1/4" -> 0.25"""
    if not isinstance(text, str) or "/" not in text or text.endswith("/0"):
        return None
    return float(Fraction(text))


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
        return _share(self.record.get("efficiency"))


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
        return _share(self.record.get("efficiency"))

    @property
    def cures(self) -> list[JsonObject]:
        """What would help, each with its figures."""
        return list(self.record.get("cures", ()))

    def _repr_html_(self) -> str:
        return Report(self.accesses, title=f"%{self.instruction}")._repr_html_()


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


@dataclass(frozen=True, kw_only=True)
class Utilization(Record):
    """How much an instruction reads of an operand."""

    instruction: str
    operand: int
    operand_name: str
    exact: bool
    output: int | None = None
    elements: int | None = None
    elements_read: int | None = None
    reads: int | None = None
    bytes: int | None = None
    shown = (
        "instruction",
        "operand",
        "operand_name",
        "output",
        "elements",
        "elements_read",
        "reads",
        "bytes",
        "exact",
    )

    @property
    def utilization(self) -> float | None:
        """The share of its elements that is read."""
        return _share(self.record.get("utilization"))


@dataclass(frozen=True, kw_only=True)
class Tile(Record):
    """What a tile of an output needs of an operand."""

    instruction: str
    operand: int | None = None
    operand_name: str | None = None
    exactness: str = "exact"
    tile_sizes: tuple[int, ...] = ()
    num_tiles: tuple[int, ...] = ()
    most_elements: int | None = None
    shown = (
        "instruction",
        "operand",
        "operand_name",
        "tile_sizes",
        "num_tiles",
        "exactness",
        "most_elements",
    )


T = TypeVar("T", bound=Record)
R = TypeVar("R", bound=Record)


def decode(kind: type[R], record: JsonObject, **more: Any) -> R:
    """The record as a typed object."""
    known: dict[str, Any] = {"record": record, **more}
    for item in fields(kind):
        if item.name in record and item.name not in known:
            value = record[item.name]
            known[item.name] = tuple(value) if isinstance(value, list) else value
    return kind(**known)


def _is_nested(value: object) -> bool:
    """Whether a value is more than a number, a text or a list of numbers."""
    if isinstance(value, list):
        return not all(isinstance(item, int) for item in value)
    return isinstance(value, dict)


class Report(Sequence[T], Generic[T]):
    """Records in order."""

    def __init__(
        self,
        records: Sequence[T],
        *,
        title: str = "",
        problems: tuple[Error, ...] = (),
    ) -> None:
        self._records = tuple(records)
        self._title = title
        self.problems = problems
        """What could not be answered; each was a warning, too."""

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> Report[T]: ...

    def __getitem__(self, index: int | slice) -> T | Report[T]:
        if isinstance(index, slice):
            return Report(self._records[index], title=self._title)
        return self._records[index]

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[T]:
        return iter(self._records)

    def __str__(self) -> str:
        return "\n".join(str(record) for record in self._records)

    def __repr__(self) -> str:
        return f"<Report: {self._title or 'records'}, {len(self)}>"

    def to_dicts(self) -> list[JsonObject]:
        """The records as the command line writes them."""
        return [record.to_dict() for record in self._records]

    def to_json(self) -> str:
        """A line of JSON for each record."""
        return "".join(json.dumps(record) + "\n" for record in self.to_dicts())

    def rows(self) -> list[JsonObject]:
        """The records for a table: what is neither a number, a text nor a list of numbers is JSON.
        All rows have the same names."""
        names = dict.fromkeys(name for record in self._records for name in record.record)
        names.pop("kind", None)
        nested = {
            name for name in names if any(_is_nested(record.record.get(name)) for record in self._records)
        }

        def cell(name: str, value: object) -> object:
            return json.dumps(value) if name in nested and value is not None else value

        return [{name: cell(name, record.record.get(name)) for name in names} for record in self._records]

    def to_pandas(self) -> pd.DataFrame:
        """A data frame with a row for each record."""
        import pandas

        frame: pd.DataFrame = pandas.DataFrame(self.rows())
        return frame

    def to_arrow(self) -> pa.Table:
        """A table of Arrow with a row for each record."""
        import pyarrow

        return pyarrow.Table.from_pylist(self.rows())

    def _repr_html_(self) -> str:
        from ._notebook import table

        if not self._records:
            return "<p>no records</p>"
        names = self._records[0].shown
        rows = [{name: getattr(record, name) for name in names} for record in self._records]
        return table(rows, title=self._title)


class Explanation(Report[Kernel]):
    """What `explain` says of a module: its kernels, worst first."""

    def __init__(self, kernels: Sequence[Kernel], module: JsonObject, texts: KernelTexts) -> None:
        super().__init__(kernels, title=str(module.get("module", "")))
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
