#!/usr/bin/env bash
# Checks every source file with clang-format and clang-tidy:
#   tools/lint.sh            all files
#   tools/lint.sh FILE...    these .cc and .h files
#   tools/lint.sh --last=N   the format of all files; by clang-tidy those that the last N commits changed, and a source
#                            for each header among them: what CI does, as clang-tidy takes seconds for a file
#   tools/lint.sh --fix      formats all files instead
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh --dev
last=""
if [[ ${1-} == --last=* ]]; then
  last=${1#--last=}
  shift
fi
if [ $# = 0 ] || [ "$1" = --fix ]; then
  mapfile -t files < <(git ls-files --cached --others --exclude-standard '*.cc' '*.h')
else
  files=("$@")
fi
if [ "${1-}" = --fix ]; then
  exec clang-format-22 -i "${files[@]}"
fi
clang-format-22 --dry-run --Werror "${files[@]}"

# Prints what changed since a commit. Where the history ends before it, nothing: then all files are checked.
changed_since() {
  local base=$1 file
  git rev-parse --quiet --verify "$base^{commit}" >/dev/null || return 0
  git diff --name-only --diff-filter=d "$base" -- '*.cc'
  git diff --name-only --diff-filter=d "$base" -- '*.h' | while read -r file; do
    git grep --files-with-matches --fixed-strings "#include \"$file\"" -- '*.cc' | head -n 1
  done
}
if [ -n "$last" ]; then
  mapfile -t changed < <(changed_since "HEAD~$last" | sort -u)
  set -- "${changed[@]}"
fi

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
  compiled=${patterns[0]}
  patterns=()
  for file in "$@"; do
    if [[ $file == *.cc && $(realpath "$file") =~ $compiled ]]; then
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
