"""The package in ten lines, as its users write them."""

from __future__ import annotations

import hlo_indexing as hi
import numpy as np
import pytest

MODULE = """HloModule overview
fused_computation {
  a = f32[100,8] parameter(0)
  b = f32[8,100] parameter(1)
  t = f32[100,8] transpose(b), dimensions={1,0}
  ROOT s = f32[100,8] add(a, t)
}
ENTRY main {
  x = f32[100,8] parameter(0)
  y = f32[8,100] parameter(1)
  ROOT fusion.3 = f32[100,8] fusion(x, y), kind=kLoop, calls=fused_computation
}
"""

SAXPY = """.version 8.0
.target sm_80
.address_size 64
.visible .entry saxpy(.param .u64 x, .param .u64 y, .param .f32 a) {
  .reg .b32 %r<4>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  ld.param.f32 %f1, [a];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.s32 %r1, %r2, %r3, %r1;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.f32 %f2, [%rd4];
  ld.global.f32 %f3, [%rd5];
  fma.rn.f32 %f3, %f1, %f2, %f3;
  st.global.f32 [%rd5], %f3;
  ret;
}
"""


def test_from_jax_to_kernels(capsys: pytest.CaptureFixture[str]) -> None:
    jax = pytest.importorskip("jax")

    def f(x):  # type: ignore[no-untyped-def]
        return jax.numpy.sin(x).sum(axis=0)

    x = np.ones((100, 8), np.float32)
    module = hi.parse(jax.jit(f).lower(x).compile().as_text())
    for kernel in module.explain(device="h100"):
        print(kernel)
    shown = capsys.readouterr().out
    assert "bound by" in shown
    assert shown.startswith("%")


def test_overview(capsys: pytest.CaptureFixture[str]) -> None:
    x = np.arange(800, dtype=np.float32).reshape(100, 8)
    y = np.ones((8, 100), np.float32)
    module = hi.parse(MODULE)
    m = module["fusion.3"].maps(operand=1)[0]
    assert m(3, 5) == (5, 3)
    rows, columns = m(np.arange(100), 7)
    assert (rows == 7).all()
    np.testing.assert_array_equal(columns, np.arange(100))
    n = ~m
    assert str(m @ n) == "(d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 99]"
    assert m == hi.Map("(a, b) -> (b, a), domain: a in [0, 99], b in [0, 7]")
    assert (m == n).point
    for backend in ("interpreter", "virtual-gpu"):
        np.testing.assert_array_equal(module.evaluate(x, y, backend=backend), x + y.T)
    assert str(hi.cute("composition((8,8):(8,1), 4:2)")) == "(4,1):(16,1)"
    assert hi.Layout("bf16[100,200]{1,0:T(8,128)(2,1)}").offset(3, 7) == 271
    simple = hi.simplify("(d0) -> (d0 floordiv 4 * 4 + d0 mod 4), domain: d0 in [0, 99]")
    assert str(simple) == "(d0) -> (d0), domain: d0 in [0, 99]"
    ptx = module.emit("fusion.3", stage="ptx")
    out = hi.ptx.launch(ptx, args=[x, y, np.zeros_like(x)], check="all").arrays[2]
    np.testing.assert_array_equal(out, x + y.T)
    u, v = np.arange(512, dtype=np.float32), np.ones(512, np.float32)
    result = hi.ptx.launch(SAXPY, "saxpy", grid=2, block=256, args=[u, v, 2.5])
    np.testing.assert_array_equal(result.arrays[1], 2.5 * u + v)
    pandas = pytest.importorskip("pandas")
    assert isinstance(module.explain().to_pandas(), pandas.DataFrame)
    pytest.importorskip("pyarrow")
    assert module.explain().to_arrow().num_rows == 1
    assert module.explain().to_json().startswith('{"kind":')
