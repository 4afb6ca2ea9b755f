"""Progress bars for long work."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Progress = Callable[[str, int, int], object]
"""Called with what is done, how much of it, and how much there is (0 if that is not known)."""

_DELAY = 1.0
"""Seconds that work takes before a bar appears. Before that, tqdm is not even looked for."""


class _Bar:
    """A bar of tqdm, if that is there."""

    def __init__(self) -> None:
        self._begin = time.monotonic()
        self._bar: Any = None
        self._is_missing = False

    def __call__(self, what: str, done: int, total: int) -> None:
        if self._bar is None:
            if self._is_missing or time.monotonic() - self._begin < _DELAY:
                return
            try:
                from tqdm.auto import tqdm
            except ImportError:
                self._is_missing = True
                return
            self._bar = tqdm(desc=what, total=total or None, initial=done, leave=False)
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
    bar = _Bar()
    try:
        yield bar
    finally:
        bar.close()
