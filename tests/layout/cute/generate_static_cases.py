#!/usr/bin/env python3
"""Writes a test program with random layouts as types, and with tables that enumeration gives.

    generate_static_cases.py OUTPUT

Each case is an operation on layouts or tensors with static, dynamic and mixed numbers: the algebra, slices, tiles,
partitions, swizzles, recasts. The tables come from evaluating the arguments here; the algebra is not written a
second time.
"""

import random
import sys

CASES = 210
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
    if n == "_":
        return "_"
    return f"({n})" if rng.random() < dynamic else f"C<{n}>{{}}"


def numbers(rng, values, dynamic):
    return "make_tuple(" + ", ".join(number(rng, n, dynamic) for n in values) + ")"


def code(rng, layout, dynamic):
    """The layout, with its second mode and the rest as one nested mode if there are more than two."""
    def tuple_of(values):
        if len(values) > 2:
            return f"make_tuple({number(rng, values[0], dynamic)}, {numbers(rng, values[1:], dynamic)})"
        return numbers(rng, values, dynamic) if len(values) == 2 else number(rng, values[0], dynamic)
    return f"make_layout({tuple_of([e for e, _ in layout])}, {tuple_of([d for _, d in layout])})"


def flat_code(rng, layout, dynamic):
    return f"make_layout({numbers(rng, [e for e, _ in layout], dynamic)}, {numbers(rng, [d for _, d in layout], dynamic)})"


def spread(offsets, extent, stride):
    """The offsets, and their copies that a further, slower mode makes."""
    return [offset + k * stride for k in range(extent) for offset in offsets]


