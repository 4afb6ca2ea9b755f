#!/usr/bin/env bash
# Checks layout/cute/ and `hlo-indexing cute` against a file of recorded facts about CuTe:
#   tools/check_cute_facts.sh FACTS
# Further arguments go to tests/layout/cute/check_facts.py, e.g. --op=composition or --compiler=clang++-22. The
# program must be built (tools/build.sh release); PROGRAM=path names another one.
set -euo pipefail
cd "$(dirname "$0")/.."
program=${PROGRAM:-build/release/bin/hlo-indexing}
if [ ! -x "$program" ]; then
  echo "check_cute_facts: $program is not there: run tools/build.sh release" >&2
  exit 1
fi
python3 tests/layout/check_calculator_facts.py "$program" "$1"
exec python3 tests/layout/cute/check_facts.py "$@"
