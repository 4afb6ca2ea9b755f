#!/usr/bin/env bash
# Checks layout/cute/ against a file of recorded facts about CuTe: tools/check_cute_facts.sh FACTS
# Further arguments go to tests/layout/cute/check_facts.py, e.g. --op=composition or --compiler=clang++-22.
set -euo pipefail
cd "$(dirname "$0")/.."
exec python3 tests/layout/cute/check_facts.py "$@"
