"""Our kernels of kernels.hlo beside those of kernels.cu as nvcc -O3 compiles them, on the virtual
GPU in one run, as a table in Markdown.

    python3 bench/expert_kernels/expert_kernels.py build/release/bin/hlo-indexing

Both get the same random arrays, and their outputs must be the same (functions and sums within
1e-6). It needs nvcc, ptxas and NumPy.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
# How kernels.cu is launched: blocks of 256 threads.
BLOCKS = {
    "sum_of_two": 1024, "exponential": 1024, "silu": 1024, "scale_and_shift": 512,
    "transposed": 1024, "transposed_halves": 256, "row_sums": 1024, "row_maxima": 1024,
    "column_sums": 512, "side_by_side": 512, "chosen_rows": 1024, "updated_rows": 1024,
}


def run(*command: str | Path) -> str:
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {result.stdout}{result.stderr}")
    return result.stdout


def array_of(shape: str, generator: np.random.Generator) -> np.ndarray:
    """Random values for a shape such as f32[8,2]{1,0}; bf16 as its bits."""
    kind, sizes = shape.split("{")[0].rstrip("]").split("[")
    dimensions = [int(size) for size in sizes.split(",") if size]
    if kind == "s32":
        return generator.integers(0, 8192, dimensions, dtype=np.int32)
    values = generator.uniform(-4, 4, dimensions).astype(np.float32)
    if kind == "f32":
        return values
    assert kind == "bf16", kind
    return (values.view(np.uint32) >> 16).astype(np.uint16)


def registers(ptx: Path, kernel: str) -> tuple[int, int]:
    """Registers of a thread and bytes that are spilled, as ptxas says."""
    words = subprocess.run(
        ["ptxas", "-v", "-arch=sm_90", f"--entry={kernel}", "-o", "/dev/null", str(ptx)],
        capture_output=True, text=True, check=True).stderr
    spilled = sum(int(part.split()[-1]) for part in words.split(" bytes spill")[:-1])
    return int(words.split(" registers")[0].split()[-1]), spilled


def launch(program: str, ptx: Path, kernel: str, grid: list[int], block: list[int],
           arguments: list[str], folder: Path) -> dict:
    options = [f"--arg={argument}" for argument in arguments]
    lines = run(program, "ptx", ptx, f"--kernel={kernel}", f"--grid={','.join(map(str, grid))}",
                f"--block={','.join(map(str, block))}", "--profile", "--check=memcheck",
                "--format=json", f"--output={folder}", *options).splitlines()
    return next(line for line in map(json.loads, lines) if line["kind"] == "launch")


def outputs(folder: Path) -> list[np.ndarray]:
    return [np.load(path) for path in sorted(folder.glob("*.npy"))]


def compare(kernel: str, ours: list[np.ndarray], theirs: list[np.ndarray]) -> None:
    assert len(ours) == len(theirs) > 0, kernel
    for a, b in zip(ours, theirs, strict=True):
        if a.dtype == np.float32:
            np.testing.assert_allclose(a.ravel(), b.ravel(), rtol=1e-6, atol=1e-4, err_msg=kernel)
        else:
            assert np.array_equal(a.ravel(), b.ravel()), kernel


def main(program: str) -> None:
    print("| kernel | warp instructions | ratio | sectors | ratio | bank conflicts "
          "| registers | spilled | estimated µs | ratio |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    ratios: list[float] = []
    losers: list[str] = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        run("nvcc", "-O3", "-arch=sm_90", "-ptx", "-o", folder / "theirs.ptx", HERE / "kernels.cu")
        manifest = run(program, "emit", "--arch=sm_90", f"--output={folder / 'ours'}",
                       HERE / "kernels.hlo")
        for kernel in map(json.loads, manifest.splitlines()):
            name = kernel["name"]
            generator = np.random.default_rng(1)
            arguments = []
            for i, argument in enumerate(kernel["arguments"]):
                shape = argument["shape"].split("{")[0]
                if "output" in argument and "updates" not in argument:
                    arguments.append("out:" + shape.replace("bf16", "u16"))
                    continue
                path = folder / f"{name}.{i}.npy"
                if "operand" in argument:
                    np.save(path, array_of(shape, generator))
                    arguments.append(f"in:{path}")
                else:
                    arguments.append(f"inout:{folder / name}.{argument['updates']}.npy")
            ours_ptx = folder / "ours" / kernel["text_file"]
            ours = launch(program, ours_ptx, name, kernel["blocks"], kernel["threads"], arguments,
                          folder / (name + ".ours"))
            theirs = launch(program, folder / "theirs.ptx", name, [BLOCKS[name]], [256], arguments,
                            folder / (name + ".theirs"))
            compare(name, outputs(folder / (name + ".ours")), outputs(folder / (name + ".theirs")))

            def ratio(key: str, ours: dict = ours, theirs: dict = theirs) -> float:
                return ours[key] / theirs[key]

            used, spilled = registers(ours_ptx, name)
            used_by_them, spilled_by_them = registers(folder / "theirs.ptx", name)
            times = (ours["estimated_us"]["at_least"], theirs["estimated_us"]["at_least"])
            ratios.append(ratio("warp_instructions"))
            if ratios[-1] > 1 or ours["sectors"] > theirs["sectors"] or times[0] > times[1] * 1.001:
                losers.append(name)
            print(f"| `{name}` | {ours['warp_instructions']:,}, {theirs['warp_instructions']:,} "
                  f"| {ratios[-1]:.2f} | {ours['sectors']:,}, {theirs['sectors']:,} "
                  f"| {ratio('sectors'):.2f} | {ours['bank_conflicts']}, {theirs['bank_conflicts']} "
                  f"| {used}, {used_by_them} | {spilled}, {spilled_by_them} "
                  f"| {times[0]:.2f}, {times[1]:.2f} | {times[0] / times[1]:.2f} |")
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"\nIn each pair ours comes first. Instructions are {mean:.2f} times those of nvcc in the "
          f"geometric mean. Worse in one of these: {', '.join(losers) or 'none'}.")


if __name__ == "__main__":
    main(*sys.argv[1:])
