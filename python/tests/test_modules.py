"""Modules: from where they come, their instructions, what they compute."""

from __future__ import annotations

import gzip
import pickle
from pathlib import Path

import hlo_indexing as hi
import ml_dtypes
import numpy as np
import pytest

TEXT = """HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY main {
  x = f32[4,6] parameter(0)
  z = f32[] constant(0)
  t = f32[6,4] transpose(x), dimensions={1,0}, metadata={op_name="jit(f)/transpose" source_file="f.py" source_line=7}
  ROOT r = f32[6] reduce(t, z), dimensions={1}, to_apply=add
}
"""


def test_sources(tmp_path: Path) -> None:
    path = tmp_path / "m.hlo"
    path.write_text(TEXT)
    compressed = tmp_path / "m.txt.gz"
    compressed.write_bytes(gzip.compress(TEXT.encode()))
    expected = str(hi.parse(TEXT))
    for source in (path, str(path), compressed, TEXT.encode(), gzip.compress(TEXT.encode())):
        assert str(hi.parse(source)) == expected
    assert [m.name for m in hi.parse_all(tmp_path)] == ["m", "m"]
    two = hi.parse_all(TEXT + "\n// -----\n" + TEXT.replace("HloModule m", "HloModule n"))
    assert [m.name for m in two] == ["m", "n"]
    assert two[1].explain().module["module"] == "n"
    with pytest.raises(hi.InputError, match="2 modules"):
        hi.parse(TEXT + "\n// -----\n" + TEXT)
    with pytest.raises(hi.UsageError, match="no HLO"):
        hi.parse(3)
    with pytest.raises(hi.UsageError, match="until it has arguments"):
        hi.parse(lambda x: x)
    # Not the folder that one is in.
    for empty in ("", " \n"):
        with pytest.raises(hi.InputError, match="empty"):
            hi.parse(empty)


def test_errors() -> None:
    with pytest.raises(hi.InputError) as error:
        hi.parse(
            "ENTRY e {\n  p = f32[2] parameter(0)\n  ROOT t = f32[3] negate(p)\n  q = foo(p)\n}", file="a.hlo"
        )
    assert error.value.file == "a.hlo"
    assert error.value.line == 4
    with pytest.raises(hi.InputError) as error:
        hi.parse("ENTRY e {\n  p = f32[2] parameter(0)\n  ROOT t = f32[3] negate(p)\n}")
    assert error.value.line == 3
    assert "^" in str(error.value)
    with pytest.raises(hi.InputError, match="No such file"):
        hi.parse("/nowhere/to/be/found.hlo")
    with pytest.raises(hi.InputError, match="larger than the limit"):
        hi.parse(TEXT, max_bytes=10)


def test_ignored_attributes_are_warnings() -> None:
    text = "HloModule m ENTRY e { ROOT p = f32[2] parameter(0), strides={1} }"
    with pytest.warns(hi.Warning, match=r"^<text>:1:\d+: unknown attribute 'strides' is ignored") as found:
        module = hi.parse(text)
    assert found[0].filename == __file__
    with pytest.warns(hi.Warning, match="'strides' is ignored"):
        hi.parse_all(text)
    with pytest.warns(hi.Warning, match="'strides' is ignored"):
        module.utilization()


def test_instructions() -> None:
    module = hi.parse(TEXT)
    assert [c.name for c in module.computations] == ["add", "main"]
    assert module.entry.is_entry
    t = module["%t"]
    assert (t.opcode, t.shape, t.line, t.op_name) == ("transpose", "f32[6,4]", 6, "jit(f)/transpose")
    assert [str(frame) for frame in t.frames] == ["f.py:7"]
    assert [operand.name for operand in t.operands] == ["x"]
    assert [user.name for user in t.users] == ["r"]
    assert module["r"].is_root
    assert "s" in module
    assert "nope" not in module
    with pytest.raises(KeyError, match=r"^there is no instruction 'nope'$"):
        module["nope"]
    with pytest.raises(hi.UsageError, match="'tt'; did you mean 't'"):
        module.entry["%tt"]
    assert pickle.loads(pickle.dumps(module))["t"].shape == t.shape


def test_maps() -> None:
    module = hi.parse(TEXT)
    maps = module["r"].maps(operand=0)
    assert maps.exactness == "exact"
    assert str(maps[0]) == "(d0)[s0] -> (d0, s0), domain: d0 in [0, 5], s0 in [0, 3]"
    assert [m.operand for m in module["r"].maps()] == [0, 1]
    back = module["t"].maps(operand=0, direction="input_to_output")
    assert str(back[0]) == "(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 5]"
    with pytest.raises(hi.UsageError, match="1 operands"):
        module["t"].maps(operand=1)
    with pytest.raises(hi.DomainError):
        module["t"].maps(output=1)
    m = maps[0]
    del module, maps
    assert m(3, s0=2) == (3, 2)  # what a map is made of lives as long as the map


