#!/usr/bin/env python3
"""Compiles the wrong programs in compile_errors/ and checks what the compilers say.

    compile_errors_test.py COMPILER INCLUDE_FOLDER [SYSTEM_INCLUDE_FOLDER ...]

Each must fail with one error in at most 15 lines, whose first line says the sentence after EXPECT, and which name the
layouts after LAYOUT as S:D, with ? for what is known at run time only. Besides COMPILER, the compilers of OTHERS that are there
are asked, and nvcc. Programs that include layout/cute_algebra/bridge.h need the system folders and are for COMPILER alone.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

import nvcc_test

MOST_LINES = 15
OTHERS = ["g++", "g++-12", "clang++-14", "clang++-22"]


def commands(compiler, system_includes):
    """(name, command, whether it compiles the programs of the bridge)"""
    found = [(f"{compiler} C++20", [compiler, "-std=c++20", "-fsyntax-only"] + ["-isystem" + f for f in system_includes], True)]
    for other in OTHERS:
        path = shutil.which(other)
        if path is not None and os.path.realpath(path) not in [os.path.realpath(c[1][0]) for c in found[1:]]:
            found.append((f"{other} C++17", [path, "-std=c++17", "-fsyntax-only"], False))
    nvcc = nvcc_test.find_nvcc()
    if nvcc is not None:
        found.append(("nvcc C++17", [nvcc, "-x", "cu", "-std=c++17", "-c", "-o", os.devnull], False))
    return found


def plain(text):
    """Where a compiler shows a text as '(', '_', '4', ')', it is (_4) here."""
    return re.sub(r"'(.)'(?:, )?", r"\1", text)


def problems_of(command, include, path):
    done = subprocess.run(command + ["-I" + include, str(path)], capture_output=True, text=True)
    lines = done.stderr.splitlines() + done.stdout.splitlines()
    text = plain("\n".join(lines))
    problems = []
    if done.returncode == 0:
        problems.append("it compiles")
    if text.count("error: ") != 1:
        problems.append(f"{text.count('error: ')} errors instead of one")
    if len(lines) > MOST_LINES:
        problems.append(f"{len(lines)} lines instead of at most {MOST_LINES}")
    first = next((line for line in text.splitlines() if "error: " in line), "")
    for line in path.read_text().splitlines():
        for mark, where in (("// EXPECT: ", first), ("// LAYOUT: ", text)):
            if line.startswith(mark) and line[len(mark):] not in where:
                problems.append(f"no {line[len(mark):]!r}")
    return problems, text


def main():
    compiler, include, *system_includes = sys.argv[1:]
    files = sorted((pathlib.Path(__file__).parent / "compile_errors").glob("*.cc"))
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, command, with_bridge in commands(compiler, system_includes):
            asked = [f for f in files if with_bridge or not f.name.startswith("bridge_")]
            for path, (problems, text) in zip(asked, pool.map(lambda f: problems_of(command, include, f), asked)):
                if problems:
                    failures += 1
                    print(f"{name}: {path.name}: {'; '.join(problems)}\n{text[:6000]}")
            print(f"{name}: {len(asked)} programs")
    sys.exit(1 if failures or len(files) < 60 else 0)


if __name__ == "__main__":
    main()
