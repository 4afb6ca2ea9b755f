#!/usr/bin/env python3
"""Runs the kernels that XLA compiled on the virtual GPU, and compares them with the HLO they were compiled from.

    check_ptx_dump.py HLO-INDEXING MODULE.hlo MODULE.ptx [MODULE.hlo MODULE.ptx ...]
                      [--kernel=REGEX] [--max-bytes=N] [--check=CHECKS] [--seed=N] [--jobs=N] [--quiet]

The files are what XLA writes with --xla_dump_to: `*.after_optimizations.hlo` (or .txt) and the `*.ptx` of the same
module. For each kernel:

 1. Its instruction is found: XLA names a kernel after the HLO instruction, with '.' and '-' turned into '_'.
 2. The operands get random values that depend on the seed only. Floating-point numbers have magnitudes from 1/128 to
    2 (float16 from 1/8), scalars are positive; integers reach from -8 to beyond the largest dimension of an operand,
    so that indices out of bounds are among them.
 3. A module with this instruction alone, and the computations that it calls, gives the expected values
    (`hlo-indexing run`).
 4. The kernel runs on the virtual GPU (`hlo-indexing ptx`). Its parameters are the distinct buffers of the operands,
    then those of the results. Where there are fewer parameters, XLA has written a result over an operand of the same
    size: all such operands are tried.
 5. PTX has the size of a block, but not of the grid. The grids that XLA's emitters make for the shapes are tried, the
    smallest first, until one writes every element without a finding of the checks and with the right values. Triton's
    tiles stand in backend_config, and leave one grid only.

 6. Where every expected value is 0 because a factor of a matrix product is a constant 0, a kernel is compared once
    more with 1 as this factor, in both texts.

Launches get 163 KiB of dynamic shared memory where a kernel has some: how much it needs is not in the PTX.

A line for each kernel, and a summary. `EQUAL` says which grid it was and how near the values are.

Integers and values that are only moved are compared exactly. Others may differ by what the target's approximate
instructions (ex2, rsqrt, division) and another order of a sum allow: f32 by 1e-5, relatively; f64 by 1e-12; floats
of 8 and 16 bits by one unit in the last place, because a last place of f32 decides how a value is rounded, and by two
if values in between are rounded to such a type, too. Sums also have an absolute tolerance, 1e-5 of the largest
result: terms that cancel leave the error of the large ones.

The exit status is 1 if a kernel differs or fails, 2 if nothing could be compared.
"""

import argparse
import concurrent.futures
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import threading

import numpy as np

from ptx_dump_kernels import Kernel, Module, NotComparable
from ptx_dump_values import Tolerance, compare

# How much of it a launch asks for is not in the PTX either: what every device since the A100 can give.
DYNAMIC_SHARED_BYTES = 163 * 1024
# The limits of the program are for input of strangers.
NO_LIMIT = f"--max-input-bytes={1 << 40}"


