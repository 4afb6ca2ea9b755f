#!/usr/bin/env python3
"""Prints polynomials.h: the polynomials behind exp, log, sin and the others, by Remez's algorithm.

Each polynomial P of degree n makes weight(x) * (P(x) - f(x)) as small as possible between two
bounds: the largest error is taken n + 2 times, with signs that alternate. Coefficients are rounded
to f32 or f64. Where 0 is not between the bounds, this is done one after the other, from the constant
one up, and those that follow are fitted again around what was rounded before. Needs mpmath.

Example:
    ./minimax.py > polynomials.h    # what each of them costs is written to stderr
"""
import re
import subprocess
import sys

import mpmath as mp

mp.mp.prec = 220
GRID = 600


def rounded(value, bits):
    """The number nearest to `value` with so many bits."""
    with mp.workprec(bits):
        return +value


def chebyshev_points(low, high, count):
    middle, radius = (low + high) / 2, (high - low) / 2
    return [middle - radius * mp.cos(mp.pi * k / (count - 1)) for k in range(count)]


def evaluate(coefficients, x):
    return mp.polyval(list(reversed(coefficients)), x)


def extrema(error, grid):
    """The points of the grid where |error| is largest between two changes of sign."""
    points = []
    for x in grid:
        value = error(x)
        if points and mp.sign(points[-1][1]) == mp.sign(value):
            if abs(value) > abs(points[-1][1]):
                points[-1] = (x, value)
        elif value != 0:
            points.append((x, value))
    return points


def remez(function, weight, low, high, fixed, degree):
    """The coefficients behind the fixed ones, and the largest error."""
    count = degree + 1 - len(fixed)
    if count == 0:
        return []
    grid = chebyshev_points(low, high, GRID)

    def rest(x):
        return function(x) - evaluate(fixed, x) if fixed else function(x)

    nodes = chebyshev_points(low, high, count + 1)
    values = {}
    found = None
    for _ in range(12):
        system, right = mp.matrix(count + 1, count + 1), mp.matrix(count + 1, 1)
        for row, x in enumerate(nodes):
            for k in range(count):
                system[row, k] = weight(x) * x ** (len(fixed) + k)
            system[row, count] = (-1) ** row
            right[row] = weight(x) * rest(x)
        solution = mp.lu_solve(system, right)
        found = [solution[k] for k in range(count)]

        def error(x):
            if x not in values:
                values[x] = (weight(x), rest(x))
            w, f = values[x]
            return w * (evaluate([mp.mpf(0)] * len(fixed) + found, x) - f)

        points = extrema(error, grid)
        while len(points) > count + 1:
            points.pop(0 if abs(points[0][1]) < abs(points[-1][1]) else -1)
        if len(points) < count + 1:
            break
        sizes = [abs(value) for _, value in points]
        nodes = [x for x, _ in points]
        if max(sizes) < min(sizes) * mp.mpf("1.02"):
            break
    return found


def fit(name, function, weight, low, high, degree, bits):
    fixed = []
    if low < 0:
        # Powers without the constant one have no best fit on both sides of 0.
        fixed = [rounded(c, bits) for c in remez(function, weight, low, high, [], degree)]
    while len(fixed) <= degree:
        fixed.append(rounded(remez(function, weight, low, high, fixed, degree)[0], bits))
    worst = max(abs(weight(x) * (evaluate(fixed, x) - function(x)))
                for x in chebyshev_points(low, high, GRID))
    print(f"{name} degree {degree}: 2^{mp.nstr(mp.log(worst, 2), 5)}", file=sys.stderr)
    return fixed


def hexadecimal(value):
    return re.sub(r"\.?0*p", "p", float(value).hex())


def odd_rest(function, z):
    """(f(x) - x) / x^3 of an odd function f, as a function of z = x^2."""
    x = mp.sqrt(z)
    return (function(x) - x) / x**3


TINY = mp.mpf(2) ** -40
HALF_LN2 = mp.log(2) / 2 * mp.mpf("1.01")
ROOT = mp.sqrt(2)
QUARTER_TURN = mp.pi / 4 * mp.mpf("1.01")
# Of (m - 1) / (m + 1) for m between sqrt(1/2) and sqrt(2).
LOG_BOUND = ((ROOT - 1) / (ROOT + 1)) ** 2 * mp.mpf("1.01")
ERF_SPLIT = mp.mpf("0.90625")
TANH_SPLIT = mp.mpf("0.625")


def log_rest(f):
    return (mp.log1p(f) - f + f * f / 2) / f**3


def atanh_rest(z):
    s = mp.sqrt(z)
    return (2 * mp.atanh(s) - 2 * s) / s**3


def atanh_second_rest(z):
    return (atanh_rest(z) - mp.mpf(2) / 3) / z


