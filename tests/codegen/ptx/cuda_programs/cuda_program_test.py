#!/usr/bin/env python3
"""Compiles a CUDA program with nvcc and runs it, host code and kernels, on the virtual GPU with all checks.

    cuda_program_test.py PTX_RUN_PROGRAM SOURCE.cu

Exits with 77, which means skipped, where there is no nvcc, or one without CUB.
"""

import glob
import os
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77


def main():
    runner, source = sys.argv[1:]
    nvcc = shutil.which("nvcc", path=os.environ.get("PATH", "") + ":/usr/local/cuda/bin")
    if nvcc is None:
        print("skipped: there is no nvcc in PATH or /usr/local/cuda/bin")
        sys.exit(SKIPPED)
    probe = subprocess.run([nvcc, "-x", "cu", "-E", "-"], input="#include <cub/version.cuh>\n", capture_output=True,
                           text=True, check=False)
    if probe.returncode != 0:
        print("skipped: this nvcc has no CUB")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as folder:
        library = os.path.join(folder, "program.so")
        # Only PTX is needed of the kernels; --keep keeps it.
        compiled = subprocess.run(
            [nvcc, "-std=c++17", "-gencode", "arch=compute_80,code=compute_80", "-cudart", "none", "-shared",
             "-Xcompiler", "-fPIC", "--keep", "--keep-dir", folder, "-o", library, source],
            capture_output=True, text=True, check=False)
        if compiled.returncode != 0:
            sys.exit(compiled.stdout + compiled.stderr)
        (ptx,) = glob.glob(os.path.join(folder, "*.ptx"))
        sys.exit(subprocess.run([runner, library, ptx], check=False).returncode)


main()
