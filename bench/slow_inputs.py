"""Time and memory of modules that are made to be slow, at half their length and at the whole, as a
table in Markdown: where the cost is linear, the second column is twice the first.

    python3 bench/slow_inputs.py build/release/bin/hlo-indexing [PART_OF_A_NAME]

Each module goes once through `maps --direction=both`, or `explain`, `plan --plan=ours` or `emit`,
whose text is written to a file.
Times are processor seconds; memory is the most that the process had.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ADD = "add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }\n"


def parameters(types: list[str]) -> str:
    return "".join(f"  p{i} = {kind} parameter({i})\n" for i, kind in enumerate(types))


def fusion_of(types: list[str], body: str, result: str, before: str = "") -> str:
    """A module whose entry is one fusion of all parameters; `body` ends with the root."""
    names = ", ".join(f"p{i}" for i in range(len(types)))
    return (f"{before}f {{\n{parameters(types)}{body}}}\nENTRY e {{\n{parameters(types)}"
            f"  ROOT r = {result} fusion({names}), kind=kLoop, calls=f\n}}\n")


def nested(n: int, call: str) -> str:
    text = "c0 { p = f32[8] parameter(0)  ROOT r = f32[8] negate(p) }\n"
    for i in range(1, n):
        text += f"c{i} {{ p = f32[8] parameter(0)  ROOT r = f32[8] {call}c{i - 1} }}\n"
    return text + f"ENTRY e {{ p = f32[8] parameter(0)  ROOT r = f32[8] {call}c{n - 1} }}\n"


def calls(n: int) -> str:
    return nested(n, "call(p), to_apply=")


def fusions(n: int) -> str:
    return nested(n, "fusion(p), kind=kLoop, calls=")


def calls_twice(n: int) -> str:
    """Each path passes on another index: 2^n of them, which meet the limit of steps."""
    text = ("c0 { p = f32[64] parameter(0)  i = s32[] parameter(1)\n"
            "  ROOT r = f32[1] dynamic-slice(p, i), dynamic_slice_sizes={1} }\n")
    for i in range(1, n + 1):
        head = "ENTRY " if i == n else ""
        text += (f"{head}c{i} {{ p = f32[64] parameter(0)  i = s32[] parameter(1)\n"
                 f"  j = s32[] multiply(i, i)  k = s32[] negate(i)\n"
                 f"  a = f32[1] call(p, j), to_apply=c{i - 1}\n"
                 f"  b = f32[1] call(p, k), to_apply=c{i - 1}\n"
                 f"  ROOT r = f32[1] add(a, b) }}\n")
    return text


def conditionals(n: int) -> str:
    pair = "(pred[], f32[8])"
    text = f"c0 {{ t = {pair} parameter(0)  ROOT x = f32[8] get-tuple-element(t), index=1 }}\n"
    for i in range(1, n + 1):
        head = "ENTRY " if i == n else ""
        text += (f"{head}c{i} {{ t = {pair} parameter(0)\n"
                 f"  b = pred[] get-tuple-element(t), index=0\n"
                 f"  ROOT r = f32[8] conditional(b, t, t), true_computation=c{i - 1},"
                 f" false_computation=c{i - 1} }}\n")
    return text


def reshapes_and_transposes(n: int) -> str:
    factors = [2, 2, 2, 3, 3, 3, 3, 5, 5, 7, 7, 11, 13]
    source = random.Random(1)

    def shape() -> list[int]:
        sizes = [1, 1, 1]
        for factor in factors:
            sizes[source.randrange(3)] *= factor
        return sizes

    def text_of(sizes: list[int]) -> str:
        return f"f32[{','.join(map(str, sizes))}]"

    sizes = shape()
    first, body, last = text_of(sizes), "", "p0"
    for i in range(n):
        sizes = shape()
        body += f"  a{i} = {text_of(sizes)} reshape({last})\n"
        sizes = [sizes[2], sizes[0], sizes[1]]
        root = "ROOT " if i == n - 1 else ""
        last = f"b{i}"
        body += f"  {root}{last} = {text_of(sizes)} transpose(a{i}), dimensions={{2,0,1}}\n"
    return fusion_of([first], body, text_of(sizes))


def slices_and_pads(n: int, index: str) -> str:
    """`index` says where the start of slice i comes from."""
    types = ["f32[64]", *(["s32[]"] * (n if index == "own" else 1))]
    body, last, start = "  z = f32[] constant(0)\n", "p0", "p1"
    for i in range(n):
        if index == "own":
            start = f"p{i + 1}"
        elif index == "sum" and i > 0:
            body += f"  i{i} = s32[] add({start}, p1)\n"
            start = f"i{i}"
        elif index == "computed" and i > 0:
            body += (f"  u{i} = f32[1] slice(s{i - 1}), slice={{[0:1]}}\n"
                     f"  v{i} = f32[] reshape(u{i})\n  i{i} = s32[] convert(v{i})\n")
            start = f"i{i}"
        body += f"  s{i} = f32[63] dynamic-slice({last}, {start}), dynamic_slice_sizes={{63}}\n"
        root = "ROOT " if i == n - 1 else ""
        body += f"  {root}d{i} = f32[64] pad(s{i}, z), padding=0_1\n"
        last = f"d{i}"
    return fusion_of(types, body, "f32[64]")


def reduce_windows(n: int) -> str:
    body, last = "  z = f32[] constant(0)\n", "p0"
    for i in range(n):
        root = "ROOT " if i == n - 1 else ""
        body += (f"  {root}w{i} = f32[64] reduce-window({last}, z), window={{size=3 pad=1_1}},"
                 f" to_apply=add\n")
        last = f"w{i}"
    return fusion_of(["f32[64]"], body, "f32[64]", ADD)


def updates(n: int, place: str) -> str:
    types = [f"f32[{n}]", "f32[1]", *(["s32[]"] * {"constant": 0, "one": 1, "own": n}[place])]
    body, last = "", "p0"
    for i in range(n):
        start = {"constant": f"i{i}", "one": "p2", "own": f"p{i + 2}"}[place]
        if place == "constant":
            body += f"  i{i} = s32[] constant({i})\n"
        root = "ROOT " if i == n - 1 else ""
        body += f"  {root}u{i} = f32[{n}] dynamic-update-slice({last}, p1, {start})\n"
        last = f"u{i}"
    return fusion_of(types, body, f"f32[{n}]")


def sort(n: int, compares_all: bool) -> str:
    text = "less {\n" + parameters(["f32[]"] * (2 * n))
    if compares_all:
        last = "l0"
        text += "  l0 = pred[] compare(p0, p1), direction=LT\n"
        for i in range(1, n):
            text += (f"  l{i} = pred[] compare(p{2 * i}, p{2 * i + 1}), direction=LT\n"
                     f"  o{i} = pred[] or({last}, l{i})\n")
            last = f"o{i}"
        text += f"  ROOT r = pred[] copy({last})\n}}\n"
    else:
        text += "  ROOT r = pred[] compare(p0, p1), direction=LT\n}\n"
    types = ["f32[8]"] * n
    names = ", ".join(f"p{i}" for i in range(n))
    return (f"{text}ENTRY e {{\n{parameters(types)}  ROOT s = ({', '.join(types)}) sort({names}),"
            f" dimensions={{0}}, to_apply=less\n}}\n")


def reduction(n: int) -> str:
    scalars = ["f32[]"] * (2 * n)
    text = "sums {\n" + parameters(scalars)
    text += "".join(f"  s{i} = f32[] add(p{i}, p{n + i})\n" for i in range(n))
    results = ", ".join(["f32[]"] * n)
    text += f"  ROOT r = ({results}) tuple({', '.join(f's{i}' for i in range(n))})\n}}\n"
    names = ", ".join(f"p{i}" for i in range(2 * n))
    return (f"{text}ENTRY e {{\n{parameters(['f32[8]'] * n + ['f32[]'] * n)}"
            f"  ROOT r = ({results}) reduce({names}), dimensions={{0}}, to_apply=sums\n}}\n")


def elements_of_a_tuple(n: int) -> str:
    kind = f"({', '.join(['f32[8]'] * n)})"
    text = f"ENTRY e {{\n  t = {kind} parameter(0)\n"
    text += "".join(f"  a{i} = f32[8] get-tuple-element(t), index={i}\n" for i in range(n))
    return f"{text}  ROOT r = {kind} tuple({', '.join(f'a{i}' for i in range(n))})\n}}\n"


def modules(n: int) -> str:
    return "\n".join(f"HloModule m{i}\nENTRY e {{ p = f32[64] parameter(0) "
                     "ROOT r = f32[64] negate(p) }" for i in range(n))


def backward_loads(n: int) -> str:
    slices = [f"s{i} = f32[8] slice(p0), slice={{[{3 * i}:{3 * i + 8}]}}" for i in range(n)]
    sums = [f"a{i} = f32[8] add({f'a{i - 1}' if i > 1 else 's0'}, s{i})" for i in range(1, n)]
    body = "\n".join([*slices, *sums, f"ROOT r = f32[8] reverse(a{n - 1}), dimensions={{0}}"])
    return fusion_of([f"f32[{3 * n + 8}]"], body, "f32[8]")


def loop(n: int, arrays: str) -> str:
    kind = f"(pred[], {', '.join(['f32[8]'] * n)})"
    text = f"test {{ t = {kind} parameter(0)  ROOT p = pred[] get-tuple-element(t), index=0 }}\n"
    text += f"body {{\n  t = {kind} parameter(0)\n  q = pred[] get-tuple-element(t), index=0\n"
    text += "".join(f"  a{i} = f32[8] get-tuple-element(t), index={i + 1}\n" for i in range(n))
    for i in range(n):
        text += f"  b{i} = f32[8] " + {
            "alone": f"negate(a{i})",
            "neighbours": f"add(a{i}, a{(i + 1) % n})",
            "sums": f"add(a{i}, {f'b{i - 1}' if i else 'a0'})",
        }[arrays] + "\n"
    text += f"  ROOT r = {kind} tuple(q, {', '.join(f'b{i}' for i in range(n))})\n}}\n"
    return text + (f"ENTRY e {{\n  t = {kind} parameter(0)\n"
                   f"  ROOT w = {kind} while(t), condition=test, body=body\n}}\n")


INPUTS: list[tuple[str, int, Callable[[int], str]]] = [
    ("calls inside of each other", 100_000, calls),
    ("fusions inside of each other", 100_000, fusions),
    ("calls of the next one twice, another index on each path", 30, calls_twice),
    ("conditionals inside of each other, both branches the next one", 1_000, conditionals),
    ("unaligned pairs of reshape and transpose", 4_000, reshapes_and_transposes),
    ("dynamic-slice and pad, one index", 4_000, lambda n: slices_and_pads(n, "one")),
    ("dynamic-slice and pad, an index each", 4_000, lambda n: slices_and_pads(n, "own")),
    ("dynamic-slice and pad, each index the sum of the one before and a parameter", 4_000,
     lambda n: slices_and_pads(n, "sum")),
    ("dynamic-slice and pad, each index computed from what the slice before gave", 4_000,
     lambda n: slices_and_pads(n, "computed")),
    ("reduce-windows in a row", 1_600, reduce_windows),
    ("updates at constant places", 16_000, lambda n: updates(n, "constant")),
    ("updates at one place that is known at run time", 16_000, lambda n: updates(n, "one")),
    ("updates at a place each", 16_000, lambda n: updates(n, "own")),
    ("operands of a sort that compares one", 5_000, lambda n: sort(n, False)),
    ("operands of a sort that compares all", 5_000, lambda n: sort(n, True)),
    ("operands of a reduction", 2_500, reduction),
    ("arrays of a loop, each by itself", 4_000, lambda n: loop(n, "alone")),
    ("arrays of a loop, each from its neighbour, so that all depend on all", 4_000,
     lambda n: loop(n, "neighbours")),
    ("arrays of a loop, each the sum of those before", 4_000, lambda n: loop(n, "sums")),
]
AS_JSON: list[tuple[str, int, Callable[[int], str]]] = [
    ("get-tuple-elements of one tuple, as JSON", 10_000, elements_of_a_tuple),
]
EXPLAINED: list[tuple[str, int, Callable[[int], str]]] = [
    ("reduce-windows in one fusion, explained", 100, reduce_windows),
    ("modules in a file, explained", 8_000, modules),
    ("operands of a reduction, explained", 250, reduction),
]
PLANNED: list[tuple[str, int, Callable[[int], str]]] = [
    ("operands of a reduction, planned", 2_000, reduction),
]
EMITTED: list[tuple[str, int, Callable[[int], str]]] = [
    ("loads of one array, going backwards, as PTX", 4_000, backward_loads),
    ("fusions inside of each other, as PTX", 100_000, fusions),
]


def measured(command: list[str], text: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "input.hlo"
        file.write_text(text)
        with open(Path(folder) / "output.txt", "w") as output, \
                open(Path(folder) / "errors.txt", "w+") as errors:
            process = subprocess.Popen([*command, file], stdout=output, stderr=errors)
            _, status, usage = os.wait4(process.pid, 0)
            errors.seek(0)
            told = errors.readline().strip()
        code = os.waitstatus_to_exitcode(status)
        result = f"{usage.ru_utime + usage.ru_stime:.2f} s, {usage.ru_maxrss / 1024:.0f} MB"
        if code != 0:
            print(f"status {code}: {told}", file=sys.stderr)
            result += f", status {code}"
        return result


def main(program: str, part: str = "") -> None:
    print("| input | half the length | whole length |\n|---|---|---|", flush=True)
    for arguments, inputs in ((["maps", "--direction=both"], INPUTS),
                              (["maps", "--direction=both", "--format=json"], AS_JSON),
                              (["explain"], EXPLAINED),
                              (["plan", "--plan=ours"], PLANNED), (["emit"], EMITTED)):
        for name, n, make in inputs:
            if part not in name:
                continue
            command = [program, *arguments]
            half, whole = (measured(command, make(length)) for length in (n // 2, n))
            print(f"| {n:,} {name} | {half} | {whole} |", flush=True)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
