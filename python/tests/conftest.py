"""What several tests need."""

from __future__ import annotations

from pathlib import Path

import hlo_indexing as hi
import pytest


@pytest.fixture(scope="session")
def examples() -> Path:
    return Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="session")
def slow_kernels(examples: Path) -> hi.Module:
    return hi.parse(examples / "slow_kernels.hlo")
