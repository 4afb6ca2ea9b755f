#!/usr/bin/env python3
"""Gives every option of every subcommand values that it cannot have.

usage: malformed_options.py HLO-INDEXING FOLDER

The options are those that --help lists, so a new one that takes a value of its own kind needs a row
here. Each value must give exit status 2, or 3 where it names a file that cannot be read, and a
message with the option and the value. The folder must have an HLO text module.hlo and the PTX text
kernel.ptx of examples/ptx.
"""
import os
import re
import subprocess
import sys

BAD_USAGE = 2
BAD_INPUT = 3

# By what help calls the value: `--max-errors=<n>`.
BY_VALUE = {
    "": ["maybe"],
    "n": ["few", "", "1.5", "99999999999999999999999", "-1", "7 "],
}
# By the option. Choices are tried as help lists them.
BY_OPTION = {
    "--arch": ["", "90", "sm_", "sm_x", "sm_70", "sm_99999999999"],
    "--arg": ["", "x", "f33:1", "u8:256", "u32:-1", "f32:x", "f32:", "u32:", "out:f32", "out:f32[",
              "out:f99[3]", "zeros:f32[-1]", "zeros:f32[9223372036854775807]"],
    "--block": ["", "0", "x", "1,1,1,1", "-1", "4294967296", "1,,1"],
    "--byte": ["", "x", "-1", "1,2", "99999999999999999999"],
    "--check": ["", "racechek", "all,", "all,,memcheck"],
    "--computation": ["nobody"],
    "--device": ["", "h1000", "H100"],
    "--dimensions": ["x", "0,", "-1", ",", "0 1", "99999999999999999999"],
    "--fail-on": ["", "x", "efficiency", "efficiency<", "efficiency<x", "eficiency<1",
                  "efficiency=1", "efficiency<nan"],
    "--fit": ["", "memory", "shared:", "shared:0", "shared:1GB", "shared:-1",
              "shared:9223372036854775807KiB"],
    "--grid": ["", "0", "x", "1,1,1,1", "-1", "4294967296", "1,,1"],
    "--index": ["", "x", "1", "1,", "-1,0", "99999999999999999999,0"],
    "--input": ["", "0", "0=", "x=f", "=f", "-1=f", "0@x=f", "1.5=f"],
    "--instruction": ["nobody"],
    "--kernel": ["", "nobody"],
    "--output": ["/dev/null/x", "module.hlo"],
    "--parameters": ["x", "0,", "-1", ",", "99999999999999999999"],
    "--position": ["", "x", "-1", "1,2", "99999999999999999999"],
    "--registers": ["few", "", "-1", "256", "18446744073709551615"],
    "--relayout": ["", "(3", "f32[7]", "{1,1}", "x"],
    "--results": ["x", "0,", "-1", ","],
    "--thread-map": ["", "x", "(d0) -> ("],
    "--tile-sizes": ["", "0", "x", "-1", "8,", "8,,8", "99999999999999999999"],
    "--tolerance": ["", "x", "-1", "nan"],
    "-o": ["/nowhere/x"],
}
# Those whose value is a file that is read.
FILES = {"--before", "--custom-calls"}
# Those whose value is written to. Messages say what cannot be written.
OUTPUTS = {"-o", "--output"}
# What a value needs beside it to be looked at.
NEEDS = {
    "--tolerance": ["--backend=virtual-gpu", "--compare"],
    "run --check": ["--backend=virtual-gpu"],
    "run --device": ["--backend=virtual-gpu"],
    "tiles --device": ["--fit=shared"],
    "tiles": ["--tile-sizes=2"],
    "tiles --fit": [],
    "tiles --symbolic": [],
    "tiles --top": ["--fit=shared"],
    "ptx": ["--kernel=transpose"],
}
ARGUMENTS = {
    "layout": ["f32[3,5]"], "cute": ["(2,3):(1,2)"], "ptx": ["kernel.ptx"],
    "simplify": ["(d0) -> (d0)"], "inverse": ["(d0) -> (d0)"], "image": ["(d0) -> (d0)"],
    "project": ["(d0) -> (d0)"], "count": ["(d0) -> (d0)"], "equal": ["() -> (0)"] * 2, "compose": ["() -> (0)"] * 2,
    "union": ["() -> (0)"] * 2, "intersect": ["() -> (0)"] * 2, "subtract": ["() -> (0)"] * 2,
}


def options_of(program, subcommand):
    """(option, what help calls its value, its choices)"""
    text = subprocess.run([program, subcommand, "--help"], capture_output=True, text=True,
                          check=True).stdout
    table = re.search(r"^OPTIONS:\n((?:  .*\n)+)", text, re.M).group(1)
    options = []
    for line in table.splitlines():
        head = re.match(r"  (--?[\w-]+)(?:[ =]<(.*?)>)?(?:  |$)", line)
        choice = re.match(r"    ([\w-]+)  ", line)
        if head:
            options.append((head.group(1), head.group(2) or "", []))
        elif choice:
            options[-1][2].append(choice.group(1))
    return [option for option in options if option[0] != "-h"]


def values_of(option, value, choices):
    if choices:
        return ["", "nonsense", choices[0] + "x"]
    if option in FILES:
        return ["nowhere/x"]
    return BY_OPTION.get(option) or BY_VALUE.get(value)


def needed(subcommand, option):
    for key in (f"{subcommand} {option}", option, subcommand):
        if key in NEEDS:
            return [other for other in NEEDS[key] if not other.startswith(option + "=")]
    return []


def check(program, subcommand, option, value):
    given = [option, value] if option == "-o" else [f"{option}={value}"]
    others = needed(subcommand, option)
    command = [program, subcommand, *others, *given, *ARGUMENTS.get(subcommand, ["module.hlo"])]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    wanted = BAD_INPUT if option in FILES else BAD_USAGE
    message = run.stderr
    named = option in FILES | OUTPUTS or option.lstrip("-") in message
    if run.returncode != wanted or not named or value.strip() not in message:
        return f"{' '.join(command[1:])}: status {run.returncode} instead of {wanted}\n{message}"
    return None


def main():
    program, folder = sys.argv[1:3]
    os.chdir(folder)
    overview = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    table = re.search(r"^SUBCOMMANDS:\n((?:  .*\n)+)", overview, re.M).group(1)
    failures = []
    count = 0
    for subcommand in re.findall(r"^  (\w+)  ", table, re.M):
        for option, value, choices in options_of(program, subcommand):
            values = values_of(option, value, choices)
            if values is None:
                sys.exit(f"{subcommand} {option}=<{value}>: no malformed values are known for it")
            for malformed in values:
                failures.append(check(program, subcommand, option, malformed))
                count += 1
    failures = [failure for failure in failures if failure]
    if failures:
        sys.exit("\n".join(failures) + f"\n{len(failures)} of {count}")
    print(f"{count} malformed values")


if __name__ == "__main__":
    main()
