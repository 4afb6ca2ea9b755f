#!/usr/bin/env python3
"""The device code that layout/cute/ makes of a kernel, beside what CuTe makes of the same source.

    bench/cute_device_code.py [CUTE_INCLUDE] [--tutorials=FOLDER] [--arch=sm_80] [--program=HLO_INDEXING]
                              [--filter=WORD] [--release-only] [--bounds=FILE]

CUTE_INCLUDE is the folder that cute/tensor.hpp lies in; without it there is nothing to compare with. FOLDER is that of
CuTe's tutorials (sgemm_1.cu and others). Each source is compiled as it is, under one library by way of a header that
gives the other's name to it, with -O3 -DNDEBUG, and ours without NDEBUG as well but for --release-only. The table has,
as "ours / CuTe's": instructions in the machine code (without those that fill it up), registers, bytes spilled and of
stack; and with --program warp instructions that the virtual GPU executes of the PTX of the kernels in launches().
The exit status is 1 if ours are more in any, or more than FILE (JSON) says; --write-bounds=FILE writes one.
"""

import argparse
import dataclasses
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SKIPPED = 77
ARCHITECTURES = ["sm_80", "sm_90"]
FIGURES = ["instructions", "registers", "bytes spilled", "bytes of stack"]
NVCC = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"

# Headers that make one library answer to the other's name, and stand in for what the tutorials need besides.
OUR_NAME_FOR_CUTE = {
    # real.hpp first: where complex.hpp comes before it, products of complex numbers of float do not compile.
    "layout/cute/tensor.h": """#pragma once
#include <cute/numeric/real.hpp>
#include <cute/tensor.hpp>
namespace hlo_indexing { namespace cute = ::cute; namespace layout { namespace cute = ::cute; } }
"""
}
CUTES_NAME_FOR_OURS = {"cute/tensor.hpp": '#include "layout/cute/namespace_cute.h"\n'}
STAND_INS = {
    "thrust/host_vector.h": """#pragma once
#include <cassert>
#include <iostream>
#include <vector>
namespace thrust {
template <class T>
struct host_vector : std::vector<T> {
  using std::vector<T>::vector;
  template <class U> host_vector(U const&) {}
  template <class U> host_vector& operator=(U const&) { return *this; }
};
template <class T>
struct device_pointer {
  T* get() const { return nullptr; }
};
template <class T>
T* raw_pointer_cast(device_pointer<T>) { return nullptr; }
template <class T>
struct device_vector {
  device_vector() = default;
  template <class U> device_vector(U const&) {}
  template <class U> device_vector& operator=(U const&) { return *this; }
  device_pointer<T> data() { return {}; }
};
}
""",
    "thrust/device_vector.h": '#include "thrust/host_vector.h"\n',
    "cutlass/util/print_error.hpp": """#pragma once
#define CUTE_CHECK_LAST() static_cast<void>(cudaGetLastError())
#define CUTE_CHECK_ERROR(x) static_cast<void>(x)
""",
    "cutlass/util/GPU_Clock.hpp": """#pragma once
struct GPU_Clock { void start() {} float seconds() { return 1; } };
""",
    "cutlass/util/helper_cuda.hpp": """#pragma once
namespace cute { inline void device_init(int, bool = false) {} }
""",
}


@dataclasses.dataclass
class Kernel:
    instructions: int = 0
    registers: int = 0
    spilled: int = 0
    stack: int = 0
    executed: int | None = None

    def figures(self):
        return [self.instructions, self.registers, self.spilled, self.stack, self.executed]


@dataclasses.dataclass
class Launch:
    """A launch for the virtual GPU. Arguments are as the program takes them; numbers, an integer or a tuple of them,
    fill the parameter's bytes from the front."""

    grid: str
    block: str
    arguments: list = dataclasses.field(default_factory=list)


def base_name(mangled):
    """GemmKernel of _ZN12_GLOBAL__N_...10GemmKernelEN8...: the last name before the arguments."""
    if not mangled.startswith("_Z"):
        return mangled
    rest, name = mangled[2:].lstrip("N"), ""
    while match := re.match(r"(\d+)", rest):
        length = int(match[1])
        name = rest[len(match[1]):len(match[1]) + length]
        rest = rest[len(match[1]) + length:]
    return name


def code_sizes(cubin):
    """Instructions of each kernel of a cubin (an ELF file), NOPs not counted."""
    data = cubin.read_bytes()
    offset, = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    sections = [struct.unpack_from("<IIQQQQ", data, offset + i * size) for i in range(count)]
    strings = sections[names][4]
    sizes = {}
    for name, _, _, _, start, length in sections:
        end = data.index(b"\0", strings + name)
        text = data[strings + name:end].decode()
        if text.startswith(".text."):
            words = [struct.unpack_from("<H", data, start + i)[0] & 0xFFF for i in range(0, length, 16)]
            sizes[text[len(".text."):]] = sum(word != 0x918 for word in words)
    return sizes


