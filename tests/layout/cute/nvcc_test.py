#!/usr/bin/env python3
"""Compiles a program with nvcc, and runs it where there is a device.

    nvcc_test.py SOURCE INCLUDE_FOLDER OUTPUT [--expected=FILE] [--no-spills] [--virtual-gpu=HLO-INDEXING]

--expected: what the program must print (see compare_output.py). --no-spills: no kernel may move registers to
memory. --virtual-gpu: the program is one thread of a kernel without parameters; it is executed there too, with all
checks. Without nvcc the test is skipped: the exit status is 77. A program that finds no device exits with 77 too;
then the test is that it compiles.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys

import compare_output

SKIPPED = 77


def find_nvcc():
    folders = [os.environ.get("PATH", "")]
    folders += [os.path.join(os.environ[name], "bin") for name in ("CUDA_HOME", "CUDA_PATH") if name in os.environ]
    return shutil.which("nvcc", path=os.pathsep.join(folders + ["/usr/local/cuda/bin"]))


def command_of(nvcc, args):
    # sm_80 with its PTX, from which newer devices compile what they run.
    return [nvcc, "-x", "cu", "-std=c++17", "-arch=sm_80", "-O3", "-DNDEBUG", "-I" + args.include, args.source]


def compile_program(nvcc, args):
    command = command_of(nvcc, args) + ["-Xptxas", "-v", "-o", args.output]
    done = subprocess.run(command, capture_output=True, text=True)
    log = done.stdout + done.stderr
    print(log, end="")
    if done.returncode != 0:
        sys.exit("nvcc fails")
    if "warning" in log:
        sys.exit("nvcc warns")
    spills = [int(n) for n in re.findall(r"(\d+) bytes spill (?:stores|loads)", log)]
    if not spills:
        sys.exit("ptxas says nothing of a kernel")
    if args.no_spills and any(spills):
        sys.exit("a kernel spills registers")


def run_on_virtual_gpu(nvcc, args):
    ptx = args.output + ".ptx"
    subprocess.run(command_of(nvcc, args) + ["-ptx", "-o", ptx], check=True)
    done = subprocess.run([args.virtual_gpu, "ptx", ptx, "--grid=1", "--block=1", "--check=all"],
                          capture_output=True, text=True)
    print(done.stdout + done.stderr, end="")
    if done.returncode != 0:
        sys.exit(f"the virtual GPU finds something: {done.returncode}")
    # What it says of the launch comes last.
    printed = done.stdout.splitlines(keepends=True)[:-1]
    lines = compare_output.differences("".join(printed), args.expected)
    if lines:
        sys.exit("\n".join(lines))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source")
    parser.add_argument("include")
    parser.add_argument("output")
    parser.add_argument("--expected")
    parser.add_argument("--no-spills", action="store_true")
    parser.add_argument("--virtual-gpu")
    args = parser.parse_args()
    nvcc = find_nvcc()
    if nvcc is None:
        print("skipped: there is no nvcc in PATH, CUDA_HOME or /usr/local/cuda")
        sys.exit(SKIPPED)
    compile_program(nvcc, args)
    if args.virtual_gpu:
        run_on_virtual_gpu(nvcc, args)
    done = subprocess.run([args.output], capture_output=True, text=True)
    if done.returncode == SKIPPED:
        print("compiled; not run: there is no device")
        return
    print(done.stdout + done.stderr, end="")
    if done.returncode != 0:
        sys.exit(f"the program fails: {done.returncode}")
    if args.expected:
        lines = compare_output.differences(done.stdout, args.expected)
        print("\n".join(lines))
        sys.exit(1 if lines else 0)


if __name__ == "__main__":
    main()
