"""Indexing maps: which elements of one array an element of another one reads."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, overload

from . import _core
from ._errors import DomainError, LimitError, UnsupportedError, UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

Exactness = Literal["exact", "superset", "unknown"]

_MOST_POINTS = 1 << 24


@dataclass(frozen=True)
class Variable:
    """A variable of a map, or a constraint: `lower <= name <= upper`; None is no bound."""

    name: str
    lower: int | None
    upper: int | None

    def __str__(self) -> str:
        lower = "-inf" if self.lower is None else self.lower
        upper = "inf" if self.upper is None else self.upper
        return f"{self.name} in [{lower}, {upper}]"


@dataclass(frozen=True)
class Equality:
    """Whether two maps are the same function. True or False as a condition, an error if unknown."""

    answer: Literal["yes", "no", "unknown"]
    reason: str
    """How the answer was found."""
    point: dict[str, int]
    """Of a no: where the maps differ."""

    def __bool__(self) -> bool:
        if self.answer == "unknown":
            raise UnsupportedError(f"it is not known whether the maps are equal: {self.reason}")
        return self.answer == "yes"

    def __str__(self) -> str:
        place = ", ".join(f"{name} = {value}" for name, value in self.point.items())
        return f"{self.answer}: {self.reason}" + (f", at {place}" if place else "")


@dataclass(frozen=True)
class Image:
    """What a map reaches."""

    text: str
    size: tuple[int, int]
    """The number of different results: at least, at most."""
    points: tuple[int, int]
    """The number of points of the domain: at least, at most."""
    bounds: tuple[tuple[int | None, int | None], ...]
    """The smallest and largest value of each result."""
    box: tuple[tuple[int, int, int], ...] | None
    """Offset, size and stride of each result, if the results are all combinations of these."""
    injective: Literal["yes", "no", "unknown"]
    reason: str
    """Why the numbers are not exact; empty if they are."""

    def __str__(self) -> str:
        return self.text


def _is_number(value: object) -> bool:
    return isinstance(value, int) or (hasattr(value, "__index__") and not hasattr(value, "shape"))


class Map:
    """A function from dimension, range and runtime variables to an index, on a domain.

    >>> import hlo_indexing as hi
    >>> m = hi.Map("(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 2], d1 in [0, 3]")
    >>> m(2, 1)
    (9,)
    >>> print(~m)
    (d0) -> (d0 floordiv 4, d0 mod 4), domain: d0 in [0, 11]
    >>> print(~m @ m)
    (d0, d1) -> (d0, d1), domain: d0 in [0, 2], d1 in [0, 3]

    Called with NumPy arrays, it gives arrays; `x[m(i, j)]` are then the elements that are read.
    Range and runtime variables are given by name: `m(3, 5, s0=1, rt0=2)`.
    """

    __slots__ = ("_map", "array", "operand", "output", "replica_map")

    def __init__(self, text: str | _core.Map) -> None:
        self._map = _core.parse_map(text) if isinstance(text, str) else text
        self.operand: int | None = None
        """Of a map of an instruction: the operand that is read."""
        self.array: int = 0
        """The array of that operand, if it is a tuple."""
        self.output: int = 0
        """The array of the output."""
        self.replica_map: Map | None = None
        """From the same variables to the device whose array is meant; None if it is the same."""

    def __str__(self) -> str:
        return str(self._map)

    def __repr__(self) -> str:
        return f"Map({str(self)!r})"

    def __reduce__(self) -> tuple[type[Map], tuple[str]]:
        return Map, (str(self),)

    @property
    def is_unknown(self) -> bool:
        """Whether nothing can be said."""
        return self._map.is_unknown

    @property
    def is_known_empty(self) -> bool:
        """Whether the domain is known to have no point."""
        return self._map.is_known_empty

    @property
    def dimensions(self) -> tuple[Variable, ...]:
        """The variables that are the index of the array that is mapped from."""
        return tuple(Variable(*variable) for variable in self._map.dimensions)

    @property
    def ranges(self) -> tuple[Variable, ...]:
        """The variables that take all their values."""
        return tuple(Variable(*variable) for variable in self._map.ranges)

    @property
    def runtime(self) -> tuple[Variable, ...]:
        """The variables whose one value is known at run time only."""
        return tuple(Variable(*variable) for variable in self._map.runtime)

    @property
    def runtime_instructions(self) -> tuple[str | None, ...]:
        """The names of the instructions whose values the runtime variables are."""
        return tuple(self._map.runtime_instructions)

    @property
    def results(self) -> tuple[str, ...]:
        """The expressions.

        >>> Map("(d0) -> (d0 floordiv 2, d0 mod 2), domain: d0 in [0, 9]").results
        ('d0 floordiv 2', 'd0 mod 2')
        """
        return tuple(self._map.results)

    @property
    def constraints(self) -> tuple[Variable, ...]:
        """The constraints of the domain besides the bounds of variables."""
        return tuple(Variable(*constraint) for constraint in self._map.constraints)

    def _columns(self, index: tuple[Any, ...], named: dict[str, Any]) -> list[Any]:
        """The values of all variables in order."""
        dimensions = self._map.dimensions
        if len(index) != len(dimensions):
            names = ", ".join(name for name, _, _ in dimensions)
            raise UsageError(f"the map has {len(dimensions)} dimensions ({names}), not {len(index)}")
        columns = list(index)
        for name, _, _ in (*self._map.ranges, *self._map.runtime):
            if name not in named:
                raise UsageError(
                    f"the value of {name} is missing: {name}=...; reads() tries all values of ranges"
                )
            columns.append(named.pop(name))
        if named:
            raise UsageError(f"the map has no range or runtime variable {next(iter(named))!r}")
        return columns

    @overload
    def __call__(self, *index: int, **named: int) -> tuple[int, ...]: ...

    @overload
    def __call__(self, *index: ArrayLike, **named: ArrayLike) -> tuple[NDArray[np.int64], ...]: ...

    def __call__(self, *index: Any, **named: Any) -> tuple[Any, ...]:
        """The results at an index, or at arrays of them, which are broadcast.

        >>> Map("(d0, d1) -> (d1, d0), domain: d0 in [0, 2], d1 in [0, 3]")(2, 1)
        (1, 2)
        """
        columns = self._columns(index, named)
        if all(_is_number(column) for column in columns):
            point = [int(column) for column in columns]
            if any(not -(1 << 63) <= value < 1 << 63 for value in point):
                raise DomainError(_TOO_LARGE)
            return tuple(self._map.evaluate_point(point))
        shape, size, flat = _flat(columns)
        results = self._map.evaluate(flat, size)
        # NumPy has two types of 64 bits, and prints one of them with its name.
        return tuple(result.reshape(shape).view(_int64()) for result in results)

    def contains(self, *index: Any, **named: Any) -> Any:
        """Whether the index is in the domain; of arrays, an array.

        >>> Map("(d0) -> (d0), domain: d0 in [0, 9], d0 mod 2 in [0, 0]").contains(3)
        False
        """
        columns = self._columns(index, named)
        shape, size, flat = _flat(columns)
        result = self._map.contains(flat, size).reshape(shape)
        return result if shape else bool(result)

    def reads(self, *index: int, **named: int) -> NDArray[np.int64]:
        """All that an index is related to, for every value of the ranges: a row each.

        >>> m = Map("(d0)[s0] -> (d0, s0 * 2), domain: d0 in [0, 2], s0 in [0, 1]")
        >>> m.reads(1).tolist()
        [[1, 0], [1, 2]]
        """
        import numpy as np

        free = [variable for variable in self.ranges if variable.name not in named]
        sizes = []
        for variable in free:
            if variable.lower is None or variable.upper is None:
                raise DomainError(f"{variable} has no end")
            sizes.append(max(variable.upper - variable.lower + 1, 0))
        total = 1
        for size in sizes:
            total *= size
        if total > _MOST_POINTS:
            raise LimitError(f"{total} values of ranges are more than {_MOST_POINTS}")
        grid = np.indices(sizes, dtype=np.int64).reshape(len(sizes), total)
        values: dict[str, Any] = dict(named)
        for row, variable in zip(grid, free, strict=True):
            assert variable.lower is not None
            values[variable.name] = row + variable.lower
        if not free:
            points = np.array([self(*index, **values)], dtype=np.int64)
            return points
        inside = self.contains(*(np.full(total, i, dtype=np.int64) for i in index), **values)
        chosen = {
            name: value[inside] if isinstance(value, np.ndarray) else value for name, value in values.items()
        }
        count = int(inside.sum())
        results = self(*(np.full(count, i, dtype=np.int64) for i in index), **chosen)
        return np.stack(results, axis=-1) if results else np.zeros((count, 0), dtype=np.int64)

    def simplify(self, *, rescale_ranges: bool = False) -> Map:
        """The map in simplest form, with the same variables.

        >>> print(Map("(d0) -> (d0 floordiv 4 * 4 + d0 mod 4), domain: d0 in [0, 99]").simplify())
        (d0) -> (d0), domain: d0 in [0, 99]
        """
        return self._like(self._map.simplify(rescale_ranges))

    def inverse(self) -> Map:
        """The map from results to dimensions; also written `~m`."""
        return self._like(self._map.inverse())

    def __invert__(self) -> Map:
        return self.inverse()

    def __matmul__(self, inner: Map) -> Map:
        """This map after the inner one: `(m @ n)(x) == m(*n(x))`."""
        if not isinstance(inner, Map):
            return NotImplemented
        return Map(inner._map.then(self._map))

    def equal(self, other: Map) -> Equality:
        """Whether the maps are the same function, with a point where they differ.

        >>> half = Map("(d0) -> (d0 floordiv 2), domain: d0 in [0, 9]")
        >>> half == Map("(d0) -> ((d0 + 1) floordiv 2), domain: d0 in [0, 8]")
        Equality(answer='no', reason='only the first domain has the point', point={'d0': 9})
        """
        answer, reason, dimensions, symbols = self._map.equal(other._map)
        names = [v.name for v in (*self.dimensions, *self.ranges, *self.runtime)]
        point = dict(zip(names, [*dimensions, *symbols], strict=False))
        return Equality(answer, reason, point)  # type: ignore[arg-type]

    def __eq__(self, other: object) -> Equality:  # type: ignore[override]
        if not isinstance(other, Map):
            return NotImplemented
        return self.equal(other)

    def __ne__(self, other: object) -> bool:
        if not isinstance(other, Map):
            return NotImplemented
        return not self.equal(other)

    def __hash__(self) -> int:
        # Equal maps may be written in different ways.
        return hash((len(self._map.dimensions), len(self._map.results)))

    def project(
        self, *, dimensions: Sequence[int] | None = None, results: Sequence[int] | None = None
    ) -> Maps:
        """What the map says of some of its dimensions and results; see Maps.project."""
        return Maps([self]).project(dimensions=dimensions, results=results)

    def cardinality(self, *, parameters: Sequence[int] | None = None, points: bool = False) -> Maps:
        """How many results the map reaches, as a function of some of its dimensions; see Maps.cardinality."""
        return Maps([self]).cardinality(parameters=parameters, points=points)

    def image(self) -> Image:
        """How many results there are, and which.

        >>> print(Map("(d0) -> (d0 * 2), domain: d0 in [0, 4]").image())
        values: 5, points: 5, injective: yes, box: (0, 2, ..., 8)
        """
        text, size_lower, size_upper, points_lower, points_upper, bounds, box, injective, reason = (
            self._map.image()
        )
        return Image(
            text,
            (int(size_lower), int(size_upper)),
            (int(points_lower), int(points_upper)),
            tuple(bounds),
            None if box is None else tuple(box),
            injective,  # type: ignore[arg-type]
            reason,
        )

    def _like(self, other: _core.Map) -> Map:
        result = Map(other)
        result.operand, result.array, result.output = self.operand, self.array, self.output
        return result

    def _repr_html_(self) -> str:
        return Maps([self])._repr_html_()


_TOO_LARGE = "an index does not fit in 64 bits with a sign"


def _int64() -> type[np.int64]:
    import numpy as np

    return np.int64


def _flat(columns: list[Any]) -> tuple[tuple[int, ...], int, list[NDArray[np.int64]]]:
    """The shape that all are broadcast to, its size, and each as an array of that size or of 1."""
    import numpy as np

    arrays = [np.asarray(column) for column in columns]
    for array in arrays:
        if array.dtype == object and all(isinstance(value, int) for value in array.flat):
            raise DomainError(_TOO_LARGE)
        if array.dtype.kind not in "iub" and array.size:
            raise UsageError(f"an index is an integer, not {array.dtype}")
    try:
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise UsageError(f"indices of the shapes {shapes} cannot be broadcast to one shape") from None
    size = 1
    for extent in shape:
        size *= extent
    flat = []
    for array in arrays:
        integers = array.astype(np.int64, copy=False)
        if array.dtype == np.uint64 and (integers < 0).any():
            raise DomainError(_TOO_LARGE)
        if array.size == 1 and size != 1:
            flat.append(np.ascontiguousarray(integers).reshape(1))
        else:
            flat.append(np.ascontiguousarray(np.broadcast_to(integers, shape)).reshape(size))
    return shape, size, flat


class Maps(Sequence[Map]):
    """Maps of one array: an element is related to what any of them gives."""

    def __init__(
        self, maps: Iterable[Map], exactness: Exactness = "exact", reason: str = "", title: str = ""
    ) -> None:
        self._maps = tuple(maps)
        self.exactness: Exactness = exactness
        """Whether they say just what is read, perhaps more, or nothing is known."""
        self.reason = reason
        """Why they are not exact; empty if they are."""
        self._title = title

    @overload
    def __getitem__(self, index: int) -> Map: ...

    @overload
    def __getitem__(self, index: slice) -> Maps: ...

    def __getitem__(self, index: int | slice) -> Map | Maps:
        if isinstance(index, slice):
            return Maps(self._maps[index], self.exactness, self.reason, self._title)
        return self._maps[index]

    def __len__(self) -> int:
        return len(self._maps)

    def __iter__(self) -> Iterator[Map]:
        return iter(self._maps)

    def __str__(self) -> str:
        lines = [] if self.exactness == "exact" else [f"{self.exactness}: {self.reason}"]
        return "\n".join([*lines, *(str(m) for m in self._maps)])

    def __repr__(self) -> str:
        return f"<Maps: {self.exactness}, {len(self)}>\n{self}" if self else f"<Maps: {self}>"

    def _repr_html_(self) -> str:
        from ._notebook import table

        rows = []
        for m in self._maps:
            domain = ", ".join(str(v) for v in (*m.dimensions, *m.ranges, *m.runtime, *m.constraints))
            rows.append(
                {
                    "operand": "" if m.operand is None else m.operand,
                    "array": m.array,
                    "output": m.output,
                    "map": str(m).split(", domain:")[0],
                    "domain": domain,
                }
            )
        note = "" if self.exactness == "exact" else f"{self.exactness}: {self.reason}"
        return table(rows, title=self._title, note=html.escape(note), sortable=False)

    def union(self, other: Maps) -> Maps:
        """What both relate together, in few maps."""
        return self._combined(_core.unite, other)

    def intersect(self, other: Maps) -> Maps:
        """What both relate."""
        return self._combined(_core.intersect, other)

    def subtract(self, other: Maps) -> Maps:
        """What this relates and the other does not.

        >>> a = Maps([Map("(d0) -> (d0), domain: d0 in [0, 9]")])
        >>> b = Maps([Map("(d0) -> (d0), domain: d0 in [3, 4]")])
        >>> print(a.subtract(b))
        (d0) -> (d0), domain: d0 in [0, 2]
        (d0) -> (d0), domain: d0 in [5, 9]
        """
        return self._combined(_core.subtract, other)

    def project(
        self, *, dimensions: Sequence[int] | None = None, results: Sequence[int] | None = None
    ) -> Maps:
        """The pairs of the dimensions and results of these numbers, in this order, for which some pair
        is related; all of them where there is no list, none where it is empty.

        >>> m = Map("(d0, d1) -> (d0 * 2), domain: d0 in [0, 9], d1 in [0, 9], d0 - d1 in [3, 4]")
        >>> print(m.project(dimensions=[0], results=[]))
        (d0) -> (), domain: d0 in [3, 9]
        """
        if self.exactness != "exact":
            raise UnsupportedError("only exact maps are projected")
        if not self._maps:
            return Maps(())
        first = self._maps[0]
        kept = range(len(first.dimensions)) if dimensions is None else dimensions
        kept_results = range(len(first.results)) if results is None else results
        return Maps(Map(m) for m in _core.project([m._map for m in self], list(kept), list(kept_results)))

    def cardinality(self, *, parameters: Sequence[int] | None = None, points: bool = False) -> Maps:
        """How many different results the maps reach together, or how many values of the other
        dimensions and of the ranges there are (`points`): maps with no point in common from the
        dimensions of these numbers, all of them where there is no list, to the number. Where none
        of them has a point, it is 0. UnsupportedError where there is no such form.

        >>> m = Map("(d0)[s0] -> (d0 + s0), domain: d0 in [0, 9], s0 in [0, 9], d0 - s0 in [0, 9]")
        >>> print(m.cardinality())
        (d0) -> (d0 + 1), domain: d0 in [0, 9]
        >>> print(m.cardinality(parameters=[], points=True))
        () -> (55)
        """
        if self.exactness != "exact":
            raise UnsupportedError("only of exact maps is it counted what they reach")
        if not self._maps:
            return Maps(())
        chosen = range(len(self._maps[0].dimensions)) if parameters is None else parameters
        return Maps(Map(m) for m in _core.count([m._map for m in self], list(chosen), points))

    def _combined(self, combine: Any, other: Maps) -> Maps:
        if self.exactness != "exact" or other.exactness != "exact":
            raise UnsupportedError("only exact maps are joined, cut or subtracted")
        if not self._maps:
            return Maps(other._maps if combine is _core.unite else ())
        return Maps(Map(m) for m in combine([m._map for m in self], [m._map for m in other]))


def simplify(text: str) -> Map:
    """The map of a text in simplest form.

    >>> print(simplify("(d0) -> (d0 floordiv 4 * 4 + d0 mod 4), domain: d0 in [0, 99]"))
    (d0) -> (d0), domain: d0 in [0, 99]
    """
    return Map(text).simplify()
