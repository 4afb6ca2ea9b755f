"""Compares `hlo-indexing run` with NumPy: random programs for every opcode and element type that NumPy has.

Run as: compare_with_numpy.py PATH_OF_HLO_INDEXING. Integers must be equal, floats within the stated
units in the last place. A failing case prints the module.
"""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

RANDOM = np.random.default_rng(20240607)
TYPES = {"pred": np.bool_, "s8": np.int8, "s16": np.int16, "s32": np.int32, "s64": np.int64,
         "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
         "f16": np.float16, "f32": np.float32, "f64": np.float64, "c64": np.complex64,
         "c128": np.complex128}
SIGNED = ["s8", "s16", "s32", "s64"]
UNSIGNED = ["u8", "u16", "u32", "u64"]
INTEGERS = SIGNED + UNSIGNED
FLOATS = ["f16", "f32", "f64"]
COMPLEX = ["c64", "c128"]
CASES = []


def shape_text(name, array):
  return f"{name}[{','.join(map(str, array.shape))}]"


def element_text(value):
  if isinstance(value, (bool, np.bool_)):
    return "true" if value else "false"
  if isinstance(value, (complex, np.complexfloating)):
    return f"({element_text(value.real)}, {element_text(value.imag)})"
  return str(value)


def literal_text(array):
  if array.ndim == 0:
    return element_text(array[()])
  return "{" + ", ".join(literal_text(part) for part in array) + "}"


def sample(name, shape, special=True):
  """Numbers of all sizes, with the awkward ones among them."""
  dtype = TYPES[name]
  if name == "pred":
    return RANDOM.integers(0, 2, shape).astype(dtype)
  if name in INTEGERS:
    info = np.iinfo(dtype)
    small = RANDOM.integers(max(info.min, -9), 10, shape).astype(dtype)
    large = RANDOM.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
    return np.where(RANDOM.random(shape) < 0.5, small, large).astype(dtype)
  def reals():
    values = RANDOM.normal(0, 2, shape)
    if special and RANDOM.random() < 0.5:
      awkward = RANDOM.choice([0.0, -0.0, np.inf, -np.inf, np.nan, 0.5, -1.5, 2.5], shape)
      values = np.where(RANDOM.random(shape) < 0.3, awkward, values)
    return values
  if name in COMPLEX:
    return (RANDOM.normal(0, 2, shape) + 1j * RANDOM.normal(0, 2, shape)).astype(dtype)
  return reals().astype(dtype)


def small(name, shape):
  """Numbers whose sums and products are exact."""
  if name in COMPLEX:
    return (RANDOM.integers(-4, 5, shape) + 1j * RANDOM.integers(-4, 5, shape)).astype(TYPES[name])
  low = 0 if name in UNSIGNED or name == "pred" else -4
  return RANDOM.integers(low, 2 if name == "pred" else 5, shape).astype(TYPES[name])


def add_case(opcode, operands, result_type, expected, attributes="", ulps=0, callees=""):
  """operands: (type, array) pairs. `ulps` counts units in the last place of the result's type."""
  lines = []
  for i, (name, array) in enumerate(operands):
    array = np.asarray(array)
    lines.append(f"  o{i} = {shape_text(name, array)} constant({literal_text(array)})")
  expected = np.asarray(expected)
  names = ", ".join(f"o{i}" for i in range(len(operands)))
  lines.append(f"  ROOT r = {shape_text(result_type, expected)} {opcode}({names}){attributes}")
  module = f"HloModule case_{len(CASES)}\n{callees}ENTRY e {{\n" + "\n".join(lines) + "\n}\n"
  CASES.append((module, expected.astype(TYPES[result_type]), ulps))


def shape():
  return tuple(RANDOM.choice([1, 2, 3, 5], RANDOM.integers(0, 4)))


