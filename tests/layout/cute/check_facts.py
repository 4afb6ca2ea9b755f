#!/usr/bin/env python3
"""Checks layout/cute/ against a file of facts about CuTe's results, one JSON object a line.

    check_facts.py FACTS [--compiler=g++] [--units=8] [--op=OP] [--lines=N,...] [--verbose] [COMPILER FLAGS]

Every fact becomes an expression in one of a few generated translation units. What does not compile is found
by the compiler itself: the units are checked once, the facts whose lines an error names are the compile errors,
and the rest is compiled and run. Facts of static layouts are static_asserts on the type of the result as well.

A fact has op, args, result, and expect, the rule by which it is judged:
  match, match_unverified   the same function (offsets, base) and rank; the same text if the fact is static
  exact_or_error            the layout `exact`, or an error
  error, error_or_true      an error, or a layout with the table true_offsets
  true_or_error             never the recorded result: true_offsets or exact, or an error
  cute_uneven               the recorded table, an error, or tiles that divide all modes together evenly
  must_not_reproduce_silently   anything but the recorded result
"""

import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))


class Parser:
    """The notation of arguments: 8, _8, (a,b), S:D, <tile>, Sw<b,m,s>, _."""

    def __init__(self, text):
        self.text = text
        self.at = 0

    def peek(self):
        return self.text[self.at] if self.at < len(self.text) else ""

    def expect(self, character):
        if self.peek() != character:
            raise ValueError(f"{character} expected in {self.text} at {self.at}")
        self.at += 1

    def list(self, close):
        members = []
        while self.peek() != close:
            members.append(self.layout())
            if self.peek() == ",":
                self.at += 1
        self.expect(close)
        return members

    def item(self):
        if self.text.startswith("Sw<", self.at):
            match = re.compile(r"Sw<(-?\d+),(-?\d+),(-?\d+)>").match(self.text, self.at)
            self.at = match.end()
            return ("swizzle", match.groups())
        if self.peek() == "(":
            self.at += 1
            return ("tuple", self.list(")"))
        if self.peek() == "<":
            self.at += 1
            return ("tuple", self.list(">"))
        match = re.compile(r"(_?)(-?\d+)").match(self.text, self.at)
        if match:
            self.at = match.end()
            return ("static" if match.group(1) else "dynamic", int(match.group(2)))
        self.expect("_")
        return ("underscore", None)

    def layout(self):
        shape = self.item()
        if self.peek() == ":":
            self.at += 1
            return ("layout", shape, self.item())
        return shape


def parse(text):
    if " o " in text:
        return ("composed", [parse(part) for part in text.split(" o ")])
    parser = Parser(text.replace(" ", ""))
    value = parser.layout()
    if parser.at != len(parser.text):
        raise ValueError("rest in " + text)
    return value


def code(value, static=False):
    """C++ for a value; `static` makes dynamic integers static ones."""
    kind = value[0]
    if kind == "composed":
        return "composition(" + ", ".join(code(v, static) for v in value[1]) + ")"
    if kind == "static" or (kind == "dynamic" and static):
        return f"C<{value[1]}>{{}}"
    if kind == "dynamic":
        return str(value[1]) if abs(value[1]) < 2**31 else f"int64_t{{{value[1]}}}"
    if kind == "underscore":
        return "_"
    if kind == "swizzle":
        return f"Swizzle<{','.join(value[1])}>{{}}"
    if kind == "tuple":
        return "make_tuple(" + ", ".join(code(v, static) for v in value[1]) + ")"
    return f"make_layout({code(value[1], static)}, {code(value[2], static)})"


def is_static_text(text):
    return not re.search(r"(?<![_\d@-])\d", re.sub(r"Sw<[^>]*>", "", text))


