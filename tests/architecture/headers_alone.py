#!/usr/bin/env python3
"""Checks that each public header compiles by itself, and includes no header that is not public.

    headers_alone.py COMPILER ROOT LIST [INCLUDE_FOLDER ...]

LIST is a file with the path of one header a line. A header whose source file includes it before
anything else is checked by the build, as long as a precompiled header does not hide what is
missing; the compiler parses the others here, each alone.
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys

FEWEST = 80


def is_first_include_of_its_source(header, root):
    source = (root / header).with_suffix(".cc")
    if not source.exists():
        return False
    includes = [line for line in source.read_text().splitlines() if line.startswith("#include")]
    return bool(includes) and includes[0] == f'#include "{header}"'


def not_public_includes(headers, root):
    """Headers of the project that users do not get."""
    public = set(headers)
    for header in headers:
        for line in (root / header).read_text().splitlines():
            included = line.removeprefix('#include "').rstrip('"')
            is_project = line.startswith('#include "') and (root / included).exists()
            if is_project and included.endswith(".h") and included not in public:
                yield f"{header} is public and includes {included}, which is not"


def main():
    compiler, root, headers = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    headers = [os.path.relpath(line, root) for line in headers.read_text().split()]
    if len(headers) < FEWEST:
        sys.exit(f"only {len(headers)} headers are listed: the check looks at nothing")
    mistakes = list(not_public_includes(headers, root))
    if mistakes:
        sys.exit("\n".join(mistakes))
    options = ["-std=c++20", "-fsyntax-only", "-w", f"-I{root}", "-x", "c++"]
    for folder in sys.argv[4:]:
        options += ["-isystem", folder]

    def parse(header):
        return header, subprocess.run([compiler, *options, "-include", header, "/dev/null"], cwd=root,
                                      capture_output=True, text=True)

    alone = [header for header in headers if not is_first_include_of_its_source(header, root)]
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for header, run in pool.map(parse, alone):
            if run.returncode != 0:
                failures += 1
                print(f"{header} does not compile by itself:\n{run.stderr}")
    print(f"{len(headers)} headers, of which {len(alone)} are compiled here and the others by the build")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
