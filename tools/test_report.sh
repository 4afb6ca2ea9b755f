#!/usr/bin/env bash
# Checks the page that `hlo-indexing report` writes: that report/page.html is what its sources make, and its tests in a
# browser. Needs the release build of the program. UPDATE=1 makes the pictures that it is compared with,
# and the reports in docs/reports, anew.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh --report
npm --prefix report ci --ignore-scripts --no-audit --no-fund --silent
npm --prefix report run --silent check
# One after the other, as some measure times.
for test in tests/report/*.test.mjs; do
  node --test --test-reporter=spec "$test"
done
