#!/usr/bin/env bash
# Builds the wheel of the Python package, installs it in a virtual environment of its own beside jax, torch and triton,
# and tests it there: lint, types, tests, the examples of docstrings and of docs/python.md, the programs of
# examples/jax/, the fleet. Packages come from PyPI, so this is no part of tools/test.sh. Arguments go to pytest.
#   PYTHON=python3.12 tools/test_python.sh    with that Python; python3 unless it is given
# The wheel is made in build/release, of what is compiled there.
set -euo pipefail
cd "$(dirname "$0")/.."
environment=build/python
wheels=build/wheels

if ! cmp -s python/requirements-test.txt "$environment/requirements-test.txt"; then
  rm -rf "$environment"
  "${PYTHON:-python3}" -m venv "$environment"
  "$environment/bin/pip" install --quiet --disable-pip-version-check -r python/requirements-test.txt
  cp python/requirements-test.txt "$environment/"
fi
export PATH="$PWD/$environment/bin:$PATH"
export PYTHONDONTWRITEBYTECODE=1 JAX_PLATFORMS=cpu

# The build folder keeps what it has, tests and benchmarks included, and forgets Python afterwards.
rm -rf "$wheels"
pip wheel . --quiet --disable-pip-version-check --no-deps --no-build-isolation -w "$wheels" \
  -C build-dir=build/release -C cmake.define.BUILD_TESTING=ON -C cmake.define.HLO_INDEXING_BUILD_BENCHMARKS=ON
cmake -S . -B build/release -D HLO_INDEXING_BUILD_PYTHON=OFF >/dev/null
pip install --quiet --disable-pip-version-check --no-deps --force-reinstall "$wheels"/*.whl

ruff check --no-cache python examples/jax examples/fleet.py
ruff format --no-cache --check python examples/jax examples/fleet.py
MYPYPATH=examples/jax:examples mypy --cache-dir=build/mypy python/hlo_indexing python/tests examples/jax examples/fleet.py
# The installed package, not the sources.
python -m pytest -q python/tests examples/jax "$@"
python -m pytest -q --doctest-modules --pyargs hlo_indexing
