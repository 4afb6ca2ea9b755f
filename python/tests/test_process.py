"""The package in a process: threads, Ctrl-C, the command line, other libraries beside it."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import hlo_indexing as hi
import numpy as np
import pytest
from hlo_indexing._progress import reporting

LOOP = """
body { s = (s32[], f32[64]) parameter(0) i = s32[] get-tuple-element(s), index=0 one = s32[] constant(1)
  n = s32[] add(i, one) x = f32[64] get-tuple-element(s), index=1 y = f32[64] sine(x)
  ROOT t = (s32[], f32[64]) tuple(n, y) }
condition { s = (s32[], f32[64]) parameter(0) i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(1000000000) ROOT c = pred[] compare(i, n), direction=LT }
ENTRY e { x = f32[64] parameter(0) z = s32[] constant(0) s = (s32[], f32[64]) tuple(z, x)
  w = (s32[], f32[64]) while(s), condition=condition, body=body ROOT r = f32[64] get-tuple-element(w), index=1 }
"""


# What a shell without job control starts in the background ignores Ctrl-C, and so would what is started here.
_HEEDS_INTERRUPTS = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"


def run_python(code: str, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", _HEEDS_INTERRUPTS + code]
    return subprocess.run(command, capture_output=True, text=True, **options)  # type: ignore[call-overload,no-any-return]


def test_only_the_module_function_is_exported() -> None:
    nm = shutil.which("nm")
    if nm is None:
        pytest.skip("nm is not installed")
    path = importlib.util.find_spec("hlo_indexing._core").origin  # type: ignore[union-attr]
    lines = subprocess.run(
        [nm, "-D", "--defined-only", str(path)], capture_output=True, text=True, check=True
    )
    assert [line.split()[-1] for line in lines.stdout.splitlines()] == ["PyInit__core"]


def test_nothing_but_the_c_library_is_needed() -> None:
    readelf = shutil.which("readelf")
    if readelf is None:
        pytest.skip("readelf is not installed")
    path = Path(importlib.util.find_spec("hlo_indexing._core").origin)  # type: ignore[union-attr,arg-type]
    lines = subprocess.run([readelf, "-d", str(path)], capture_output=True, text=True, check=True).stdout
    needed = {line.split("[")[1].rstrip("]") for line in lines.splitlines() if "(NEEDED)" in line}
    names = {name.split(".")[0] for name in needed}
    assert names <= {"libc", "libm", "libdl", "libpthread", "ld-linux-x86-64", "ld-linux-aarch64"}
    assert not list(path.parent.glob("lib*"))


def test_import_is_quick_and_brings_nothing_heavy() -> None:
    code = (
        "import time, sys; begin = time.process_time(); import hlo_indexing; "
        "print(time.process_time() - begin); "
        "print(sorted(set(sys.modules) & {'numpy', 'pandas', 'pyarrow', 'jax', 'tqdm', 'torch'}))"
    )
    # Other work on the machine slows it down, also in processor time: the least of several runs.
    for _ in range(20):
        seconds, heavy = run_python(code).stdout.splitlines()
        assert heavy == "[]"
        if float(seconds) < 0.05:
            return
    pytest.fail(f"importing took at least 50 ms each time, {seconds} s in the end")


def test_command_line(examples: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hlo_indexing"]
    version = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    assert version.stdout.startswith(f"hlo-indexing {hi.__version__} ")
    maps = subprocess.run(
        [*command, "maps", str(examples / "transposed_reshape.hlo")], capture_output=True, text=True
    )
    assert "operand 0 (x)" in maps.stdout
    assert maps.returncode == 0
    unequal = subprocess.run(
        [*command, "equal", "(d0) -> (d0), domain: d0 in [0, 9]", "(d0) -> (d0), domain: d0 in [0, 8]"],
        capture_output=True,
        text=True,
    )
    assert unequal.returncode == 1
    bad = subprocess.run([*command, "explain", "-"], input="ENTRY e { x }", capture_output=True, text=True)
    assert bad.returncode == 3
    assert "<stdin>:1:" in bad.stderr
    output = tmp_path / "maps.txt"
    subprocess.run([*command, "print", "-o", str(output), str(examples / "tiles.hlo")], check=True)
    assert "ENTRY" in output.read_text()
    script = Path(sys.executable).parent / "hlo-indexing"
    if script.exists():
        installed = subprocess.run([str(script), "--version"], capture_output=True, text=True, check=True)
        assert installed.stdout == version.stdout


def test_threads(slow_kernels: hi.Module, examples: Path) -> None:
    expected = str(slow_kernels.explain())
    block = hi.parse(examples / "transformer_block.hlo")
    maps = {i.name: str(i.maps()) for i in block.entry}
    m = hi.Map("(d0) -> (d0 floordiv 3, d0 mod 3), domain: d0 in [0, 99999]")
    points = np.arange(100000)

    def work(number: int) -> None:
        assert str(slow_kernels.explain()) == expected
        assert {i.name: str(i.maps()) for i in block.entry} == maps
        np.testing.assert_array_equal(m(points)[1], points % 3)
        assert (~m @ m) == hi.Map("(d0) -> (d0), domain: d0 in [0, 99999]")
        assert hi.Layout(f"f32[{number + 1},5]").elements == (number + 1) * 5
        with pytest.raises(hi.UsageError, match=f"'nope{number}'"):
            slow_kernels.explain(instruction=f"nope{number}")

    with ThreadPoolExecutor(8) as pool:
        for future in [pool.submit(work, number) for number in range(24)]:
            future.result()


def test_the_gil_is_free_while_the_core_works() -> None:
    """Another thread has many turns between two calls of the core, which come every tenth of a second."""
    module = hi.parse(LOOP)
    calls = 0
    enough = threading.Event()

    def count(what: str, done: int, total: int) -> None:
        nonlocal calls
        calls += 1
        if enough.is_set():
            raise InterruptedError

    def work() -> None:
        with pytest.raises(InterruptedError):
            module.evaluate(np.ones(64, np.float32), progress=count)

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        while calls == 0 and not future.done():
            time.sleep(0.001)
        turns = 0
        while turns < 500 and not future.done():
            turns += 1
            time.sleep(0.0005)
        during = calls
        enough.set()
        future.result(timeout=60)
    assert turns == 500
    assert during < 100, f"{during} calls of the core for {turns} turns"


@pytest.mark.parametrize("backend", ["interpreter", "virtual-gpu"])
def test_interruption(backend: str) -> None:
    code = f"""
