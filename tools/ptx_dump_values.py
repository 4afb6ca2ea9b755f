"""When results of a compiled kernel count as those of its HLO: check_ptx_dump.py says the rules."""

import dataclasses
import re

import numpy as np

MOVES = {"parameter", "constant", "bitcast", "bitcast-convert", "broadcast", "concatenate", "copy", "dynamic-slice",
         "dynamic-update-slice", "gather", "get-tuple-element", "iota", "pad", "reshape", "reverse", "select", "slice",
         "transpose", "tuple", "fusion", "call", "compare", "clamp", "while", "conditional", "sort"}
SUMS = {"reduce", "reduce-window", "dot", "convolution", "scatter", "select-and-scatter"}


@dataclasses.dataclass
class Tolerance:
    relative: float = 0
    absolute: float = 0
    units: int = 0

    @classmethod
    def of(cls, kernel, shape):
        if shape.element.keep is None:
            return cls()
        computed = [inner for inner in kernel.body if inner.opcode not in MOVES and inner.opcode != "convert"]
        narrow = [inner for inner in kernel.body if inner.opcode not in MOVES
                  and re.match(r"bf16|f16|f8", inner.shape)]
        if not computed and not narrow:
            return cls()
        absolute = 1e-5 if any(inner.opcode in SUMS for inner in kernel.body) else 0
        if shape.element.mantissa < 23:
            return cls(absolute=absolute, units=2 if len(narrow) > 1 else 1)
        if narrow:
            mantissa = min(inner.leaves[0].element.mantissa for inner in narrow)
            return cls(relative=2.0**-mantissa, absolute=absolute)
        return cls(relative=1e-5 if shape.type == "f32" else 1e-12, absolute=absolute)


def as_numbers(shape, array):
    """The values in double precision, and numbers of which neighbours differ by one."""
    element = shape.element
    bits = np.ascontiguousarray(array).view(element.unsigned)
    sign = np.dtype(element.unsigned).itemsize * 8 - 1
    ordered = bits.astype(np.int64)
    if sign < 63:
        negative = ordered >> sign
        ordered = np.where(negative != 0, -(ordered & ((1 << sign) - 1)), ordered)
    if shape.type == "bf16":
        return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64), ordered
    if shape.type.startswith("f8"):
        exponent_bits = 7 - element.mantissa
        bias = 2**(exponent_bits - 1) - 1
        magnitude = (bits & 0x7F).astype(np.int64)
        exponent = magnitude >> element.mantissa
        fraction = (magnitude & (2**element.mantissa - 1)) / 2.0**element.mantissa
        value = np.where(exponent == 0, fraction * 2.0**(1 - bias), (1 + fraction) * 2.0**(exponent - bias))
        value[(magnitude == 0x7F) | ((shape.type == "f8e5m2") & (magnitude > 0x7C))] = np.nan
        return np.where(bits > 0x7F, -value, value), ordered
    return array.astype(np.float64), ordered


def compare(shape, expected, actual, tolerance):
    """Whether the arrays agree, and how nearly, in words."""
    different = np.flatnonzero(expected.view(shape.element.unsigned) != actual.view(shape.element.unsigned))
    if different.size == 0:
        return True, "bit for bit"
    first = f"first {different[0]} of {expected.size}: "
    if shape.element.keep is None:
        index = different[0]
        return False, f"{different.size} elements, {first}{actual[index]}, expected {expected[index]}"
    wanted, wanted_order = as_numbers(shape, expected[different])
    got, got_order = as_numbers(shape, actual[different])
    largest = np.abs(as_numbers(shape, expected)[0])
    largest = np.max(largest[np.isfinite(largest)], initial=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.abs(wanted - got)
        near = (np.isnan(wanted) & np.isnan(got)) | (error <= tolerance.absolute * largest)
        near |= error <= tolerance.relative * np.abs(wanted)
        units = np.abs(wanted_order - got_order)
        near |= (units <= tolerance.units) & np.isfinite(got) & np.isfinite(wanted)
        relative = np.nan_to_num(error / np.abs(wanted))
    far = np.flatnonzero(~near)
    if far.size == 0:
        return True, f"{different.size} of {expected.size} elements differ, by {relative.max():.2g} at most"
    index = far[0]
    return False, (f"{far.size} elements, first {different[index]} of {expected.size}: {got[index]:.9g}, "
                   f"expected {wanted[index]:.9g}")
