#!/usr/bin/env bash
# What layout/cute/ costs to compile: processor seconds and the peak memory of one translation unit, the least of
# five runs. Run it alone on the machine; the load that it began with is printed first.
#   bench/cute_compile_time.sh [COMPILER ...]     default: g++
# Programs to measure: standard headers to compare with, layouts alone, everything, the examples of CuTe's document on
# tensors, and, where nvcc is found, kernels of those examples and the kernels in examples/cute/.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo 'int main() {}' >"$work/empty.cc"
printf '#include <%s>\n' cstdint cstdio ostream tuple type_traits >"$work/standard.cc"
echo '#include "layout/cute/layout_tiling.h"' >"$work/layout.cc"
echo '#include "layout/cute/tensor.h"' >"$work/tensor.cc"

# measure NAME COMMAND...: the row of a table
measure() {
  local name=$1 best=
  shift
  for _ in 1 2 3 4 5; do
    row=$(python3 - "$@" <<'PYTHON'
import os, resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{usage.ru_utime + usage.ru_stime:.2f} {usage.ru_maxrss // 1024}")
PYTHON
    )
    best=$(printf '%s\n%s\n' "$best" "$row" | grep . | sort -n | head -n 1)
  done
  echo "| $name | ${best% *} s | ${best#* } MB |"
}

[ $# -gt 0 ] || set -- g++
uptime
for compiler in "$@"; do
  echo "| $compiler -O0 | processor time | peak memory |"
  echo "|---|---|---|"
  for program in empty standard layout tensor; do
    measure "$program" "$compiler" -std=c++17 -O0 -I. -c "$work/$program.cc" -o "$work/out.o"
  done
  measure "seed examples" "$compiler" -std=c++17 -O0 -I. -c tests/layout/cute/seed_examples.cc -o "$work/out.o"
done
nvcc=$(PATH="$PATH:/usr/local/cuda/bin" command -v nvcc || true)
if [ -n "$nvcc" ]; then
  echo "| nvcc | processor time | peak memory |"
  echo "|---|---|---|"
  echo '__global__ void empty() {}' >"$work/empty.cu"
  measure "empty kernel" "$nvcc" -std=c++17 -arch=sm_90 -DNDEBUG -I. -c "$work/empty.cu" -o "$work/out.o"
  for kernels in bench/cute_seed_kernels.cu examples/cute/transpose.cu examples/cute/gemm.cu; do
    measure "$(basename $kernels)" "$nvcc" -std=c++17 -arch=sm_90 -DNDEBUG -I. -c $kernels -o "$work/out.o"
  done
fi
