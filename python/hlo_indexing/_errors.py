"""Exceptions, and how they are made of what the core says."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import IntEnum


class Error(Exception):
    """What went wrong: a message, and the place in a text if there is one.

    >>> import hlo_indexing as hi
    >>> try:
    ...     hi.parse("ENTRY e {\\n  ROOT p = f32[2] parametr(0)\\n}")
    ... except hi.Error as error:
    ...     print(error.line, error.column)
    ...     print(error)
    2 19
    <text>:2:19: error: unknown opcode 'parametr'; did you mean 'parameter'?
      ROOT p = f32[2] parametr(0)
                      ^
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        rendered: str | None = None,
        others: tuple[Error, ...] = (),
    ) -> None:
        super().__init__(rendered or message)
        self.message = message
        """What is wrong, without the place."""
        self.file = file
        self.line = line
        """Counted from 1."""
        self.column = column
        """In bytes, counted from 1."""
        self.others = others
        """Further errors of the same input."""


class InputError(Error, ValueError):
    """A text, file or argument that is not as it must be."""


class UsageError(Error, ValueError):
    """Options or names that do not fit."""


class UnknownNameError(UsageError, KeyError):
    """A name that no instruction has.

    >>> import hlo_indexing as hi
    >>> module = hi.parse("ENTRY e { query = f32[2] parameter(0) }")
    >>> try:
    ...     module["quary"]
    ... except KeyError as error:
    ...     print(error)
    there is no instruction 'quary'; did you mean 'query'?
    """

    def __str__(self) -> str:
        return self.message  # that of KeyError is in quotes


def unknown_name(name: str, known: Iterable[str]) -> UnknownNameError:
    """The error, with the name that was probably meant."""
    import difflib

    close = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return UnknownNameError(f"there is no instruction {name!r}{hint}")


class DomainError(Error, IndexError):
    """An index outside of a domain, or a value that does not fit in 64 bits."""


class UnsupportedError(Error, NotImplementedError):
    """What is not supported here, or has no answer."""


class LimitError(Error):
    """A limit on time, memory or size was reached."""


class Warning(UserWarning):
    """Something that is probably not as it was meant."""


class _Code(IntEnum):
    """Of absl::Status."""

    CANCELLED = 1
    INVALID_ARGUMENT = 3
    DEADLINE_EXCEEDED = 4
    NOT_FOUND = 5
    RESOURCE_EXHAUSTED = 8
    OUT_OF_RANGE = 11
    UNIMPLEMENTED = 12


_CLASSES: dict[int, type[Error]] = {
    _Code.INVALID_ARGUMENT: InputError,
    _Code.NOT_FOUND: UsageError,
    _Code.DEADLINE_EXCEEDED: LimitError,
    _Code.RESOURCE_EXHAUSTED: LimitError,
    _Code.OUT_OF_RANGE: DomainError,
    _Code.UNIMPLEMENTED: UnsupportedError,
}

_PLACE = re.compile(r"^(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): (?:error: )?(?P<message>.*)$")
_PLACED_WARNING = re.compile(r"^(?P<place>.+?:\d+:\d+: )warning: ")
_MESSAGE = re.compile(r"^hlo-indexing: (?P<kind>error|warning): (?P<message>.*)$")


def split_messages(text: str, kind: type[Error]) -> tuple[list[Error], list[str]]:
    """The errors and the warnings among messages as the command line prints them."""
    errors: list[Error] = []
    warnings: list[str] = []
    block: list[str] = []

    def end_block() -> None:
        if not block:
            return
        first = _MESSAGE.match(block[0])
        if first and first["kind"] == "warning":
            warnings.append("\n".join([first["message"], *block[1:]]))
        elif first:
            errors.append(kind("\n".join([first["message"], *block[1:]])))
        elif _PLACED_WARNING.match(block[0]):
            warnings.append(_PLACED_WARNING.sub(r"\g<place>", "\n".join(block)))
        else:
            block[0] = block[0].removeprefix("hlo-indexing: ")
            errors.append(_placed("\n".join(block), kind))
        block.clear()

    for line in text.rstrip("\n").split("\n"):
        if _MESSAGE.match(line) or _PLACE.match(line):
            end_block()
        if line:
            block.append(line)
    end_block()
    return errors, warnings


def _placed(text: str, kind: type[Error]) -> Error:
    place = _PLACE.match(text.split("\n", 1)[0])
    if not place:
        return kind(text)
    return kind(
        place["message"],
        file=place["file"],
        line=int(place["line"]),
        column=int(place["column"]),
        rendered=text,
    )


def first_of(errors: list[Error]) -> Error:
    """The first error, which has the others."""
    first = errors[0]
    first.others = tuple(errors[1:])
    return first


def from_status(code: int, message: str) -> Error:
    """The exception of a status of the core."""
    kind = _CLASSES.get(code, Error)
    errors, _ = split_messages(message, kind)
    return first_of(errors) if errors else kind(message)
