"""Where instructions come from: `metadata={...}` and the tables of stack frames of a module."""

from __future__ import annotations

import re
from dataclasses import dataclass

_FIELD = re.compile(r'(\w+)=("(?:[^"\\]|\\.)*"|[^\s}]+)')
_ROW = re.compile(r"^(\d+)\s+(.*)$")


def fields_of(text: str) -> dict[str, str]:
    """Example: 'op_name="a/b" source_line=3' -> {"op_name": "a/b", "source_line": "3"}"""
    return {
        name: value[1:-1].replace('\\"', '"').replace("\\\\", "\\") if value[0] == '"' else value
        for name, value in _FIELD.findall(text)
    }


@dataclass(frozen=True)
class Frame:
    """A place in a program."""

    file: str
    line: int
    function: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class StackTables:
    """FileNames, FunctionNames, FileLocations and StackFrames, as XLA prints them behind the
    header of a module."""

    def __init__(self, text: str) -> None:
        self._rows: dict[str, dict[int, str]] = {}
        rows: dict[int, str] = {}
        for line in text.splitlines():
            row = _ROW.match(line.strip())
            if row:
                rows[int(row[1])] = row[2]
            elif line.strip():
                rows = self._rows.setdefault(line.strip(), {})

    def _row(self, table: str, number: int) -> dict[str, str]:
        return fields_of(self._rows.get(table, {}).get(number, ""))

    def _name(self, table: str, number: int) -> str:
        return self._rows.get(table, {}).get(number, "").strip('"')

    def frames(self, number: int) -> list[Frame]:
        """The frames from the innermost outwards."""
        frames: list[Frame] = []
        seen: set[int] = set()
        while number and number not in seen:
            seen.add(number)
            row = self._row("StackFrames", number)
            location = self._row("FileLocations", int(row.get("file_location_id", 0)))
            if location:
                frames.append(
                    Frame(
                        self._name("FileNames", int(location.get("file_name_id", 0))),
                        int(location.get("line", 0)),
                        self._name("FunctionNames", int(location.get("function_name_id", 0))),
                    )
                )
            number = int(row.get("parent_frame_id", 0))
        return frames


def frames_of(metadata: str, tables: StackTables) -> list[Frame]:
    """The frames of an instruction; one, where only a line is known."""
    known = fields_of(metadata)
    if "stack_frame_id" in known:
        return tables.frames(int(known["stack_frame_id"]))
    if "source_file" in known:
        return [Frame(known["source_file"], int(known.get("source_line", 0)))]
    return []
