#!/usr/bin/env python3
"""Writes a test program with random layouts as types, and with tables that enumeration gives.

    generate_static_cases.py OUTPUT

Each case is a composition, a divide, a product, a complement or an inverse of layouts with static, dynamic and
mixed numbers. The tables come from evaluating the arguments here; the algebra is not written a second time.
"""

import itertools
import random
import sys

CASES = 90
SEED = 20


def size(layout):
    product = 1
    for extent, _ in layout:
        product *= extent
    return product


def value(layout, index):
    total = 0
    for position, (extent, stride) in enumerate(layout):
        last = position + 1 == len(layout)
        total += (index if last else index % extent) * stride
        index //= extent
    return total


def table(layout):
    return [value(layout, i) for i in range(size(layout))]


def random_compact(rng, modes):
    extents = [rng.choice([1, 2, 2, 3, 4, 4, 6, 8]) for _ in range(modes)]
    order = list(range(modes))
    rng.shuffle(order)
    strides, stride = [0] * modes, 1
    for i in order:
        strides[i] = stride
        stride *= extents[i] * rng.choice([1, 1, 1, 2])
    return list(zip(extents, strides))


def number(rng, n, dynamic):
    return str(n) if rng.random() < dynamic else f"C<{n}>{{}}"


def code(rng, layout, dynamic):
    """The layout, with its second mode and the rest as one nested mode if there are more than two."""
    def tuple_of(numbers):
        numbers = [number(rng, n, dynamic) for n in numbers]
        if len(numbers) > 2:
            return f"make_tuple({numbers[0]}, make_tuple({', '.join(numbers[1:])}))"
        return f"make_tuple({', '.join(numbers)})" if len(numbers) == 2 else numbers[0]
    return f"make_layout({tuple_of([e for e, _ in layout])}, {tuple_of([d for _, d in layout])})"


def composition_case(rng, dynamic):
    # b takes the digits of a apart and puts them in another order, so that a o b exists.
    a = random_compact(rng, rng.randint(1, 3))
    digits, stride = [], 1
    for extent, _ in a:
        if extent > 1:
            parts = [(extent, stride)] if extent % 2 or rng.random() < 0.5 else [(2, stride), (extent // 2, 2 * stride)]
            digits += parts
        stride *= extent
    rng.shuffle(digits)
    b = digits[:3] or [(1, 0)]
    expected = [value(a, x) for x in table(b)]
    return f"composition({code(rng, a, dynamic)}, {code(rng, b, 0)})", expected


def complement_case(rng, dynamic):
    a = random_compact(rng, rng.randint(1, 3))
    taken = set(table(a))
    # The least starts of copies of the image that cover what is left, taken greedily.
    reach = max(e * d for e, d in a)
    target = reach * rng.randint(1, 3)
    covered, starts = set(), []
    for start in range(target):
        if start in covered:
            continue
        starts.append(start)
        covered |= {start + t for t in taken}
    return f"complement({code(rng, a, 0)}, {number(rng, target, dynamic)})", starts


def divide_case(rng, dynamic):
    modes = [(rng.choice([4, 6, 8, 12]), None) for _ in range(2)]
    stride, layout = 1, []
    for extent, _ in modes:
        layout.append((extent, stride))
        stride *= extent * rng.choice([1, 2])
    tile = [rng.choice([d for d in range(1, e + 1) if e % d == 0]) for e, _ in layout]
    expected = []
    counts = [e // t for (e, _), t in zip(layout, tile)]
    for rest in itertools.product(*[range(c) for c in reversed(counts)]):
        for inner in itertools.product(*[range(t) for t in reversed(tile)]):
            offset = 0
            for (extent, d), t, r, i in zip(layout, tile, reversed(rest), reversed(inner)):
                offset += (r * t + i) * d
            expected.append(offset)
    tiler = "make_tuple(" + ", ".join(f"C<{t}>{{}}" for t in tile) + ")"
    name = rng.choice(["zipped_divide", "tiled_divide", "flat_divide"])
    return f"{name}({code(rng, layout, dynamic)}, {tiler})", expected


def product_case(rng, dynamic):
    # Compact blocks: the copies lie one after the other, in the order of b.
    extents = [rng.choice([2, 3, 4]) for _ in range(2)]
    order = rng.random() < 0.5
    a = [(extents[0], 1 if order else extents[1]), (extents[1], extents[0] if order else 1)]
    b = [(rng.choice([2, 3]), 1)]
    expected = [size(a) * k + x for k in range(b[0][0]) for x in table(a)]
    return f"logical_product({code(rng, a, 0)}, {code(rng, b, dynamic)})", expected


def inverse_case(rng, dynamic):
    extents = [rng.choice([2, 3, 4]) for _ in range(3)]
    order = [0, 1, 2]
    rng.shuffle(order)
    strides, stride = [0] * 3, 1
    for i in order:
        strides[i] = stride
        stride *= extents[i]
    a = list(zip(extents, strides))
    inverse = [0] * size(a)
    for index, x in enumerate(table(a)):
        inverse[x] = index
    return f"{rng.choice(['right_inverse', 'left_inverse'])}({code(rng, a, 0)})", inverse


def main():
    rng = random.Random(SEED)
    kinds = [composition_case, complement_case, divide_case, product_case, inverse_case]
    lines = ["// Written by generate_static_cases.py.", "#include <gtest/gtest.h>", "", "#include <vector>", "",
             '#include "layout/cute/tensor.h"', "", "namespace cute_test {", "namespace {", "",
             "using namespace hlo_indexing::layout::cute;  // NOLINT", "",
             "template <class L>", "std::vector<int64_t> Table(L const& layout) {", "  std::vector<int64_t> table;",
             "  for (int64_t i = 0; i < static_cast<int64_t>(size(layout)); ++i) table.push_back(static_cast<int64_t>(layout(i)));",
             "  return table;", "}", ""]
    for case in range(CASES):
        text, expected = kinds[case % len(kinds)](rng, [0.0, 0.5, 1.0][case // len(kinds) % 3])
        lines.append(f"TEST(StaticCases, Case{case}) {{")
        lines.append(f"  const std::vector<int64_t> expected = {{{', '.join(map(str, expected))}}};")
        lines.append(f"  EXPECT_EQ(Table({text}), expected);")
        lines.append("}")
    lines += ["", "}  // namespace", "}  // namespace cute_test"]
    with open(sys.argv[1], "w") as out:
        out.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
