"""What the Python package costs beside its core, as processor time, medians of 5 runs.

python bench/python_benchmark.py [HLO_FILE...]      the examples of the project without a file
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import hlo_indexing as hi
import numpy as np

RUNS = 5


def median(work: Callable[[], object]) -> float:
    """In milliseconds."""
    seconds = []
    for _ in range(RUNS):
        begin = time.process_time()
        work()
        seconds.append(time.process_time() - begin)
    return statistics.median(seconds) * 1000


def import_time() -> float:
    code = (
        "import time; begin = time.process_time(); import hlo_indexing; "
        "print((time.process_time() - begin) * 1000)"
    )
    return statistics.median(
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout)
        for _ in range(RUNS)
    )


def main(files: list[str]) -> None:
    examples = Path(__file__).parents[1] / "examples"
    names = files or [str(path) for path in sorted(examples.glob("*.hlo"))]
    contents = {name: Path(name).read_bytes() for name in names}

    def in_core() -> None:
        for name, text in contents.items():
            for module in hi._core.load(name, text, 1 << 30, 20, None):
                module.count_maps()

    def in_python() -> None:
        for name, text in contents.items():
            for module in hi.parse_all(text, file=name):
                module.maps()

    i, j = np.random.default_rng(1).integers(0, 100_000, (2, 1_000_000))
    domain = "domain: d0 in [0, 99999], d1 in [0, 99999]"
    one = hi.Map(f"(d0, d1) -> (d0 * 4 + d1 floordiv 8, d1 mod 8), {domain}")
    two = hi.Map(
        f"(d0, d1) -> (((d0 * 7 + d1) floordiv 12) mod 35, (d0 * 7 + d1) mod 12, d1 floordiv 9), {domain}"
    )
    size = sum(len(text) for text in contents.values()) / 1e6
    print(f"import: {import_time():.1f} ms")
    print(f"a million points, 2 divisions: {median(lambda: one(i, j)):.1f} ms")
    print(f"a million points, 4 divisions: {median(lambda: two(i, j)):.1f} ms")
    print(f"parsing and mapping {size:.2f} MB in the core: {median(in_core):.1f} ms")
    print(f"... from Python: {median(in_python):.1f} ms")


if __name__ == "__main__":
    main(sys.argv[1:])
