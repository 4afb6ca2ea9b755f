"""Progress bars for long work."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Progress = Callable[[str, int, int], object]
"""Called with what is done, how much of it, and how much there is (0 if that is not known)."""


class _Bar:
    """A bar of tqdm, made when the work has taken a second."""

    def __init__(self, make: Callable[..., Any]) -> None:
        self._make = make
        self._bar: Any = None

    def __call__(self, what: str, done: int, total: int) -> None:
        if self._bar is None:
            self._bar = self._make(desc=what, total=total or None, delay=1, leave=False)
        self._bar.set_description_str(what, refresh=False)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


@contextmanager
def reporting(progress: Progress | bool | None) -> Iterator[Progress | None]:
    """What the core tells: the function that is given, or a bar on a terminal."""
    if callable(progress):
        yield progress
        return
    wanted = sys.stderr.isatty() if progress is None else progress
    if not wanted:
        yield None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield None
        return
    bar = _Bar(tqdm)
    try:
        yield bar
    finally:
        bar.close()
