#!/usr/bin/env python3
"""Compiles the wrong programs in compile_errors/ and checks what the compiler says.

    compile_errors_test.py COMPILER INCLUDE_FOLDER [SYSTEM_INCLUDE_FOLDER ...]

Each must fail with one error; the sentence after EXPECT must be in the first 15 lines, and nothing may follow
them; LAYOUT is a layout that GCC must name as S:D.
"""

import pathlib
import subprocess
import sys

MOST_LINES = 15


def main():
    compiler, include, *system_includes = sys.argv[1:]
    is_clang = "clang" in subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout
    # Clang adds lines that show code; GCC's are counted as they are.
    flags = ["-fno-caret-diagnostics"] if is_clang else []
    flags += ["-isystem" + folder for folder in system_includes]
    failures = 0
    files = sorted((pathlib.Path(__file__).parent / "compile_errors").glob("*.cc"))
    for path in files:
        done = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-I" + include, *flags, str(path)],
                              capture_output=True, text=True)
        lines = done.stderr.splitlines()
        text = "\n".join(lines[:MOST_LINES])
        problems = []
        if done.returncode == 0:
            problems.append("it compiles")
        if done.stderr.count("error: ") != 1:
            problems.append(f"{done.stderr.count('error: ')} errors instead of one")
        if len(lines) > MOST_LINES:
            problems.append(f"{len(lines)} lines instead of at most {MOST_LINES}")
        for line in path.read_text().splitlines():
            for mark in ("// EXPECT: ",) if is_clang else ("// EXPECT: ", "// LAYOUT: "):
                if line.startswith(mark) and line[len(mark):] not in text:
                    problems.append(f"no {line[len(mark):]!r}")
        if problems:
            failures += 1
            print(f"{path.name}: {'; '.join(problems)}\n{done.stderr[:6000]}")
    print(f"compile_errors: {len(files) - failures} of {len(files)} as expected")
    sys.exit(1 if failures or len(files) < 10 else 0)


if __name__ == "__main__":
    main()
