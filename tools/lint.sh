#!/usr/bin/env bash
# Checks every source file with clang-format and clang-tidy: tools/lint.sh
# tools/lint.sh --fix formats the files instead.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh --dev
mapfile -t sources < <(git ls-files --cached --others --exclude-standard '*.cc' '*.h')
if [ "${1-}" = --fix ]; then
  exec clang-format-22 -i "${sources[@]}"
fi
clang-format-22 --dry-run --Werror "${sources[@]}"
cmake --preset release >/dev/null
# The files that this build compiles, those that ship as examples for other builds left out.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
run-clang-tidy-22 -quiet -p build/release -j "$(nproc)" \
  "^$PWD/(support|simplifier|layout|hlo|indexing_analysis|tools|tests|bench|examples)/.*\.cc$" \
  >"$log" 2>&1 || status=$?
grep -E -v '^\[|warnings? (and [0-9]+ errors? )?generated|^Suppressed|^Use -header-filter|^$' "$log" || true
exit $status
