"""A tile of an output beside the part of an operand that it needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ._errors import UnsupportedError
from ._svg import Picture
from .layouts import Layout

if TYPE_CHECKING:
    from .map_reports import Box, Tile

_SIDE = 260.0
_THINNEST = 14.0
_LARGEST_CELL = 18.0
# Of a strided box; more are drawn as one rectangle.
_MOST_ELEMENTS = 4096
_TILE = "hsl(210,70%,75%)"
_SPREAD = "hsl(210,70%,88%)"


def _sizes_of(shape: str) -> tuple[int, ...]:
    return tuple(v.upper + 1 for v in Layout(shape).position_map.dimensions if v.upper is not None)


class _Panel:
    """An array: its last two dimensions, of the first index of those before that has something."""

    def __init__(self, picture: Picture, x: float, y: float, sizes: Sequence[int]) -> None:
        self._picture = picture
        self._x, self._y = x, y
        self._rows, self._columns = ((1, 1, *sizes))[-2:]
        longest = max(self._rows, self._columns)
        cell = min(_SIDE / longest, _LARGEST_CELL)
        self.width = max(self._columns * cell, _THINNEST)
        self.height = max(self._rows * cell, _THINNEST)
        self._cell_width = self.width / self._columns
        self._cell_height = self.height / self._rows
        picture.rectangle(x, y, self.width, self.height)

    def fill(self, box: Box) -> None:
        """The last two dimensions of a box."""
        (top, left), (rows, columns), (down, across) = (((0, 0, *part))[-2:] for part in box)
        if len(box[0]) < 2:
            rows, down = 1, 1
        if len(box[0]) < 1:
            columns, across = 1, 1
        is_dense = (down == 1 or rows == 1) and (across == 1 or columns == 1)
        if is_dense or rows * columns > _MOST_ELEMENTS:
            height, width = (rows - 1) * down + 1, (columns - 1) * across + 1
            self._rectangle(top, left, height, width, _TILE if is_dense else _SPREAD)
            return
        for i in range(rows):
            for j in range(columns):
                self._rectangle(top + i * down, left + j * across, 1, 1, _TILE)

    def _rectangle(self, top: int, left: int, rows: int, columns: int, fill: str) -> None:
        self._picture.rectangle(
            self._x + left * self._cell_width,
            self._y + top * self._cell_height,
            columns * self._cell_width,
            rows * self._cell_height,
            fill,
            tip=f"rows {top} to {top + rows - 1}, columns {left} to {left + columns - 1}",
        )

    def grid(self, rows: int, columns: int) -> None:
        """Lines around tiles of that size, where they are not too dense."""
        width, height = columns * self._cell_width, rows * self._cell_height
        self._picture.lines(
            self._x,
            self._y,
            self.width,
            self.height,
            width if width >= 4 else 0,
            height if height >= 4 else 0,
        )


def tile_picture(tile: Tile, number: Sequence[int], values: Mapping[str, int]) -> str:
    """The picture; an error if what the tile needs, or of what, is not known."""
    if tile.output_shape is None or tile.operand_shape is None:
        raise UnsupportedError(f"the shapes at %{tile.instruction} are not known")
    boxes = tile.boxes(*number, **values)
    output, operand = _sizes_of(tile.output_shape), _sizes_of(tile.operand_shape)
    picture = Picture()
    sizes = tile.tile_sizes
    own: Box = (
        tuple(i * size for i, size in zip(number, sizes, strict=True)),
        tuple(min(size, total - i * size) for i, size, total in zip(number, sizes, output, strict=True)),
        (1,) * len(sizes),
    )
    top = 34.0
    count = " x ".join(map(str, tile.num_tiles))
    picture.text(0, 12, f"tile {list(number)} of {count} tiles of {list(sizes)}")
    picture.text(0, 28, f"output {tile.output_shape}{_where([own])}", size=10)
    left = _Panel(picture, 0, top, output)
    left.fill(own)
    left.grid(*((1, 1, *sizes))[-2:])
    # The texts over both are what may be wide.
    x = max(left.width, len(f"output {tile.output_shape}{_where([own])}") * 6.3) + 30
    name = tile.operand_name or f"operand {tile.operand}"
    picture.text(x, 28, f"{name} {tile.operand_shape}{_where(boxes)}", size=10)
    right = _Panel(picture, x, top, operand)
    shown = [box for box in boxes if box[0][:-2] == boxes[0][0][:-2]]
    for box in shown:
        right.fill(box)
    right.grid(1, 1)
    bottom = top + max(left.height, right.height) + 14
    if not boxes:
        picture.text(x, bottom, "nothing", size=10)
    elif len(shown) < len(boxes):
        picture.text(x, bottom, f"and {len(boxes) - len(shown)} boxes elsewhere", size=10)
    return str(picture)


def _where(boxes: Sequence[Box]) -> str:
    """Of arrays of three dimensions or more, which part of the first ones is meant."""
    if not boxes or len(boxes[0][0]) < 3:
        return ""
    offset, size, stride = boxes[0]
    parts = [
        str(o) if s == 1 else f"{o}:{o + (s - 1) * d + 1}" + (f":{d}" if d > 1 else "")
        for o, s, d in list(zip(offset, size, stride, strict=True))[:-2]
    ]
    return f"[{','.join(parts)},:,:]"
