#!/usr/bin/env python3
"""Holds acceptance.txt against ptxas.

    acceptance_by_ptxas.py FILE [--update]

For each target what the file says must be what ptxas accepts; --update writes what it accepts. Without ptxas the test is
skipped: the exit status is 77.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

TARGETS = ["70", "75", "80", "89", "90", "100", "120", "90a", "100a", "120a"]
PREAMBLE = (".reg .pred %p<16>; .reg .b16 %h<64>; .reg .b32 %r<64>; .reg .b64 %rd<64>; .reg .f32 %f<64>;"
            " .reg .f64 %d<64>; .reg .b128 %q<8>; ")


def read(path):
    """The lines of the list: what is before the bar, and the instruction; comments have none."""
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n").split(" | ", 1) for line in file]


def refused(ptxas, target, instructions, folder):
    """Indices of the instructions that ptxas refuses. It reports only some errors at once: what it has named is left
    away until the rest is accepted."""
    rest = list(range(len(instructions)))
    result = set()
    while rest:
        text = f".version 9.0\n.target sm_{target}\n.address_size 64\n.shared .align 128 .b8 tile[4096];\n"
        text += ".global .align 128 .b8 glob[4096];\n"
        first = text.count("\n") + 1
        text += "".join(f".visible .entry k{i}() {{ {PREAMBLE}{instructions[i]} ret; }}\n" for i in rest)
        path = os.path.join(folder, "list.ptx")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        # ptxas 13 makes code for sm_75 and later, of modules for earlier targets too.
        architecture = "sm_75" if target == "70" else f"sm_{target}"
        run = subprocess.run([ptxas, "-arch", architecture, "-O0", "-o", os.devnull, path], capture_output=True,
                             text=True, check=False)
        if run.returncode == 0:
            return result
        # Errors of other files are of macros that ptxas expands, and follow from those of this one.
        error = re.escape(path) + r", line (\d+)(?:, column \d+)?; (?:error|fatal)"
        named = {int(line) - first for line in re.findall(error, run.stderr)}
        named = {rest[i] for i in named if 0 <= i < len(rest)}
        if not named:
            sys.exit(f"ptxas names no line:\n{run.stderr}")
        result |= named
        rest = [i for i in rest if i not in named]
    return result


def main():
    path = sys.argv[1]
    ptxas = shutil.which("ptxas", path=os.environ.get("PATH", "") + ":/usr/local/cuda/bin")
    if ptxas is None:
        print("skipped: no ptxas")
        sys.exit(77)
    version = subprocess.run([ptxas, "--version"], capture_output=True, text=True, check=True).stdout
    if "release 13.0" not in version:
        print("skipped: the list is of ptxas 13.0")
        sys.exit(77)
    lines = read(path)
    instructions = [line[1] for line in lines if len(line) == 2]
    accepted = [[] for _ in instructions]
    with tempfile.TemporaryDirectory() as folder:
        for target in TARGETS:
            wrong = refused(ptxas, target, instructions, folder)
            for i, targets in enumerate(accepted):
                if i not in wrong:
                    targets.append(target)
    words = ["all" if t == TARGETS else " ".join(t) or "none" for t in accepted]
    given = [line[0] for line in lines if len(line) == 2]
    if "--update" in sys.argv:
        comments = [line[0] for line in lines if len(line) == 1]
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(comments + [f"{w} | {i}" for w, i in zip(words, instructions)]) + "\n")
        return
    differing = [(g, w, i) for g, w, i in zip(given, words, instructions) if g != w]
    for said, really, instruction in differing:
        print(f"{instruction}\n  the list says {said}, ptxas {really}")
    print(f"{len(instructions)} instructions, {len(differing)} differ")
    sys.exit(1 if differing else 0)


main()