LAYOUT_CALLS = {  # name of the op: the function, arguments in order
    "append": "append", "blocked_product": "blocked_product", "ceil_div": "ceil_div", "coalesce": "coalesce",
    "coalesce_by": "coalesce", "compatible": "compatible", "complement": "complement", "composition": "composition",
    "composed": "composition", "composed3": "composition", "congruent": "congruent", "cosize": "cosize",
    "crd2idx": "crd2idx", "depth": "depth", "domain_distribute": "domain_distribute",
    "evenly_divides": "evenly_divides", "filter": "filter", "filter_zeros": "filter_zeros",
    "flat_divide": "flat_divide", "flat_product": "flat_product", "flatten": "flatten", "idx2crd": "idx2crd",
    "left_inverse": "left_inverse", "logical_divide": "logical_divide", "logical_product": "logical_product",
    "make_fragment_like": "make_fragment_like", "make_identity_layout": "make_identity_layout",
    "make_layout_left": "make_layout",
    "make_layout_like": "make_layout_like", "make_layout_right": "make_layout_right",
    "make_ordered_layout": "make_ordered_layout", "max_alignment": "max_alignment",
    "max_common_layout": "max_common_layout", "max_common_vector": "max_common_vector", "nullspace": "nullspace",
    "prepend": "prepend", "raked_product": "raked_product", "rank": "rank", "right_inverse": "right_inverse",
    "shape_div": "shape_div", "size": "size", "tile_to_shape": "tile_to_shape", "tiled_divide": "tiled_divide",
    "tiled_product": "tiled_product", "weakly_congruent": "weakly_congruent", "zipped_divide": "zipped_divide",
    "zipped_product": "zipped_product",
}
MEMBER_CALLS = {"get_1d_coord", "get_flat_coord", "get_hier_coord", "with_shape"}
PARTITIONS = {"inner_partition", "outer_partition", "local_partition", "local_tile"}


# The others: how to show the result, and the expression. {0} is the code of argument 0, {n0} its number, {l0} the
# numbers in it, {t0} its text.
TEMPLATES = {
    "recast_layout": ("Show", "recast_layout<{t1}, {t2}>({0})"),
    "make_tensor_like_layout": ("Show", "make_tensor_like<{t0}>({1}).layout()"),
    "owning_sizeof": ("Show", "int(sizeof(make_tensor<{t0}>({1})))"),
    "make_identity_tensor": ("Show", "TextOf(make_identity_tensor({0}))"),
    "slice": ("ShowWithBase", "slice_and_offset({1}, {0})"),
    "domain_offset": ("ShowWithBase", "domain_offset({1}, {0})"),
    "composed_slice": ("ShowWithBase", "slice_and_offset({2}, composition({0}, {1}))"),
    "composed_zipped_divide": ("Show", "zipped_divide(composition({0}, {1}), {2})"),
    "dice": ("Show", "dice({1}, {0})"),
    "tv_partition": ("Show", "composition(Counting({0}), {1})({2}, _)"),
    "upcast": ("Show", "upcast<{n1}>({0})"),
    "downcast": ("Show", "downcast<{n1}>({0})"),
    "get": ("Show", "get<{n1}>({0})"),
    "replace": ("Show", "replace<{n1}>({0}, {2})"),
    "group": ("Show", "group<{n1}, {n2}>({0})"),
    "take": ("Show", "take<{n1}, {n2}>({0})"),
    "select": ("Show", "select<{l1}>({0})"),
    "identity_at": ("Show", "make_identity_tensor({0})({1})"),
    "identity_slice": ("Show", "make_identity_tensor({0})({1})"),
    "identity_local_tile": ("Show", "local_tile(make_identity_tensor({0}), {1}, {2})"),
}
# Algorithms: what is called, and the argument that is the layout of the destination.
ALGORITHMS = {
    "copy": ("copy(make_tensor(a, {0}), make_tensor(c, {1}))", 1),
    "copy_if_mod": ("copy_if([](auto i) {{ return i % {2} == 0; }}, make_tensor(a, {0}), make_tensor(c, {1}))", 1),
    "axpby": ("axpby({0}, make_tensor(a, {1}), {2}, make_tensor(c, {3}))", 3),
    "gemm": ("gemm(make_tensor(a, {0}), make_tensor(b, {1}), make_tensor(c, {2}))", 2),
    "fill": ("fill(make_tensor(c, {0}), {1})", 0),
    "clear": ("clear(make_tensor(c, {0}))", 0),
    "transform_square": ("transform(make_tensor(c, {0}), [](auto x) {{ return x * x - 1; }})", 0),
}
TYPE_NAME = re.compile(r"(?:cute::)?(?:[a-z]\w*)")


