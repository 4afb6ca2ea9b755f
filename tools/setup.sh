#!/usr/bin/env bash
# Installs what is missing of the packages that the project needs, on Debian 12; quick when all are there.
#   tools/setup.sh           to build, test and run
#   tools/setup.sh --dev     and to develop: fuzzing, formatting, linting, faster rebuilds
#   tools/setup.sh --report  and to make and test the page of `hlo-indexing report`
#   tools/setup.sh --firefox and to test it in Firefox
# This is the project's only list of packages.
set -euo pipefail

packages=(
  ca-certificates git g++ cmake ninja-build python3 python3-dev python3-venv
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools lld-22
  libabsl-dev libgtest-dev libgmock-dev libbenchmark-dev libisl-dev python3-numpy zlib1g-dev libzstd-dev
  pkgconf
)
development_packages=(clang-22 libclang-rt-22-dev clang-format-22 clang-tidy-22 ccache)
report_packages=(chromium fonts-dejavu-core)
# Node.js from elsewhere brings its own npm, which Debian's would be in the way of.
command -v npm >/dev/null || report_packages+=(nodejs npm)

case "${1-}" in
  "") ;;
  --dev) packages+=("${development_packages[@]}") ;;
  --report) packages+=("${report_packages[@]}") ;;
  --firefox) packages+=("${report_packages[@]}" firefox-esr) ;;
  *) echo "usage: tools/setup.sh [--dev|--report|--firefox]" >&2; exit 2 ;;
esac

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

echo "setup: installing ${missing[*]}"
if ! command -v apt-get >/dev/null; then
  echo "setup: this needs Debian's apt-get; elsewhere, install what corresponds to these packages" >&2
  exit 1
fi
as_root=()
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "setup: installing packages needs root; run as root: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
run() {
  if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "$@" >"$log" 2>&1; then
    cat "$log" >&2
    echo "setup: '$*' failed, see above; the packages are Debian 12's, its security updates included" >&2
    exit 1
  fi
}
run apt-get update -q
run apt-get install -y -q --no-install-recommends "${missing[@]}"
