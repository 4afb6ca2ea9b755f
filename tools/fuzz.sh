#!/usr/bin/env bash
# Runs each fuzz target under the sanitizers, from its seed corpus:
#   tools/fuzz.sh [SECONDS]     to find something new, for some seconds (60 unless told); it goes on from
#                               the corpus that it has grown in build/asan-ubsan/fuzz/corpus
#   tools/fuzz.sh --runs=N      the same N inputs each time, as CI does
# What it finds is left in build/asan-ubsan/fuzz/findings.
set -euo pipefail
cd "$(dirname "$0")/.."
limits=(-max_total_time="${1:-60}")
fewer_runs=()
grown=build/asan-ubsan/fuzz/corpus
with_same_addresses=()
if [[ ${1-} == --runs=* ]]; then
  # Neither time nor addresses, which decide the order in hash tables, may choose the next input.
  limits=(-runs="${1#--runs=}" -seed=1 -reload=0 -entropic=0)
  # Of inputs that take long: the last of several options counts.
  fewer_runs=(-runs="$((${1#--runs=} / 10))")
  if setarch "$(uname -m)" -R true 2>/dev/null; then
    with_same_addresses=(setarch "$(uname -m)" -R)
  else
    echo "fuzz: addresses are random here, so the inputs are not the same each time" >&2
  fi
  grown=build/asan-ubsan/fuzz/same_inputs
  rm -rf "$grown"
fi
tools/setup.sh --dev
tools/build.sh asan-ubsan attribute_fuzzer interpreter_fuzzer parser_fuzzer map_fuzzer layout_fuzzer cute_fuzzer \
  simplify_fuzzer ptx_parser_fuzzer ptx_machine_fuzzer
# The packaged LLVM is built without the annotations that this check of containers relies on.
export ASAN_OPTIONS=detect_container_overflow=0
findings=build/asan-ubsan/fuzz/findings
mkdir -p "$findings"

fuzz() {
  local target=$1 seeds=${2:-} more_options=("${@:3}")
  local log="build/asan-ubsan/fuzz/$target.log"
  mkdir -p "$grown/$target"
  if ! "${with_same_addresses[@]}" "build/asan-ubsan/bin/$target" "${limits[@]}" "${more_options[@]}" -timeout=20 \
    -rss_limit_mb=4096 -max_len=8192 -artifact_prefix="$findings/$target-" "$grown/$target" $seeds >"$log" 2>&1; then
    tail -n 60 "$log" >&2
    echo "fuzz: $target found something, see above and $findings" >&2
    return 1
  fi
  echo "fuzz: $target: $(grep -a '^Done' "$log")"
}
fuzz parser_fuzzer tests/fuzz/corpus/hlo &
jobs=($!)
fuzz map_fuzzer tests/fuzz/corpus/map &
jobs+=($!)
fuzz layout_fuzzer tests/fuzz/corpus/layout &
jobs+=($!)
fuzz simplify_fuzzer &
jobs+=($!)
fuzz attribute_fuzzer &
jobs+=($!)
fuzz interpreter_fuzzer tests/fuzz/corpus/hlo &
jobs+=($!)
fuzz cute_fuzzer tests/fuzz/corpus/cute &
jobs+=($!)
fuzz ptx_parser_fuzzer tests/fuzz/corpus/ptx &
jobs+=($!)
fuzz ptx_machine_fuzzer tests/fuzz/corpus/ptx_machine "${fewer_runs[@]}" &
jobs+=($!)
status=0
for job in "${jobs[@]}"; do
  wait "$job" || status=1
done
exit $status
