"""Options of the command line in Python's types: the same answers, for arrays, modules and numbers."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path

import hlo_indexing as hi
import ml_dtypes
import numpy as np
import pytest
from hlo_indexing._warp import WarpAccess

LOOKUP = """HloModule lookup
ENTRY e {
  table = f32[64,33] parameter(0)
  tokens = s32[128,1] parameter(1)
  ROOT rows = f32[128,33] gather(table, tokens), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0},
    index_vector_dim=1, slice_sizes={1,33}
}
"""


def command_line(*arguments: object, status: int = 0) -> str:
    command = [sys.executable, "-m", "hlo_indexing", *(str(argument) for argument in arguments)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == status, result.stderr
    return result.stdout


def command_line_of(module: hi.Module, *arguments: str) -> str:
    command = [sys.executable, "-m", "hlo_indexing", *arguments, "-"]
    return subprocess.run(command, input=module.text, capture_output=True, text=True, check=True).stdout


def test_before(slow_kernels: hi.Module, examples: Path, tmp_path: Path) -> None:
    text = slow_kernels.text
    earlier = hi.parse(
        text.replace("f32[2048,1000]", "f32[1024,1000]").replace("f32[2048,1001]", "f32[1024,1001]")
    )
    report = slow_kernels.explain(before=earlier)
    path = tmp_path / "earlier.hlo"
    path.write_text(earlier.text)
    file = examples / "slow_kernels.hlo"
    assert str(report) == command_line("explain", f"--before={path}", file).rstrip("\n")
    assert str(slow_kernels.explain(before=path)) == str(report)
    by_name = {kernel.instruction: kernel for kernel in report}
    assert by_name["scaled"].before is not None
    assert by_name["scaled"].before["moved_bytes"] == by_name["scaled"].moved_bytes
    assert slow_kernels.explain()[0].before is None
    page = slow_kernels.report(before=path, inputs={})
    assert page == command_line("report", f"--before={path}", file)


def test_fail_on(slow_kernels: hi.Module) -> None:
    failures = slow_kernels.explain(fail_on="efficiency<0.35").failures
    assert [failure.line for failure in failures] == [slow_kernels["scaled"].line]
    assert "efficiency is 0.3" in failures[0].message
    assert slow_kernels.explain(fail_on="efficiency<0.01").failures == ()
    with pytest.raises(hi.UsageError, match="fail-on"):
        slow_kernels.explain(fail_on="beauty<1")


def test_metrics(slow_kernels: hi.Module) -> None:
    (load, *_) = slow_kernels.explain(ncu=True, instruction="scaled").accesses
    assert load.metrics["sectors"] == "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
    assert slow_kernels.coalescing(ncu=True, instruction="scaled")[0].metrics == load.metrics
    assert slow_kernels.explain(instruction="scaled").accesses[0].metrics == {}


def test_inputs() -> None:
    module = hi.parse(LOOKUP)
    same = np.full((128, 1), 7, np.int32)
    spread = np.arange(128, dtype=np.int32).reshape(128, 1) % 64

    def distinct(inputs: dict[int | str, object] | None) -> tuple[bool | None, int]:
        (load,) = [a for a in module.coalescing(inputs=inputs) if a.array_name == "%table"]
        return load.exact, load.record["distinct_sectors"]

    # Row 7 has the bytes 924 to 1055.
    assert distinct({1: same}) == (True, 1055 // 32 - 924 // 32 + 1)
    assert distinct({"tokens": spread}) == (True, 64 * 33 * 4 // 32)
    assert distinct({"%tokens": same.tolist()}) == distinct({1: same})
    assert distinct(None)[0] is False
    assert module.explain(inputs={"tokens": same})[0].exact
    with pytest.raises(hi.UsageError, match="no parameter 'nope': they are table, tokens"):
        module.explain(inputs={"nope": same})
    with pytest.raises(hi.UsageError, match="no parameter array 2"):
        module.explain(inputs={2: same})
    with pytest.raises(hi.UsageError, match=r"argument 1 \(%tokens\) has the shape"):
        module.explain(inputs={1: same[:3]})


def test_thread_maps(slow_kernels: hi.Module) -> None:
    threads = hi.Map(
        "(x, y, z, bx, by, bz) -> (x, bx), domain: x in [0, 127], y in [0, 0], z in [0, 0], "
        "bx in [0, 999], by in [0, 0], bz in [0, 0]"
    )
    accesses = slow_kernels.coalescing(instruction="kept", thread_map=threads)
    assert accesses[0].stride_bytes == 2002
    assert accesses[0].record["plan"] == "given"
    assert slow_kernels.plan(instruction="kept", thread_map=threads)[0].blocks == (1000, 1, 1)
    assert slow_kernels.explain(instruction="kept", thread_map=str(threads))[0].blocks == (1000, 1, 1)


def test_devices_by_file(slow_kernels: hi.Module, tmp_path: Path) -> None:
    half = tmp_path / "half.txt"
    half.write_text("base = h100\nname = half\nmultiprocessors = 66\n")
    assert slow_kernels.explain(device=half).module["device"] == "half"
    module = hi.parse("ENTRY e { p = f32[64] parameter(0) ROOT n = f32[64] negate(p) }")
    x = np.ones(64, np.float32)
    assert module.evaluate(x, backend="virtual-gpu", device=half)[0] == -1
    kernel = module.emit("n", device=half)
    profile = hi.ptx.launch(kernel, args=[x, x], profile=True, device=half)
    assert profile.record["device"] == "half"
    with pytest.raises(hi.UsageError, match="no device 'abacus'"):
        module.evaluate(x, backend="virtual-gpu", device="abacus")
    half.write_text("base = h100\nmultiprocessors = many\n")
    with pytest.raises(hi.InputError, match=r"half\.txt:2"):
        module.evaluate(x, backend="virtual-gpu", device=half)


# The accesses of all warps in all iterations of their loops, each counted by itself, are what the closed forms count.
KERNELS = {
    "strided": "p = f32[64,48]{0,1} parameter(0) ROOT n = f32[64,48]{1,0} negate(p)",
    "transposed": "p = bf16[96,64] parameter(0) ROOT t = bf16[64,96] transpose(p), dimensions={1,0}",
    "shifted": "p = f32[3001] parameter(0) ROOT s = f32[2999] slice(p), slice={[1:3000]}",
    "packed": "p = s4[64,33] parameter(0) ROOT s = s4[64,20] slice(p), slice={[0:64],[5:25]}",
    "wide": "p = f64[33,7] parameter(0) ROOT r = f64[7,33] transpose(p), dimensions={1,0}",
}


@pytest.mark.parametrize("plan", ["xla", "ours"])
@pytest.mark.parametrize("name", KERNELS)
def test_lanes_of_all_warps_are_what_is_counted(name: str, plan: str) -> None:
    module = hi.parse(f"ENTRY e {{ {KERNELS[name]} }}")
    accesses = module.coalescing(plan=plan)  # type: ignore[arg-type]
    assert {access.space for access in accesses} >= {"global"}
    for access in accesses:
        assert access.exact
        assert access.threads is not None
        assert access.position_map is not None
        x, y, z = access.threads
        dimensions = access.position_map.dimensions
        blocks = [range(v.upper + 1) for v in dimensions[3:] if v.upper is not None]
        loops = [range(v.lower, v.upper + 1) for v in access.position_map.ranges]  # type: ignore[arg-type,operator]
        if loops and access.vector_elements is not None:
            loops[-1] = loops[-1][:: access.vector_elements]
        requests = counted = 0
        for warp, block, loop in itertools.product(
            range(-(-x * y * z // 32)), itertools.product(*blocks), itertools.product(*loops)
        ):
            names = [v.name for v in access.position_map.ranges]
            one = WarpAccess(access, warp, block, dict(zip(names, loop, strict=True)))
            if all(position is None for position in one.positions):
                continue
            requests += 1
            counted += one.wavefronts if access.space == "shared" else len(one.sectors)
        assert (requests, counted) == (
            access.requests,
            access.wavefronts if access.space == "shared" else access.sectors,
        )


def test_pictures_of_warps(slow_kernels: hi.Module) -> None:
    for access in slow_kernels.coalescing():
        picture = access.svg()
        assert picture.startswith("<svg")
        lanes = access.lanes()
        if access.space == "global":
            widths = (access.vector_elements or 1) * (access.element_bits or 8) / 8
            sectors = {int(b + i) // 32 for b in lanes if b is not None for i in (0, widths - 1)}
            assert picture.count("<title>sector") == min(len(sectors), 64)
        assert "<svg" in access._repr_html_()
    (kernel,) = slow_kernels.explain(instruction="sums", plan="ours")
    assert [a.sectors or a.wavefronts for a in kernel.patterns] == [
        a.sectors or a.wavefronts for a in kernel.accesses
    ]
    # The array, what the blocks leave for each other, their counters, the result; shared memory.
    assert kernel._repr_html_().count("<svg") == len(kernel.accesses) == 11
    explained = slow_kernels.explain().accesses[0]
    assert "<svg" not in explained._repr_html_()
    with pytest.raises(hi.UnsupportedError, match="coalescing"):
        explained.svg()
    access = slow_kernels.coalescing()[0]
    with pytest.raises(hi.UsageError, match="warps"):
        access.lanes(4711)
    with pytest.raises(hi.UsageError, match="no loop 's9'"):
        access.lanes(s9=3)


TILED = [
    "p = f32[30,20] parameter(0) ROOT t = f32[20,30] transpose(p), dimensions={1,0}",
    "p = f32[30,20] parameter(0) ROOT s = f32[10,7] slice(p), slice={[2:12], [1:20:3]}",
    "p = f32[12,10] parameter(0) ROOT r = f32[8,15] reshape(p)",
    "p = f32[5,4] parameter(0) z = f32[] constant(0) ROOT d = f32[9,6] pad(p, z), padding=1_3x1_1",
    "p = f32[40] parameter(0) ROOT v = f32[40] reverse(p), dimensions={0}",
    "p = f32[4,6,10] parameter(0) ROOT t = f32[10,4,6] transpose(p), dimensions={2,0,1}",
]


@pytest.mark.parametrize("text", TILED)
def test_boxes_of_tiles_are_what_the_maps_read(text: str) -> None:
    module = hi.parse(f"ENTRY e {{ {text} }}")
    root = module.entry.root
    sizes = [v.upper + 1 for v in root.maps(operand=0)[0].dimensions] if root.opcode != "pad" else [9, 6]  # type: ignore[operator]
    tile_sizes = [4] * len(sizes)
    (tile,) = [t for t in module.tiles(tile_sizes) if t.operand == 0]
    assert tile.exactness == "exact"
    for number in itertools.product(*(range(n) for n in tile.num_tiles)):
        wanted = set()
        elements = itertools.product(
            *(
                range(i * s, min((i + 1) * s, n))
                for i, s, n in zip(number, tile.tile_sizes, sizes, strict=True)
            )
        )
        for element in elements:
            for m in root.maps(operand=0):
                if m.contains(*element):
                    wanted.add(m(*element))
        found = set()
        for offset, size, stride in tile.boxes(*number):
            found |= set(
                itertools.product(
                    *(range(o, o + s * d, d) for o, s, d in zip(offset, size, stride, strict=True))
                )
            )
        assert found == wanted, number
        assert tile.svg(*number).startswith("<svg")
    assert "<svg" in tile._repr_html_()
    with pytest.raises(hi.DomainError):
        tile.boxes(*tile.num_tiles)


def test_other_tiles(examples: Path) -> None:
    module = hi.parse(examples / "tiles.hlo")
    symbolic = module.symbolic_tiles()
    assert any(tile.cases for tile in symbolic)
    fits = module.fit_tiles("shared:48KiB", device="a100", top=3)
    assert all(len(fit.fits) <= 3 and fit.capacity == 48 * 1024 for fit in fits)
    inside = module.tiles([8, 8], inside=True)
    assert any("inside" in tile.record for tile in inside)
    assert all(tile.operand_shape is not None for tile in inside)
    back = module.tiles([8, 8], direction="input_to_output")
    assert {tile.record["direction"] for tile in back} == {"input_to_output"}
    assert all(tile.operand_shape is not None for tile in back)


def test_selection(examples: Path) -> None:
    module = hi.parse(examples / "transposed_reshape.hlo")
    assert [i.name for i, _, _ in module.maps(fusions_only=True)] == ["f"]
    assert [i.name for i, _, _ in module.maps(computation="fused")] == ["t", "r", "s"]
    assert [i.name for i, _, _ in module.maps(instruction="%r")] == ["r"]
    assert {u.instruction for u in module.utilization(computation="fused")} == {"t", "r", "s"}
    with pytest.raises(hi.UsageError, match="no computation 'nope'"):
        module.maps(computation="nope")
    with pytest.raises(hi.UsageError, match="no instruction 'nope'"):
        module.maps(instruction="nope")
    padded = hi.parse(
        "ENTRY e { p = f32[4] parameter(0) z = f32[] constant(0) ROOT d = f32[9] pad(p, z), padding=1_1_1 }"
    )
    raw = padded["d"].maps(operand=0, simplify=False)
    assert str(raw[0]) in command_line_of(padded, "maps", "--no-simplify")
    assert str(raw) != str(padded["d"].maps(operand=0))
    assert raw[0] == padded["d"].maps(operand=0)[0]
    ((_, _, both),) = padded.maps(instruction="d", simplify=False)
    assert str(raw[0]) in str(both)


def test_summary_and_trace(examples: Path) -> None:
    module = hi.parse(examples / "transposed_reshape.hlo")
    by_opcode = {s.opcode: s for s in module.maps_summary() if s.opcode}
    assert by_opcode["transpose"].exact == 1
    unknown = hi.parse(
        'ENTRY e { p = f32[4] parameter(0) ROOT c = f32[4] custom-call(p), custom_call_target="mine" }'
    )
    (reason,) = [s for s in unknown.maps_summary() if s.reason]
    assert (reason.exactness, reason.instruction, reason.pairs) == ("unknown", "c", 1)
    assert [step.visited for step in module["f"].trace()] == ["f", "s", "r", "t", "p"]
    assert [step.depth for step in module["f"].trace(output=0)] == [0, 1, 1, 1, 1]


def test_custom_calls_hold_for_reports() -> None:
    module = hi.parse(
        'ENTRY e { p = f32[8] parameter(0) ROOT c = f32[8] custom-call(p), custom_call_target="mine" }'
    )
    assert module.stats()["maps"]["unknown"] == 1
    module.add_custom_calls('{"custom_calls": [{"target": "mine", "reads": "same_index"}]}')
    assert module.stats()["maps"] == {"exact": 1, "superset": 0, "unknown": 0}
    assert module.utilization()[0].exact
    assert module.tiles([4])[0].exactness == "exact"


def test_projection() -> None:
    m = hi.Map("(d0, d1)[s0] -> (d0 + s0, d1), domain: d0 in [0, 9], d1 in [0, 3], s0 in [0, 2]")
    assert [str(p) for p in m.project(dimensions=[], results=[0])] == [
        "()[s0, s1] -> (s0 + s1), domain: s0 in [0, 9], s1 in [0, 2]"
    ]
    assert str(m.project(dimensions=[1], results=[1])[0]) == "(d0) -> (d0), domain: d0 in [0, 3]"
    with pytest.raises(hi.DomainError):
        m.project(results=[2])


def test_counting() -> None:
    m = hi.Map(
        "(d0, d1)[s0] -> (d1 * 2 + s0), domain: d0 in [0, 4], d1 in [0, 4], s0 in [0, 2], d0 - d1 in [0, 4]"
    )
    counted = m.cardinality(parameters=[0])
    for d0 in range(5):
        reached = {d1 * 2 + s0 for d1 in range(d0 + 1) for s0 in range(3)}
        assert [c(d0)[0] for c in counted if c.contains(d0)] == [len(reached)]
    assert [c()[0] for c in m.cardinality(parameters=[], points=True)] == [15 * 3]
    with pytest.raises(hi.DomainError):
        m.cardinality(parameters=[2])


def test_random_arguments_are_those_of_run() -> None:
    text = "ENTRY e { p = (f32[2,3], s4[5]) parameter(0) q = bf16[4] parameter(1) ROOT t = ((f32[2,3], s4[5]), bf16[4]) tuple(p, q) }"
    module = hi.parse(text)
    (real, small), half = module.random_arguments(3)
    assert (real.dtype, small.dtype, half.dtype) == (np.float32, ml_dtypes.int4, ml_dtypes.bfloat16)
    printed = command_line_of(module, "run", "--seed=3", "--full")
    numbers = [
        float(word)
        for word in printed.split("f32[2,3]")[1]
        .split("output")[0]
        .translate(str.maketrans("{},", "   "))
        .split()[-6:]
    ]
    np.testing.assert_allclose(real.reshape(-1), numbers, rtol=1e-6)
    (again, _), _ = module.evaluate((real, small), half)
    np.testing.assert_array_equal(again, real)
    assert not np.array_equal(module.random_arguments(3, device=1)[1], half)
    for shape, message in [
        ("f32[?,5]", "unbounded dimension"),
        ("f32[1099511627776,1024]", "more than the limit"),
    ]:
        large = hi.parse(f"ENTRY e {{ p = {shape} parameter(0) ROOT n = {shape} negate(p) }}")
        with pytest.raises(hi.InputError, match=f"1:11: error: .*{message}"):
            large.random_arguments()


def test_comparison() -> None:
    module = hi.parse(
        "ENTRY e { p = f32[64] parameter(0) q = bf16[64] parameter(1) s = f32[64] sine(p) ROOT t = (f32[64], bf16[64]) tuple(s, q) }"
    )
    comparison = module.compare(*module.random_arguments(1), tolerance=1e-6)
    assert comparison
    assert comparison.outputs[1]["num_different"] == 0
    assert comparison.max_abs_error <= 1e-6
    program = module.gpu_program()
    assert program.num_kernels == 1
    assert "launch s: parameter 0 -> output 0" in str(program)
    chain = hi.parse("ENTRY e { p = f32[64] parameter(0) s = f32[64] sine(p) ROOT c = f32[64] cosine(s) }")
    (buffer,) = chain.gpu_program().buffers
    assert (buffer["instruction"], buffer["bytes"], buffer["computation"]) == ("s", 256, "e")


def test_emit_all(slow_kernels: hi.Module) -> None:
    kernels = slow_kernels.emit_all(arch="sm_80")
    assert [kernel.instruction for kernel in kernels] == [
        k.instruction for k in slow_kernels.plan(plan="ours")
    ]
    assert all(".target sm_80" in kernel.text for kernel in kernels)


def test_layouts_and_cute() -> None:
    layout = hi.Layout("f32[3,5]{1,0:T(2,2)}")
    assert layout.offsets()[2, 3] == layout.offset(2, 3) == 17
    assert layout.index_at_byte(68) == (2, 3)
    assert layout.index_at_byte(4 * 9) is None
    assert "tikzpicture" in layout.tikz()
    assert hi.Layout("f32[]").offsets().shape == ()
    with pytest.raises(hi.UnsupportedError):
        hi.Layout("f32[300,300]").svg()
    assert hi.Layout("f32[300,300]").svg(max_cells=180_000).count("<svg") == 1
    assert {f["usual"] for f in hi.Layout("bf16[100,200]").tpu_formats()} == {True, False}
    value = hi.cute("(4,4):(4,1)")
    assert "tikzpicture" in value.tikz()


def test_profiles(examples: Path) -> None:
    text = (examples / "ptx" / "kernels.ptx").read_text()
    x = np.arange(1024, dtype=np.float32)
    result = hi.ptx.launch(
        text, "saxpy", grid=4, block=256, args=[x, x, 2.5, 1024], profile=True, registers=32
    )
    assert result.record["sectors"] == result.record["ideal_sectors"] == 3 * 1024 * 4 // 32
    assert result.occupancy is not None
    assert result.occupancy["max_warps"] == 64
    assert result.estimated_us is not None
    assert [access["instruction"] for access in result.accesses].count("ld.global.f32") == 2
    assert hi.ptx.launch(text, "saxpy", grid=4, block=256, args=[x, x, 2.5, 1024]).occupancy is None
    kernel = {k.name: k for k in hi.ptx.kernels(text)}["saxpy"]
    assert kernel.live_registers is not None
    assert kernel.instructions["ld.global"] == 2
    assert kernel.shared_memory_bytes == 0
    with pytest.raises(hi.UsageError, match="checks are"):
        hi.ptx.launch(text, "saxpy", args=[x, x, 1.0, 1], check="race")  # type: ignore[arg-type]
