#!/usr/bin/env bash
# Compiles the kernels to the PTX that the tests run. Needs nvcc, llc and Triton; CUDA 13.0, LLVM 22
# and Triton 3.9.0 made what is here.
set -euo pipefail
cd "$(dirname "$0")"
for kernel in *.cu; do
  nvcc -ptx -arch=sm_80 -o "${kernel%.cu}.ptx" "$kernel"
done
llc-22 -mcpu=sm_80 -O3 -o from_llvm.ptx from_llvm.ll
python3 triton/kernels.py
