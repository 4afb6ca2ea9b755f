"""The sessions of docs/python.md say what Python says."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest


def test_page(examples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(examples.parent)
    page = Path("docs/python.md")
    sessions = re.findall(r"```python\n(>>> .*?)```", page.read_text(), flags=re.DOTALL)
    assert len(sessions) > 5
    test = doctest.DocTestParser().get_doctest("\n".join(sessions), {}, "python.md", str(page), 0)
    output: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=output.append)
    assert not output, "".join(output)