# Name, the formula it stands in, function, weight, bounds, degrees for f32 and f64 (or None).
POLYNOMIALS = [
    ("Exp", "e^r = 1 + r + r^2 P(r), |r| <= log(2) / 2",
     lambda r: (mp.expm1(r) - r) / r**2, lambda r: abs(r**2 / mp.expm1(r)),
     -HALF_LN2, HALF_LN2 * mp.mpf("1.001"), 4, 10),
    ("LogF32", "log(1 + f) = f - f^2 / 2 + f^3 P(f), sqrt(1/2) <= 1 + f <= sqrt(2)",
     log_rest, lambda f: f**3 / mp.log1p(f), 1 / ROOT - 1, ROOT - 1, 9, None),
    ("LogF64", "log((1 + s) / (1 - s)) = 2 s + s^3 P(s^2), bounds as above",
     atanh_rest, lambda z: z / 2, TINY, LOG_BOUND, None, 6),
    ("LogTail", "log((1 + s) / (1 - s)) = 2 s + 2/3 s^3 + s^5 P(s^2), bounds as above",
     atanh_second_rest, lambda z: z**2 / 2, TINY, LOG_BOUND, 2, 7),
    ("Sin", "sin r = r + r^3 P(r^2), |r| <= pi / 4",
     lambda z: odd_rest(mp.sin, z), lambda z: z, TINY, QUARTER_TURN**2, 2, 5),
    ("Cos", "cos r = 1 - r^2 / 2 + r^4 P(r^2), |r| <= pi / 4",
     lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2, lambda z: z**2, TINY, QUARTER_TURN**2, 2, 5),
    ("Tan", "tan r = r + r^3 P(r^2), |r| <= pi / 4",
     lambda z: odd_rest(mp.tan, z), lambda z: z, TINY, QUARTER_TURN**2, 6, 14),
    ("Atan", "atan t = t + t^3 P(t^2), |t| <= tan(pi / 8)",
     lambda z: odd_rest(mp.atan, z), lambda z: z, TINY, (ROOT - 1) ** 2 * mp.mpf("1.01"), 4, 11),
    ("Asin", "asin s = s + s^3 P(s^2), |s| <= 1/2",
     lambda z: odd_rest(mp.asin, z), lambda z: z, TINY, mp.mpf("0.2501"), 4, 11),
    ("Sinh", "sinh x = x + x^3 P(x^2), |x| <= 1",
     lambda z: odd_rest(mp.sinh, z), lambda z: z, TINY, mp.mpf(1), 3, 7),
    ("Tanh", f"tanh x = x + x^3 P(x^2), |x| <= {mp.nstr(TANH_SPLIT)}",
     lambda z: odd_rest(mp.tanh, z), lambda z: z, TINY, TANH_SPLIT**2, 4, 11),
    ("Erf", f"erf x = x + x P(x^2), |x| <= {mp.nstr(ERF_SPLIT)}",
     lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z) - 1, lambda z: 1, TINY, ERF_SPLIT**2, 6, 12),
    ("LogErfcF32", f"erfc x = e^P(x), {mp.nstr(ERF_SPLIT)} <= x <= 4",
     lambda x: mp.log(mp.erfc(x)), lambda x: mp.erfc(x) / mp.erf(x), ERF_SPLIT, mp.mpf(4), 7, None),
    ("LogErfcF64", f"erfc x = e^P(x), {mp.nstr(ERF_SPLIT)} <= x <= 6",
     lambda x: mp.log(mp.erfc(x)), lambda x: mp.erfc(x) / mp.erf(x), ERF_SPLIT, mp.mpf(6), None, 20),
]

HEAD = """// Polynomials by which exp, log, sin and the others are computed, the constant coefficient first.
// Made by minimax.py, which says what they minimize: the largest relative error of the result.
#ifndef HLO_INDEXING_CODEGEN_EMIT_SCALAR_POLYNOMIALS_H_
#define HLO_INDEXING_CODEGEN_EMIT_SCALAR_POLYNOMIALS_H_

namespace hlo_indexing::emit::scalar::polynomials {
"""
TAIL = """
}  // namespace hlo_indexing::emit::scalar::polynomials

#endif  // HLO_INDEXING_CODEGEN_EMIT_SCALAR_POLYNOMIALS_H_"""


def main():
    lines = [HEAD, "// Above these, erf x is computed from erfc x, and tanh x from e^(2 x).",
             f"inline constexpr double kErfSplit = {hexadecimal(ERF_SPLIT)};",
             f"inline constexpr double kTanhSplit = {hexadecimal(TANH_SPLIT)};"]
    for name, formula, function, weight, low, high, degree32, degree64 in POLYNOMIALS:
        lines.append(f"// {formula}")
        for degree, bits, suffix in ((degree32, 24, "F32"), (degree64, 53, "F64")):
            if degree is None:
                continue
            full_name = name if name.endswith(suffix) else name + suffix
            fitted = fit(full_name, function, weight, low, high, degree, bits)
            values = ", ".join(hexadecimal(c) for c in fitted)
            lines.append(f"inline constexpr double k{full_name}[] = {{{values}}};")
    lines.append(TAIL)
    text = "\n".join(lines) + "\n"
    text = subprocess.run(["clang-format-22", "--assume-filename=codegen/emit/scalar/polynomials.h"],
                          input=text, capture_output=True, text=True, check=True).stdout
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