class Checker:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.lock = threading.Lock()
        self.numbers = itertools.count()
        self.inputs = {}
        self.references = {}

    def run(self, *arguments):
        return subprocess.run([self.options.program, *arguments], capture_output=True, text=True, check=False)

    def new_folder(self):
        return os.path.join(self.folder, f"run_{next(self.numbers)}")

    def input_file(self, shape, ordinal, limit):
        """A file with random elements, in the order of memory. Kernels with the same shapes share the files."""
        element = shape.element
        key = (shape.type, shape.elements, not shape.sizes, ordinal, limit if element.keep is None else 0)
        with self.lock:
            if key not in self.inputs:
                words = [self.options.seed, ordinal, shape.elements]
                random = np.random.default_rng(words + [ord(character) for character in shape.type])
                if element.keep is not None:
                    bits = random.integers(0, 2**(8 * element.unsigned.itemsize), shape.elements, element.unsigned)
                    bits &= element.unsigned.type(element.keep)
                    bits |= element.unsigned.type(element.set)
                    if not shape.sizes:
                        bits &= element.unsigned.type(2**(8 * element.unsigned.itemsize - 1) - 1)
                    array = bits.view(element.bits)
                elif shape.type == "pred":
                    array = random.integers(0, 2, shape.elements).astype(np.bool_)
                else:
                    info = np.iinfo(element.bits)
                    array = random.integers(max(info.min, -8), min(info.max, limit), shape.elements, element.bits)
                path = os.path.join(self.folder, f"input_{len(self.inputs)}.npy")
                np.save(path, array)
                self.inputs[key] = path
            return self.inputs[key]

    def make_inputs(self, kernel):
        limit = max([size for shape in kernel.operand_shapes for size in shape.sizes], default=8) * 5 // 4 + 8
        counts = {}
        files = []
        for shape in kernel.buffer_shapes:
            ordinal = counts.setdefault((shape.type, shape.elements), itertools.count())
            files.append(self.input_file(shape, next(ordinal), limit))
        return files

    def expected(self, kernel, files):
        """The results, each in the order of memory."""
        text = kernel.reference_text()
        key = (text.replace(kernel.name, ""), tuple(files))
        with self.lock:
            if key in self.references:
                return self.references[key]
        folder = self.new_folder()
        os.makedirs(folder)
        source = os.path.join(folder, "reference.hlo")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        inputs = []
        for i, (shape, buffer) in enumerate(zip(kernel.operand_shapes, kernel.operand_buffers)):
            path = files[buffer]
            if len(shape.sizes) != 1:
                path = os.path.join(folder, f"operand_{i}.npy")
                np.save(path, shape.logical(np.load(files[buffer], mmap_mode="r")))
            inputs.append(f"--input={i}={path}")
        done = self.run("run", *inputs, f"--output={folder}", f"--max-bytes={1 << 40}", f"--max-steps={1 << 40}",
                        NO_LIMIT, source)
        if done.returncode != 0:
            raise NotComparable("no reference: " + (done.stderr.strip().splitlines() or ["?"])[0])
        results = [shape.in_memory(np.load(os.path.join(folder, f"output_{i}.npy")).reshape(shape.sizes))
                   for i, shape in enumerate(kernel.results)]
        for name in os.listdir(folder):
            os.remove(os.path.join(folder, name))
        with self.lock:
            self.references[key] = results
        return results

    def launch(self, kernel, grid, alias, files, room):
        """The results of a launch, or None and why there are none. `room`: out or zeros."""
        folder = self.new_folder()
        written = [i for i in alias if i is not None]
        arguments = [f"--arg={'inout' if i in written else 'in'}:{path}" for i, path in enumerate(files)]
        places = []
        for shape, buffer in zip(kernel.results, alias):
            places.append(len(arguments) if buffer is None else buffer)
            if buffer is None:
                arguments.append(f"--arg={room}:u8[{shape.bytes}]")
        if kernel.has_dynamic_shared:
            arguments.append(f"--shared={DYNAMIC_SHARED_BYTES}")
        done = self.run("ptx", kernel.ptx, f"--kernel={kernel.name}", f"--grid={','.join(map(str, grid))}",
                        f"--output={folder}", f"--check={self.options.check}", "--format=json", NO_LIMIT,
                        f"--max-instructions={1 << 40}", *arguments)
        if done.returncode == 4:
            raise NotComparable("not supported: " + (done.stderr.strip().splitlines() or ["?"])[0])
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        findings = [line["message"] for line in lines if line["kind"] == "finding"]
        ended = [line["ended_early"] for line in lines if "ended_early" in line]
        results = None
        if done.returncode == 0:
            results = [np.fromfile(os.path.join(folder, f"arg_{place}.npy"), np.uint8)[-shape.bytes or None:]
                       .view(shape.element.bits)[:shape.elements] for shape, place in zip(kernel.results, places)]
        if os.path.isdir(folder):
            for name in os.listdir(folder):
                os.remove(os.path.join(folder, name))
        reasons = findings + ended + done.stderr.strip().splitlines() + [f"status {done.returncode}"]
        return results, reasons[0]

    def attempt(self, kernel, grid, alias, files, expected):
        """("equal" | "different" | "unwritten" | "fault", in words)."""
        results, reason = self.launch(kernel, grid, alias, files, "out")
        if results is None:
            return "fault", reason
        notes = []
        # Memory that was never written holds bytes 0xff.
        for shape, wanted, got, buffer in zip(kernel.results, expected, results, alias):
            unsigned = shape.element.unsigned
            untouched = unsigned.type(2**(8 * unsigned.itemsize) - 1)
            missing = (got.view(unsigned) == untouched) if buffer is None else np.zeros(0, bool)
            meant = missing & (wanted.view(unsigned) == untouched) if missing.any() else missing
            if np.count_nonzero(missing) != np.count_nonzero(meant):
                return "unwritten", f"{np.count_nonzero(missing)} of {shape.elements} elements are never written"
            if meant.any():
                second, reason = self.launch(kernel, grid, alias, files, "zeros")
                place = len(notes)
                if second is None or not np.array_equal(second[place].view(unsigned), got.view(unsigned)):
                    return "unwritten", "elements are never written"
            is_equal, note = compare(shape, wanted, got, Tolerance.of(kernel, shape))
            notes.append(note)
            if not is_equal:
                return "different", note
        return "equal", "; ".join(notes)

    def try_grids(self, kernel):
        """("EQUAL" | "DIFFERENT" | "FAULT", in words, whether all expected values are 0)."""
        aliases = list(kernel.aliases())
        if not aliases:
            raise NotComparable("no operand has the size of the result that must share its buffer")
        files = self.make_inputs(kernel)
        expected = self.expected(kernel, files)
        is_zero = all(not np.any(wanted) for wanted in expected)
        worst = ("FAULT", "no grid to try")
        order = {"unwritten": 0, "fault": 1, "different": 2}
        rank = -1
        grids = kernel.grids()
        known = {}
        if aliases == [(None,) * len(kernel.results)]:
            # More blocks write more elements, so those grids that are too small are found by halving.
            low, high = 0, len(grids)
            while low < high:
                middle = (low + high) // 2
                known[grids[middle]] = self.attempt(kernel, grids[middle], aliases[0], files, expected)
                if known[grids[middle]][0] == "unwritten":
                    worst = ("FAULT", f"grid {','.join(map(str, grids[middle]))}; {known[grids[middle]][1]}")
                    low = middle + 1
                else:
                    high = middle
            grids = grids[low:]
        for grid, alias in itertools.product(grids, aliases):
            verdict, note = known.get(grid) or self.attempt(kernel, grid, alias, files, expected)
            shared = [f"result {i} over parameter {buffer}" for i, buffer in enumerate(alias) if buffer is not None]
            note = "; ".join([f"grid {','.join(map(str, grid))}", *shared, note])
            if verdict == "equal":
                return "EQUAL", note, is_zero
            if order[verdict] > rank:
                rank = order[verdict]
                worst = ("DIFFERENT" if verdict == "different" else "FAULT", note)
        return *worst, is_zero

    def check(self, kernel):
        """("EQUAL" | "DIFFERENT" | "FAULT" | "not comparable", in words)."""
        try:
            if kernel.instruction is None:
                raise NotComparable("no instruction has its name")
            kernel.find()
            if kernel.bytes > self.options.max_bytes:
                raise NotComparable("larger than --max-bytes")
            verdict, note, is_zero = self.try_grids(kernel)
            if verdict == "EQUAL" and is_zero:
                with_ones = kernel.with_ones(self.folder)
                if with_ones is None:
                    return verdict, note + ", but every value is 0"
                verdict, second, _ = self.try_grids(with_ones)
                note += f", but every value is 0; with 1 for the factor 0: {second}"
            return verdict, note
        except NotComparable as reason:
            return "not comparable", str(reason)


