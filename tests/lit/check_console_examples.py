#!/usr/bin/env python3
"""Runs the examples of a page of the manual and compares what they print with what is on it.

usage: check_console_examples.py HLO-INDEXING PAGE [--update]

An example is a block marked `console` whose first line is `$ hlo-indexing ...`, then its output; or a
picture below a comment with its command, `<!-- hlo-indexing ... --svg -->` and `![...](FILE.svg)`.
They run in the root of the repository, to the status 0, or 1: the command has found what it looks for.
--update writes what the program prints into the page and the files of the pictures.
"""
import difflib
import os
import re
import shlex
import subprocess
import sys

CONSOLE = re.compile(r"```console\n\$ hlo-indexing ([^\n]*)\n(.*?)```", re.S)
PICTURE = re.compile(r"<!-- hlo-indexing ([^\n]*) -->\n!\[[^\n]*\]\(([^)]*)\)")


ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def output_of(program, arguments):
    command = [program] + shlex.split(arguments)
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    if run.returncode not in (0, 1) or run.stderr:
        sys.exit(f"{run.stderr}of {arguments}")
    return run.stdout


def compare(name, expected, actual):
    if expected == actual:
        return True
    sys.stdout.writelines(difflib.unified_diff(
        expected.splitlines(True), actual.splitlines(True), name, "program", n=3))
    return False


def main():
    program, page_path = sys.argv[1:3]
    if os.sep in program:
        program = os.path.abspath(program)
    update = "--update" in sys.argv
    with open(page_path, encoding="utf-8") as file:
        page = file.read()
    fine = True

    def filled(example):
        text = output_of(program, example.group(1))
        return f"```console\n$ hlo-indexing {example.group(1)}\n{text}```"

    actual, count = CONSOLE.subn(filled, page)
    if not update:
        fine = compare("page", page, actual)
    elif actual != page:
        with open(page_path, "w", encoding="utf-8") as file:
            file.write(actual)
    pictures = PICTURE.findall(page)
    for arguments, name in pictures:
        path = os.path.join(os.path.dirname(page_path), name)
        text = output_of(program, arguments)
        if update:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            continue
        with open(path, encoding="utf-8") as file:
            fine = compare(name, file.read(), text) and fine
    if not fine:
        sys.exit(1)
    print(f"{count} examples, {len(pictures)} pictures")


if __name__ == "__main__":
    main()