def permuted(rng, extents):
    """A compact layout whose modes grow in a random order."""
    order = list(range(len(extents)))
    rng.shuffle(order)
    layout, stride = [None] * len(extents), 1
    for mode in order:
        layout[mode] = (extents[mode], stride)
        stride *= extents[mode]
    return layout


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
    """Tilers of integers, of layouts with a stride, of `_`, and shorter than the layout."""
    layout = permuted(rng, [rng.choice([1, 4, 6, 8]) for _ in range(rng.randint(1, 3))])
    if rng.random() < 0.3:
        layout = [(extent, -stride) for extent, stride in layout]
    tiler, tiles, rests = [], [], []
    for extent, stride in layout[:rng.randint(1, len(layout))]:
        tile = rng.choice([d for d in range(1, extent + 1) if extent % d == 0])
        step = rng.choice([d for d in range(1, extent // tile + 1) if extent // tile % d == 0]) if tile > 1 else 1
        kind = rng.choice(["_", "integer", "layout"])
        if kind == "_":
            tile, step = extent, 1
            tiler.append("_")
        elif kind == "integer":
            step = 1
            tiler.append(f"C<{tile}>{{}}")
        else:
            tiler.append(f"make_layout(C<{tile}>{{}}, C<{step}>{{}})")
        tiles.append((tile, step * stride))
        rests.append([(step, stride), (extent // (tile * step), tile * step * stride)])
    rests += [[mode] for mode in layout[len(tiles):]]
    expected = [0]
    for extent, stride in tiles + [mode for rest in rests for mode in rest]:
        expected = spread(expected, extent, stride)
    name = rng.choice(["zipped_divide", "tiled_divide", "flat_divide"])
    return f"{name}({flat_code(rng, layout, dynamic)}, make_tuple({', '.join(tiler)}))", expected


def product_case(rng, dynamic):
    # Compact blocks: the copies lie one after the other, in the order of b.
    extents = [rng.choice([2, 3, 4]) for _ in range(2)]
    order = rng.random() < 0.5
    a = [(extents[0], 1 if order else extents[1]), (extents[1], extents[0] if order else 1)]
    b = [(rng.choice([2, 3]), 1)]
    expected = [size(a) * k + x for k in range(b[0][0]) for x in table(a)]
    return f"logical_product({code(rng, a, 0)}, {code(rng, b, dynamic)})", expected


def inverse_case(rng, dynamic):
    a = permuted(rng, [rng.choice([2, 3, 4]) for _ in range(3)])
    inverse = [0] * size(a)
    for index, x in enumerate(table(a)):
        inverse[x] = index
    return f"{rng.choice(['right_inverse', 'left_inverse'])}({code(rng, a, 0)})", inverse


def arranged_product_case(rng, dynamic):
    """blocked_product, raked_product and tile_to_shape of compact layouts, from coordinates."""
    rank = rng.randint(1, 3)
    block = permuted(rng, [rng.choice([1, 2, 3]) for _ in range(rank)])
    copies = permuted(rng, [rng.choice([1, 2, 3]) for _ in range(rank)])
    name = rng.choice(["blocked_product", "raked_product", "tile_to_shape"])
    expected = [0]
    for (extent, stride), (count, order) in zip(block, copies):
        parts = [(extent, stride), (count, order * size(block))]
        for part in reversed(parts) if name == "raked_product" else parts:
            expected = spread(expected, *part)
    if name == "tile_to_shape":
        ranks = sorted(range(rank), key=lambda i: (copies[i][1], copies[i][0]))
        order = [ranks.index(i) for i in range(rank)]
        shape = [extent * count for (extent, _), (count, _) in zip(block, copies)]
        return f"{name}({flat_code(rng, block, 0)}, {numbers(rng, shape, 0)}, {numbers(rng, order, 0)})", expected
    return f"{name}({flat_code(rng, block, 0)}, {flat_code(rng, copies, 0)})", expected


def slice_case(rng, dynamic):
    """A tensor at a nested coordinate with `_`."""
    layout = random_compact(rng, 4)
    coordinate = [rng.choice(["_", rng.randrange(extent)]) for extent, _ in layout]
    coordinate[rng.randrange(4)] = "_"
    expected = [sum(c * stride for c, (_, stride) in zip(coordinate, layout) if c != "_")]
    for c, (extent, stride) in zip(coordinate, layout):
        expected = spread(expected, extent, stride) if c == "_" else expected
    inner = "make_tuple(" + numbers(rng, coordinate[1:3], dynamic) + ", " + number(rng, coordinate[3], dynamic) + ")"
    nested = [f"make_tuple({number(rng, v[0], dynamic)}, make_tuple({numbers(rng, v[1:3], dynamic)}, "
              f"{number(rng, v[3], dynamic)}))" for v in zip(*layout)]
    return f"Counting(make_layout({nested[0]}, {nested[1]}))({number(rng, coordinate[0], dynamic)}, {inner})", expected


def tile_case(rng, dynamic):
    """local_tile at a coordinate with `_`, with a projection or without one, and of a swizzled layout."""
    rank = rng.randint(1, 3)
    tile = [rng.choice([1, 2, 4]) for _ in range(rank)]
    grid = [rng.choice([1, 2, 4]) for _ in range(rank)]
    layout = permuted(rng, [t * g for t, g in zip(tile, grid)])
    coordinate = [rng.choice(["_", rng.randrange(g)]) for g in grid]
    expected = [0]
    for t, (_, stride) in zip(tile, layout):
        expected = spread(expected, t, stride)
    for c, t, g, (_, stride) in zip(coordinate, tile, grid, layout):
        expected = spread(expected, g, t * stride) if c == "_" else [x + c * t * stride for x in expected]
    source = flat_code(rng, layout, dynamic)
    if rng.random() < 0.4:
        bits, base, shift = rng.choice([(1, 0, 1), (1, 1, 2), (2, 0, 2), (2, 1, 3), (1, 0, -2)])
        mask = ((1 << bits) - 1) << (base + max(0, shift))
        moved = lambda x: (x & mask) >> shift if shift > 0 else (x & mask) << -shift
        source = f"composition(Swizzle<{bits}, {base}, {shift}>{{}}, {source})"
        expected = [x ^ moved(x) for x in expected]
    if rng.random() < 0.5:
        return f"local_tile(Counting({source}), {numbers(rng, tile, 0)}, {numbers(rng, coordinate, dynamic)})", expected
    left_out = rng.randint(0, rank)
    tile.insert(left_out, 7)
    coordinate.insert(left_out, 3)
    projection = ["_1{}"] * rank
    projection.insert(left_out, "X{}")
    return (f"local_tile(Counting({source}), {numbers(rng, tile, 0)}, {numbers(rng, coordinate, dynamic)}, "
            f"make_tuple({', '.join(projection)}))"), expected


def partition_case(rng, dynamic):
    """The elements of one thread."""
    rank = rng.randint(1, 3)
    threads = permuted(rng, [rng.choice([1, 2, 3]) for _ in range(rank)])
    grid = [rng.choice([1, 2, 3]) for _ in range(rank)]
    layout = permuted(rng, [t * g for (t, _), g in zip(threads, grid)])
    thread = rng.randrange(size(threads))
    expected = [sum(thread // d % t * stride for (t, d), (_, stride) in zip(threads, layout))]
    for g, (t, _), (_, stride) in zip(grid, threads, layout):
        expected = spread(expected, g, t * stride)
    return (f"local_partition(Counting({flat_code(rng, layout, dynamic)}), {flat_code(rng, threads, 0)}, "
            f"{number(rng, thread, dynamic)})"), expected


def recast_case(rng, dynamic):
    """upcast and downcast: one mode is in units of elements, the others are multiples."""
    n = rng.choice([2, 4])
    wide = permuted(rng, [rng.choice([2, 3, 4]) for _ in range(rng.randint(1, 3))])
    narrow = [(extent * n, 1) if stride == 1 else (extent, stride * n) for extent, stride in wide]
    if rng.random() < 0.5:
        return f"upcast<{n}>({flat_code(rng, narrow, 0)})", table(wide)
    return f"downcast<{n}>({flat_code(rng, wide, 0)})", table(narrow)


def main():
    rng = random.Random(SEED)
    kinds = [composition_case, complement_case, divide_case, product_case, inverse_case, arranged_product_case, slice_case,
             tile_case, partition_case, recast_case]
    lines = ["// Written by generate_static_cases.py.", "#include <gtest/gtest.h>", "", "#include <vector>", "",
             '#include "layout/cute/tensor.h"', "", "namespace cute_test {", "namespace {", "",
             "using namespace hlo_indexing::layout::cute;  // NOLINT", "",
             "template <class L>", "auto Counting(L const& layout) { return make_tensor(counting_iterator<int>{0}, layout); }",
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
