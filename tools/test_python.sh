#!/usr/bin/env bash
# Builds the wheel of the Python package, installs it in a virtual environment of its own beside jax, torch and triton,
# and tests it there: lint, types, tests, the examples of docstrings and of docs/python.md, the programs of
# examples/jax/, the fleet. Packages come from PyPI, so this is no part of tools/test.sh. Arguments go to pytest.
# Wheels are made in build/release, of what is compiled there, for python3, with which all is tested, and for all others
# of Python 3.10 to 3.13 that are on this machine, where each is tried (tools/build_wheels.sh).
#   PYTHONS="python3.12 python3.10" tools/test_python.sh    with these instead, the first of which tests
set -euo pipefail
cd "$(dirname "$0")/.."
environment=build/python

pythons=(${PYTHONS-python3})
if [ -z "${PYTHONS-}" ]; then
  own=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  for version in 3.10 3.11 3.12 3.13; do
    [ "$version" = "$own" ] && continue
    # By their names, or as pyenv has them.
    if "python$version" -c "" 2>/dev/null; then
      pythons+=("python$version")
    elif prefix=$(pyenv prefix "$(pyenv latest "$version" 2>/dev/null)" 2>/dev/null); then
      pythons+=("$prefix/bin/python")
    fi
  done
fi
if ! cmp -s python/requirements-test.txt "$environment/requirements-test.txt"; then
  rm -rf "$environment"
  "${pythons[0]}" -m venv "$environment"
  "$environment/bin/pip" install --quiet --disable-pip-version-check -r python/requirements-test.txt
  cp python/requirements-test.txt "$environment/"
fi
tools/build_wheels.sh "$environment/bin/python" "${pythons[@]:1}"
export PATH="$PWD/$environment/bin:$PATH"
export PYTHONDONTWRITEBYTECODE=1 JAX_PLATFORMS=cpu

pip install --quiet --disable-pip-version-check --no-deps --no-index --force-reinstall --find-links build/wheels \
  hlo-indexing

ruff check --no-cache python examples/jax examples/fleet.py
ruff format --no-cache --check python examples/jax examples/fleet.py
MYPYPATH=examples/jax:examples mypy --cache-dir=build/mypy python/hlo_indexing python/tests examples/jax examples/fleet.py
# The installed package, not the sources.
python -m pytest -q python/tests examples/jax "$@"
python -m pytest -q --doctest-modules --pyargs hlo_indexing
