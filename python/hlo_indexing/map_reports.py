"""What is said of maps: how much they read, what tiles need, how they are made."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ._commands import JsonObject
from ._errors import DomainError, Error, UnsupportedError
from .reports import Record, share

if TYPE_CHECKING:
    from .maps import Map

Box = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""Offset, size and stride in each dimension."""


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
        return share(self.record.get("utilization"))


@dataclass(frozen=True, kw_only=True)
class Tile(Record):
    """What a tile of an output needs of an operand: boxes of elements, moved from tile to tile."""

    instruction: str
    operand: int | None = None
    operand_name: str | None = None
    exactness: str = "exact"
    tile_sizes: tuple[int, ...] = ()
    num_tiles: tuple[int, ...] = ()
    most_elements: int | None = None
    output_shape: str | None = None
    operand_shape: str | None = None
    """Of the array that the tile needs a part of, if it is known."""
    shown = (
        "instruction",
        "operand",
        "operand_name",
        "tile_sizes",
        "num_tiles",
        "exactness",
        "most_elements",
    )

    def boxes(self, *tile: int, **values: int) -> tuple[Box, ...]:
        """What the tile of this number in each dimension needs: boxes of elements, each with the offset,
        the size and the stride in each dimension; elements beyond the ends of the array are cut.

        Values that are known at run time only have names, as `rt0=3`.
        """
        if len(tile) != len(self.num_tiles) or not all(
            0 <= i < n for i, n in zip(tile, self.num_tiles, strict=True)
        ):
            raise DomainError(f"there is no tile {tile}: there are {self.num_tiles}")
        if self.record.get("regions") is None:
            raise UnsupportedError(f"what a tile needs is not known: {self.record.get('reason', '')}")
        found: list[Box] = []
        for region, offset, bounds in self._regions:
            if not _holds(region["tiles"], tile) or not offset.contains(*tile, **values):
                continue
            begin = offset(*tile, **values)
            for box in region["boxes"]:
                cut = _cut(box, begin, [(b, m(*tile, **values)[0]) for b, m in bounds])
                if cut is not None:
                    found.append(cut)
        return tuple(found)

    @cached_property
    def _regions(self) -> list[tuple[JsonObject, Map, list[tuple[JsonObject, Map]]]]:
        from .maps import Map

        return [
            (
                region,
                Map(region["offset"]["text"]),
                [(bound, Map(bound["shift"]["text"])) for bound in region.get("bounds", ())],
            )
            for region in self.record["regions"]
        ]

    def svg(self, *tile: int, **values: int) -> str:
        """A picture of a tile, the first one unless told, beside what it needs."""
        from ._tile_picture import tile_picture

        return tile_picture(self, tile or (0,) * len(self.num_tiles), values)

    def _repr_html_(self) -> str:
        from ._notebook import svg, table

        rows = [{"": name, "value": getattr(self, name)} for name in self.shown]
        text = table(rows, title=f"%{self.instruction}", sortable=False)
        try:
            return text + svg(self.svg())
        except Error:
            return text


def _holds(tiles: JsonObject, tile: tuple[int, ...]) -> bool:
    """Whether a tile is one of a strided box of them."""
    return all(
        0 <= i - offset < size * stride and (i - offset) % stride == 0
        for i, offset, size, stride in zip(tile, tiles["offset"], tiles["size"], tiles["stride"], strict=True)
    )


def _cut(box: JsonObject, begin: tuple[int, ...], bounds: list[tuple[JsonObject, int]]) -> Box | None:
    """The box, moved, without the elements that are beyond bounds; None if nothing is left."""
    offset = [o + b for o, b in zip(box["offset"], begin, strict=True)]
    size, stride = list(box["size"]), list(box["stride"])
    for bound, shift in bounds:
        d = bound["dimension"]
        if "lower" in bound and offset[d] < bound["lower"] + shift:
            skipped = -(-(bound["lower"] + shift - offset[d]) // stride[d])
            offset[d] += skipped * stride[d]
            size[d] -= skipped
        if "upper" in bound:
            size[d] = min(size[d], (bound["upper"] + shift - offset[d]) // stride[d] + 1)
    if any(s <= 0 for s in size):
        return None
    return tuple(offset), tuple(size), tuple(stride)


@dataclass(frozen=True, kw_only=True)
class SymbolicTile(Record):
    """For which sizes of tiles a tile needs one box of an operand."""

    instruction: str
    operand: int | None = None
    operand_name: str | None = None
    cases: tuple[JsonObject, ...] = ()
    """Each with its `conditions`, `offset_and_size`, `strides` and `bounds`."""
    reason: str | None = None
    """Why there is no case."""
    shown = ("instruction", "operand", "operand_name", "cases", "reason")


@dataclass(frozen=True, kw_only=True)
class TileFit(Record):
    """Sizes of tiles with which all that a tile needs fits a memory."""

    instruction: str
    capacity: int = 0
    """In bytes."""
    candidates: int = 0
    fitting: int = 0
    unknown: int = 0
    """Those of which it is not known whether they fit, with `unknown_reason` for the first."""
    unknown_reason: str | None = None
    fits: tuple[JsonObject, ...] = ()
    """The best, each with `tile_sizes`, `num_tiles`, `bytes_per_tile`, `bytes_of_all_tiles`, `aligned`."""
    shown = ("instruction", "capacity", "candidates", "fitting", "fits")


@dataclass(frozen=True, kw_only=True)
class MapsSummary(Record):
    """How exact the maps of an opcode are; or a reason why some are not, with its `exactness`."""

    opcode: str | None = None
    instructions: int | None = None
    exact: int | None = None
    superset: int | None = None
    unknown: int | None = None
    independent: int | None = None
    maps: int | None = None
    exactness: str | None = None
    reason: str | None = None
    pairs: int | None = None
    instruction: str | None = None
    """The first one for which that is the reason."""
    shown = (
        "opcode",
        "instructions",
        "exact",
        "superset",
        "unknown",
        "independent",
        "maps",
        "exactness",
        "reason",
        "pairs",
        "instruction",
    )


@dataclass(frozen=True, kw_only=True)
class TraceStep(Record):
    """An instruction that propagation visits on the way from an output to the operands."""

    instruction: str
    computation: str
    output: int
    step: int
    shown = ("instruction", "output", "step", "visited", "opcode", "depth", "repeated", "accesses")

    @property
    def visited(self) -> str:
        """The instruction that is visited."""
        return str(self.record["visited"]["instruction"])

    @property
    def opcode(self) -> str:
        return str(self.record["visited"]["opcode"])

    @property
    def depth(self) -> int:
        """Of the computations that were entered on the way."""
        return int(self.record["visited"]["depth"])

    @property
    def repeated(self) -> bool:
        """Whether a call has been reached like an earlier one."""
        return bool(self.record["visited"]["repeated"])

    @property
    def accesses(self) -> tuple[str, ...]:
        """The maps from the output that have reached its array, each with the reason if it covers more
        than is read."""
        texts = []
        for access in self.record["visited"]["accesses"]:
            text = "UNKNOWN" if access["map"] is None else access["map"]["text"]
            texts.append(f"{text}: {access['reason']}" if access.get("reason") else text)
        return tuple(texts)
