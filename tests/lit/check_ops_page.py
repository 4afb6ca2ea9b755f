#!/usr/bin/env python3
"""Runs every example of docs/ops.md and compares the maps with those on the page.

usage: check_ops_page.py HLO-INDEXING docs/ops.md hlo/opcodes.inc [--update]

An example is a block of HLO, whose entry's root is the instruction in question, and behind it a
block with its maps in both directions. --update writes what the program says into the page. Every
opcode must be in the title of a section.
"""
import difflib
import re
import subprocess
import sys

EXAMPLE = re.compile(r"```hlo\n(.*?)```\n+```text\n(.*?)```", re.S)


def maps_of_root(program, module):
    root = re.search(r"^ENTRY.*?ROOT (\S+) =", module, re.S | re.M).group(1)
    command = [program, "maps", "--direction=both", "--instruction=" + root, "--computation=main", "-"]
    run = subprocess.run(command, input=module, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"{run.stderr}in the example\n{module}")
    lines = run.stdout.split("\n")
    head = next(i for i, line in enumerate(lines) if line.startswith("  %"))
    return "\n".join(line[4:] for line in lines[head + 1:]).rstrip("\n") + "\n"


def main():
    program, page_path, opcodes_path = sys.argv[1:4]
    with open(page_path, encoding="utf-8") as file:
        page = file.read()
    with open(opcodes_path, encoding="utf-8") as file:
        opcodes = set(re.findall(r'^HLO_OPCODE\(k\w+, "([^"]+)"', file.read(), re.M))
    titles = set()
    for title in re.findall(r"^### (.*)$", page, re.M):
        titles.update(name.strip() for name in title.split(","))
    if opcodes != titles:
        sys.exit(f"without a section: {sorted(opcodes - titles)}; no opcodes: {sorted(titles - opcodes)}")

    def filled(example):
        maps = maps_of_root(program, example.group(1))
        if not maps.strip():
            maps = "(no element is read)\n"
        return f"```hlo\n{example.group(1)}```\n\n```text\n{maps}```"

    actual, count = EXAMPLE.subn(filled, page)
    if count < 50:
        sys.exit(f"only {count} examples")
    if "--update" in sys.argv:
        with open(page_path, "w", encoding="utf-8") as file:
            file.write(actual)
    elif actual != page:
        sys.stdout.writelines(difflib.unified_diff(page.splitlines(True), actual.splitlines(True),
                                                   "page", "program", n=12))
        sys.exit(1)
    print(f"{count} examples")


if __name__ == "__main__":
    main()
