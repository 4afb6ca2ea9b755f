"""Kernels on the virtual GPU."""

from __future__ import annotations

from pathlib import Path

import hlo_indexing as hi
import numpy as np
import pytest


@pytest.fixture(scope="module")
def text(examples: Path) -> str:
    return (examples / "ptx" / "kernels.ptx").read_text()


def test_kernels(text: str) -> None:
    kernels = {kernel.name: kernel for kernel in hi.ptx.kernels(text)}
    assert [parameter.type for parameter in kernels["saxpy"].parameters] == ["u64", "u64", "f32", "u32"]


def test_saxpy(text: str) -> None:
    x = np.arange(1000, dtype=np.float32)
    y = np.ones(1000, dtype=np.float32)
    result = hi.ptx.launch(text, "saxpy", grid=4, block=256, args=[x, y, 2.5, 1000], check="all")
    assert result.is_clean
    expected = {tuple(x + 2.5 * y), tuple(2.5 * x + y)}
    assert {tuple(array) for array in result.arrays} & expected
    assert y[0] == 1  # the arrays that were given stay


def test_grids_that_are_none(text: str) -> None:
    x = np.zeros(8, np.float32)
    kernel = hi.parse("ENTRY e { p = f32[8] parameter(0) ROOT n = f32[8] negate(p) }").emit("n")
    for sizes in ({"grid": 0}, {"block": 0}, {"grid": (1, 0)}):
        with pytest.raises(hi.UsageError, match="positive"):
            hi.ptx.launch(kernel, args=[x, x], **sizes)


def test_findings(text: str) -> None:
    zeros = np.zeros(512, np.float32)
    result = hi.ptx.launch(text, "reverse_racing", grid=2, block=256, args=[zeros, zeros], check="all")
    assert not result.is_clean
    finding = next(f for f in result.findings if f.check == "racecheck")
    assert finding.line > 0
    assert finding.check in str(finding)
    assert "racecheck" in result._repr_html_()
    short = hi.ptx.launch(text, "saxpy", grid=4, block=256, args=[zeros, zeros, 1.0, 1000])
    assert {f.check for f in short.findings} == {"memcheck"}


def test_wrong_arguments(text: str) -> None:
    with pytest.raises(hi.UsageError, match="no kernel 'nope'"):
        hi.ptx.launch(text, "nope")
    with pytest.raises(hi.UsageError, match="4 parameters, not 1"):
        hi.ptx.launch(text, "saxpy", args=[1])
    zeros = np.zeros(8, np.float32)
    with pytest.raises(hi.UsageError, match="is no u32"):
        hi.ptx.launch(text, "saxpy", args=[zeros, zeros, 1.0, -1])
    with pytest.raises(hi.UsageError, match="not an address"):
        hi.ptx.launch(text, "saxpy", args=[zeros, zeros, zeros, 1])
    with pytest.raises(hi.UsageError, match="grid"):
        hi.ptx.launch(text, "saxpy", grid=0 - 1, args=[zeros, zeros, 1.0, 1])
    with pytest.raises(hi.InputError) as error:
        hi.ptx.launch("this is no ptx", "saxpy")
    assert error.value.line == 1


def test_emitted_kernel() -> None:
    module = hi.parse(
        "fused { p = bf16[32,48] parameter(0) ROOT t = bf16[48,32] transpose(p), dimensions={1,0} }\n"
        "ENTRY e { p = bf16[32,48] parameter(0) ROOT f = bf16[48,32] fusion(p), kind=kLoop, calls=fused }"
    )
    import ml_dtypes

    x = np.arange(32 * 48).reshape(32, 48).astype(ml_dtypes.bfloat16)
    result = hi.ptx.launch(module.emit("f"), args=[x, np.zeros((48, 32), ml_dtypes.bfloat16)], check="all")
    assert result.is_clean
    np.testing.assert_array_equal(result.arrays[1], x.T)


def test_scratch_memory_is_given() -> None:
    module = hi.parse(
        "sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
        "ENTRY e { p = f32[262144] parameter(0) z = f32[] constant(0)\n"
        "  ROOT r = f32[] reduce(p, z), dimensions={0}, to_apply=sum }"
    )
    kernel = module.emit("r")
    assert [one.get("zeros", False) for one in kernel.arguments[3:]] == [False, True]
    x = np.ones(262144, np.float32)
    result = hi.ptx.launch(kernel, args=[x, np.zeros(1, np.float32), np.zeros(1, np.float32)], check="all")
    assert result.is_clean
    assert result.arrays[2][0] == 262144
    # Counters are zeros again.
    assert not result.arrays[4].any()
