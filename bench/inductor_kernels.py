"""Our kernels beside those that PyTorch's Inductor writes in Triton, on the virtual GPU in one run, as
a table in Markdown.

The fusions are those of inductor_fusions.py and, as HLO, of inductor_kernels/kernels.hlo, where sizes
are powers of two; then the same with 1000 for 1024 and so on. No GPU is needed:
inductor_without_gpu.py has Inductor write its kernels for an H100, and Triton compiles them to PTX.
Where Inductor would time several block sizes on the GPU, the one with the least estimated time is
taken, and of equals the one with the fewest instructions; where it makes several kernels of a fusion,
they are added up. Both sides get the same random arrays, and their outputs must be the same within
the rounding of their type.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from kernel_comparison import TYPES, Measures, Table, launch, lines_of

if TYPE_CHECKING:
    import inductor_without_gpu as inductor

HLO = Path(__file__).parent / "inductor_kernels" / "kernels.hlo"
INDICES = 4000  # Below what any fusion indexes.
# What makes other sizes of the powers of two, and of their inverses.
OTHER_SIZES = {"512": "500", "1024": "1000", "2048": "2000", "4096": "4000", "8192": "8000",
               "384": "376", "640": "624", "0.0009765625": "0.001", "0.00048828125": "0.0005"}


def parts_of(shape: str) -> tuple[str, tuple[int, ...]]:
    """bf16[8,2]{1,0} as its type and sizes."""
    kind, sizes = shape.split("{")[0].rstrip("]").split("[")
    return kind, tuple(int(size) for size in sizes.split(",") if size)


def text_of(kind: str, sizes: tuple[int, ...]) -> str:
    return f"{TYPES.get(kind, kind)}[{','.join(map(str, sizes))}]"


def random_array(kind: str, sizes: tuple[int, ...], generator: np.random.Generator) -> np.ndarray:
    if kind == "pred":
        return generator.integers(0, 2, sizes, dtype=np.uint8)
    if kind == "s64":
        return generator.integers(0, INDICES, sizes, dtype=np.int64)
    values = generator.uniform(-4, 4, sizes).astype(np.float32)
    return values if kind == "f32" else (values.view(np.uint32) >> 16).astype(np.uint16)


def compare(name: str, kind: str, ours: np.ndarray, theirs: np.ndarray) -> None:
    if kind == "bf16":
        a, b = ((bits.astype(np.uint32) << 16).view(np.float32) for bits in (ours, theirs))
        # Where f32 differs a little, bf16 may be the next number; sums of two may cancel.
        np.testing.assert_allclose(a, b, rtol=2**-7, atol=1e-5, err_msg=name)
    elif kind == "f32":
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-4, err_msg=name)
    else:
        np.testing.assert_array_equal(ours, theirs, err_msg=name)


def run_ours(program: str, kernel: dict, ptx: Path, inputs: list[Path], folder: Path
             ) -> tuple[Measures | str, list[Path]]:
    arguments = []
    outputs = []
    for number, argument in enumerate(kernel["arguments"]):
        if "scratch_bytes" in argument:
            arguments.append(f"zeros:u8[{argument['scratch_bytes']}]")
        elif "output" in argument:
            arguments.append("out:" + text_of(*parts_of(argument["shape"])))
            outputs.append(folder / f"arg_{number}.npy")
        else:
            arguments.append(f"in:{inputs[number]}")
    taken = launch(program, ptx, kernel["name"], kernel["blocks"], kernel["threads"], arguments, 0,
                   "h100", f"--output={folder}")
    return taken, outputs


def run_configuration(program: str, one: inductor.Configuration, call: inductor.Launch,
                      files: dict[inductor.Array, Path], folder: Path) -> Measures | str:
    """Where it is launched, the arrays that it writes are files of the folder."""
    folder.mkdir(parents=True)
    ptx = folder / "kernel.ptx"
    ptx.write_text(one.ptx)
    arguments = []
    for passed in one.arguments:
        if passed is None or isinstance(passed, str):
            arguments.append(passed or "null")
        elif passed in files:
            arguments.append(f"{'inout' if passed in call.written else 'in'}:{files[passed]}")
        else:
            arguments.append("out:" + text_of(passed.type, passed.sizes))
    return launch(program, ptx, one.name, list(one.grid), [one.threads], arguments,
                  one.shared_bytes, "h100", f"--output={folder}")


def run_theirs(program: str, compiled: inductor.Program, inputs: list[Path], folder: Path
               ) -> tuple[Measures | str, list[Path]]:
    files = dict(zip(compiled.inputs, inputs, strict=True))
    total = Measures(0, 0, 0, 0, 0)
    for number, call in enumerate(compiled.launches):
        best = None
        for choice, one in enumerate(call.configurations):
            place = folder / f"{number}.{choice}"
            taken = run_configuration(program, one, call, files, place)
            if isinstance(taken, str):
                return taken, []
            order = (taken.time, taken.instructions)
            if best is None or order < best[0]:
                best = (order, taken, place, one)
        assert best is not None
        _, taken, place, one = best
        total += taken
        for argument, passed in enumerate(one.arguments):
            if passed in call.written:
                files[passed] = place / f"arg_{argument}.npy"
    return total, [files[output] for output in compiled.outputs]


def compare_fusion(program: str, name: str, kernel: dict, ptx: Path, folder: Path, table: Table,
                   label: str) -> None:
    import inductor_fusions
    import inductor_without_gpu as inductor

    folder.mkdir(parents=True)
    generator = np.random.default_rng(1)
    shapes = [parts_of(one["shape"]) for one in kernel["arguments"] if "operand" in one]
    inputs = [folder / f"input_{number}.npy" for number in range(len(shapes))]
    for path, shape in zip(inputs, shapes, strict=True):
        np.save(path, random_array(*shape, generator))
    ours, our_outputs = run_ours(program, kernel, ptx, inputs, folder / "ours")
    compiled = inductor.compiled(getattr(inductor_fusions, name),
                                 [inductor.Array(*shape) for shape in shapes])
    (folder / "inductor.py").write_text(compiled.code)
    theirs, their_outputs = run_theirs(program, compiled, inputs, folder / "theirs")
    if isinstance(ours, str) or isinstance(theirs, str):
        table.left_out.append(f"{label} ({ours if isinstance(ours, str) else theirs})")
        return
    output_types = [parts_of(one["shape"])[0] for one in kernel["arguments"] if "output" in one]
    for kind, a, b in zip(output_types, our_outputs, their_outputs, strict=True):
        compare(name, kind, np.load(a), np.load(b))
    count = len(compiled.launches)
    table.add(label + (f" (Inductor: {count} kernels)" if count > 1 else ""), ours, theirs)


def with_other_sizes(text: str) -> str:
    numbers = "|".join(re.escape(number) for number in OTHER_SIZES)
    return re.sub(rf"(?<![\w.])({numbers})(?![\w.])", lambda found: OTHER_SIZES[found[0]], text)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="Packages: torch and triton from PyPI, numpy. For example, in a virtual environment:\n"
        "  pip install torch triton numpy\n"
        "  python bench/inductor_kernels.py build/release/bin/hlo-indexing")
    parser.add_argument("program", help="hlo-indexing")
    parser.add_argument("fusions", nargs="*", help="only these (default: all)")
    parser.add_argument("--keep", metavar="FOLDER", type=Path,
                        help="leave there, for each fusion, Inductor's code, the PTX of both and the arrays")
    given = parser.parse_args()
    # This takes seconds, and what it needs may not be there.
    import inductor_without_gpu as inductor

    inductor.pretend_h100()
    table = Table("Inductor", "fusion")
    with tempfile.TemporaryDirectory() as temporary:
        for sizes, change in (("", str), (" 1000", with_other_sizes)):
            folder = (given.keep or Path(temporary)) / f"kernels{sizes.replace(' ', '_')}"
            folder.mkdir(parents=True)
            hlo = folder / HLO.name
            hlo.write_text(change(HLO.read_text()))
            kernels = {line["instruction"]: line for line in lines_of(
                given.program, "emit", "--arch=sm_90", "--device=h100", f"--output={folder / 'ours'}", hlo)}
            unknown = set(given.fusions) - set(kernels)
            if unknown:
                sys.exit(f"no fusion {', '.join(sorted(unknown))} in {HLO}")
            for name in given.fusions or kernels:
                kernel = kernels[name]
                compare_fusion(given.program, name, kernel, folder / "ours" / kernel["text_file"],
                               folder / name, table, f"`{name}`{sizes}")
    table.finish()


if __name__ == "__main__":
    main()
