#!/usr/bin/env bash
# Checks every .hlo file below a folder: it parses and verifies without a diagnostic, prints to a text that
# prints to the same bytes, and that text has the same maps byte for byte, written by another process.
#   tools/check_corpus.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."

# The maps without the name of the file.
maps() { build/release/bin/hlo-indexing maps --format=json "$1" | sed "s|\"file\":\"[^\"]*\"||" | cksum; }

# One line for each failure of the file.
check() {
  set -uo pipefail
  local file=$1 tool=build/release/bin/hlo-indexing work first
  fail() { echo "check_corpus: $1"; }
  work=$(mktemp -d)
  if ! "$tool" print "$file" >"$work/1.hlo" 2>"$work/err" || [ -s "$work/err" ]; then
    fail "$file: $(head -n 1 "$work/err")"
  else
    "$tool" print "$work/1.hlo" >"$work/2.hlo" || fail "$file: what it prints does not parse"
    cmp -s "$work/1.hlo" "$work/2.hlo" || fail "$file: printing twice gives other bytes"
    first=$(maps "$file") || fail "$file: maps failed"
    [ "$first" = "$(maps "$work/1.hlo")" ] || fail "$file: the printed module has other maps"
  fi
  rm -r "$work"
}
export -f check maps

folder=${1:?usage: tools/check_corpus.sh FOLDER}
count=$(find "$folder" -name '*.hlo' | wc -l)
# Large files first, so that no processor waits for the last one.
failures=$(find "$folder" -name '*.hlo' -printf '%s %p\0' | sort -z -rn | cut -z -d' ' -f2- |
  xargs -0 -r -P "$(nproc)" -I{} bash -c 'check "$1"' check {})
[ "$count" -gt 0 ] || failures="check_corpus: no .hlo file below $folder"
[ -z "$failures" ] || echo "$failures" >&2
echo "check_corpus: $count files, $(grep -c . <<<"$failures" || true) failures"
[ -z "$failures" ]
