#!/usr/bin/env bash
# Checks every source file with clang-format and clang-tidy:
#   tools/lint.sh            all files, as CI does
#   tools/lint.sh FILE...    these .cc and .h files
#   tools/lint.sh --fix      formats all files instead
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh --dev
if [ $# = 0 ] || [ "$1" = --fix ]; then
  mapfile -t files < <(git ls-files --cached --others --exclude-standard '*.cc' '*.h')
else
  files=("$@")
fi
if [ "${1-}" = --fix ]; then
  exec clang-format-22 -i "${files[@]}"
fi
clang-format-22 --dry-run --Werror "${files[@]}"

# Reading the headers of MLIR takes far longer than checking a source: clang-tidy reads them precompiled.
targets=(generated_sources hlo_indexing_support hlo_indexing_test_main
  codegen/emit/CMakeFiles/hlo_indexing_emit.dir/cmake_pch.hxx.pch)
if ! configure_log=$(cmake --preset lint 2>&1 && cmake --build build/lint --target "${targets[@]}" 2>&1); then
  echo "$configure_log" >&2
  exit 1
fi
# The files that the build compiles; examples for other builds are left out.
patterns=("^$PWD/(support|simplifier|layout|hlo|indexing_analysis|codegen|tools|tests|bench|examples)/.*\.cc$")
if [ $# != 0 ]; then
  patterns=()
  for file in "$@"; do
    if [[ $file == *.cc ]]; then
      patterns+=("^$(realpath "$file")$")
    fi
  done
  [ ${#patterns[@]} -gt 0 ] || exit 0
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
run-clang-tidy-22 -quiet -p build/lint -j "$(nproc)" "${patterns[@]}" >"$log" 2>&1 || status=$?
grep -E -v '^\[|warnings? (and [0-9]+ errors? )?generated|^Suppressed|^Use -header-filter|^$' "$log" || true
exit $status
