#!/usr/bin/env bash
# Checks every .hlo file below a folder: it parses and verifies without a diagnostic, prints to a text that
# prints to the same bytes and has the same maps, and `maps` gives the same bytes twice.
#   tools/check_corpus.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:?usage: tools/check_corpus.sh FOLDER}
tool=build/release/bin/hlo-indexing
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

failures=0
fail() {
  echo "check_corpus: $1" >&2
  failures=$((failures + 1))
}
# The maps without the name of the file.
maps() { "$tool" maps --format=json "$1" | sed "s|\"file\":\"[^\"]*\"||" | cksum; }

count=0
while IFS= read -r file; do
  count=$((count + 1))
  if ! "$tool" print "$file" >"$work/1.hlo" 2>"$work/err" || [ -s "$work/err" ]; then
    fail "$file: $(head -n 1 "$work/err")"
    continue
  fi
  "$tool" print "$work/1.hlo" >"$work/2.hlo" || fail "$file: what it prints does not parse"
  cmp -s "$work/1.hlo" "$work/2.hlo" || fail "$file: printing twice gives other bytes"
  first=$(maps "$file") || fail "$file: maps failed"
  [ "$first" = "$(maps "$file")" ] || fail "$file: maps differ between runs"
  [ "$first" = "$(maps "$work/1.hlo")" ] || fail "$file: the printed module has other maps"
done < <(find "$folder" -name '*.hlo' | sort)
[ "$count" -gt 0 ] || fail "no .hlo file below $folder"
echo "check_corpus: $count files, $failures failures"
[ "$failures" = 0 ]
