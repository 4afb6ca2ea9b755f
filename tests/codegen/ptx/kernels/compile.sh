#!/usr/bin/env bash
# Compiles the kernels to the PTX that the tests run. Needs nvcc; CUDA 13.0 made what is here.
set -euo pipefail
cd "$(dirname "$0")"
for kernel in *.cu; do
  nvcc -ptx -arch=sm_80 -o "${kernel%.cu}.ptx" "$kernel"
done
