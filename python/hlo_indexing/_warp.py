"""What the lanes of one warp access at once, and the picture of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ._errors import UnsupportedError, UsageError
from ._svg import Picture

if TYPE_CHECKING:
    from .kernel_reports import Access
    from .maps import Map

LANES = 32
_SECTOR_BYTES = 32
_BANKS = 32
_WORD_BYTES = 4
# Rows of a picture; of more, the rest is a line of text.
_MOST_ROWS = 64


def lane_color(lane: int) -> str:
    """Neighbouring lanes are told apart by brightness, the ends of a warp by hue."""
    return f"hsl({lane * 300 // LANES},65%,{72 if lane % 2 else 82}%)"


class WarpAccess:
    """The accesses of the lanes of a warp, in one iteration of the loops around it."""

    def __init__(self, access: Access, warp: int, block: Sequence[int], values: Mapping[str, int]) -> None:
        self.access = access
        self.warp = warp
        self.block = tuple(block)
        position = access.position_map
        if position is None or access.threads is None:
            raise UnsupportedError("coalescing() gives accesses with their maps; these have none")
        if position.is_unknown:
            raise UnsupportedError(f"it is not known what {access.array_name} is accessed at")
        self.position: Map = position
        self._values = dict(values)
        x, y, z = access.threads
        if not 0 <= warp * LANES < x * y * z:
            raise UsageError(f"a block has {-(-x * y * z // LANES)} warps, not {warp + 1}")

    @property
    def bits(self) -> int:
        """Of an element."""
        return self.access.element_bits or 8

    @property
    def width(self) -> float:
        """The bytes that a lane accesses."""
        return self.bits * (self.access.vector_elements or 1) / 8

    @cached_property
    def positions(self) -> tuple[int | None, ...]:
        """Where each lane begins, in elements; None where it accesses nothing."""
        import numpy as np

        assert self.access.threads is not None
        x, y, z = self.access.threads
        thread = np.arange(self.warp * LANES, (self.warp + 1) * LANES)
        inside = thread < x * y * z
        columns: list[Any] = [thread % x, thread // x % y, thread // (x * y), *self.block]
        known = {v.name for v in (*self.position.ranges, *self.position.runtime)}
        if not set(self._values) <= known:
            raise UsageError(f"there is no loop {next(iter(set(self._values) - known))!r}")
        named = {
            v.name: self._values.get(v.name, v.lower or 0)
            for v in (*self.position.ranges, *self.position.runtime)
        }
        inside &= self.position.contains(*columns, **named)
        found = np.zeros(LANES, np.int64)
        if inside.any():
            of_lanes: list[Any] = [
                column[inside] if isinstance(column, np.ndarray) else column for column in columns
            ]
            found[inside] = self.position(*of_lanes, **named)[0]
        return tuple(
            self._swizzled(int(p)) if is_inside else None for p, is_inside in zip(found, inside, strict=True)
        )

    def _swizzled(self, position: int) -> int:
        if "swizzle" not in self.access.record:
            return position
        bits, base, shift = (int(number) for number in self.access.record["swizzle"])
        source = position & ((1 << bits) - 1) << (base + max(0, shift))
        return position ^ (source >> shift if shift >= 0 else source << -shift)

    @property
    def byte_offsets(self) -> tuple[int | None, ...]:
        """Where each lane begins, in whole bytes."""
        return tuple(None if p is None else p * self.bits // 8 for p in self.positions)

    @cached_property
    def sectors(self) -> tuple[int, ...]:
        """The numbers of the sectors that are touched."""
        touched: set[int] = set()
        for position in self.positions:
            if position is not None:
                begin = position * self.bits
                end = begin + int(self.width * 8) - 1
                touched.update(range(begin // (8 * _SECTOR_BYTES), end // (8 * _SECTOR_BYTES) + 1))
        return tuple(sorted(touched))

    @cached_property
    def passes(self) -> tuple[tuple[dict[int, list[int]], ...], ...]:
        """Of shared memory: for each pass over the banks, by bank the words that are wanted, each with
        the lanes that want it. A pass is of as many lanes as have a word for each bank."""
        words = max(1, int(self.width) // _WORD_BYTES)
        result = []
        for first in range(0, LANES, LANES // words):
            banks: tuple[dict[int, list[int]], ...] = tuple({} for _ in range(_BANKS))
            for lane in range(first, first + LANES // words):
                position = self.positions[lane]
                if position is None:
                    continue
                begin = position * self.bits
                end = begin + int(self.width * 8) - 1
                for word in range(begin // (8 * _WORD_BYTES), end // (8 * _WORD_BYTES) + 1):
                    banks[word % _BANKS].setdefault(word, []).append(lane)
            if any(banks):
                result.append(banks)
        return tuple(result)

    @property
    def wavefronts(self) -> int:
        """Passes that the shared memory needs: words of one bank come one after the other."""
        return sum(max(len(words) for words in banks) for banks in self.passes)

    def _title(self, what: str) -> str:
        active = sum(position is not None for position in self.positions)
        where = self.access.array_name or f"the tile of %{self.access.record.get('hero', '')}"
        lanes = "1 lane" if active == 1 else f"{active} lanes"
        return (
            f"{self.access.access} of {where}: warp {self.warp} of block {list(self.block)}, "
            f"{lanes} by {self.width:g} bytes: {what}"
        )

    def svg(self) -> str:
        """The picture of the space that is accessed."""
        return self._banks_picture() if self.access.space == "shared" else self._sectors_picture()

    def _sectors_picture(self) -> str:
        """A row for each sector, with the lanes that want a part of it; what stays empty is moved in
        vain."""
        picture = Picture()
        count = len(self.sectors)
        picture.text(0, 12, self._title(f"{count} sector{'' if count == 1 else 's'}"))
        left, byte, height = 96, 12, 15
        shown = self.sectors[:_MOST_ROWS]
        row_of = {sector: row for row, sector in enumerate(shown)}
        for row, sector in enumerate(shown):
            y = 22 + row * (height + 2)
            picture.text(left - 6, y + 11, f"{sector * _SECTOR_BYTES}", size=10, anchor="end")
            picture.rectangle(left, y, _SECTOR_BYTES * byte, height, tip=f"sector {sector}")
        for lane, position in enumerate(self.positions):
            if position is None:
                continue
            begin = position * self.bits / 8
            end = begin + self.width
            for sector in range(int(begin) // _SECTOR_BYTES, -int(-end // _SECTOR_BYTES)):
                if sector not in row_of:
                    continue
                y = 22 + row_of[sector] * (height + 2)
                start = max(begin, sector * _SECTOR_BYTES)
                stop = min(end, (sector + 1) * _SECTOR_BYTES)
                x = left + (start - sector * _SECTOR_BYTES) * byte
                width = (stop - start) * byte
                tip = f"lane {lane}: bytes {start:g} to {stop:g}"
                picture.rectangle(x, y, width, height, lane_color(lane), tip=tip)
                if width >= 12:
                    picture.text(x + width / 2, y + 11, str(lane), size=9, anchor="middle", fill="#000")
        if count > len(shown):
            y = 22 + len(shown) * (height + 2)
            picture.text(left, y + 11, f"and {count - len(shown)} sectors more", size=10)
        return str(picture)

    def _banks_picture(self) -> str:
        """A column for each bank; words of one bank that are wanted at once stand one below the other."""
        picture = Picture()
        count = self.wavefronts
        picture.text(0, 12, self._title(f"{count} wavefront{'' if count == 1 else 's'}"))
        left, width, height = 40, 18, 15
        picture.text(left - 6, 28, "bank", size=10, anchor="end")
        for bank in range(_BANKS):
            picture.text(left + (bank + 0.5) * width, 28, str(bank), size=9, anchor="middle")
        row = 0
        for banks in self.passes:
            depth = max(len(words) for words in banks)
            for bank, words in enumerate(banks):
                for below, (word, lanes) in enumerate(sorted(words.items())):
                    if row + below >= _MOST_ROWS:
                        continue
                    x, y = left + bank * width, 34 + (row + below) * (height + 1)
                    tip = f"word {word}: lanes {', '.join(map(str, lanes))}"
                    picture.rectangle(x, y, width, height, lane_color(lanes[0]), tip=tip)
                    label = str(lanes[0]) + ("+" if len(lanes) > 1 else "")
                    picture.text(x + width / 2, y + 11, label, size=9, anchor="middle", fill="#000")
            row += depth
        if row > _MOST_ROWS:
            picture.text(
                left, 34 + _MOST_ROWS * (height + 1) + 11, f"and {row - _MOST_ROWS} rows more", size=10
            )
        return str(picture)