def print_tensor_view(tag, element, address, layout):
    pointer = {"raw": "{0}", "gmem": "make_gmem_ptr({0})", "smem": "make_smem_ptr({0})",
               "rmem": "make_rmem_ptr({0})"}[tag]
    stored = "uint8_t" if element.endswith("b_t") else element
    raw = f"recast_ptr<{element}>(reinterpret_cast<{stored}*>({address}))"
    return f"TextOf(make_tensor({pointer.format(raw)}, {code(parse(layout))}))"


def expression(op, args, static):
    """(how to show it, C++ expression) of an operation."""
    if op == "print_tensor_view":
        return "Show", print_tensor_view(*args)
    values = [None if TYPE_NAME.fullmatch(a) else parse(a) for a in args]
    codes = [a if v is None else code(v, static) for a, v in zip(args, values)]
    if op in TEMPLATES:
        show, template = TEMPLATES[op]
        names = {f"t{i}": a.replace("cute::", "") for i, a in enumerate(args)}
        for i, value in enumerate(values):
            if value is not None and value[0] in ("static", "dynamic"):
                names[f"n{i}"] = value[1]
            if value is not None and value[0] == "tuple":
                names[f"l{i}"] = ", ".join(str(v[1]) for v in value[1])
        return show, template.format(*codes, **names)
    if op in LAYOUT_CALLS:
        return "Show", f"{LAYOUT_CALLS[op]}({', '.join(codes)})"
    if op == "tile_extent":
        return "Show", f"tile_extent({', '.join(codes)})"
    if op in MEMBER_CALLS:
        return "Show", f"{codes[0]}.{op}({', '.join(codes[1:])})"
    if op in PARTITIONS:
        return "Show", f"{op}(Counting({codes[0]}), {', '.join(codes[1:])})"
    if op == "swizzle_apply":
        return "Show", "make_tuple(" + ", ".join(f"{codes[0]}({v[1]})" for v in values[1][1]) + ")"
    if op == "f2_bases":
        layout = codes[0] if len(codes) == 1 else f"composition({codes[0]}, {codes[1]})"
        return "Show", f"BasesOf({layout})"
    if op in ALGORITHMS:
        template, target = ALGORITHMS[op]
        return "Show", ("[] { Storage s; int *a = s.a.data(), *b = s.b.data(), *c = s.c.data(); (void)a; (void)b; "
                        f"{template.format(*codes)}; return s.Written(static_cast<int64_t>(cosize({codes[target]}))); }}()")
    if op in ("print_tensor", "print_layout", "ostream_tensor", "print_latex_tv", "print_latex"):
        shown = f"Counting({codes[0]})" if op.endswith("tensor") else ", ".join(codes)
        if op == "ostream_tensor":
            return "Print", f"(std::cout << {shown} << std::flush)"
        return "Print", f"{op}({shown})"
    raise NotImplementedError(op)


def generate(facts, path, skip):
    """Writes a unit; returns {line: id}."""
    lines = ['#include <iostream>', '#include "tests/layout/cute/fact_check.h"',
             "using namespace fact_check;", "using namespace fact_check::cute;"]
    where = {}
    ids = []
    for identifier, fact in facts:
        if identifier in skip:
            continue
        show, text = fact["code"]
        where[len(lines) + 1] = identifier
        body = f"printf(\"{identifier}\\tprint\\n\"); {text}; printf(\"\\n%cend\\n\", 1);" if show == "Print" else \
               f"{show}({identifier}, {text});"
        lines.append(f"void F{identifier}() {{ Guarded({identifier}, [] {{ {body} }}); }}")
        if fact.get("type_code"):
            where[len(lines) + 1] = identifier
            lines.append(f"static_assert(std::is_same<std::decay_t<decltype({fact['type_code'][0]})>, "
                         f"std::decay_t<decltype({fact['type_code'][1]})>>::value, \"\");")
        ids.append(identifier)
    lines.append("int main() {")
    lines += [f"  F{i}();" for i in ids]
    lines.append("}")
    with open(path, "w") as out:
        out.write("\n".join(lines) + "\n")
    return where