def read_log(log):
    """{mangled name: Kernel} of what ptxas -v says."""
    kernels = {}
    name = None
    for line in log.splitlines():
        if match := re.search(r"Compiling entry function '(.*?)'", line):
            name = match[1]
            kernels[name] = Kernel()
        elif name and (match := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line)):
            kernels[name].stack = int(match[1])
            kernels[name].spilled = int(match[2]) + int(match[3])
        elif name and (match := re.search(r"Used (\d+) registers", line)):
            kernels[name].registers = int(match[1])
    return kernels


def parameters_of(ptx, kernel):
    """Bytes of each parameter."""
    text = ptx[ptx.index(f".entry {kernel}("):]
    text = text[:text.index(")")]
    sizes = {"8": 1, "16": 2, "32": 4, "64": 8}
    found = re.findall(r"\.param\s+(?:\.align\s+\d+\s+)?\.[a-z](\d+)\s+[^,\[\n]+(?:\[(\d+)\])?", text)
    return [sizes[bits] * int(count or 1) for bits, count in found]


def executed(program, ptx_file, kernel, launch, folder):
    """Warp instructions of a launch."""
    arguments = list(launch.arguments)
    command = [program, "ptx", str(ptx_file), f"--kernel={kernel}", f"--grid={launch.grid}", f"--block={launch.block}"]
    for number, size in enumerate(parameters_of(ptx_file.read_text(), kernel)):
        value = arguments.pop(0) if arguments else ()
        if isinstance(value, str):
            command.append("--arg=" + value)
            continue
        # A structure without state is one byte.
        packed = struct.pack(f"<{len(value)}i", *value).ljust(size, b"\0")
        if len(packed) != size:
            raise ValueError(f"{kernel}: parameter {number} has {size} bytes, not {len(packed)}")
        path = folder / f"argument{number}"
        path.write_bytes(packed)
        command.append(f"--arg=bytes:{path}")
    done = subprocess.run(command, capture_output=True, text=True)
    match = re.search(r"(\d+) warp instructions, no findings", done.stdout)
    if not match:
        raise ValueError(f"{' '.join(command)}: {done.stdout[:2000]}{done.stderr}")
    return int(match[1])


def write_headers(folder, headers):
    for name, text in headers.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def measure(source, folder, options, program, launches):
    """{kernel's name and number: Kernel} of one source, or None if it does not compile."""
    folder.mkdir()
    command = [NVCC, "-std=c++17", "-O3", "-cubin", "--keep", "--keep-dir", str(folder), "-Xptxas", "-v", *options,
               str(source), "-o", str(folder / "out.cubin")]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        print(f"{source.name} does not compile with {' '.join(options)}\n{done.stderr[:1500]}", file=sys.stderr)
        return None
    logged = read_log(done.stderr)
    sizes = code_sizes(folder / "out.cubin")
    ptx_file, = folder.glob("*.ptx")
    kernels, seen = {}, {}
    for mangled in re.findall(r"\.entry ([\w$]+)\(", ptx_file.read_text()):
        kernel = logged[mangled]
        kernel.instructions = sizes[mangled]
        name = base_name(mangled)
        seen[name] = seen.get(name, 0) + 1
        label = name if seen[name] == 1 else f"{name} {seen[name]}"
        if program and (launch := launches.get(f"{source.stem}/{label}") or launches.get(label)):
            kernel.executed = executed(program, ptx_file, mangled, launch, folder)
        kernels[label] = kernel
    return kernels


def nvcc_release():
    text = subprocess.run([NVCC, "--version"], check=True, capture_output=True, text=True).stdout
    return re.search(r"release ([\d.]+)", text)[1]


def launches():
    """What the virtual GPU launches, by the kernel's name."""
    matrix, result = "zeros:f32[128,128]", "zeros:f32[128,128]"
    tile = Launch("2,4", "256", [result, matrix, "u32:128", "u32:128"])
    static = Launch("1", "1", [result, matrix])
    strided = Launch("1", "256", [result, matrix, "u32:128"])
    names = ["copy_static_8x8", "copy_static_8x8_transposed", "copy_static_halves", "copy_through_registers",
             "copy_assumed_static"]
    return {
        **{name: static for name in names},
        "copy_assumed_dynamic": Launch("1", "1", [result, matrix, "u32:128"]),
        "copy_tiles": tile,
        "copy_tiles_guarded": tile,
        "copy_by_index": Launch("1", "128", tile.arguments),
        "copy_by_coordinates": Launch("1", "128", tile.arguments),
        "through_padded_shared": strided,
        "through_swizzled_shared": strided,
        "thread_values": Launch("1", "32", [result]),
        "rows_summed": Launch("1", "128", tile.arguments),
        "outer_product": Launch("1", "1", [result, matrix, matrix]),
    }


