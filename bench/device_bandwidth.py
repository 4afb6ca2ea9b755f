"""GB/s of our kernels on a GPU, beside a copy on the device in the same run, as a table in Markdown.

    python3 bench/device_bandwidth.py build/release/bin/hlo-indexing [MODULE.hlo [DEVICE]]

The bytes of a kernel are those that have to move between DRAM and L2, as `explain --plan=ours` says.
A copy of 1 GiB counts what it reads and what it writes. Arrays do not fit into L2. It needs a GPU.
"""

from __future__ import annotations

import math
import random
import sys
import tempfile
from pathlib import Path

from cuda_driver import Cuda, Launch
from kernel_comparison import lines_of

GIBIBYTE = 1 << 30
BYTES_OF = {"pred": 1, "s8": 1, "u8": 1, "bf16": 2, "f16": 2, "f32": 4, "s32": 4, "u32": 4, "f64": 8}


def bytes_of(argument: dict) -> int:
    if "scratch_bytes" in argument:
        return argument["scratch_bytes"]
    element, sizes = argument["shape"].split("{")[0].rstrip("]").split("[")
    return BYTES_OF[element] * math.prod(int(size) for size in sizes.split(",") if size)


def fill(cuda: Cuda, address: int, size: int, argument: dict) -> None:
    """Random floats between 1/2 and 2 of both signs, indices below 32768, random bytes; of all but
    indices the same few mebibytes again and again."""
    if "shape" not in argument or size < 64:
        cuda.clear(address, size)
        return
    element = argument["shape"].split("[")[0]
    generator = random.Random(1)
    width = BYTES_OF[element]
    if element in ("s32", "u32"):
        contents = b"".join(generator.randrange(32768).to_bytes(4, "little") for _ in range(size // 4))
    else:
        contents = generator.randbytes(min(size, 1 << 22))
    if element in ("f32", "bf16", "f16", "f64"):
        # The byte with the exponent's upper bits, so that numbers are between 1/8 and 8.
        exponent = bytes.maketrans(bytes(range(256)), bytes(0x3F | (i & 0x80) for i in range(256)))
        if element == "f16":
            exponent = bytes.maketrans(bytes(range(256)),
                                       bytes(0x38 | (i & 0x83) for i in range(256)))
        changed = bytearray(contents)
        changed[width - 1::width] = contents[width - 1::width].translate(exponent)
        contents = bytes(changed)
    cuda.write(address, contents)
    done = len(contents)
    while done < size:
        part = min(done, size - done)
        cuda.copy(address, address + done, part)
        done += part
    cuda.finish()


def time_of(cuda: Cuda, kernel: dict, folder: Path) -> float:
    sizes = [bytes_of(argument) for argument in kernel["arguments"]]
    addresses = [cuda.allocate(size) for size in sizes]
    for address, size, argument in zip(addresses, sizes, kernel["arguments"], strict=True):
        fill(cuda, address, size, argument)
    function = cuda.function((folder / kernel["text_file"]).read_bytes(), kernel["name"])
    launch = Launch(function, kernel["blocks"], kernel["threads"], addresses)
    cuda.launch(launch)
    cuda.finish()
    time = cuda.microseconds(lambda: cuda.launch(launch), repeat=4)
    for address in addresses:
        cuda.free(address)
    return time


def copy_bandwidth(cuda: Cuda) -> float:
    source, target = cuda.allocate(GIBIBYTE), cuda.allocate(GIBIBYTE)
    fill(cuda, source, GIBIBYTE, {"shape": "f32[268435456]"})
    # A graph's copies are slower than those of a stream.
    time = cuda.microseconds_of_stream(lambda: cuda.copy(source, target, GIBIBYTE), repeat=4)
    cuda.free(source)
    cuda.free(target)
    return 2 * GIBIBYTE / time / 1000


def main(program: str, module: str = str(Path(__file__).with_name("device_bandwidth.hlo")),
         device: str = "h100") -> None:
    cuda = Cuda()
    reports = {line["instruction"]: line for line in lines_of(
        program, "explain", "--plan=ours", f"--device={device}", "--format=json", module)
        if line["kind"] == "kernel"}
    with tempfile.TemporaryDirectory() as folder:
        kernels = lines_of(program, "emit", f"--arch=sm_{min(cuda.architecture, 90)}",
                           f"--device={device}", f"--output={folder}", module)
        copy = copy_bandwidth(cuda)
        print(f"{cuda.name}: a copy on the device moves {copy:.0f} GB/s.\n")
        print("| kernel | MB of DRAM | estimated µs | µs | GB/s | of a copy |")
        print("|---|---|---|---|---|---|")
        for kernel in kernels:
            report = reports[kernel["instruction"]]
            try:
                time = time_of(cuda, kernel, Path(folder))
            except RuntimeError as error:
                print(f"| `{kernel['instruction']}` | {error} |")
                continue
            speed = report["dram_bytes"] / time / 1000
            print(f"| `{kernel['instruction']}` | {report['dram_bytes'] / 1e6:.0f} "
                  f"| {report['estimated_us']:.0f} | {time:.0f} | {speed:.0f} | {speed / copy:.3f} |",
                  flush=True)
        print(f"\nA copy again: {copy_bandwidth(cuda):.0f} GB/s.")


if __name__ == "__main__":
    main(*sys.argv[1:])