def compile_unit(compiler, path, where, extra):
    """The facts whose lines the compiler's errors name, with the sentences of their errors; a program if none."""
    done = subprocess.run([compiler, "-std=c++17", "-O0", "-DNDEBUG", "-I" + ROOT, "-w", *extra, path, "-o", path[:-3]],
                          capture_output=True, text=True)
    if done.returncode == 0:
        return {}
    failed = {}
    pending = set()
    name = re.escape(os.path.basename(path))
    for line in done.stderr.splitlines():
        error = re.search(r"error: (.*)", line)
        for match in re.finditer(name + r":(\d+):", line):
            identifier = where.get(int(match.group(1)))
            if identifier is not None:
                pending.add(identifier)
        if error:
            for identifier in pending:
                failed[identifier] = (failed.get(identifier, "") + " " + error.group(1)).strip()
            pending = set()
    for identifier in pending:
        failed.setdefault(identifier, "compile error")
    if not failed:
        sys.exit("check_facts: errors outside of the facts:\n" + done.stderr[:4000])
    return failed


def run_unit(path):
    binary = path[:-3]
    done = subprocess.run([binary], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"check_facts: {binary} ended with {done.returncode}: {done.stderr[:2000]}")
    results = {}
    printing = None
    for line in done.stdout.split("\n"):
        if printing is not None:
            if line == "\x01end":
                results[printing[0]] = {"kind": "print", "text": "\n".join(printing[1]).rstrip("\n")}
                printing = None
            else:
                printing[1].append(line)
            continue
        fields = line.split("\t")
        if len(fields) == 2 and fields[1] == "print":
            printing = (int(fields[0]), [])
        elif len(fields) == 5:
            results[int(fields[0])] = {"kind": fields[1], "base": int(fields[2]), "text": fields[3],
                                       "offsets": [int(x) for x in fields[4].split(",")] if fields[4] else None}
    return results


def top_rank(text):
    shape = text.split(" o ")[-1].split(":")[0]
    if not shape.startswith("("):
        return 0
    depth, count = 0, 1
    for character in shape:
        depth += {"(": 1, ")": -1}.get(character, 0)
        count += character == "," and depth == 1
    return count


def plain(text):
    return text.replace("_", "").replace(" ", "")


def same(fact, got):
    """Whether the result is the recorded one, by the rules of a match."""
    result = fact["result"]
    if isinstance(result, list):
        result = "[" + ", ".join(str(x) for x in result) + "]"
    if got["kind"] == "error":
        return result == "error"
    if got["kind"] == "print":
        return got["text"] == result.rstrip("\n")
    if fact["op"] == "f2_bases":
        return got["text"] == result
    if got["kind"] == "layout":
        if "base" in fact and got["base"] != fact["base"]:
            return False
        if "offsets" in fact and got["offsets"] is not None and got["offsets"] != fact["offsets"]:
            return False
        if fact.get("static") and fact["source"] == "cute":
            return got["text"] == result
        if "offsets" in fact:
            return top_rank(got["text"]) == top_rank(result) or fact["source"] == "pycute"
        return plain(got["text"]) == plain(result)
    if fact["source"] == "pycute":
        return plain(got["text"]) == plain(result).replace(",)", ")")
    return got["text"] == result


def evaluate(layout, index):
    """The value of a parsed layout at a one-dimensional index."""
    def leaves(value):
        return [leaf for member in value[1] for leaf in leaves(member)] if value[0] == "tuple" else [value[1]]
    total = 0
    modes = list(zip(leaves(layout[1]), leaves(layout[2])))
    for position, (extent, stride) in enumerate(modes):
        last = position + 1 == len(modes)
        total += (index if last else index % extent) * stride
        index //= extent
    return total


