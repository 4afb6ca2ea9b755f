"""Where the elements of arrays lie in memory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from ._commands import JsonObject, last_record, option, run
from ._errors import DomainError, UnsupportedError
from .maps import Map

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Relayout:
    """What a copy between two layouts moves."""

    bitcast: Literal["yes", "no", "unknown"]
    """Whether nothing has to be moved."""
    reason: str
    chunk_bits: int
    """How much moves at a time, at least."""
    map: Map | None
    """From positions of the target to those of the source; None if it is too long to be written."""
    record: JsonObject


class Layout:
    """An array with its layout, as XLA writes both; row-major if there is no layout.

    >>> layout = Layout("bf16[100,200]{1,0:T(8,128)(2,1)}")
    >>> layout.offset(3, 7)
    271
    >>> layout.bytes, layout.wasted_bytes
    (53248, 13248)
    """

    def __init__(self, shape: str) -> None:
        self._record = last_record(_records(shape))
        self.shape = str(self._record["shape"])
        """With the layout."""

    @property
    def record(self) -> JsonObject:
        """What the command line says of it as JSON."""
        return dict(self._record)

    def __str__(self) -> str:
        return run(["layout", self.shape]).text.rstrip("\n")

    def __repr__(self) -> str:
        return f"Layout({self.shape!r})"

    @property
    def elements(self) -> int:
        return int(self._record["elements"])

    @property
    def physical_elements(self) -> int:
        """Positions, padding included."""
        return int(self._record["physical_elements"])

    @property
    def element_bits(self) -> int:
        return int(self._record["element_bits"])

    @property
    def bytes(self) -> int:
        return int(self._record["bytes"])

    @property
    def wasted_bytes(self) -> int:
        return int(self._record["wasted_bytes"])

    @property
    def cute(self) -> str | None:
        """The array, padded to whole tiles, as a layout of CuTe; None if none was found."""
        text = self._record["cute"]
        return None if text is None else str(text)

    @cached_property
    def position_map(self) -> Map:
        """From the index of an element to its position.

        >>> print(Layout("f32[3,5]{0,1}").position_map)
        (d0, d1) -> (d0 + d1 * 3), domain: d0 in [0, 2], d1 in [0, 4]
        """
        return self._map("map")

    @cached_property
    def element_map(self) -> Map:
        """From a position to the index of the element there; padding is not in the domain."""
        return self._map("inverse")

    def _map(self, name: str) -> Map:
        record = self._record[name]
        if record is None:
            raise UnsupportedError(f"the map of {self.shape} is too long to be written")
        return Map(str(record["text"]))

    def offset(self, *index: Any) -> Any:
        """The position of an element, in elements; of arrays of indices, an array."""
        return self.position_map(*index)[0]

    def byte_offset(self, *index: Any) -> Any:
        """Where an element begins, in whole bytes."""
        return self.offset(*index) * self.element_bits // 8

    def index_at(self, position: int) -> tuple[int, ...] | None:
        """The index of the element at a position; None for padding.

        >>> Layout("f32[3,5]{1,0:T(2,2)}").index_at(17), Layout("f32[3,5]{1,0:T(2,2)}").index_at(9)
        ((2, 3), None)
        """
        if not 0 <= position < self.physical_elements:
            raise DomainError(f"{self.shape} has positions 0 to {self.physical_elements - 1}")
        if not self.element_map.contains(position):
            return None
        return tuple(int(i) for i in self.element_map(position))

    def index_at_byte(self, byte: int) -> tuple[int, ...] | None:
        """The index of the element in a byte, of the first one if there are several; None for padding.

        >>> Layout("f32[3,5]{1,0:T(2,2)}").index_at_byte(70)
        (2, 3)
        """
        record = last_record(_records(self.shape, byte=byte))
        return tuple(record["index"]) if "index" in record else None

    def offsets(self) -> NDArray[np.int64]:
        """The positions of all elements, in an array of the same shape.

        >>> Layout("f32[2,3]{0,1}").offsets().tolist()
        [[0, 2, 4], [1, 3, 5]]
        """
        import numpy as np

        sizes = [v.upper + 1 for v in self.position_map.dimensions if v.upper is not None]
        result: NDArray[np.int64] = self.offset(*np.indices(sizes)) if sizes else np.zeros((), np.int64)
        return result

    def tpu_formats(self) -> list[JsonObject]:
        """The formats of the array on a TPU, with the bytes that they waste.

        >>> [f["name"] for f in Layout("bf16[100,200]").tpu_formats() if f["usual"]]
        ['8x128 packed by 2']
        """
        return [r for r in _all_records(self.shape, tpu=True) if r["kind"] == "tpu_format"]

    def relayout(self, other: Layout | str) -> Relayout:
        """What a copy from this layout to another one moves; the other may be a layout of CuTe.

        >>> Layout("f32[4,4]{1,0}").relayout("{0,1}").bitcast
        'no'
        """
        target = other.shape if isinstance(other, Layout) else other
        record = last_record(_records(self.shape, relayout=target))
        text = record["map"]
        return Relayout(
            record["bitcast"],
            record["bitcast_reason"],
            record["chunk_bits"],
            None if text is None else Map(str(text["text"])),
            record,
        )

    def svg(self, *, max_cells: int | None = None) -> str:
        """A picture of the array and its memory; of more than 65,536 cells where `max_cells` lets it."""
        return self._picture("--svg", max_cells)

    def tikz(self, *, max_cells: int | None = None) -> str:
        """The picture for LaTeX."""
        return self._picture("--tikz", max_cells)

    def table(self, *, max_cells: int | None = None) -> str:
        """The array with the position of each element, as text."""
        return self._picture("--table", max_cells).rstrip("\n")

    def _picture(self, kind: str, max_cells: int | None) -> str:
        return run(["layout", kind, *option("max_cells", max_cells), "--", self.shape]).text

    def _repr_html_(self) -> str:
        from ._notebook import svg

        if self.physical_elements > 4096:
            return f"<pre>{self}</pre>"
        return svg(self.svg())


def _records(shape: str, **settings: object) -> list[JsonObject]:
    arguments = [item for name, value in settings.items() for item in option(name, value)]
    return _checked(["layout", "--format=json", *arguments, "--", shape])


def _all_records(shape: str, **settings: object) -> list[JsonObject]:
    arguments = [item for name, value in settings.items() for item in option(name, value)]
    return run(["layout", "--format=json", *arguments, "--", shape]).records()


def _checked(arguments: list[str]) -> list[JsonObject]:
    """Records of errors stand for errors: they have the place."""
    from . import _core
    from ._commands import Answer

    status, output, messages = _core.run(arguments, {}, None)
    records = Answer(output, ()).records()
    if not records:
        run(arguments)  # raises what the messages say
        raise UnsupportedError(messages.decode() or f"status {status}")
    return records[-1:]
