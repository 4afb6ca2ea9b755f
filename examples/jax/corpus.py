"""Writes the modules of the programs to tests/corpus/jax: python examples/jax/corpus.py"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import jax
from programs import PROGRAMS

FOLDER = Path(__file__).parents[2] / "tests" / "corpus" / "jax"


def text_for_corpus(compiled: Any) -> str:
    """What XLA prints, without the folders that this machine has its files in."""
    return re.sub(r'^(\d+ ")[^"\n]*/(?=[^"\n]*"$)', r"\1", compiled.as_text(), flags=re.MULTILINE)


def main() -> None:
    """Writes all of them."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, make in PROGRAMS.items():
        program = make()
        compiled = jax.jit(program.function).lower(*program.arguments).compile()
        (FOLDER / f"{name}.hlo").write_text(text_for_corpus(compiled))
    (FOLDER / "JAX_VERSION").write_text(jax.__version__ + "\n")


if __name__ == "__main__":
    main()
