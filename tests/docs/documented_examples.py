#!/usr/bin/env python3
"""The C++ examples of pages and headers as one program that is compiled and run.

usage: documented_examples.py extract PROGRAM.cc FILE...    writes the program
       documented_examples.py check PROGRAM FILE...         runs it and compares what it prints

In a page (.md), blocks marked `cpp` are the body of one function, in their order; blocks marked `text` behind
the first of them are what that prints, in their order. In a header, the example is the indented part of the
first comment from an #include on; what it prints is the indented part behind `It prints`.
"""
import difflib
import re
import subprocess
import sys

BLOCK = re.compile(r"^```(cpp|text)\n(.*?)^```$", re.S | re.M)
MARK = "=== "


def examples_of(path):
    """The code of a file and what it prints."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if path.endswith(".md"):
        blocks = BLOCK.findall(text)
        kinds = [kind for kind, _ in blocks]
        first = kinds.index("cpp")
        return ("".join(body for kind, body in blocks if kind == "cpp"),
                "".join(body for kind, body in blocks[first:] if kind == "text"))
    comment = []
    for line in text.splitlines():
        if not line.startswith("//"):
            break
        comment.append(line[2:])
    start = next(i for i, line in enumerate(comment) if line.startswith("   #include"))
    prints = next(i for i, line in enumerate(comment) if line.startswith(" It prints"))
    indented = [[line[3:] for line in part if not line or line.startswith("   ")]
                for part in (comment[start:prints], comment[prints + 1:])]
    return tuple("\n".join(part).strip() + "\n" for part in indented)


def extract(program, paths):
    includes = {"#include <iostream>"}
    functions = []
    for number, path in enumerate(paths):
        code, _ = examples_of(path)
        includes.update(re.findall(r"^#include .*$", code, re.M))
        code = re.sub(r"^#include .*\n", "", code, flags=re.M)
        # Names must not leak from one file's example into another one's.
        if "int main()" in code:
            code = code.replace("int main()", "int Run()")
        else:
            code = f"int Run() {{\n{code}return 0;\n}}\n"
        functions.append(f"namespace example_{number} {{\n{code}}}\n")
    calls = "".join(f'  std::cout << "{MARK}{number}\\n" << std::flush;\n'
                    f"  if (example_{number}::Run() != 0) return 1;\n"
                    for number in range(len(paths)))
    with open(program, "w", encoding="utf-8") as file:
        file.write("\n".join(sorted(includes)) + "\n" + "".join(functions) +
                   f"int main() {{\n{calls}  return 0;\n}}\n")


def check(program, paths):
    run = subprocess.run([program], capture_output=True, text=True, check=False)
    parts = re.split(rf"^{MARK}\d+\n", run.stdout, flags=re.M)[1:]
    good = run.returncode == 0 and len(parts) == len(paths)
    for path, printed in zip(paths, parts):
        expected = examples_of(path)[1]
        if expected == printed:
            continue
        good = False
        sys.stdout.writelines(difflib.unified_diff(
            expected.splitlines(True), printed.splitlines(True), path, "program", n=2))
    if not good:
        sys.exit(f"{run.stderr}status {run.returncode}: the examples do not print what the files show")


def main():
    action, program, paths = sys.argv[1], sys.argv[2], sys.argv[3:]
    (extract if action == "extract" else check)(program, paths)


if __name__ == "__main__":
    main()
