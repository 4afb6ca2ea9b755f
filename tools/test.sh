#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test. Arguments go to ctest, e.g. -R simplifier.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh
tools/build.sh release
exec ctest --preset release -j "$(nproc)" "$@"