def describe(optimized, checked, other):
    """The cells of a row, and how many of them are more than they should be."""
    cells, more = [], 0
    others = other.figures() if other else [None] * 5
    for a, b, c in zip(optimized.figures(), checked.figures(), others):
        if a is None:
            cells.append("")
            continue
        worse = c is not None and (a > c or b > c)
        more += worse
        cells.append(f"{a}" + ("" if a == b else f" ({b} without NDEBUG)") + ("" if c is None else f" / {c}") +
                     (" **more**" if worse else ""))
    return cells, more


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cute", type=pathlib.Path, nargs="?")
    parser.add_argument("--tutorials", type=pathlib.Path)
    parser.add_argument("--arch", action="append")
    parser.add_argument("--program")
    parser.add_argument("--filter", default="")
    parser.add_argument("--release-only", action="store_true")
    parser.add_argument("--bounds", type=pathlib.Path)
    parser.add_argument("--write-bounds", type=pathlib.Path)
    args = parser.parse_args()
    if not pathlib.Path(NVCC).exists():
        print("skipped: there is no nvcc in PATH or /usr/local/cuda/bin")
        sys.exit(SKIPPED)
    sources = [ROOT / "bench/cute_seed_kernels.cu", ROOT / "bench/cute_device_kernels.cu",
               ROOT / "examples/cute/transpose.cu", ROOT / "examples/cute/gemm.cu",
               *(ROOT / "tests/layout/cute/device" / f"{name}.cu"
                 for name in ("gemm_sm80", "vector_copy", "cooperative", "offsets", "narrow_floats"))]
    if args.tutorials:
        sources += [args.tutorials / f"{name}.cu" for name in ("tiled_copy", "sgemm_1", "sgemm_2", "sgemm_sm80")]
    sources = [source for source in sources if args.filter in source.name]
    bounds = {}
    if args.bounds:
        recorded = json.loads(args.bounds.read_text())
        if recorded["nvcc"] != nvcc_release():
            print(f"skipped: the bounds are those of nvcc {recorded['nvcc']}, this is {nvcc_release()}")
            sys.exit(SKIPPED)
        bounds = recorded["kernels"]
    found = {}
    more = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_headers(folder / "both", STAND_INS)
        write_headers(folder / "theirs", OUR_NAME_FOR_CUTE)
        write_headers(folder / "ours", CUTES_NAME_FOR_OURS)
        ours = ["-I", str(folder / "both"), "-I", str(folder / "ours"), "-I", str(ROOT)]
        theirs = ["-I", str(folder / "both"), "-I", str(folder / "theirs"), "-I", str(args.cute), "-I", str(ROOT)]
        print("| kernel | arch | instructions | registers | spilled bytes | stack | executed |\n|---|---|---|---|---|---|---|")
        for source in sources:
            for arch in args.arch or ARCHITECTURES:
                at = folder / f"{source.stem}.{arch}"
                at.mkdir()

                def built(kind, options):
                    return measure(source, at / kind, [f"-arch={arch}", *options], args.program, launches())

                optimized = built("ours", ["-DNDEBUG", *ours])
                checked = optimized if args.release_only else built("checked", ours)
                other = built("theirs", ["-DNDEBUG", *theirs]) if args.cute else {}
                if optimized is None or checked is None:
                    more += 1
                    continue
                for label in optimized:
                    cells, worse = describe(optimized[label], checked[label], (other or {}).get(label))
                    more += worse
                    print(f"| {label} | {arch} | {' | '.join(cells)} |", flush=True)
                    key = f"{source.stem}/{label}/{arch}"
                    found[key] = optimized[label].figures()[:4]
                    for bound, value, what in zip(bounds.get(key, []), found[key], FIGURES):
                        if value > bound:
                            more += 1
                            print(f"{key}: {value} {what}, more than {bound}")
    if args.write_bounds:
        recorded = {"nvcc": nvcc_release(), "kernels": found}
        args.write_bounds.write_text(json.dumps(recorded, indent=1) + "\n")
    asked = [(source.stem, arch) for source in sources for arch in args.arch or ARCHITECTURES]
    missing = [key for key in bounds if key not in found and (key.split("/")[0], key.split("/")[-1]) in asked]
    if missing:
        print("bounds of kernels that are not there: " + ", ".join(missing))
    sys.exit(1 if more or missing else 0)


if __name__ == "__main__":
    main()
