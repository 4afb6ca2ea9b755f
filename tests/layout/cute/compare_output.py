#!/usr/bin/env python3
"""Runs a program and compares what it prints with a file, addresses aside.

    compare_output.py PROGRAM EXPECTED
"""

import difflib
import pathlib
import re
import subprocess
import sys


def normalized(text):
    return re.sub(r"\(0x[0-9a-f]+", "(ADDR", text)


def differences(output, expected_file):
    """The lines of a unified diff; none where the output is as expected."""
    expected = pathlib.Path(expected_file).read_text().splitlines()
    return list(difflib.unified_diff(expected, normalized(output).splitlines(), "expected", "printed", lineterm=""))


def main():
    program, expected_file = sys.argv[1:]
    done = subprocess.run([program], capture_output=True, text=True)
    lines = differences(done.stdout, expected_file)
    print("\n".join(lines) or f"{len(done.stdout.splitlines())} lines as expected")
    print(done.stderr, end="")
    sys.exit(1 if lines or done.returncode != 0 else 0)


if __name__ == "__main__":
    main()