def test_unknown_maps_and_custom_calls() -> None:
    module = hi.parse(
        'ENTRY e { p = f32[4] parameter(0) ROOT c = f32[4] custom-call(p), custom_call_target="mine" }'
    )
    maps = module["c"].maps()
    assert maps.exactness == "unknown"
    assert "mine" in maps.reason
    module.add_custom_calls('{"custom_calls": [{"target": "mine", "reads": "same_index"}]}')
    assert str(module["c"].maps()[0]) == "(d0) -> (d0), domain: d0 in [0, 3]"
    with pytest.raises(hi.InputError):
        module.add_custom_calls("{")


def test_maps_to_other_devices() -> None:
    module = hi.parse(
        "HloModule m, replica_count=2\nENTRY e { p = f32[4] parameter(0) "
        "ROOT c = f32[4] collective-permute(p), source_target_pairs={{0,1},{1,0}} }"
    )
    m = module["c"].maps(operand=0)[0]
    assert m.replica_map is not None
    devices = [np.arange(4, dtype=np.float32), np.arange(4, dtype=np.float32) + 10]
    results = module.evaluate_on_devices([[device] for device in devices])
    np.testing.assert_array_equal(results[0], devices[1])
    np.testing.assert_array_equal(results[1], devices[0])


def test_evaluate() -> None:
    x = np.arange(24, dtype=np.float32).reshape(4, 6)
    np.testing.assert_array_equal(hi.parse(TEXT).evaluate(x), x.sum(axis=0))


def test_maps_say_what_evaluation_reads() -> None:
    module = hi.parse(
        "ENTRY e { p = s32[4,6] parameter(0) r = s32[8,3] reshape(p) ROOT v = s32[3,8] transpose(r), dimensions={1,0} }"
    )
    x = np.arange(24, dtype=np.int32).reshape(4, 6)
    fused = module["r"].maps(operand=0)[0] @ module["v"].maps(operand=0)[0]
    index = np.indices((3, 8))
    np.testing.assert_array_equal(module.evaluate(x), x[fused(*index)])


@pytest.mark.parametrize(
    ("element_type", "dtype"),
    [
        ("bf16", ml_dtypes.bfloat16),
        ("f8e4m3fn", ml_dtypes.float8_e4m3fn),
        ("f8e5m2", ml_dtypes.float8_e5m2),
        ("s4", ml_dtypes.int4),
        ("u4", ml_dtypes.uint4),
        ("f16", np.float16),
        ("c64", np.complex64),
        ("pred", np.bool_),
        ("u64", np.uint64),
    ],
)
def test_element_types(element_type: str, dtype: type) -> None:
    module = hi.parse(
        f"ENTRY e {{ p = {element_type}[2,4] parameter(0) ROOT t = {element_type}[4,2] transpose(p), dimensions={{1,0}} }}"
    )
    low = -4 if element_type == "s4" else 0
    x: np.ndarray = (np.arange(8) + low).reshape(2, 4).astype(dtype)
    result = module.evaluate(x)
    assert result.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(result.astype(np.complex128), x.T.astype(np.complex128))


def test_tuples() -> None:
    module = hi.parse(
        "ENTRY e { p = (f32[2], (s32[], f32[3])) parameter(0) a = f32[2] get-tuple-element(p), index=0 "
        "b = (s32[], f32[3]) get-tuple-element(p), index=1 ROOT r = ((s32[], f32[3]), f32[2]) tuple(b, a) }"
    )
    a, n, b = np.ones(2, np.float32), np.int32(7), np.zeros(3, np.float32)
    for arguments in (((a, (n, b)),), (a, n, b)):
        (count, zeros), ones = module.evaluate(*arguments)
        assert count == 7
        np.testing.assert_array_equal(zeros, b)
        np.testing.assert_array_equal(ones, a)


def test_dynamic_sizes() -> None:
    module = hi.parse(
        "ENTRY e { p = f32[5] parameter(0) n = s32[] parameter(1) ROOT s = f32[<=5] set-dimension-size(p, n), dimensions={0} }"
    )
    np.testing.assert_array_equal(module.evaluate(np.arange(5, dtype=np.float32), 3), [0, 1, 2])


def test_arguments_that_do_not_fit() -> None:
    module = hi.parse(TEXT)
    with pytest.raises(hi.UsageError, match="takes 1 arrays, not 0"):
        module.evaluate()
    with pytest.raises(hi.UsageError, match=r"argument 0 \(%x\).*float32, not float64"):
        module.evaluate(np.zeros((4, 6)))
    with pytest.raises(hi.UsageError, match=r"shape \(4, 6\), not \(4, 5\)"):
        module.evaluate(np.zeros((4, 5), np.float32))
    with pytest.raises(hi.UsageError, match="backend"):
        module.evaluate(np.zeros((4, 6), np.float32), backend="abacus")  # type: ignore[arg-type]
    with pytest.raises(hi.LimitError, match="steps"):
        module.evaluate(np.zeros((4, 6), np.float32), max_steps=3)


