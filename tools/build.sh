#!/usr/bin/env bash
# Configures and builds one preset of CMakePresets.json: tools/build.sh PRESET [TARGET...]
# Shows one line of progress on a terminal, and the compiler's output where it fails.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:?usage: tools/build.sh PRESET [TARGET...]}
shift

if ! configure_log=$(cmake --preset "$preset" 2>&1); then
  echo "$configure_log" >&2
  echo "build: configuring failed, see above; tools/setup.sh installs what is missing" >&2
  exit 1
fi
echo "build: $preset, in build/$preset"
cmake --build --preset "$preset" ${1:+--target "$@"}
