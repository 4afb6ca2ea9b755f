"""Where modules come from: texts, files, folders, objects of JAX."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

from . import _core
from ._errors import InputError, UsageError, Warning, split_messages
from ._progress import Progress, reporting
from .modules import Module


def _is_text(source: str) -> bool:
    return "\n" in source or "{" in source or source.lstrip().startswith("HloModule")


def _contents(source: Any) -> tuple[str, bytes | None]:
    """The name of a source, and what it contains unless it is a file."""
    if isinstance(source, bytes):
        return "<bytes>", source
    if isinstance(source, str):
        if not source.strip():
            raise InputError("an empty text is no module")
        return ("<text>", source.encode()) if _is_text(source) else (source, None)
    if isinstance(source, os.PathLike):
        return os.fspath(source), None
    kind = type(source).__name__
    name = f"<{kind}>"
    if hasattr(source, "as_hlo_text"):  # XlaComputation
        return name, str(source.as_hlo_text()).encode()
    if hasattr(source, "as_serialized_hlo_module_proto") and hasattr(source, "to_string"):
        return name, str(source.to_string()).encode()  # HloModule
    if callable(source) and not hasattr(source, "as_text") and not hasattr(source, "jaxpr"):
        raise UsageError(
            "a function has no HLO until it has arguments: jax.jit(f).lower(*args).compile(), "
            "or hi.jax.compiled(f, *args)"
        )
    if hasattr(source, "lower"):  # Traced: what XLA is given
        source = source.lower()
    if hasattr(source, "compile") and hasattr(source, "as_text"):  # Lowered
        return name, str(source.as_text("hlo")).encode()
    if hasattr(source, "as_text"):  # Compiled
        return name, str(source.as_text()).encode()
    raise UsageError(f"{kind} is no HLO: neither text, nor a path, nor of JAX")


def parse_all(
    source: Any,
    *,
    file: str | None = None,
    max_bytes: int = 1 << 30,
    max_errors: int = 20,
    progress: Progress | bool | None = None,
) -> list[Module]:
    """The modules of a text, path, file or folder, or of an object of JAX.

    Bytes, and files, may be compressed by gzip or zstd. `file` is the name of a text in errors.
    An attribute that is ignored, as its opcode has none of that name, is a warning.
    """
    return _parse_all(source, file, max_bytes, max_errors, progress)


def _parse_all(
    source: Any, file: str | None, max_bytes: int, max_errors: int, progress: Progress | bool | None
) -> list[Module]:
    name, contents = _contents(source)
    if contents is None and Path(name).is_dir():
        paths = _module_files(Path(name))
        return [m for path in paths for m in _parse_all(path, None, max_bytes, max_errors, progress)]
    with reporting(progress) as report:
        modules, messages = _core.load(file or name, contents, max_bytes, max_errors, report)
    for warning in split_messages(messages.decode("utf-8", errors="replace"), InputError)[1]:
        warnings.warn(warning, Warning, stacklevel=3)
    return [Module(module) for module in modules]


def _module_files(folder: Path) -> list[Path]:
    """The files that the command line takes for modules in a folder."""
    endings = (".hlo", ".hlo.gz", ".hlo.zst", ".txt", ".txt.gz", ".txt.zst")
    return [
        path
        for path in sorted(folder.rglob("*"))
        if path.name.endswith(endings) and (".hlo" in path.suffixes or _begins_with_module(path))
    ]


def _begins_with_module(path: Path) -> bool:
    import gzip

    if path.suffix == ".zst":
        return True
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
            return stream.read(1 << 12).lstrip().startswith(b"HloModule")
    except OSError:
        return False


def parse(
    source: Any,
    *,
    file: str | None = None,
    max_bytes: int = 1 << 30,
    max_errors: int = 20,
    progress: Progress | bool | None = None,
) -> Module:
    """The one module of a text, path, or object of JAX; see parse_all.

    >>> import hlo_indexing as hi
    >>> hi.parse("HloModule m ENTRY e { ROOT p = f32[2] parameter(0) }").name
    'm'
    """
    modules = _parse_all(source, file, max_bytes, max_errors, progress)
    if len(modules) != 1:
        raise InputError(f"there are {len(modules)} modules, not one: parse_all gives all of them")
    return modules[0]
