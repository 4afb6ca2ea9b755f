#!/usr/bin/env python3
"""Checks the calculator, `hlo-indexing cute`, against a file of facts about CuTe's results, one JSON object a line.

    check_calculator_facts.py HLO_INDEXING FACTS [--op=OP] [--verbose]

Each fact becomes a line of standard input, `op(arguments)`; cute/check_facts.py, which checks the headers against the
same file, has the rules by which a result is judged. A result that differs from what CuTe gave, and rightly so, has a
reason in REASONS; every fact that is excused is listed with it.
"""

import argparse
import collections
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "cute"))
import check_facts  # noqa: E402

# What is no algebra: programs, algorithms on data, and pointers.
NOT_ALGEBRA = {"seed_example", "copy", "copy_if_mod", "gemm", "axpby", "fill", "clear", "transform_square",
               "owning_sizeof", "print_tensor_view"}
PRINTS = {"print_layout", "print_tensor", "ostream_tensor", "print_latex", "print_latex_tv"}


def run(program, lines, *options):
    done = subprocess.run([program, "cute", *options], input="\n".join(lines) + "\n", capture_output=True, text=True)
    if done.returncode not in (0, 3, 4):
        sys.exit(f"check_calculator_facts: the program ended with {done.returncode}: {done.stderr[:2000]}")
    return done.stdout.splitlines()


def answers(program, lines, *options):
    records = [json.loads(line) for line in run(program, lines, "--format=json", *options)[1:]]
    if len(records) != len(lines):
        sys.exit(f"check_calculator_facts: {len(records)} records for {len(lines)} lines")
    return records


def call(op, args):
    if op == "hazard":
        op, args = args[0], args[1:]
        if op == "local_tile":
            # The tile stays as large as it is; what of it lies inside is told by tile_extent.
            op, args = "tile_extent", [args[0].split(":")[0], *args[1:]]
    # Names that only the facts have: overloads, and functions of what their first arguments make.
    if op == "make_tensor_like_layout":
        op, args = "make_layout_like", args[1:]
    elif op in ("composed_slice", "composed_zipped_divide"):
        op, args = op.removeprefix("composed_"), [f"{args[0]} o {args[1]}", *args[2:]]
    elif op.startswith("identity_"):
        op = {"identity_local_tile": "local_tile"}.get(op, "at")
        args = [f"make_identity_tensor({args[0]})", *args[1:]]
    else:
        op = {"coalesce_by": "coalesce", "composed3": "composed"}.get(op, op)
    return f"{op}({', '.join(args)})"


def as_got(fact, record):
    """A record in the form that check_facts judges."""
    if "error" in record:
        return {"kind": "error", "base": 0, "text": record["error"], "offsets": None}
    if fact["op"] in PRINTS:
        return {"kind": "print", "text": record["result"].rstrip("\n")}
    if fact["op"] == "f2_bases":
        return {"kind": "value", "base": 0, "text": "[" + record["result"].strip("()").replace(",", ", ") + "]"}
    offsets = record.get("offsets")
    kind = "layout" if ":" in record["result"] and isinstance(record["offset"], int) else "value"
    return {"kind": kind, "base": record["offset"], "text": record["result"], "offsets": offsets}


def upcast_to_zero(fact, got):
    """upcast: CuTe divides a run-time stride of 1 by n, which gives 0; the calculator divides the extent."""
    return fact["op"] == "upcast" and fact["result"].endswith(":0") and got["kind"] == "layout" and \
        got["text"].split(":")[1].strip("_") == "1"


def mixed_bits(fact, got):
    """The offset of a composed slice: CuTe writes which bits of it are known, M_0|(16&16)=16; the value is the same."""
    if fact["op"] != "composed_slice":
        return False
    text = re.sub(r"M_\d+\|\(\d+&\d+\)=", "", fact["result"])
    return text != fact["result"] and got["text"] == text and got["base"] == fact["base"]


def identity_of_integer(fact, got):
    """make_identity_tensor of an integer maps to integers: ArithTuple_0 is the offset 0."""
    return fact["op"] == "make_identity_tensor" and fact["result"] == "ArithTuple_0 o " + got["text"]


def same_value(fact, got):
    """Dynamic results that are equal up to marks: the calculator marks what CuTe's types cannot."""
    return not fact.get("static") and got["kind"] == "value" and check_facts.plain(got["text"]) == \
        check_facts.plain(str(fact["result"]))


REASONS = [check_facts.divides_evenly, upcast_to_zero, mixed_bits, identity_of_integer, same_value]


def judge(fact, got):
    """(whether it is right, the reason if it differs from the recorded result)."""
    if check_facts.judge(fact, got) and not (fact["expect"] == "cute_uneven" and got["kind"] == "layout" and
                                             not check_facts.same(fact, got)):
        refused = fact["expect"].startswith("match") and check_facts.refused_for_a_reason(fact, got)
        return True, "the recorded result breaks the contract of its operation" if refused else None
    if fact["expect"] in ("match", "match_unverified", "cute_uneven"):
        for reason in REASONS:
            if reason(fact, got):
                return True, reason.__doc__
    return False, None


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("facts")
    arguments.add_argument("--op")
    arguments.add_argument("--verbose", action="store_true")
    options = arguments.parse_args()
    facts = []
    left_out = 0
    with open(options.facts) as lines:
        for number, line in enumerate(lines, 1):
            fact = json.loads(line)
            if fact["op"] in NOT_ALGEBRA:
                left_out += 1
            elif not options.op or fact["op"] == options.op:
                facts.append((number, fact))
    calls = [call(fact["op"], fact["args"]) for _, fact in facts]
    records = answers(options.program, calls)
    with_table = [i for i, (_, fact) in enumerate(facts) if "offsets" in fact or "true_offsets" in fact]
    for i, record in zip(with_table, answers(options.program, [calls[i] for i in with_table], "--offsets")):
        records[i] = record
    # Coordinates with their marks are in the text only.
    identity = [i for i, (_, fact) in enumerate(facts) if "identity" in fact["op"]]
    for i, text in zip(identity, run(options.program, [calls[i] for i in identity]) if identity else []):
        records[i] = {"result": text, "offset": []}
    good = collections.Counter()
    total = collections.Counter()
    excused = collections.Counter()
    for (number, fact), record, text in zip(facts, records, calls):
        got = as_got(fact, record)
        ok, reason = judge(fact, got)
        total[fact["expect"]] += 1
        good[fact["expect"]] += ok
        if reason:
            excused[reason] += 1
        if not ok or options.verbose or reason:
            print(f"{'ok  ' if ok else 'FAIL'} line {number}: {text} expect={fact['expect']} "
                  f"recorded={str(fact['result'])[:120]!r} got={got['text'][:160]!r}" + (f" because {reason}" if reason else ""))
    for expect in sorted(total):
        print(f"check_calculator_facts: {expect}: {good[expect]} of {total[expect]}")
    for reason, count in sorted(excused.items()):
        print(f"check_calculator_facts: {count} differ: {reason}")
    print(f"check_calculator_facts: {left_out} facts about programs, data and pointers left out")
    sys.exit(0 if good == total else 1)


if __name__ == "__main__":
    main()
