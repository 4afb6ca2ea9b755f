"""Our kernels beside those of PyTorch's Inductor on a GPU, in one run, as a table in Markdown.

    python3 bench/device_inductor.py build/release/bin/hlo-indexing

The fusions are those of inductor_kernels.py, with arrays that do not fit into L2. Both sides get the
same random arrays, and their outputs must be the same within the rounding of their type. Times are
medians of launches in a CUDA graph. It needs a GPU, torch and triton from PyPI.
"""

from __future__ import annotations

import math
import re
import sys
import tempfile
from pathlib import Path

import inductor_fusions
import torch
import triton
from cuda_driver import Cuda, Launch
from inductor_kernels import HLO, INDICES, parts_of
from kernel_comparison import lines_of

# Eight times the powers of two, and their inverses.
LARGE_SIZES = {"512": "4096", "1024": "8192", "2048": "16384", "4096": "16384", "8192": "65536",
               "384": "3072", "640": "5120", "0.0009765625": "0.0001220703125",
               "0.00048828125": "0.00006103515625"}
TYPES = {"bf16": torch.bfloat16, "f32": torch.float32, "s64": torch.int64, "pred": torch.bool}


def with_large_sizes(text: str) -> str:
    numbers = "|".join(re.escape(number) for number in LARGE_SIZES)
    return re.sub(rf"(?<![\w.])({numbers})(?![\w.])", lambda found: LARGE_SIZES[found[0]], text)


def random_tensor(kind: str, sizes: tuple[int, ...]) -> torch.Tensor:
    if kind == "pred":
        return torch.randint(0, 2, sizes, device="cuda").bool()
    if kind == "s64":
        return torch.randint(0, INDICES, sizes, device="cuda")
    return torch.empty(sizes, device="cuda", dtype=TYPES[kind]).uniform_(-4, 4)


def difference(ours: list[torch.Tensor], theirs: list[torch.Tensor]) -> str:
    for a, b in zip(ours, theirs, strict=True):
        if a.dtype in (torch.int64, torch.bool):
            if not torch.equal(a, b):
                return f"{(a != b).sum().item()} differ"
        else:
            tolerance = 2**-6 if a.dtype == torch.bfloat16 else 1e-4
            error = (a.float() - b.float()).abs() / b.float().abs().clamp(min=1)
            if not error.max().item() <= tolerance:
                return f"differs by {error.max().item():.3g}"
    return ""


def main(program: str) -> None:
    torch.manual_seed(1)
    cuda = Cuda()
    ratios = []
    with tempfile.TemporaryDirectory() as temporary:
        hlo = Path(temporary) / "large.hlo"
        hlo.write_text(with_large_sizes(HLO.read_text()))
        kernels = lines_of(program, "emit", f"--arch=sm_{min(cuda.architecture, 90)}",
                           "--device=h100", f"--output={temporary}", hlo)
        print(f"{cuda.name}, torch {torch.__version__}, triton {triton.__version__}\n")
        print("| fusion | µs | Inductor's | ratio | outputs |")
        print("|---|---|---|---|---|")
        for kernel in kernels:
            name = kernel["name"]
            inputs, outputs, scratch, addresses = [], [], [], []
            for argument in kernel["arguments"]:
                if "scratch_bytes" in argument:
                    array = torch.zeros(argument["scratch_bytes"], dtype=torch.uint8, device="cuda")
                    scratch.append(array)
                elif "output" in argument:
                    kind, sizes = parts_of(argument["shape"])
                    array = torch.empty(sizes, dtype=TYPES[kind], device="cuda")
                    outputs.append(array)
                else:
                    array = random_tensor(*parts_of(argument["shape"]))
                    inputs.append(array)
                addresses.append(array.data_ptr())
            function = cuda.function((Path(temporary) / kernel["text_file"]).read_bytes(), name)
            launch = Launch(function, kernel["blocks"], kernel["threads"], addresses)

            def ours(launch: Launch = launch) -> None:
                cuda.stream = torch.cuda.current_stream().cuda_stream
                cuda.launch(launch)

            fusion = torch.compile(getattr(inductor_fusions, name))

            def theirs(fusion: callable = fusion, inputs: list = inputs) -> object:
                return fusion(*inputs)

            expected = theirs()
            ours()
            torch.cuda.synchronize()
            expected = list(expected) if isinstance(expected, tuple) else [expected]
            wrong = difference(outputs, expected)
            times = [triton.testing.do_bench_cudagraph(call, rep=20, return_mode="median") * 1000
                     for call in (ours, theirs)]
            ratios.append(times[1] / times[0])
            print(f"| `{name}` | {times[0]:.1f} | {times[1]:.1f} | {ratios[-1]:.2f} "
                  f"| {wrong or 'the same'} |", flush=True)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"\nInductor's time is {mean:.2f} times ours in the geometric mean of {len(ratios)} fusions.")


if __name__ == "__main__":
    main(*sys.argv[1:])
