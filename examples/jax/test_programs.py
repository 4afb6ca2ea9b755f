"""What JAX computes against what the modules of XLA evaluate to, as XLA gets them and as it has
optimised them, by the interpreter and on the virtual GPU."""

from __future__ import annotations

import functools
import warnings
from pathlib import Path
from typing import Any

import hlo_indexing as hi
import jax
import numpy as np
import pytest
from corpus import FOLDER, text_for_corpus
from programs import PROGRAMS, Program


@functools.cache
def made(name: str) -> tuple[Program, Any, list[np.ndarray]]:
    program = PROGRAMS[name]()
    lowered = jax.jit(program.function).lower(*program.arguments)
    compiled = lowered.compile()
    expected = [np.asarray(leaf) for leaf in jax.tree.leaves(compiled(*program.arguments))]
    return program, {"lowered": lowered, "compiled": compiled}, expected


@functools.cache
def module_of(name: str, stage: str) -> hi.Module:
    return hi.parse(made(name)[1][stage])


@pytest.mark.parametrize("backend", ["interpreter", "virtual-gpu"])
@pytest.mark.parametrize("stage", ["lowered", "compiled"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_results(name: str, stage: str, backend: str) -> None:
    program, _, expected = made(name)
    arguments = jax.tree.leaves(program.arguments)
    module = module_of(name, stage)
    actual = jax.tree.leaves(module.evaluate(*arguments, backend=backend))  # type: ignore[arg-type]
    assert len(actual) == len(expected)
    for ours, theirs in zip(actual, expected, strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=program.relative, atol=program.absolute)


@pytest.mark.parametrize("stage", ["lowered", "compiled"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_maps_and_explanation(name: str, stage: str) -> None:
    module = module_of(name, stage)
    for computation in module.computations:
        for instruction in computation:
            for output in range(instruction.num_outputs):
                maps = instruction.maps(output=output)
                assert maps.exactness != "unknown", (instruction, maps.reason)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report = module.explain()
    assert len(report) > 0
    assert report.moved_bytes >= report.needed_bytes > 0


def test_explanations_have_the_lines_of_the_program() -> None:
    program, _, _ = made("mlp_training_step")
    report = hi.jax.explain(program.function, *program.arguments)
    files = {Path(kernel.source.rpartition(":")[0]).name for kernel in report if kernel.source}
    assert "programs.py" in files
    source = Path(__file__).with_name("programs.py").read_text().splitlines()
    lines = {
        source[int(kernel.source.rpartition(":")[2]) - 1].strip()
        for kernel in report
        if kernel.source and "programs.py" in kernel.source
    }
    assert any("gelu" in line or "log_softmax" in line or "0.1 * b" in line for line in lines)


def test_traced_functions_are_modules() -> None:
    program, stages, _ = made("spectral_filter")
    traced = jax.jit(program.function).trace(*program.arguments)
    assert str(hi.parse(traced)) == str(hi.parse(stages["lowered"]))
    opcodes = {i.opcode for c in hi.parse(traced).computations for i in c}
    assert "fft" in opcodes


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_corpus_is_what_jax_writes(name: str) -> None:
    """Written again by `python examples/jax/corpus.py`; another JAX writes other modules."""
    path = FOLDER / f"{name}.hlo"
    version = (FOLDER / "JAX_VERSION").read_text().strip()
    assert str(hi.parse(path))
    if version == jax.__version__:
        ours = hi.parse(text_for_corpus(made(name)[1]["compiled"]))
        assert ours._module.num_instructions == hi.parse(path)._module.num_instructions


def test_other_objects_of_jax() -> None:
    _, stages, _ = made("spectral_filter")
    optimised = stages["compiled"].runtime_executable().hlo_modules()[0]
    assert hi.parse(optimised).name == hi.parse(stages["compiled"]).name
    given = hi.parse(stages["lowered"].compiler_ir("hlo"))
    assert given._module.num_instructions == hi.parse(stages["lowered"])._module.num_instructions


def test_arrays_of_jax_and_torch() -> None:
    module = hi.parse("ENTRY e { p = bf16[4] parameter(0) ROOT n = bf16[4] negate(p) }")
    assert module.evaluate(jax.numpy.ones(4, jax.numpy.bfloat16)).tolist() == [-1] * 4
    torch = pytest.importorskip("torch")
    assert module.evaluate(torch.ones(4, dtype=torch.bfloat16)).tolist() == [-1] * 4