def test_dlpack() -> None:
    class OnlyDlpack:
        def __init__(self, array: np.ndarray) -> None:
            self._array = array

        def __dlpack__(self, **kwargs: object) -> object:
            return self._array.__dlpack__()

        def __dlpack_device__(self) -> tuple[int, int]:
            return self._array.__dlpack_device__()

    x = np.arange(24, dtype=np.float32).reshape(4, 6)
    result = hi.parse(TEXT).evaluate(OnlyDlpack(x))
    np.testing.assert_array_equal(np.from_dlpack(result), x.sum(axis=0))


def test_dlpack_of_types_that_numpy_keeps() -> None:
    torch = pytest.importorskip("torch")
    for element_type, kept, taken in (
        ("bf16", ml_dtypes.bfloat16, torch.bfloat16),
        ("f8e4m3fn", ml_dtypes.float8_e4m3fn, torch.float8_e4m3fn),
        ("f8e5m2", ml_dtypes.float8_e5m2, torch.float8_e5m2),
        ("f32", np.float32, torch.float32),
    ):
        shape = f"{element_type}[2,3]"
        module = hi.parse(f"ENTRY e {{ p = {shape} parameter(0) ROOT n = {shape} negate(p) }}")
        x = np.arange(6).reshape(2, 3).astype(kept)
        result = module.evaluate(x)
        tensor = torch.from_dlpack(hi.to_dlpack(result))
        assert tensor.dtype == taken
        assert tensor.float().tolist() == (-x).astype(np.float32).tolist()
        # The same memory, in any order, and the array lives as long as the tensor.
        turned = torch.from_dlpack(hi.to_dlpack(result.T))
        result[1, 2] = 3
        assert float(tensor[1, 2]) == float(turned[2, 1]) == 3
        del result
        assert turned.float().tolist()[2][1] == 3
        np.testing.assert_array_equal(module.evaluate(tensor)[1, 2].astype(np.float32), -3)
    constant = np.ones(2, ml_dtypes.bfloat16)
    constant.flags.writeable = False
    assert torch.from_dlpack(hi.to_dlpack(constant)).tolist() == [1, 1]
    with pytest.raises(
        hi.UsageError, match=r"arrays of int4 cannot be given by DLPack; .* \.astype\('int8'\)"
    ):
        hi.to_dlpack(np.zeros(2, ml_dtypes.int4))
    with pytest.raises(hi.UsageError, match=r"\.astype\('float32'\)"):
        hi.to_dlpack(np.zeros(2, ml_dtypes.float4_e2m1fn))


def test_small_integers_of_others() -> None:
    """JAX has int4, and takes arrays of it, but gives none by DLPack."""
    jax = pytest.importorskip("jax")
    torch = pytest.importorskip("torch")
    module = hi.parse("ENTRY e { p = s4[5] parameter(0) ROOT n = s4[5] negate(p) }")
    x = jax.numpy.arange(-2, 3, dtype=jax.numpy.int4)
    result = module.evaluate(x)
    assert result.dtype == ml_dtypes.int4
    np.testing.assert_array_equal(np.asarray(jax.numpy.asarray(result)), np.asarray(-x))
    assert jax.numpy.asarray(result).dtype == jax.numpy.int4
    as_bytes = torch.from_dlpack(hi.to_dlpack(result.astype("int8")))
    assert as_bytes.tolist() == [2, 1, 0, -1, -2]
    with pytest.raises(Exception, match="DLPack"):
        x.__dlpack__()


def test_virtual_gpu() -> None:
    module = hi.parse(TEXT)
    x = np.arange(24, dtype=np.float32).reshape(4, 6)
    np.testing.assert_array_equal(module.evaluate(x, backend="virtual-gpu", check="all"), x.sum(axis=0))
    unsupported = hi.parse(
        'ENTRY e { p = f32[4] parameter(0) ROOT c = f32[4] custom-call(p), custom_call_target="mine" }'
    )
    with pytest.raises(hi.UnsupportedError) as error:
        unsupported.evaluate(x[0, :4], backend="virtual-gpu")
    assert error.value.line == 1


def test_cuda() -> None:
    module = hi.parse(TEXT)
    x = np.arange(24, dtype=np.float32).reshape(4, 6)
    try:
        result = module.evaluate(x, backend="cuda")
    except hi.Error as error:
        assert "cuda" in str(error).lower()  # no GPU here
    else:
        np.testing.assert_allclose(result, x.sum(axis=0))


def test_emit() -> None:
    module = hi.parse(TEXT)
    for stage, word in (
        ("ptx", ".entry"),
        ("llvm", "define"),
        ("mlir", "llvm.func"),
        ("plan", "emitter  loop"),
    ):
        assert word in module.emit("t", stage).text  # type: ignore[arg-type]
    assert module["t"].emit(arch="sm_80").record["arch"] == "sm_80"
    with pytest.raises(hi.UsageError):
        module.emit("nope")
