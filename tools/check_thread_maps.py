#!/usr/bin/env python3
"""Compares `hlo-indexing plan` with what XLA's own emitters do:

    tools/check_thread_maps.py build/release/bin/hlo-indexing FACTS.jsonl FOLDER

A line of FACTS.jsonl names a file below FOLDER and has XLA's emitter, launch, and maps from
threads to elements, as text. Maps must be equal as relations. Prints each difference; status 1 if
there is one that is not listed here with its reason."""
import itertools
import json
import re
import subprocess
import sys

# What XLA's maps say and its code does not do.
EXPECTED = {
    # This root has another shape than the transpose; XLA leaves the index as it is for that.
    ("fusions/transpose/mixed_indexing.hlo", "output 0"),
    # Threads beyond the last update have indices there that wrap around; they do nothing.
    ("fusions/scatter/sorted_unique_indices.hlo", "output 0 operand 1"),
}


def plan_of(binary, path, device):
    """The one plan of a file: of its computation, or of the root of its entry."""
    text = subprocess.run([binary, "plan", f"--device={device}", "--format=json", path],
                          capture_output=True, text=True, check=False)
    plans = [json.loads(line) for line in text.stdout.splitlines()]
    plans = [p for p in plans if p["kind"] == "plan"]
    fusions = [p for p in plans if p["instruction"].startswith(("fusion", "%fusion"))]
    chosen = fusions or plans
    return chosen[-1] if chosen else None, text.stderr


def without_constants(text):
    """The map without the loops that run once."""
    head, domain = text.split(", domain: ")
    loops = re.search(r"\)\[([^]]*)\] ->", head)
    if not loops:
        return text
    names = loops.group(1).split(", ")
    kept = []
    for name in names:
        bound = re.search(rf"\b{name} in \[(-?\d+), (-?\d+)\](, |$)", domain)
        if bound.group(1) != bound.group(2):
            kept.append(name)
            continue
        domain = domain.replace(bound.group(0), "", 1)
        head = re.sub(rf"\b{name}\b", bound.group(1), head)
        domain = re.sub(rf"\b{name}\b", bound.group(1), domain)
    head = re.sub(r"\)\[[^]]*\] ->", f")[{', '.join(kept)}] ->" if kept else ") ->", head, count=1)
    return f"{head}, domain: {domain}".removesuffix(", ")


def points_of(text):
    """The points of a map, as a set of (variables, results)."""
    head, domain = text.split(", domain: ")
    variables, results = head.replace("/", "//").replace("floordiv", "//").replace(
        "mod", "%").split(" -> ")
    names = re.findall(r"\w+", variables)
    items = re.findall(r"(.*?) in \[(-?\d+), (-?\d+)\](?:, |$)", domain)
    box = {name: range(int(low), int(high) + 1) for name, low, high in items if name in names}
    conditions = [f"{low} <= {expression} <= {high}" for expression, low, high in items
                  if expression not in names]
    condition = " and ".join(conditions).replace("floordiv", "//").replace("/", "//").replace(
        "////", "//").replace("mod", "%") or "True"
    arguments = ", ".join(names)
    function = eval(f"lambda {arguments}: [{results[1:-1]}] if {condition} else None")
    found = set()
    for point in itertools.product(*(box[name] for name in names)):
        value = function(*point)
        if value is not None:
            found.add((point, tuple(value)))
    return found


def equal(binary, theirs, ours):
    """What `equal` says of two maps whose loops that run once do not count; where it does not know,
    what all points say."""
    theirs, ours = without_constants(theirs), without_constants(ours)
    answer = subprocess.run([binary, "equal", theirs, ours], capture_output=True, text=True,
                            check=False).stdout.split("\n")[0]
    if answer.startswith("unknown"):
        return "yes: all points" if points_of(theirs) == points_of(ours) else "no: other points"
    return answer


def differences(binary, fact, plan):
    """Yields (what, text) for everything that is not as XLA has it."""
    for key in ("emitter", "blocks", "threads"):
        if plan[key] != fact[key]:
            yield key, f"{plan[key]} instead of {fact[key]}"
    reads = {}
    for hero in plan["heroes"]:
        reads.setdefault(hero["output"], {})[str(hero["operand"])] = hero["map"]
    stores = {o["output"]: o["map"] for o in reversed(plan["outputs"])}
    # Of an instruction with several outputs the facts have the first.
    outputs = [min(numbers) for numbers in plan["roots"]]
    for root, output in zip(fact["roots"], outputs):
        compare = [(f"output {output}", root["output"], stores.get(output))]
        for operand, text in root["heroes"].items():
            compare.append((f"output {output} operand {operand}", text,
                            reads.get(output, {}).get(operand)))
        for what, theirs, ours in compare:
            if theirs in (None, "none", "UNDEFINED"):
                continue
            if ours is None:
                yield what, "no map"
                continue
            answer = equal(binary, theirs, ours["text"])
            if not answer.startswith("yes"):
                yield what, f"{answer}\n    theirs {theirs}\n    ours   {ours['text']}"


def main():
    binary, facts, folder = sys.argv[1:4]
    failed = checked = 0
    expected = set()
    for line in open(facts, encoding="utf-8"):
        fact = json.loads(line)
        plan, errors = plan_of(binary, f"{folder}/{fact['file']}", "rtx-a6000")
        if plan is None:
            failed += 1
            print(f"{fact['file']}: no plan: {errors}")
            continue
        checked += 1
        for what, text in differences(binary, fact, plan):
            if (fact["file"], what) in EXPECTED:
                expected.add((fact["file"], what))
                continue
            failed += 1
            print(f"{fact['file']}: {what}: {text}")
    print(f"{checked} plans compared, {failed} differences, {len(expected)} known ones")
    return 1 if failed or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
