#!/usr/bin/env bash
# Checks the page that `hlo-indexing report` writes: that report/page.html is what its sources make, and its tests in a
# browser. Needs the release build of the program. UPDATE=1 makes the pictures that it is compared with,
# and the reports in docs/reports, anew. With --firefox the views are looked at in Firefox, too.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh --report
if [ "${1-}" = --firefox ]; then
  tools/setup.sh --firefox
  npm install --prefix build/firefox --no-save --ignore-scripts --no-audit --no-fund --silent puppeteer-core@24.43.1
  exec node --test --test-reporter=spec tests/report/firefox.mjs
fi
npm --prefix report ci --ignore-scripts --no-audit --no-fund --silent
npm --prefix report run --silent check
# One after the other, as some measure times.
for test in tests/report/*.test.mjs; do
  node --test --test-reporter=spec "$test"
done