def read_kernels(checker, hlo, ptx):
    """The kernels of a PTX text with their instructions."""
    printed = checker.run("print", NO_LIMIT, hlo)
    if printed.returncode != 0:
        raise SystemExit(f"check_ptx_dump: {printed.stderr.strip()}")
    listed = checker.run("ptx", ptx, "--list", "--format=json", NO_LIMIT)
    if listed.returncode != 0:
        raise SystemExit(f"check_ptx_dump: {listed.stderr.strip()}")
    module = Module(printed.stdout)
    by_name = {}
    for instruction in module.find_instructions():
        by_name.setdefault(re.sub(r"[.\-]", "_", instruction.name), instruction)
    for line in listed.stdout.splitlines():
        row = json.loads(line)
        if row["kind"] == "kernel":
            yield Kernel(row["kernel"], ptx, row.get("block", [1]), len(row["parameters"]),
                         row["dynamic_shared_memory"], module, by_name.get(row["kernel"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("program", help="hlo-indexing")
    parser.add_argument("files", nargs="+", help="HLO text and PTX, in turns")
    parser.add_argument("--kernel", default="", help="only kernels whose names this regular expression finds")
    parser.add_argument("--max-bytes", type=int, default=1 << 32, help="no kernels with more bytes of arrays")
    parser.add_argument("--check", default="all", help="as of `hlo-indexing ptx`")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--quiet", action="store_true", help="lines only of kernels that differ or fail")
    options = parser.parse_args()
    if len(options.files) % 2 != 0:
        parser.error("HLO text and PTX come in pairs")
    counts = {}
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as executor:
        checker = Checker(options, folder)
        kernels = [kernel for hlo, ptx in zip(options.files[::2], options.files[1::2])
                   for kernel in read_kernels(checker, hlo, ptx) if re.search(options.kernel, kernel.name)]
        for kernel, (verdict, note) in zip(kernels, executor.map(checker.check, kernels)):
            key = f"{verdict}, {note}" if verdict == "not comparable" else verdict
            counts[key] = counts.get(key, 0) + 1
            if verdict in ("DIFFERENT", "FAULT") or not options.quiet:
                print(f"{verdict} {os.path.basename(kernel.ptx)} {kernel.name}: {note}", flush=True)
    failed = counts.get("DIFFERENT", 0) + counts.get("FAULT", 0)
    summary = [f"{counts.pop('EQUAL', 0)} equal", f"{counts.pop('DIFFERENT', 0)} different",
               f"{counts.pop('FAULT', 0)} failed"]
    summary += [f"{count} {key}" for key, count in sorted(counts.items())]
    print(f"check_ptx_dump: {len(kernels)} kernels, {', '.join(summary)}")
    if failed:
        return 1
    return 2 if summary[0].startswith("0 ") else 0


if __name__ == "__main__":
    sys.exit(main())
