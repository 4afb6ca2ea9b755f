"""Times of our kernels beside those that XLA made, on a GPU in one run, as a table in Markdown.

    python3 bench/device_xla.py build/release/bin/hlo-indexing SIZES.json DUMP.hlo DUMP.ptx [...]

The pairs are those of xla_kernels.py: an architecture of XLA's text that the GPU runs is enough.
Kernels get arrays of zeros, which are in L2 where they fit: their times are medians of launches in a
CUDA graph. SIZES.json keeps how much dynamic shared memory XLA's kernels have, which takes the
virtual GPU minutes: it is made, here or elsewhere, where there is none. It needs a GPU.
"""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from cuda_driver import Cuda, Launch
from xla_kernels import pairs

MOST_SHARED = 163840  # Of a block of sm_80.
BYTES_OF = {"pred": 1, "s8": 1, "u8": 1, "s16": 2, "u16": 2, "f16": 2, "s32": 4, "u32": 4, "f32": 4,
            "s64": 8, "u64": 8, "f64": 8}


def bytes_of(argument: str) -> int:
    """Of an argument such as zeros:f32[8,2]."""
    element, sizes = argument.split(":")[1].rstrip("]").split("[")
    return BYTES_OF[element] * math.prod(int(size) for size in sizes.split(",") if size)


def block_of(text: str, kernel: str) -> list[int]:
    found = re.search(rf"\.entry {re.escape(kernel)}\(.*?\)\s*\.(?:reqntid|maxntid) ([\d, ]+)", text,
                      re.DOTALL)
    return [int(size) for size in found.group(1).split(",")] if found else [128]


def has_dynamic_shared(text: str, kernel: str) -> bool:
    """Whose size is not in the text."""
    symbol = re.search(r"\.extern \.shared .*?(\w+)\[\]", text)
    body = text[text.index(f".entry {kernel}("):].split("\n}\n")[0]
    return symbol is not None and re.search(rf"\b{symbol.group(1)}\b", body) is not None


def shared_sizes(program: str, files: list[str]) -> dict[str, int]:
    """The dynamic shared memory of XLA's kernels, whose text does not say it: the least power of two
    with which the virtual GPU finds no access beyond."""
    sizes = {}
    with tempfile.TemporaryDirectory() as folder:
        for pair in pairs(program, files, Path(folder), []):
            sizes[pair.name] = 0
            if not has_dynamic_shared(pair.their_ptx.read_text(), pair.kernel):
                continue
            size = 128
            while size < MOST_SHARED and subprocess.run(
                    [program, "ptx", str(pair.their_ptx), f"--kernel={pair.kernel}",
                     f"--grid={','.join(map(str, pair.their_grid))}", f"--shared={size}",
                     "--check=memcheck", *(f"--arg={text}" for text in pair.arguments)],
                    capture_output=True, check=False).returncode != 0:
                size = min(2 * size, MOST_SHARED)
            sizes[pair.name] = size
    return sizes


def main(program: str, sizes_file: str, *files: str) -> None:
    if not Path(sizes_file).exists():
        Path(sizes_file).write_text(json.dumps(shared_sizes(program, list(files))))
    sizes_of = json.loads(Path(sizes_file).read_text())
    cuda = Cuda()
    print(f"{cuda.name}\n\n| module, kernel | µs | XLA's | ratio |\n|---|---|---|---|")
    ratios = []
    left_out: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for pair in pairs(program, list(files), Path(folder), left_out):
            theirs = pair.their_ptx.read_text()
            sizes = [bytes_of(argument) for argument in pair.arguments + pair.our_scratch]
            addresses = [cuda.allocate(size) for size in sizes]
            for address, size in zip(addresses, sizes, strict=True):
                cuda.clear(address, size)
            launches = [
                Launch(cuda.function(pair.our_ptx.read_bytes(), pair.kernel), pair.our_grid,
                       pair.our_block, addresses),
                Launch(cuda.function(theirs.encode(), pair.kernel, sizes_of[pair.name]),
                       pair.their_grid, block_of(theirs, pair.kernel),
                       addresses[:len(pair.arguments)], sizes_of[pair.name])]
            times = []
            for launch in launches:
                cuda.launch(launch)
                cuda.finish()
                times.append(cuda.microseconds(lambda launch=launch: cuda.launch(launch), repeat=20))
            for address in addresses:
                cuda.free(address)
            ratios.append(times[1] / times[0])
            print(f"| {pair.name} | {times[0]:.2f} | {times[1]:.2f} | {ratios[-1]:.2f} |", flush=True)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    ahead = sum(ratio >= 1 for ratio in ratios)
    print(f"\nXLA's time is {mean:.2f} times ours in the geometric mean of {len(ratios)} kernels; ours "
          f"is at least as fast in {ahead}.\n\nLeft out: {'; '.join(left_out) or 'none'}.")


if __name__ == "__main__":
    main(*sys.argv[1:])
