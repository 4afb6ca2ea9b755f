"""CuTe's layout algebra."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ._commands import JsonObject, last_record, run
from .layouts import _checked


@dataclass(frozen=True)
class CuteValue:
    """The value of an expression: a layout, or another value as text."""

    text: str
    offset: Any
    """Of a layout: what it begins with."""
    record: JsonObject = field(repr=False, compare=False)

    def __str__(self) -> str:
        return self.text

    def svg(self) -> str:
        """A picture of the layout."""
        return run(["cute", "--svg", "--", self.record["expr"]]).text

    def tikz(self) -> str:
        """The picture for LaTeX."""
        return run(["cute", "--tikz", "--", self.record["expr"]]).text

    def table(self) -> str:
        """The layout as a table of text."""
        return run(["cute", "--table", "--", self.record["expr"]]).text.rstrip("\n")

    def offsets(self) -> list[Any]:
        """All offsets, the first coordinate fastest.

        >>> cute("(2,2):(2,1)").offsets()
        [0, 2, 1, 3]
        """
        record = last_record(_checked(["cute", "--format=json", "--offsets", "--", self.record["expr"]]))
        return list(record["offsets"])

    def _repr_html_(self) -> str:
        from ._errors import Error
        from ._notebook import svg

        try:
            return svg(self.svg())
        except Error:
            return f"<pre>{self}</pre>"


def cute(expression: str) -> CuteValue:
    """The value of an expression of CuTe's algebra.

    >>> print(cute("composition((8,8):(8,1), 4:2)"))
    (4,1):(16,1)
    """
    record = last_record(_checked(["cute", "--format=json", "--", expression]))
    return CuteValue(record["result"], record["offset"], record)


def cute_functions() -> str:
    """The functions of expressions, each with what it takes and gives.

    >>> "composition(" in cute_functions()
    True
    """
    return run(["cute", "--functions"]).text.rstrip("\n")
