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
# Two at a time; then, by itself, the one that measures times.
timed=tests/report/large.test.mjs
printf '%s\n' tests/report/*.test.mjs | grep -vx "$timed" | xargs -P 2 -n 1 node --test --test-reporter=spec
node --test --test-reporter=spec "$timed"
