#!/usr/bin/env python3
"""Kernels in Triton, and their PTX: kernels.py [FOLDER] writes KERNEL.sm_80.ptx and KERNEL.sm_90.ptx.

Triton needs no device for that (`pip install triton`; 3.9.0 made the texts that are here). The texts
begin with what a launch must know and the PTX does not say: the bytes of dynamic shared memory.
"""

import inspect
import os
import pathlib
import sys

# Lines of the source would say where this file was when it was compiled.
os.environ["TRITON_DISABLE_LINE_INFO"] = "1"
# Lanes that compute one sum from both ends would differ by what is fused (see FUSED).
os.environ["TRITON_DEFAULT_FP_FUSION"] = "0"

import triton  # noqa: E402
import triton.language as tl  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.compiler import ASTSource  # noqa: E402
from triton.language.extra import libdevice  # noqa: E402

FLOATS = "*fp32"
HALVES = "*fp16"
BRAINS = "*bf16"
INTS = "*i32"


def constant(**values):
    """Marks a kernel with its arguments: types of parameters, values of constants."""
    options = {name: values.pop(name) for name in ("num_warps", "num_stages") if name in values}

    def mark(function):
        return triton.jit(function), values, options

    return mark


@constant(x=FLOATS, y=FLOATS, out=FLOATS, size="i32", BLOCK=256)
def add(x, y, out, size, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < size
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


@constant(x=FLOATS, out=FLOATS, rows="i32", columns="i32", BLOCK=128, num_stages=2)
def softmax(x, out, rows, columns, BLOCK: tl.constexpr):
    """Programs take rows in turns, and rows are in flight while others are computed."""
    at = tl.arange(0, BLOCK)
    inside = at < columns
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=2):
        values = tl.load(x + row * columns + at, mask=inside, other=-float("inf"))
        powers = tl.exp(values - tl.max(values, axis=0))
        tl.store(out + row * columns + at, powers / tl.sum(powers, axis=0), mask=inside)


@triton.jit
def leaky(x):
    return tl.where(x >= 0, x, 0.25 * x)


@triton.jit
def product(a, b, out, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
            GROUP: tl.constexpr, LEAKY: tl.constexpr, SUM: tl.constexpr):
    """out = a b in tiles of M by N, GROUP rows of tiles after each other for the sake of the cache."""
    number = tl.program_id(0)
    tiles_m = tl.cdiv(m, M)
    in_group = GROUP * tl.cdiv(n, N)
    first = number // in_group * GROUP
    height = min(tiles_m - first, GROUP)
    tile_m = first + number % in_group % height
    tile_n = number % in_group // height
    rows = (tile_m * M + tl.arange(0, M)) % m
    columns = (tile_n * N + tl.arange(0, N)) % n
    along = tl.arange(0, K)
    a_at = a + rows[:, None] * k + along[None, :]
    b_at = b + along[:, None] * n + columns[None, :]
    total = tl.zeros((M, N), dtype=SUM)
    for step in range(0, tl.cdiv(k, K)):
        left = k - step * K
        x = tl.load(a_at, mask=along[None, :] < left, other=0.0)
        y = tl.load(b_at, mask=along[:, None] < left, other=0.0)
        total = tl.dot(x, y, total, out_dtype=SUM)
        a_at += K
        b_at += K * n
    if LEAKY:
        total = leaky(total)
    out_m = tile_m * M + tl.arange(0, M)
    out_n = tile_n * N + tl.arange(0, N)
    tl.store(out + out_m[:, None] * n + out_n[None, :], total.to(out.dtype.element_ty),
             mask=(out_m[:, None] < m) & (out_n[None, :] < n))


# m, n and k are multiples of 16, which lets loads be of 16 bytes (cp.async).
ALIGNED = {"m": "i32:16", "n": "i32:16", "k": "i32:16"}


