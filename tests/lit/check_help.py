#!/usr/bin/env python3
"""Runs the examples in the help of every subcommand, in the current folder.

usage: check_help.py HLO-INDEXING COMMAND_LINE_PAGE

The folder must have an HLO text module.hlo and the PTX text kernel.ptx of examples/ptx. Every option in the help must be on the page. Of a
subcommand's help no line of prose may be wider than a terminal.
"""
import re
import subprocess
import sys


def output_of(command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def section(text, title):
    return re.search(rf"^{title}:\n((?:  .*\n)+)", text, re.M).group(1)


def check_example(subcommand, purpose, command):
    # `equal` answers by its status.
    run = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    expected = 1 if "exit status 1" in purpose else 0
    writes_file = " > " in command or " -o " in command
    if run.returncode != expected or run.stderr or not (run.stdout or writes_file):
        sys.exit(f"{subcommand}: {command}\nstatus {run.returncode}\n{run.stderr}")


def main():
    program, page_path = sys.argv[1:3]
    with open(page_path, encoding="utf-8") as file:
        page = file.read()
    with open("maps.txt", "w", encoding="utf-8") as file:
        file.write("(d0) -> (d0 mod 4), domain: d0 in [0, 3]\n")
    overview = output_of([program, "--help"])
    subcommands = re.findall(r"^  (\w+)  ", section(overview, "SUBCOMMANDS"), re.M)
    examples = 0
    for subcommand in subcommands:
        text = output_of([program, subcommand, "--help"])
        if f"`{subcommand} " not in page:
            sys.exit(f"{subcommand} is not on the page")
        for option in re.findall(r"^  (?:-h, )?(--?[\w-]+)", section(text, "OPTIONS"), re.M):
            if f"`{option}" not in page and f" {option}" not in page:
                sys.exit(f"{option} of {subcommand} is not on the page")
        pairs = re.findall(r"^  # (.*)\n  (.*)$", section(text, "EXAMPLES"), re.M)
        if not pairs:
            sys.exit(f"{subcommand} has no examples")
        for purpose, command in pairs:
            check_example(subcommand, purpose, command)
        examples += len(pairs)
        for line in text.split("EXAMPLES:")[0].splitlines():
            if len(line) > 80:
                sys.exit(f"{subcommand}: more than 80 columns: {line}")
    print(f"{len(subcommands)} subcommands, {examples} examples")


if __name__ == "__main__":
    main()
