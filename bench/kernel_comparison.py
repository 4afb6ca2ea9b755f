"""What the comparisons of our kernels with others' share: launches on the virtual GPU, and the table
in Markdown of what they take."""

from __future__ import annotations

import json
import math
import subprocess
from pathlib import Path
from typing import NamedTuple

# Element types that NumPy does not have, by what holds their bits.
TYPES = {"pred": "u8", "bf16": "u16", "f8e4m3fn": "u8", "f8e5m2": "u8"}


class Measures(NamedTuple):
    instructions: int
    sectors: int
    dram: int
    conflicts: int
    time: float

    def __add__(self, other: Measures) -> Measures:
        return Measures(*(a + b for a, b in zip(self, other, strict=True)))


NAMES = ("instructions", "sectors", "DRAM", "conflicts", "time")


def lines_of(*command: str | Path) -> list[dict]:
    # Fusions without a plan or kernel are errors, and the others are written all the same.
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    return [json.loads(line) for line in result.stdout.splitlines()]


def launch(program: str, ptx: Path, kernel: str, grid: list[int], block: list[int] | None,
           arguments: list[str], shared: int, device: str, *options: str) -> Measures | str:
    """What a launch takes, or why there is none."""
    block_options = [] if block is None else [f"--block={','.join(map(str, block))}"]
    result = subprocess.run(
        [program, "ptx", str(ptx), f"--kernel={kernel}", f"--grid={','.join(map(str, grid))}",
         f"--shared={shared}", "--profile", f"--device={device}", "--format=json",
         *(f"--arg={text}" for text in arguments), *block_options, *options],
        capture_output=True, text=True, check=False)
    for line in result.stdout.splitlines():
        read = json.loads(line)
        if read["kind"] == "launch":
            return Measures(read["warp_instructions"], read["sectors"],
                            read["dram_bytes_read"] + read["dram_bytes_written"],
                            read["bank_conflicts"], read["estimated_us"]["at_least"])
    return (result.stderr or result.stdout).strip().splitlines()[0]


class Table:
    """Pairs of kernels, ours first; rows are printed as they come."""

    def __init__(self, theirs: str, first_column: str) -> None:
        self.theirs = theirs
        self.wins = dict.fromkeys(NAMES, 0)
        self.ratios: list[float] = []
        self.losers: list[str] = []
        self.left_out: list[str] = []
        print(f"| {first_column} | warp instructions | sectors | bytes of DRAM | bank conflicts "
              "| estimated µs | ratio |")
        print("|---|---|---|---|---|---|---|")

    def add(self, name: str, ours: Measures, theirs: Measures) -> None:
        pairs = dict(zip(NAMES, zip(ours, theirs, strict=True), strict=True))
        worse = [key for key, (a, b) in pairs.items() if a > b * 1.0001]
        for key in pairs:
            self.wins[key] += key not in worse
        a, b = pairs.pop("time")
        self.ratios.append(b / a)
        if worse:
            self.losers.append(f"{name} ({', '.join(worse)})")
        cells = [f"{a:,}, {b:,}" for a, b in pairs.values()]
        print(f"| {name} | {' | '.join(cells)} | {a:.2f}, {b:.2f} | {b / a:.2f} |", flush=True)

    def finish(self) -> None:
        if self.ratios:
            mean = math.exp(sum(map(math.log, self.ratios)) / len(self.ratios))
            of = ", ".join(f"{key} {count}" for key, count in self.wins.items())
            print(f"\nIn each pair ours comes first. Of {len(self.ratios)} kernels ours is at least as "
                  f"good in: {of}. {self.theirs}'s estimated time is {mean:.2f} times ours in the "
                  "geometric mean.")
        print(f"\nWorse in something: {'; '.join(self.losers) or 'none'}.")
        print(f"\nLeft out: {'; '.join(self.left_out) or 'none'}.")