def elementwise():
  integer = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "and": np.bitwise_and,
             "or": np.bitwise_or, "xor": np.bitwise_xor, "maximum": np.maximum, "minimum": np.minimum}
  for _ in range(3):
    for name in INTEGERS:
      dims = shape()
      a, b = sample(name, dims), sample(name, dims)
      for opcode, function in integer.items():
        add_case(opcode, [(name, a), (name, b)], name, function(a, b))
      # Truncated, unlike NumPy's own; zero and the smallest by -1 are the hand-derived tables'.
      keep = np.where((b == 0) | (b == TYPES[name](-1 if name in SIGNED else 1)), TYPES[name](3), b)
      add_case("remainder", [(name, a), (name, keep)], name, np.fmod(a, keep))
      quotient = ((a.astype(object) - np.fmod(a, keep).astype(object)) // keep.astype(object))
      add_case("divide", [(name, a), (name, keep)], name, np.asarray(quotient).astype(TYPES[name]))
      amount = RANDOM.integers(0, np.iinfo(TYPES[name]).bits, dims).astype(TYPES[name])
      add_case("shift-left", [(name, a), (name, amount)], name, np.left_shift(a, amount))
      right = "shift-right-arithmetic" if name in SIGNED else "shift-right-logical"
      add_case(right, [(name, a), (name, amount)], name, np.right_shift(a, amount))
      add_case("negate", [(name, a)], name, np.negative(a))
      add_case("not", [(name, a)], name, np.invert(a))
      add_case("abs", [(name, a)], name, np.abs(a))
      add_case("sign", [(name, a)], name, np.sign(a))
    for name in FLOATS:
      dims = shape()
      a, b = sample(name, dims), sample(name, dims)
      # + - * / and sqrt are correctly rounded, the rest of the library nearly.
      for opcode, function, ulps in [
          ("add", np.add, 0), ("subtract", np.subtract, 0), ("multiply", np.multiply, 0),
          ("divide", np.divide, 0), ("remainder", np.fmod, 0), ("maximum", np.maximum, 0),
          ("minimum", np.minimum, 0), ("power", np.power, 2), ("atan2", np.arctan2, 2)]:
        add_case(opcode, [(name, a), (name, b)], name, function(a, b), ulps=ulps)
      for opcode, function, ulps in [
          ("abs", np.abs, 0), ("negate", np.negative, 0), ("floor", np.floor, 0), ("ceil", np.ceil, 0),
          ("round-nearest-even", np.rint, 0), ("sign", np.sign, 0), ("sqrt", np.sqrt, 0),
          ("exponential", np.exp, 2), ("exponential-minus-one", np.expm1, 2), ("log", np.log, 2),
          ("log-plus-one", np.log1p, 2), ("sine", np.sin, 2), ("cosine", np.cos, 2), ("tan", np.tan, 3),
          ("tanh", np.tanh, 2), ("sinh", np.sinh, 3), ("cosh", np.cosh, 3), ("asin", np.arcsin, 2),
          ("acos", np.arccos, 2), ("asinh", np.arcsinh, 3), ("acosh", np.arccosh, 3),
          ("atanh", np.arctanh, 3), ("cbrt", np.cbrt, 2)]:
        add_case(opcode, [(name, a)], name, function(a), ulps=ulps)
      add_case("is-finite", [(name, a)], "pred", np.isfinite(a))
    for name in COMPLEX:
      dims = shape()
      a, b = sample(name, dims), sample(name, dims)
      for opcode, function, ulps in [("add", np.add, 0), ("subtract", np.subtract, 0),
                                     ("multiply", np.multiply, 16), ("divide", np.divide, 16)]:
        add_case(opcode, [(name, a), (name, b)], name, function(a, b), ulps=ulps)
      for opcode, function in [
          ("exponential", np.exp), ("log", np.log), ("sine", np.sin), ("cosine", np.cos), ("sqrt", np.sqrt),
          ("tanh", np.tanh), ("tan", np.tan), ("sinh", np.sinh), ("cosh", np.cosh), ("asin", np.arcsin),
          ("acos", np.arccos), ("asinh", np.arcsinh), ("acosh", np.arccosh), ("atanh", np.arctanh)]:
        add_case(opcode, [(name, a)], name, function(a), ulps=32)
      part = "f32" if name == "c64" else "f64"
      add_case("real", [(name, a)], part, a.real)
      add_case("imag", [(name, a)], part, a.imag)
      add_case("abs", [(name, a)], part, np.abs(a), ulps=2)
      add_case("complex", [(part, a.real), (part, b.real)], name, a.real + 1j * b.real)
    for name in TYPES:
      a, b = sample(name, (7,)), sample(name, (7,))
      directions = {"EQ": np.equal, "NE": np.not_equal}
      if name not in COMPLEX:
        directions |= {"LT": np.less, "LE": np.less_equal, "GT": np.greater, "GE": np.greater_equal}
      for direction, function in directions.items():
        add_case("compare", [(name, a), (name, b)], "pred", function(a, b), f", direction={direction}")
      choice = sample("pred", (7,))
      add_case("select", [("pred", choice), (name, a), (name, b)], name, np.where(choice, a, b))
      if name not in COMPLEX and name != "pred":
        low, high = np.sort(sample(name, (2,), special=False))
        add_case("clamp", [(name, low), (name, a), (name, high)], name, np.clip(a, low, high))
      for target in TYPES:
        values = small(name, (6,))
        if name in COMPLEX and target not in COMPLEX:
          continue
        if name in FLOATS + ["s8", "s16", "s32", "s64"] and target in UNSIGNED:
          values = np.abs(values)
        add_case("convert", [(name, values)], target, values.astype(TYPES[target]))
    for name in INTEGERS:
      for target in INTEGERS + FLOATS:
        values = sample(name, (6,))
        with np.errstate(over="ignore"):
          add_case("convert", [(name, values)], target, values.astype(TYPES[target]))
    for name, target in [("f64", "f32"), ("f64", "f16"), ("f32", "f16"), ("f16", "f64")]:
      values = sample(name, (9,))
      add_case("convert", [(name, values)], target, values.astype(TYPES[target]))


def movement():
  for _ in range(4):
    for name in TYPES:
      dims = tuple(RANDOM.choice([1, 2, 3, 4], 3))
      a = sample(name, dims)
      order = RANDOM.permutation(3)
      braces = lambda values: "{" + ",".join(map(str, values)) + "}"
      add_case("transpose", [(name, a)], name, a.transpose(order), f", dimensions={braces(order)}")
      axes = [d for d in range(3) if RANDOM.random() < 0.5]
      add_case("reverse", [(name, a)], name, np.flip(a, axes), f", dimensions={braces(axes)}")
      add_case("reshape", [(name, a)], name, a.reshape(-1))
      ranges = []
      for size in dims:
        start, stop = np.sort(RANDOM.integers(0, size + 1, 2))
        ranges.append((start, stop, RANDOM.integers(1, 3)))
      text = ",".join(f"[{s}:{t}:{d}]" for s, t, d in ranges)
      add_case("slice", [(name, a)], name, a[tuple(slice(*r) for r in ranges)], f", slice={{{text}}}")
      add_case("concatenate", [(name, a), (name, a)], name, np.concatenate([a, a], 1), ", dimensions={1}")
      add_case("broadcast", [(name, a)], name, np.broadcast_to(a, (2,) + dims), ", dimensions={1,2,3}")
      low, high = RANDOM.integers(0, 3, 2)
      value = sample(name, ())
      add_case("pad", [(name, a.reshape(-1)), (name, value)], name,
               np.pad(a.reshape(-1), (low, high), constant_values=value), f", padding={low}_{high}")
      start = [int(RANDOM.integers(0, d)) for d in dims]
      sizes = [int(RANDOM.integers(0, d - s + 1)) for d, s in zip(dims, start)]
      window = tuple(slice(s, s + n) for s, n in zip(start, sizes))
      indices = [("s32", np.int32(s)) for s in start]
      add_case("dynamic-slice", [(name, a)] + indices, name, a[window], f", dynamic_slice_sizes={braces(sizes)}")
      updated = a.copy()
      update = sample(name, tuple(sizes))
      updated[window] = update
      add_case("dynamic-update-slice", [(name, a), (name, update)] + indices, name, updated)
      rows = RANDOM.integers(0, dims[0], 5).astype(np.int32)
      add_case("gather", [(name, a), ("s32", rows)], name, a[rows],
               f", offset_dims={{1,2}}, collapsed_slice_dims={{0}}, start_index_map={{0}}, index_vector_dim=1, "
               f"slice_sizes={{1,{dims[1]},{dims[2]}}}")


def callee(name, opcode):
  return (f"f {{ a = {name}[] parameter(0) b = {name}[] parameter(1) "
          f"ROOT r = {name}[] {opcode}(a, b) }}\n")


def combination():
  for _ in range(3):
    for name in INTEGERS + FLOATS + COMPLEX:
      dtype = TYPES[name]
      a = small(name, (3, 4, 2))
      for opcode, ufunc, start in [("add", np.add, 0), ("multiply", np.multiply, 1), ("maximum", np.maximum, 0)]:
        if name in COMPLEX and opcode == "maximum":
          continue
        expected = ufunc.reduce(a[:, :3], axis=1, dtype=dtype, initial=dtype(start))
        add_case("reduce", [(name, a[:, :3]), (name, dtype(start))], name, expected,
                 ", dimensions={1}, to_apply=f", callees=callee(name, opcode))
      line = small(name, (9,))
      windows = np.lib.stride_tricks.sliding_window_view(line, 3)[::2]
      add_case("reduce-window", [(name, line), (name, dtype(0))], name, windows.sum(1, dtype=dtype),
               ", window={size=3 stride=2}, to_apply=f", callees=callee(name, "add"))
      x, y = small(name, (2, 3, 4)), small(name, (2, 4, 5))
      add_case("dot", [(name, x), (name, y)], name, np.einsum("bik,bkj->bij", x, y),
               ", lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}")
      signal, kernel = small(name, (8,)), small(name, (3,))
      # Correlation without the conjugate that NumPy takes.
      expected = np.convolve(signal, kernel[::-1], "valid").astype(dtype)
      add_case("convolution", [(name, signal.reshape(1, 8, 1)), (name, kernel.reshape(3, 1, 1))], name,
               expected.reshape(1, 6, 1), ", window={size=3}, dim_labels=b0f_0io->b0f")
      rows = RANDOM.integers(0, 4, 6).astype(np.int32)
      base, updates = small(name, (4,)), small(name, (6,))
      sums = base.copy()
      np.add.at(sums, rows, updates)
      add_case("scatter", [(name, base), ("s32", rows), (name, updates)], name, sums,
               ", update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
               "index_vector_dim=1, to_apply=f", callees=callee(name, "add"))
      if name not in COMPLEX:
        compare = (f"f {{ a = {name}[] parameter(0) b = {name}[] parameter(1) "
                   "ROOT r = pred[] compare(a, b), direction=LT }\n")
        values = sample(name, (3, 6), special=False)
        add_case("sort", [(name, values)], name, np.sort(values, 1), ", dimensions={1}, to_apply=f",
                 callees=compare)
      add_case("iota", [], name, np.broadcast_to(np.arange(4).astype(dtype), (3, 4)), ", iota_dimension=1")


def algebra():
  for name, real, ulps in [("c64", "f32", 64), ("c128", "f64", 64)]:
    for n in [1, 2, 3, 4, 6, 7, 8, 12]:
      x = sample(name, (2, n))
      line = sample(real, (2, n), special=False)
      add_case("fft", [(name, x)], name, np.fft.fft(x), f", fft_type=FFT, fft_length={{{n}}}", ulps)
      add_case("fft", [(name, x)], name, np.fft.ifft(x), f", fft_type=IFFT, fft_length={{{n}}}", ulps)
      add_case("fft", [(real, line)], name, np.fft.rfft(line), f", fft_type=RFFT, fft_length={{{n}}}", ulps)
      half = np.fft.rfft(line).astype(TYPES[name])
      add_case("fft", [(name, half)], real, np.fft.irfft(half, n), f", fft_type=IRFFT, fft_length={{{n}}}", ulps)
      block = sample(name, (3, n))
      add_case("fft", [(name, block)], name, np.fft.fft2(block), f", fft_type=FFT, fft_length={{3,{n}}}", ulps)
  for name in ["f32", "f64", "c64", "c128"]:
    for n in [1, 2, 5]:
      m = sample(name, (n, n), special=False)
      positive = (m @ m.conj().T + n * np.eye(n)).astype(TYPES[name])
      wide = positive.astype(np.complex128 if name in COMPLEX else np.float64)
      lower = np.linalg.cholesky(wide)
      add_case("cholesky", [(name, positive)], name, lower, ", lower=true", 1000)
      add_case("cholesky", [(name, positive)], name, lower.conj().T, ", lower=false", 1000)
      triangle = lower.astype(TYPES[name])
      b = sample(name, (n, 3), special=False)
      for kind, matrix in [("NO_TRANSPOSE", triangle), ("TRANSPOSE", triangle.T), ("ADJOINT", triangle.conj().T)]:
        add_case("triangular-solve", [(name, triangle), (name, b)], name, np.linalg.solve(matrix, b),
                 f", left_side=true, lower=true, transpose_a={kind}", 100000)
        add_case("triangular-solve", [(name, triangle), (name, b.T.copy())], name,
                 np.linalg.solve(matrix.T, b).T,
                 f", left_side=false, lower=true, transpose_a={kind}", 100000)


def agrees(actual, expected, ulps):
  if actual.dtype != expected.dtype or actual.shape != expected.shape:
    return False
  if not np.issubdtype(expected.dtype, np.inexact):
    return np.array_equal(actual, expected)
  # Complex numbers are compared by the size of the whole.
  with np.errstate(all="ignore"):
    size = np.abs(expected)
    scale = np.max(size[np.isfinite(size)], initial=0) if ulps > 10 else size
    unit = np.spacing(np.maximum(scale, np.finfo(expected.dtype).tiny).astype(size.dtype))
    close = np.abs(actual - expected) <= ulps * unit
    same = (actual == expected) | ((actual != actual) & (expected != expected))
  return bool(np.all(close | same))


def main():
  np.seterr(all="ignore")
  elementwise()
  movement()
  combination()
  algebra()
  with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    source = folder / "cases.hlo"
    source.write_text("// -----\n".join(module for module, _, _ in CASES))
    run = subprocess.run([sys.argv[1], "run", f"--output={folder}", str(source)], capture_output=True,
                         text=True, check=False)
    if run.returncode != 0:
      sys.exit(f"hlo-indexing run gave {run.returncode}:\n{run.stderr[:3000]}")
    failures = 0
    for i, (module, expected, ulps) in enumerate(CASES):
      actual = np.load(folder / f"module_{i}" / "output_0.npy")
      if agrees(actual, expected, ulps):
        continue
      failures += 1
      if failures <= 10:
        print(f"{module}gives {actual!r}\nnot   {expected!r}\nwithin {ulps} units in the last place\n")
  print(f"{len(CASES)} cases, {failures} failures")
  sys.exit(1 if failures else 0)


if __name__ == "__main__":
  main()
