"""Reports: lists of records, which show themselves as tables and become data frames."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
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


def share(text: object) -> float | None:
    """Example: "1/4" -> 0.25"""
    if not isinstance(text, str) or "/" not in text or text.endswith("/0"):
        return None
    return float(Fraction(text))


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
