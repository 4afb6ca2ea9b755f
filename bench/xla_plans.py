"""Our plans beside those of XLA's own emitters, by what `explain` says of both, as a table in Markdown.

    python3 bench/xla_plans.py build/release/bin/hlo-indexing FILE.hlo [...]

Bytes are those of whole sectors that warps move between the multiprocessors and L2, and, of arrays,
between L2 and DRAM; times are the estimates of `explain` for an H100, without latency and launches.
Kernels that only one of the two has, and those of which either has accesses without a closed form,
are counted and left out.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

MEASURES = ("moved_bytes", "dram_bytes", "estimated_us")
SHOWN_LOSERS = 20


def kernels(program: str, plan: str, file: str) -> dict[tuple[str, str, str], dict]:
    result = subprocess.run(
        [program, "explain", f"--plan={plan}", "--format=json", file],
        capture_output=True, text=True, check=False)
    read = [json.loads(line) for line in result.stdout.splitlines()]
    return {(one["module"], one["computation"], one["instruction"]): one
            for one in read if one["kind"] == "kernel"}


def is_known(kernel: dict) -> bool:
    return kernel["unknown_accesses"] == 0 and kernel["estimated_us"] > 0


def main(program: str, *files: str) -> None:
    pairs: dict[str, list[tuple[str, dict, dict]]] = defaultdict(list)
    only_one = unknown = 0
    for file in files:
        xla = kernels(program, "xla", file)
        ours = kernels(program, "ours", file)
        only_one += len(xla.keys() ^ ours.keys())
        for key in xla.keys() & ours.keys():
            if not (is_known(xla[key]) and is_known(ours[key])):
                unknown += 1
                continue
            name = f"{Path(file).stem} `{key[2]}` ({ours[key]['emitter']})"
            pairs[xla[key]["emitter"]].append((name, ours[key], xla[key]))
    print("| XLA's emitter | kernels | L2 at most as many | DRAM at most as many "
          "| time at most as long | geometric mean of XLA's time over ours |")
    print("|---|---|---|---|---|---|")
    losers = []
    rows = sorted(pairs.items())
    every = [pair for _, of_emitter in rows for pair in of_emitter]
    for emitter, of_emitter in [*rows, ("all", every)]:
        wins = [sum(ours[key] <= xla[key] * 1.0001 for _, ours, xla in of_emitter)
                for key in MEASURES]
        logs = [math.log(xla["estimated_us"] / ours["estimated_us"]) for _, ours, xla in of_emitter]
        mean = math.exp(sum(logs) / max(1, len(logs)))
        print(f"| {emitter} | {len(of_emitter)} | {' | '.join(map(str, wins))} | {mean:.2f} |")
    for name, ours, xla in every:
        worse = [f"{key} {ours[key] / xla[key]:.2f}" for key in MEASURES
                 if ours[key] > xla[key] * 1.0001]
        if worse:
            losers.append((max(ours[key] / xla[key] for key in MEASURES if xla[key]), name, worse))
    losers.sort(reverse=True)
    print(f"\nWorse in something: {len(losers)}, the first {min(SHOWN_LOSERS, len(losers))} by how much:\n")
    for _, name, worse in losers[:SHOWN_LOSERS]:
        print(f"- {name}: {', '.join(worse)}")
    print(f"\nLeft out: {only_one} that only one of the two has, {unknown} with accesses that depend "
          "on values.")


if __name__ == "__main__":
    main(*sys.argv[1:])
