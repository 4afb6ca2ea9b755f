"""Subcommands of the command line, run in this process."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import _core
from ._errors import (
    Error,
    InputError,
    LimitError,
    UnsupportedError,
    UsageError,
    Warning,
    first_of,
    split_messages,
)
from ._progress import Progress, reporting

JsonObject = dict[str, Any]

_STATUS: dict[int, type[Error]] = {2: UsageError, 3: InputError, 4: UnsupportedError, 130: LimitError}


@dataclass(frozen=True)
class Answer:
    """What a subcommand printed, and what it could not do."""

    output: bytes
    problems: tuple[Error, ...]
    status: int = 0

    @property
    def text(self) -> str:
        return self.output.decode("utf-8", errors="replace")

    def records(self) -> list[JsonObject]:
        """The JSON objects but for the header."""
        lines = (json.loads(line) for line in self.output.splitlines())
        return [line for line in lines if line["kind"] != "header"]


def option(name: str, value: object) -> list[str]:
    """The option as arguments: none for None and False, `--name` for True."""
    if value is None or value is False:
        return []
    spelling = "--" + name.replace("_", "-")
    if value is True:
        return [spelling]
    if isinstance(value, (list, tuple)):
        value = ",".join(str(item) for item in value)
    return [f"{spelling}={value}"]


def options(values: Mapping[str, object]) -> list[str]:
    """Example: {"top": 3, "ncu": False} -> ["--top=3"]"""
    return [argument for name, value in values.items() for argument in option(name, value)]


def run(
    arguments: Sequence[str],
    texts: Mapping[str, bytes] | None = None,
    progress: Progress | bool | None = None,
    *,
    partial: bool = False,
) -> Answer:
    """Runs a subcommand.

    Raises what went wrong. With `partial`, an answer that has something is given all the same,
    with its problems, and each of them is a warning.
    """
    with reporting(progress) as report:
        status, output, messages = _core.run(list(arguments), dict(texts or {}), report)
    kind = _STATUS.get(status, Error)
    errors, notes = split_messages(messages.decode("utf-8", errors="replace"), kind)
    for note in notes:
        warnings.warn(note, Warning, stacklevel=3)
    if status in (0, 1):
        return Answer(output, tuple(errors), status)
    if status == 4 and partial and output.count(b"\n") > 1:
        for error in errors:
            warnings.warn(str(error), Warning, stacklevel=3)
        return Answer(output, tuple(errors), status)
    if not errors:
        errors = [kind(f"`{' '.join(arguments)}` ended with status {status}")]
    raise first_of(errors)


def last_record(records: Iterable[JsonObject]) -> JsonObject:
    """The only record of an answer; raises the error that it may be."""
    (record,) = records
    if record["kind"] == "error" or "error" in record:
        message = str(record.get("message", record.get("error")))
        raise InputError(
            message,
            line=record.get("line"),
            column=record.get("column"),
            rendered=_rendered(message, record),
        )
    return record


def _rendered(message: str, record: JsonObject) -> str:
    text = str(record.get("input", record.get("expr", "")))
    column = int(record.get("column", 1))
    return f"{message}\n{text}\n{' ' * (column - 1)}^"
