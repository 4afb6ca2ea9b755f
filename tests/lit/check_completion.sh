#!/usr/bin/env bash
# Completes command lines with the script for bash, in a folder with module.hlo and folder/.
#   check_completion.sh SCRIPT
set -euo pipefail
source "$1"

# expect WORDS LINE...: the words of LINE, as bash splits them, are completed to WORDS, sorted.
expect() {
  local expected=$1
  shift
  COMP_WORDS=("$@")
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _hlo_indexing || true
  local words
  words=$(printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort | paste -sd ' ')
  if [ "$words" != "$expected" ]; then
    echo "${COMP_WORDS[*]} is completed to '$words', not '$expected'" >&2
    exit 1
  fi
}

expect 'simplify' hlo-indexing si
expect 'stats' hlo-indexing help st
expect '--version' hlo-indexing --v
expect '--direction=' hlo-indexing maps --d
expect '--format= --fusions-only' hlo-indexing maps --f
expect 'both input-to-output output-to-input' hlo-indexing maps --direction =
expect 'json' hlo-indexing maps --format = j
expect 'json' hlo-indexing stats --format j
expect '' hlo-indexing print --fu
expect '--rescale-ranges' hlo-indexing simplify --r
expect 'folder module.hlo' hlo-indexing maps ''
expect 'module.hlo' hlo-indexing maps --instruction = f mod
expect 'module.hlo' hlo-indexing maps -o m
expect 'folder' hlo-indexing run --output = ''
expect '' hlo-indexing nonsense --f
complete -p hlo-indexing >/dev/null