def left_inverts(fact, got):
    """Left inverses are not unique: whether this is one."""
    layout, inverse = parse(fact["args"][0]), parse(got["text"])
    shape = [int(x) for x in re.findall(r"-?\d+", fact["args"][0].split(":")[0])]
    count = 1
    for extent in shape:
        count *= extent
    return all(evaluate(layout, evaluate(inverse, evaluate(layout, i))) == evaluate(layout, i) for i in range(count))


def refused_for_a_reason(fact, got):
    """Recorded results that break the contract of their operation, where an error is right."""
    if fact["op"] == "flat_divide" and "_" in fact["args"][1].strip("()").split(",") and got.get("offsets"):
        # The recorded one splits the mode that `_` leaves alone; both have the same elements.
        return sorted(got["offsets"]) == sorted(fact["offsets"])
    if got["kind"] != "error" or not isinstance(fact["result"], str):
        return False
    if fact["expect"] == "match_unverified" and "there is no such layout" in got["text"]:
        return fact["op"] in ("raked_product", "blocked_product")  # built on a composition that does not exist
    extents = [int(x) for x in re.findall(r"-?\d+", fact["result"].split(":")[0])]
    if fact["op"] == "complement" and any(extent <= 0 for extent in extents):
        return True  # a layout of no elements, or of fewer
    if fact["op"] == "logical_product" and fact["source"] == "pycute":
        wanted = made = 1
        for text in re.findall(r"\d+", fact["args"][0].split(":")[0]) + re.findall(r"\d+", fact["args"][1].split(":")[0]):
            wanted *= int(text)
        for extent in extents:
            made *= extent
        return made != wanted  # copies are missing
    if fact["op"] == "upcast":
        return fact["result"].endswith(":0")  # a stride of 1 that became 0
    return False


def true_table(fact, got):
    if got["kind"] == "error":
        return False
    truth = fact.get("true_offsets")
    return truth is not None and got.get("offsets") == truth


def extent_product(text):
    product = 1
    for number in re.findall(r"\d+", text.split(":")[0]):
        product *= int(number)
    return product


def divides_evenly(fact, got):
    """A divide: CuTe rounds the tiles of each mode up, although together the modes divide evenly, as here."""
    return fact["expect"] == "cute_uneven" and got["kind"] == "layout" and \
        extent_product(got["text"]) == extent_product(fact["args"][0])


def judge(fact, got):
    expect = fact["expect"]
    if fact["op"] == "left_inverse" and got["kind"] == "layout" and fact["source"] == "pycute":
        return left_inverts(fact, got)
    if expect.startswith("match") and refused_for_a_reason(fact, got):
        return True
    if expect in ("match", "match_unverified"):
        return same(fact, got)
    if expect == "cute_uneven":
        return got["kind"] == "error" or same(fact, got) or divides_evenly(fact, got)
    if expect in ("error", "true_or_error", "exact_or_error"):
        return got["kind"] == "error" or true_table(fact, got) or \
            (expect != "error" and "true_offsets" not in fact and "exact" in fact and
             plain(got["text"]) == plain(fact["exact"]))
    if expect == "error_or_true":
        # Whether a layout exists is not recorded: what is returned is checked by the property tests.
        return True
    if expect == "must_not_reproduce_silently":
        return got["kind"] == "error" or plain(got["text"]) != plain(fact["result"])
    raise NotImplementedError(expect)


def check_unit(compiler, facts, path, extra):
    """What each of the facts gives."""
    if not facts:
        return {}
    failed = {}
    while True:
        where = generate(facts, path, failed)
        more = compile_unit(compiler, path, where, extra)
        if not more:
            break
        failed.update(more)
    results = {identifier: {"kind": "error", "text": sentence} for identifier, sentence in failed.items()}
    results.update(run_unit(path))
    return results


