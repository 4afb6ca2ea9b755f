#!/usr/bin/env python3
"""What layout/cute/ costs to compile, beside CuTe with the same sources.

    bench/cute_compile_ratio.py CUTE_INCLUDE [--cuda=FOLDER] [--runs=3] [--tutorials=FOLDER]

Processor seconds, medians of runs that take turns, and the ratio of the two. CUTE_INCLUDE is the folder that
cute/tensor.hpp lies in, CUDA that of CUDA's headers, which CuTe needs with every compiler.
"""

import argparse
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

import cute_device_code as device_code

ROOT = device_code.ROOT


def seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cute")
    parser.add_argument("--cuda", default="/usr/local/cuda/include")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--tutorials", type=pathlib.Path)
    args = parser.parse_args()
    host = [ROOT / "examples/cute/gemm.cc", ROOT / "examples/cute/transpose.cc"]
    device = [ROOT / "bench/cute_seed_kernels.cu", ROOT / "bench/cute_device_kernels.cu",
              ROOT / "tests/layout/cute/device/gemm_sm80.cu"]
    if args.tutorials:
        device += [args.tutorials / f"{name}.cu" for name in ("tiled_copy", "sgemm_1", "sgemm_2", "sgemm_sm80")]
    print("| source | compiler | here | CuTe | ratio |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        device_code.write_headers(folder / "both", device_code.STAND_INS)
        device_code.write_headers(folder / "theirs", device_code.OUR_NAME_FOR_CUTE)
        device_code.write_headers(folder / "ours", device_code.CUTES_NAME_FOR_OURS)
        (folder / "headers.cc").write_text('#include "layout/cute/tensor.h"\n')
        both = ["-I", str(folder / "both")]
        ours = [*both, "-I", str(folder / "ours"), "-I", str(ROOT)]
        cuda = ["-I", args.cuda, "-I", os.path.join(args.cuda, "cccl")]
        theirs = [*both, "-I", str(folder / "theirs"), "-I", args.cute, *cuda, "-I", str(ROOT)]
        jobs = [(c, [c, "-std=c++17", "-O0", "-w", "-c"], [folder / "headers.cc", *host])
                for c in ("g++", "clang++-22") if shutil.which(c)]
        jobs.append(("nvcc", [device_code.NVCC, "-std=c++17", "-arch=sm_90", "-O3", "-DNDEBUG", "-w", "-cubin"], device))
        worst = 0
        for compiler, command, sources in jobs:
            for source in sources:
                rest = [str(source), "-o", os.devnull]
                times = [(seconds([*command, *ours, *rest]), seconds([*command, *theirs, *rest]))
                         for _ in range(args.runs)]
                here, other = (statistics.median(column) for column in zip(*times))
                worst = max(worst, here / other)
                print(f"| {source.name} | {compiler} | {here:.2f} s | {other:.2f} s | {here / other:.2f} |", flush=True)
    print(f"the largest ratio: {worst:.2f}")
    sys.exit(0 if worst < 0.4 else 1)


if __name__ == "__main__":
    main()