import numpy as np, hlo_indexing as hi, threading, os, signal, time
module = hi.parse({LOOP!r})
begin = time.monotonic()
try:
    threading.Timer(0.7, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    module.evaluate(np.ones(64, np.float32), backend={backend!r})
except KeyboardInterrupt:
    print('interrupted', time.monotonic() - begin < 10)
print(module.explain()[0].instruction != '')
"""
    result = run_python(code, timeout=60)
    assert result.stdout.splitlines() == ["interrupted True", "True"], result.stderr


FOREVER = """.version 8.0
.target sm_80
.address_size 64
.visible .entry forever() {
again:
  bra again;
}
"""


@pytest.mark.parametrize("check", ["()", "'all'"])
def test_interrupted_launch(check: str) -> None:
    """Blocks on all processors, or together on one, where races are looked for."""
    code = f"""
import hlo_indexing as hi, threading, os, signal, time
begin = time.monotonic()
try:
    threading.Timer(0.7, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    hi.ptx.launch({FOREVER!r}, grid=100, block=64, max_warp_instructions=10**15, check={check})
except KeyboardInterrupt:
    print('interrupted', time.monotonic() - begin < 10)
print(len(hi.ptx.kernels({FOREVER!r})))
"""
    result = run_python(code, timeout=60)
    assert result.stdout.splitlines() == ["interrupted True", "1"], result.stderr


@pytest.mark.parametrize(
    "work", ["maps()", "explain()", "coalescing()", "tiles([8, 8])", "emit_all()", "stats()"]
)
def test_interrupted_reports(work: str) -> None:
    """Ctrl-C that comes while they work."""
    code = f"""
import hlo_indexing as hi, threading, os, signal, time
lines = "".join(f"t{{i}} = f32[{{i + 9}},8] broadcast(s), dimensions={{{{}}}}\\n" for i in range(6000))
module = hi.parse("ENTRY e {{ s = f32[] parameter(0)\\n" + lines + "ROOT r = f32[] negate(s) }}")
def interrupt():
    time.sleep(0.2)
    os.kill(os.getpid(), signal.SIGINT)
begin = time.monotonic()
try:
    threading.Thread(target=interrupt).start()
    while time.monotonic() - begin < 60:  # what is quick is done again until the signal comes
        module.{work}
except KeyboardInterrupt:
    print('interrupted')
"""
    result = run_python(code, timeout=120)
    assert result.stdout == "interrupted\n", result.stderr


# What takes long, and work on it: instructions, one literal, what decompresses to much, many points of a map, one
# instruction of the interpreter.
LONG_WORK = {
    "instructions": """
lines = "".join(f"t{i} = f32[{i + 9},8] broadcast(s), dimensions={{}}\\n" for i in range(400_000))
text = "ENTRY e { s = f32[] parameter(0)\\n" + lines + "ROOT r = f32[] negate(s) }"
work = lambda: hi.parse(text)
""",
    "literal": """
text = "ENTRY e { ROOT c = s32[24000001] constant({" + "1," * 24_000_000 + "1}) }"
work = lambda: hi.parse(text)
""",
    "compressed": """
import gzip
blanks = gzip.compress(b" " * 50_000_000, 1)
text = gzip.compress(b"ENTRY e { ROOT c = s32[] constant(1) }") + blanks * 8
work = lambda: hi.parse(text)
""",
    "points": """
import numpy as np
divisions = ", ".join(f"d0 floordiv {i}, d0 mod {i}" for i in range(3, 11))
m = hi.Map(f"(d0) -> ({divisions}), domain: d0 in [0, 19999999]")
points = np.arange(8_000_000)
work = lambda: m(points)
""",
    "product": """
import numpy as np
shape = "f32[1400,1400]"
module = hi.parse(f"ENTRY e {{ a = {shape} parameter(0) ROOT d = {shape} dot(a, a), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}} }}")
ones = np.ones((1400, 1400), np.float32)
work = lambda: module.evaluate(ones)
""",
}


@pytest.mark.parametrize("kind", LONG_WORK)
def test_interrupted_work(kind: str) -> None:
    """It takes less time of the processor than the whole does."""
    code = f"""
import hlo_indexing as hi, threading, os, signal, time
{LONG_WORK[kind]}
begin = time.process_time()
work()
whole = time.process_time() - begin
def interrupt():
    time.sleep(0.05)
    os.kill(os.getpid(), signal.SIGINT)
begin = time.process_time()
try:
    threading.Thread(target=interrupt).start()
    work()
except KeyboardInterrupt:
    taken = time.process_time() - begin
    print('interrupted', taken < whole / 2 or (taken, whole))
"""
    result = run_python(code, timeout=120)
    assert result.stdout == "interrupted True\n", result.stdout + result.stderr


def test_progress_of_launches_and_programs() -> None:
    calls: list[tuple[str, int, int]] = []
    nothing = FOREVER.replace("again:\n  bra again;", "ret;")
    hi.ptx.launch(nothing, grid=50000, block=32, progress=lambda *call: calls.append(call))
    assert calls
    assert all(what == "forever" and 0 <= done <= total == 50000 for what, done, total in calls)
    calls.clear()
    module = hi.parse(LOOP.replace("1000000000", "3"))
    module.evaluate(np.ones(64, np.float32), backend="virtual-gpu", progress=lambda *call: calls.append(call))
    assert {what for what, _, _ in calls} <= {"kernels compiled", "steps of the program"}
    assert calls

    def refuse(what: str, done: int, total: int) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        hi.ptx.launch(FOREVER, grid=100, block=32, max_warp_instructions=10**15, progress=refuse)


def test_progress_of_parsing(tmp_path: Path) -> None:
    text = "ENTRY e { ROOT c = s32[4000001] constant({" + "1," * 4_000_000 + "1}) }"
    calls: list[tuple[str, int, int]] = []
    hi.parse(text, file="long.hlo", progress=lambda *call: calls.append(call))
    assert {(what, total) for what, _, total in calls} == {("bytes of long.hlo", len(text))}
    dones = [done for _, done, _ in calls]
    assert dones == sorted(dones)
    assert dones[-1] == len(text)
    for name in ("a.hlo", "b.hlo"):
        (tmp_path / name).write_text("ENTRY e { ROOT c = s32[] constant(1) }")
    calls.clear()
    assert len(hi.parse_all(tmp_path, progress=lambda *call: calls.append(call))) == 2
    assert [Path(what).name for what, _, _ in calls] == ["a.hlo", "a.hlo", "b.hlo", "b.hlo"]


def test_a_bar(capfd: pytest.CaptureFixture[str]) -> None:
    """It appears when the work has taken a second, and goes when that is done."""
    pytest.importorskip("tqdm")
    with reporting(True) as report:
        assert report is not None
        report("maps", 1, 10)
        assert capfd.readouterr().err == ""
        time.sleep(1.1)
        report("maps of fusion.3", 5, 10)
        assert re.search(r"maps of fusion.3: +50%.*5/10", capfd.readouterr().err)
    with reporting(None) as report:  # no terminal
        assert report is None
    with reporting(False) as report:
        assert report is None


def test_threads_that_launch_and_evaluate() -> None:
    module = hi.parse("ENTRY e { p = f32[4096] parameter(0) ROOT n = f32[4096] negate(p) }")
    x = np.arange(4096, dtype=np.float32)
    kernel = module.emit("n")

    def work(number: int) -> None:
        result = hi.ptx.launch(kernel, args=[x + number, np.zeros_like(x)], check="all")
        assert result.is_clean
        np.testing.assert_array_equal(result.arrays[1], -(x + number))
        np.testing.assert_array_equal(module.evaluate(x * number, backend="virtual-gpu"), -(x * number))
        np.testing.assert_array_equal(module.evaluate(x * number), -(x * number))
        assert module.emit("n").text == kernel.text
        assert module.compare(x)

    with ThreadPoolExecutor(6) as pool:
        for future in [pool.submit(work, number) for number in range(12)]:
            future.result()


def catches(pid: int, number: int) -> bool:
    """Whether the process has a handler of its own for the signal."""
    (mask,) = re.findall(r"^SigCgt:\s*(\w+)$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    return bool(int(mask, 16) >> (number - 1) & 1)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_interrupted_command_line() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "hlo_indexing", "run", "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin is not None
    # More than a pipe holds: what is written has been read, so Python's own handler is gone.
    process.stdin.write((LOOP + "// nothing\n" * 100_000).encode())
    process.stdin.close()
    while process.poll() is None and not catches(process.pid, signal.SIGINT):
        time.sleep(0.01)
    time.sleep(0.3)
    os.kill(process.pid, signal.SIGINT)
    assert process.wait(timeout=60) == 130


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("other", ["jax", "torch", "triton"])
def test_beside(other: str, first: bool) -> None:
    """Libraries with an LLVM of their own, loaded before and after, and used."""
    if importlib.util.find_spec(other) is None:
        pytest.skip(f"{other} is not installed")
    use = {
        "jax": "import jax, jax.numpy as jnp; print(float(jax.jit(lambda x: jnp.sin(x).sum())(jnp.ones(8))) > 6)",
        "torch": "import torch; print(float(torch.ones(8).sum()) == 8)",
        "triton": "import triton; from triton._C import libtriton; print(libtriton.ir is not None and libtriton.llvm is not None)",
    }[other]
    ours = (
        "import hlo_indexing as hi; "
        "m = hi.parse('ENTRY e { p = f32[64] parameter(0) ROOT n = f32[64] negate(p) }'); "
        "print('.entry' in m.emit('n').text)"
    )
    code = f"{ours}\n{use}\n{ours}" if first else f"{use}\n{ours}\n{use}"
    result = run_python(code, timeout=120)
    assert result.stdout.split() == ["True"] * 3, result.stderr


def test_beside_a_global_llvm() -> None:
    """Symbols of another LLVM that everybody can see are not taken for ours."""
    library = Path("/usr/lib/llvm-22/lib/libLLVM.so")
    if not library.exists():
        pytest.skip("there is no shared LLVM")
    code = (
        f"import ctypes; ctypes.CDLL('{library}', mode=ctypes.RTLD_GLOBAL)\n"
        "import hlo_indexing as hi\n"
        "m = hi.parse('ENTRY e { p = f32[64] parameter(0) ROOT n = f32[64] negate(p) }')\n"
        "print('.entry' in m.emit('n').text, len(m.explain()))"
    )
    result = run_python(code, timeout=120)
    assert result.stdout.split() == ["True", "1"], result.stderr


def test_parsing_and_mapping_take_what_they_take_in_the_core(examples: Path) -> None:
    text = (examples / "transformer_block.hlo").read_text()
    copies = "\n".join(
        f"// -----\n{text.replace('HloModule ', f'HloModule copy{number}_', 1)}" for number in range(200)
    ).encode()

    def in_core() -> float:
        begin = time.process_time()
        for module in hi._core.load("copies.hlo", copies, 1 << 30, 20, None)[0]:
            module.count_maps()
        return time.process_time() - begin

    def in_python() -> float:
        begin = time.process_time()
        for module in hi.parse_all(copies):
            module.maps()
        return time.process_time() - begin

    # Other work on the machine slows either down: the least of several runs, and a second try.
    def ratio() -> float:
        pairs = [(in_core(), in_python()) for _ in range(7)]
        core = min(seconds for seconds, _ in pairs)
        python = min(seconds for _, seconds in pairs)
        return python / core

    assert any(ratio() < 1.1 for _ in range(5))
    (example, *_) = hi.parse_all(copies)
    expected = [
        (i.name, output, str(i.maps(output=output)))
        for computation in example.computations
        for i in computation
        if i.operands
        for output in range(i.num_outputs)
    ]
    assert [(i.name, output, str(maps)) for i, output, maps in example.maps()] == expected
    assert len(example.maps(direction="input_to_output")) == len(expected)