def check_examples(compiler, examples):
    """How many of the document's examples seed_examples.cc prints as recorded; addresses are ADDR there."""
    with tempfile.TemporaryDirectory() as work:
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "seed_examples.cc")
        binary = os.path.join(work, "seed_examples")
        subprocess.run([compiler, "-std=c++17", "-I" + ROOT, source, "-o", binary], check=True)
        printed = subprocess.run([binary], capture_output=True, text=True, check=True).stdout
    got = dict(line.split("\t", 1) for line in re.sub(r"0x[0-9a-f]+", "ADDR", printed).splitlines())
    for name, result in examples.items():
        if got.get(name) != result:
            print(f"FAIL example {name}: recorded={result} got={got.get(name)}")
    return sum(got.get(name) == result for name, result in examples.items())


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("facts")
    arguments.add_argument("--compiler", default="g++")
    arguments.add_argument("--units", type=int, default=8)
    arguments.add_argument("--verbose", action="store_true")
    arguments.add_argument("--op")
    arguments.add_argument("--lines", type=lambda text: {int(x) for x in text.split(",")})
    arguments.add_argument("--keep")
    options, extra = arguments.parse_known_args()
    facts = []
    examples = {}
    with open(options.facts) as lines:
        for identifier, line in enumerate(lines):
            fact = json.loads(line)
            op, args = fact["op"], fact["args"]
            if op == "seed_example":
                if not options.op and not options.lines:
                    examples[args[0]] = fact["result"]
                continue
            if op == "hazard":
                op, args = args[0], args[1:]
                if op == "local_tile":
                    # The tile stays as large as it is; what of it lies inside is told by tile_extent.
                    op, args = "tile_extent", [args[0].split(":")[0], *args[1:]]
            if (options.op and op != options.op) or (options.lines and identifier + 1 not in options.lines):
                continue
            static = fact["source"] == "pycute"
            fact["code"] = expression(op, args, static)
            if fact.get("static") and fact["expect"].startswith("match") and "_)" not in str(args[-1:]) and fact["source"] == "cute" and \
                    fact["code"][0] == "Show" and "base" not in fact and isinstance(fact["result"], str):
                try:
                    expected = parse(fact["result"])
                    if isinstance(fact.get("value"), bool):
                        expected = ("static", "true" if fact["value"] else "false")
                    if op != "make_identity_tensor" and is_static_text(fact["result"]):
                        fact["type_code"] = (fact["code"][1], code(expected))
                except ValueError:
                    pass
            facts.append((identifier, fact))
    results = {}
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        units = [(facts[unit::options.units], os.path.join(options.keep or work, f"facts_{unit}.cc"))
                 for unit in range(options.units)]
        for done in pool.map(lambda unit: check_unit(options.compiler, *unit, extra), units):
            results.update(done)
    good = collections.Counter()
    total = collections.Counter()
    asserted = refused = 0
    for identifier, fact in facts:
        got = results.get(identifier, {"kind": "missing", "text": ""})
        ok = got["kind"] != "missing" and judge(fact, got)
        asserted += ok and "type_code" in fact
        refused += ok and fact["expect"].startswith("match") and refused_for_a_reason(fact, got)
        total[fact["expect"]] += 1
        good[fact["expect"]] += ok
        if not ok or options.verbose:
            print(f"{'ok  ' if ok else 'FAIL'} line {identifier + 1}: {fact['op']} {fact['args']} expect={fact['expect']}"
                  f" static={fact.get('static')} recorded={str(fact['result'])[:120]} got={got['kind']} {got['text'][:160]}")
    for expect in sorted(total):
        print(f"check_facts: {expect}: {good[expect]} of {total[expect]}")
    print(f"check_facts: {asserted} by static_assert; {refused} recorded results break their contract and are refused")
    shown = check_examples(options.compiler, examples) if examples else 0
    print(f"check_facts: examples: {shown} of {len(examples)}")
    sys.exit(0 if good == total and shown == len(examples) else 1)


if __name__ == "__main__":
    main()
