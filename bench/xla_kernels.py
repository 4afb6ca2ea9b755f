"""Our kernels beside those that XLA made, on the virtual GPU in one run, as a table in Markdown.

    python3 bench/xla_kernels.py build/release/bin/hlo-indexing DUMP.hlo DUMP.ptx [...]

A dump is a module after optimization and its PTX, which --xla_dump_to writes. XLA's grids are those
that `plan --plan=xla` says, and for fusions that XLA gives to Triton those that their
configurations say. Kernels get arrays of zeros. Fusions whose kernels have other arguments than
operands and outputs, as where two share a buffer, are named and left out.
"""

from __future__ import annotations

import math
import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kernel_comparison import TYPES, Table, launch, lines_of

if TYPE_CHECKING:
    from collections.abc import Iterator


def argument(kind: str, shape: str) -> str:
    element, sizes = shape.split("{")[0].split("[")
    return f"{kind}:{TYPES.get(element, element)}[{sizes}"


def triton_grid(config: str, shape: str, module: str) -> list[int] | None:
    """One block for each tile of the output; of a dot, of its own result, before it is transposed."""
    sizes = [int(size) for size in shape.split("[")[1].split("]")[0].split(",") if size]
    tile = re.search(r'"output_tiles":\[\{"sizes":\[([^\]]*)\]', config)
    if tile is not None:
        tiles = [int(size.strip('"')) for size in tile.group(1).split(",") if size]
        if len(tiles) != len(sizes):
            return None
        return [math.prod(math.ceil(size / of) for size, of in zip(sizes, tiles, strict=True))]
    gemm = {key: int(value)
            for key, value in re.findall(r'"(block_m|block_n|split_k)":"(\d+)"', config)}
    called = re.search(r"calls=(%[\w.]+)", config)
    if len(gemm) != 3 or called is None:
        return None
    body = module.split(f"\n{called.group(1)} (")[1].split("\n}")[0]
    dot = re.search(r"= \w+\[([\d,]+)\]\S* dot\(", body)
    sizes = [int(size) for size in dot.group(1).split(",")] if dot else []
    if len(sizes) != 2:
        return None
    blocks = math.ceil(sizes[0] / gemm["block_m"]) * math.ceil(sizes[1] / gemm["block_n"])
    return [blocks, gemm["split_k"]]


def parameters(ptx: str, kernel: str) -> int:
    head = re.search(rf"\.entry {re.escape(kernel)}\((.*?)\)", ptx, re.DOTALL)
    return len(re.findall(r"_param_\d+", head.group(1))) if head else 0


class Pair(NamedTuple):
    """A kernel of XLA's and ours that do the same."""

    name: str
    kernel: str
    arguments: list[str]
    their_ptx: Path
    their_grid: list[int]
    their_dynamic_shared: int
    our_ptx: Path
    our_grid: list[int]
    our_block: list[int]
    our_scratch: list[str]


def pairs(program: str, files: list[str], folder: Path, left_out: list[str]) -> Iterator[Pair]:
    """PTX of ours is in the folder. Those that cannot be paired are left out, with the reason."""
    for number, (hlo, xla_ptx) in enumerate(zip(files[::2], files[1::2], strict=True)):
        place = folder / str(number)
        ours_of = {line["instruction"]: line for line in lines_of(
            program, "emit", "--arch=sm_80", "--device=a100", f"--output={place}", hlo)}
        plans = {line["instruction"]: line for line in lines_of(
            program, "plan", "--plan=xla", "--device=a100", "--format=json", hlo)
            if line["kind"] == "plan"}
        text = Path(hlo).read_text()
        theirs_ptx = Path(xla_ptx).read_text()
        module = Path(hlo).name.split(".sm_")[0]
        for instruction, ours in ours_of.items():
            kernel = ours["name"]
            if f".entry {kernel}(" not in theirs_ptx:
                continue
            name = f"{module} `{instruction}`"
            line = re.search(rf"%{re.escape(instruction)} = (\S+) .*", text)
            grid = plans[instruction]["blocks"] if instruction in plans else None
            if grid is None and line is not None:
                grid = triton_grid(line.group(0), line.group(1), text)
            if grid is None:
                left_out.append(f"{name} (its grid is not known)")
                continue
            arguments = [argument("out" if "output" in one else "zeros", one["shape"])
                         for one in ours["arguments"] if "shape" in one]
            if parameters(theirs_ptx, kernel) != len(arguments):
                left_out.append(f"{name} (other arguments)")
                continue
            scratch = [f"zeros:u8[{one['scratch_bytes']}]" for one in ours["arguments"]
                       if "scratch_bytes" in one]
            yield Pair(name, kernel, arguments, Path(xla_ptx), grid,
                       166912 if "extern .shared" in theirs_ptx else 0, place / ours["text_file"],
                       ours["blocks"], ours["threads"], scratch)


def main(program: str, *files: str) -> None:
    table = Table("XLA", "module, kernel")
    with tempfile.TemporaryDirectory() as folder:
        for pair in pairs(program, list(files), Path(folder), table.left_out):
            theirs = launch(program, pair.their_ptx, pair.kernel, pair.their_grid, None,
                            pair.arguments, pair.their_dynamic_shared, "a100")
            mine = launch(program, pair.our_ptx, pair.kernel, pair.our_grid, pair.our_block,
                          pair.arguments + pair.our_scratch, 0, "a100")
            if isinstance(mine, str) or isinstance(theirs, str):
                reason = mine if isinstance(mine, str) else theirs
                table.left_out.append(f"{pair.name} ({reason})")
                continue
            table.add(pair.name, mine, theirs)
    table.finish()


if __name__ == "__main__":
    main(*sys.argv[1:])
