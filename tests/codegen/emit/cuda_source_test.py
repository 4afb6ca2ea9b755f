"""Kernels as CUDA C++, compiled by nvcc, beside their PTX: on the virtual GPU both must write the same
bytes and move the same sectors, without a finding.

    cuda_source_test.py HLO_INDEXING REPOSITORY FILE.hlo...

Exits with 77, which means skipped, where there is no nvcc or no NumPy.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SKIPPED = 77
NVCC = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
try:
    import numpy as np
except ImportError:
    print("skipped: there is no NumPy")
    sys.exit(SKIPPED)
if not Path(NVCC).exists():
    print("skipped: there is no nvcc in PATH or /usr/local/cuda/bin")
    sys.exit(SKIPPED)

COUNTS = ("sectors", "dram_bytes_read", "dram_bytes_written")
# Elements as the bytes that they are: values of halves and bytes are bits.
INTEGERS = {"pred": np.uint8, "s8": np.int8, "u8": np.uint8, "s16": np.int16, "u16": np.uint16,
            "s32": np.int32, "u32": np.uint32, "s64": np.int64, "u64": np.uint64,
            "s4": np.int8, "u4": np.uint8}


def array_of(shape: str, generator: np.random.Generator) -> np.ndarray:
    kind, sizes = shape.split("{")[0].rstrip("]").split("[")
    dimensions = [int(size) for size in sizes.split(",") if size]
    if kind == "pred":
        return generator.integers(0, 2, dimensions, dtype=np.uint8)
    if kind in INTEGERS:
        return generator.integers(0, 7, dimensions).astype(INTEGERS[kind])
    values = generator.uniform(-2, 2, dimensions)
    if kind == "bf16":
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    if kind.startswith("f8"):
        # Small numbers of either sign, whatever the format.
        return generator.integers(0x28, 0x40, dimensions, dtype=np.uint8) | generator.integers(0, 2, dimensions, dtype=np.uint8) << 7
    if kind == "c64":
        # Both parts, one after the other.
        return generator.uniform(-2, 2, [*dimensions, 2]).astype(np.float32)
    if kind == "c128":
        return generator.uniform(-2, 2, [*dimensions, 2])
    return values.astype({"f16": np.float16, "f32": np.float32, "f64": np.float64}[kind])


def run(*command: str | Path) -> str:
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nexit status {result.returncode}\n{result.stderr}")
    return result.stdout


def launch(program: str, ptx: Path, name: str, kernel: dict, arguments: list[str], output: Path) -> dict:
    text = run(program, "ptx", ptx, f"--kernel={name}", f"--grid={','.join(map(str, kernel['blocks']))}",
               f"--block={','.join(map(str, kernel['threads']))}", *arguments, f"--output={output}",
               "--check=all", "--profile", "--format=json")
    lines = [json.loads(line) for line in text.splitlines()]
    record = next(line for line in lines if line["kind"] == "launch")
    assert record["findings"] == 0, text
    # Not the accesses to shared memory: nvcc may take one of 16 bytes apart.
    return {count: record[count] for count in COUNTS}


def check_kernel(program: str, repository: str, folder: Path, kernel: dict) -> str:
    """What is wrong, or nothing."""
    name = kernel["name"]
    compiled = folder / f"{name}.nvcc.ptx"
    run(NVCC, "-std=c++17", "-O3", "-DNDEBUG", "-arch=sm_90", "-ptx", "-I", repository,
        folder / "cuda" / f"{name}_kernel.cu", "-o", compiled)
    generator = np.random.default_rng(1)
    arguments = []
    for i, argument in enumerate(kernel["arguments"]):
        if "scratch_bytes" in argument:
            arguments.append(f"--arg=zeros:u8[{argument['scratch_bytes']}]")
            continue
        path = folder / f"{name}.{i}.npy"
        array = array_of(argument["shape"], generator)
        if "updates" in argument:
            array = np.load(folder / f"{name}.{argument['updates']}.npy")
        elif "output" in argument:
            array = np.zeros_like(array)
        np.save(path, array)
        arguments.append(f"--arg={'inout' if 'output' in argument else 'in'}:{path}")
    ours = launch(program, folder / "ptx" / f"{name}.ptx", name, kernel, arguments, folder / f"{name}.ours")
    theirs = launch(program, compiled, f"{name}_kernel", kernel, arguments, folder / f"{name}.theirs")
    wrong = []
    for path in sorted((folder / f"{name}.ours").glob("*.npy")):
        other = folder / f"{name}.theirs" / path.name
        if np.load(path).tobytes() != np.load(other).tobytes():
            wrong.append(f"{path.name} differs")
    for count in COUNTS:
        if ours[count] != theirs[count]:
            wrong.append(f"{count}: {ours[count]} in PTX, {theirs[count]} in CUDA C++")
    return f"{name}: {'; '.join(wrong)}" if wrong else ""


def main() -> int:
    program, repository, *files = sys.argv[1:]
    wrong = []
    count = 0
    for file in files:
        with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(2) as pool:
            folder = Path(name)
            run(program, "emit", "--stage=cuda", f"--output={folder / 'cuda'}", file)
            lines = run(program, "emit", f"--output={folder / 'ptx'}", file).splitlines()
            kernels = [line for line in map(json.loads, lines) if line["kind"] == "kernel"]
            count += len(kernels)
            wrong += [f"{file}: {text}" for text in pool.map(
                lambda kernel: check_kernel(program, repository, folder, kernel), kernels) if text]
    print("\n".join(wrong))
    print(f"{count} kernels, {len(wrong)} of them are not alike")
    return 1 if wrong or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
