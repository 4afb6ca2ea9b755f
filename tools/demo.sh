#!/usr/bin/env bash
# Installs what is missing, builds, and shows the indexing maps of a transformer block's fusions.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh
tools/build.sh release hlo-indexing >&2
tool=build/release/bin/hlo-indexing
echo "+ $tool maps --fusions-only examples/transformer_block.hlo" >&2
"$tool" maps --fusions-only examples/transformer_block.hlo