@constant(a=HALVES, b=HALVES, out=HALVES, **ALIGNED, M=32, N=64, K=32, num_stages=3, num_warps=4)
def product_f16(a, b, out, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    product(a, b, out, m, n, k, M, N, K, 2, True, tl.float32)


@constant(a=BRAINS, b=BRAINS, out=FLOATS, **ALIGNED, M=32, N=32, K=32, num_stages=2, num_warps=2)
def product_bf16(a, b, out, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    product(a, b, out, m, n, k, M, N, K, 2, False, tl.float32)


@constant(a=FLOATS, b=FLOATS, out=FLOATS, m="i32", n="i32", k="i32", M=32, N=32, K=16,
          num_stages=3, num_warps=4)
def product_tf32(a, b, out, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    product(a, b, out, m, n, k, M, N, K, 1, False, tl.float32)


@constant(a="*i8", b="*i8", out=INTS, **ALIGNED, M=32, N=32, K=64, num_stages=2, num_warps=4)
def product_s8(a, b, out, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    product(a, b, out, m, n, k, M, N, K, 1, False, tl.int32)


@constant(a="*fp8e5", b="*fp8e5", out=FLOATS, **ALIGNED, M=32, N=32, K=32, num_stages=2,
          num_warps=2)
def product_f8(a, b, out, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    product(a, b, out, m, n, k, M, N, K, 1, False, tl.float32)


@constant(x=FLOATS, out=FLOATS, size="i32", p="fp32", seed="i32", BLOCK=256)
def dropout(x, out, size, p, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < size
    kept = tl.rand(seed, at) > p
    tl.store(out + at, tl.where(kept, tl.load(x + at, mask=inside) / (1 - p), 0.0), mask=inside)


@constant(x=FLOATS, out=FLOATS, scale=FLOATS, shift=FLOATS, means=FLOATS, inverses=FLOATS,
          columns="i32", epsilon="fp32", BLOCK=128)
def norm(x, out, scale, shift, means, inverses, columns, epsilon, BLOCK: tl.constexpr):
    """Layer norm of a row, in blocks."""
    row = tl.program_id(0)
    x += row * columns
    out += row * columns
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        total += tl.load(x + at, mask=at < columns, other=0.0)
    mean = tl.sum(total, axis=0) / columns
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        far = tl.where(at < columns, tl.load(x + at, mask=at < columns, other=0.0) - mean, 0.0)
        squares += far * far
    inverse = 1 / tl.sqrt(tl.sum(squares, axis=0) / columns + epsilon)
    tl.store(means + row, mean)
    tl.store(inverses + row, inverse)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        inside = at < columns
        normal = (tl.load(x + at, mask=inside, other=0.0) - mean) * inverse
        tl.store(out + at, normal * tl.load(scale + at, mask=inside)
                 + tl.load(shift + at, mask=inside), mask=inside)


@constant(dx=FLOATS, dout=FLOATS, dscale=FLOATS, dshift=FLOATS, x=FLOATS, scale=FLOATS,
          means=FLOATS, inverses=FLOATS, locks=INTS, columns="i32", GROUPS=2, BLOCK=128)
def norm_backward(dx, dout, dscale, dshift, x, scale, means, inverses, locks, columns,
                  GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    """The gradient of a row's x, and partial gradients of scale and shift: rows of a group add
    theirs, one after the other under a lock."""
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    value = tl.load(x + row * columns + at, mask=inside, other=0)
    grad = tl.load(dout + row * columns + at, mask=inside, other=0)
    weight = tl.load(scale + at, mask=inside, other=0)
    inverse = tl.load(inverses + row)
    normal = tl.where(inside, (value - tl.load(means + row)) * inverse, 0.0)
    weighted = tl.where(inside, weight * grad, 0.0)
    c1 = tl.sum(normal * weighted, axis=0) / columns
    c2 = tl.sum(weighted, axis=0) / columns
    tl.store(dx + row * columns + at, (weighted - (normal * c1 + c2)) * inverse, mask=inside)
    group = row % GROUPS
    lock = locks + group
    count = locks + GROUPS + group
    dscale += group * columns + at
    dshift += group * columns + at
    part_scale = grad * normal
    part_shift = grad
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    if tl.load(count) == 0:
        tl.atomic_xchg(count, 1)
    else:
        part_scale += tl.load(dscale, mask=inside)
        part_shift += tl.load(dshift, mask=inside)
    tl.store(dscale, part_scale, mask=inside)
    tl.store(dshift, part_shift, mask=inside)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@constant(parts=FLOATS, out=FLOATS, rows="i32", columns="i32", M=16, N=32)
def norm_sum(parts, out, rows, columns, M: tl.constexpr, N: tl.constexpr):
    """Sums of columns."""
    at = tl.program_id(0) * N + tl.arange(0, N)
    total = tl.zeros((M, N), dtype=tl.float32)
    for start in range(0, rows, M):
        row = start + tl.arange(0, M)
        inside = (row[:, None] < rows) & (at[None, :] < columns)
        total += tl.load(parts + row[:, None] * columns + at[None, :], mask=inside, other=0.0)
    tl.store(out + at, tl.sum(total, axis=0), mask=at < columns)


@constant(q=HALVES, k=HALVES, v=HALVES, out=HALVES, sums=FLOATS, scale="fp32", length="i32:16",
          CAUSAL=True, M=32, N=32, D=32, num_warps=2, num_stages=2)
def attention(q, k, v, out, sums, scale, length, CAUSAL: tl.constexpr, M: tl.constexpr,
              N: tl.constexpr, D: tl.constexpr):
    """Attention of one head, M queries to a program, softmax while it goes along the keys."""
    start = tl.program_id(0) * M
    head = tl.program_id(1) * length * D
    rows = start + tl.arange(0, M)
    along = tl.arange(0, D)
    query = tl.load(q + head + rows[:, None] * D + along[None, :])
    largest = tl.full([M], -float("inf"), tl.float32)
    total = tl.zeros([M], tl.float32)
    result = tl.zeros([M, D], tl.float32)
    scale *= 1.4426950408889634  # powers of two
    end = start + M if CAUSAL else length
    for first in range(0, end, N):
        columns = first + tl.arange(0, N)
        keys = tl.load(k + head + columns[None, :] * D + along[:, None])
        scores = tl.dot(query, keys) * scale
        if CAUSAL:
            scores = tl.where(rows[:, None] >= columns[None, :], scores, -1.0e6)
        larger = tl.maximum(largest, tl.max(scores, 1))
        powers = tl.math.exp2(scores - larger[:, None])
        shrink = tl.math.exp2(largest - larger)
        total = total * shrink + tl.sum(powers, 1)
        values = tl.load(v + head + columns[:, None] * D + along[None, :])
        result = tl.dot(powers.to(tl.float16), values, result * shrink[:, None])
        largest = larger
    tl.store(out + head + rows[:, None] * D + along[None, :],
             (result / total[:, None]).to(tl.float16))
    tl.store(sums + tl.program_id(1) * length + rows, largest + tl.math.log2(total))


@constant(x=FLOATS, out=FLOATS, size="i32", BLOCK=256)
def arc_sine(x, out, size, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < size
    tl.store(out + at, libdevice.asin(tl.load(x + at, mask=inside)), mask=inside)


@triton.jit
def wider(value, start, next_value, next_start):
    return value * tl.where(next_start != 0, 0, 1) + next_value, start | next_start


@constant(x=INTS, starts=INTS, out=INTS, sums=INTS, BLOCK=512, num_warps=4)
def scan(x, starts, out, sums, BLOCK: tl.constexpr):
    """Sums of all before in segments, and of all before that."""
    at = tl.arange(0, BLOCK)
    value = tl.load(x + at)
    segmented, _ = tl.associative_scan((value, tl.load(starts + at)), 0, wider)
    tl.store(out + at, segmented)
    tl.store(sums + at, tl.cumsum(value, 0))


@constant(x=INTS, out=INTS, BLOCK=256, num_warps=4)
def sort(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.sort(tl.load(x + at)))


@constant(x=INTS, out=INTS, size="i32", BLOCK=256, num_warps=4)
def histogram(x, out, size, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    counts = tl.histogram(tl.load(x + at, mask=at < size, other=0), 32, mask=at < size)
    tl.atomic_add(out + tl.arange(0, 32), counts)


@constant(x=FLOATS, largest=FLOATS, at=INTS, columns="i32", BLOCK=128, num_warps=2)
def arg_max(x, largest, at, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    along = tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + along, mask=along < columns, other=-float("inf"))
    best, where = tl.max(values, axis=0, return_indices=True)
    tl.store(largest + row, best)
    tl.store(at + row, where)


@constant(x=FLOATS, out="*fp8e5", back=HALVES, brain=BRAINS, BLOCK=256, num_warps=2)
def convert(x, out, back, brain, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    value = tl.load(x + at)
    small = value.to(tl.float8e5)
    tl.store(out + at, small)
    tl.store(back + at, small.to(tl.float16) * 2)
    tl.store(brain + at, value.to(tl.bfloat16) + value.to(tl.bfloat16))


@constant(x=FLOATS, out=FLOATS, columns="i32:16", rows="i32:16", M=32, N=64)
def transpose(x, out, columns, rows, M: tl.constexpr, N: tl.constexpr):
    row = tl.program_id(0) * M + tl.arange(0, M)
    column = tl.program_id(1) * N + tl.arange(0, N)
    tile = tl.load(x + row[:, None] * columns + column[None, :])
    tl.store(out + column[:, None] * rows + row[None, :], tl.trans(tile))


@constant(x=FLOATS, sums=FLOATS, largest=INTS, least=INTS, bits=INTS, size="i32", BLOCK=256)
def atomics(x, sums, largest, least, bits, size, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < size
    value = tl.load(x + at, mask=inside, other=0.0)
    tl.atomic_add(sums + at % 4, value, mask=inside, sem="relaxed")
    tl.atomic_max(largest + at % 4, value.to(tl.int32), mask=inside)
    tl.atomic_min(least + at % 4, value.to(tl.int32), mask=inside)
    tl.atomic_or(bits + at % 4, 1 << (value.to(tl.int32) & 31), mask=inside)


KERNELS = [add, softmax, product_f16, product_bf16, product_tf32, product_s8, product_f8, dropout,
           norm, norm_backward, norm_sum, attention, arc_sine, scan, sort, histogram, arg_max,
           convert, transpose, atomics]
# With fused operations: of a * b + c * d one lane rounds the first product, another one the second.
# Both write their sum to one place, and which one stays is open.
FUSED = [norm_backward]


def ptx(kernel, capability, **more_options):
    function, values, options = kernel
    names = inspect.signature(function.fn).parameters
    constants = {name: value for name, value in values.items() if not isinstance(value, str)}
    signature, attributes = {}, {}
    for number, name in enumerate(names):
        kind = "constexpr" if name in constants else values[name]
        # Addresses are multiples of 16, and numbers of which it is said.
        if kind.startswith("*") or kind.endswith(":16"):
            attributes[(number,)] = [["tt.divisibility", 16]]
        signature[name] = kind.removesuffix(":16")
    source = ASTSource(function, signature, constants, attributes)
    compiled = triton.compile(source, target=GPUTarget("cuda", capability, 32), options=options | more_options)
    return f"// Dynamic shared memory: {compiled.metadata.shared} bytes.\n{compiled.asm['ptx']}"


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    for capability in (80, 90):
        for kernel in KERNELS:
            name = kernel[0].fn.__name__
            print(name, capability, flush=True)
            (folder / f"{name}.sm_{capability}.ptx").write_text(ptx(kernel, capability))
    for kernel in FUSED:
        name = kernel[0].fn.__name__
        (folder / f"{name}.fused.ptx").write_text(ptx(kernel, 80, enable_fp_fusion=True))


if __name__ == "__main__":
    main()
