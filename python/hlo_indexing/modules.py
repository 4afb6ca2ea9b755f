"""Whole programs of HLO."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

from . import _core
from ._commands import Answer, options, run
from ._errors import InputError, UsageError, Warning, unknown_name
from ._evaluation import argument_bytes, arguments_of, input_options, result_of
from ._metadata import StackTables
from ._progress import Progress, reporting
from ._queries import Device, ModuleQueries
from .instructions import Computation, Direction, Instruction, ModuleMaps, is_from_input
from .program_reports import Comparison, GpuProgram
from .reports import decode

Check = Literal["memcheck", "initcheck", "racecheck", "synccheck"]
Backend = Literal["interpreter", "virtual-gpu", "cuda"]

_CHECKS = ("memcheck", "initcheck", "racecheck", "synccheck")
_CUSTOM_CALLS = "<custom_calls>"


class Module(ModuleQueries):
    """A whole program of HLO.

    >>> import hlo_indexing as hi
    >>> module = hi.parse("ENTRY e { p = f32[6] parameter(0) ROOT r = f32[2,3] reshape(p) }")
    >>> module["r"].opcode
    'reshape'
    """

    def __init__(self, module: _core.Module) -> None:
        self._module = module
        self._custom_calls: list[Any] = []

    def __str__(self) -> str:
        return str(self._module)

    def __repr__(self) -> str:
        return f"<Module {self.name or self.file}: {self._module.num_instructions} instructions>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._module.text, self.file, self._custom_calls)

    @property
    def name(self) -> str:
        return self._module.name

    @property
    def file(self) -> str:
        """The name of its text in errors."""
        return self._module.file

    @property
    def text(self) -> str:
        """The text that it was read from; that of this module alone if the file has several."""
        return self._module.text.decode("utf-8", errors="replace")

    def to_text(self, *, metadata: bool = True, operand_shapes: bool = False) -> str:
        """The module in canonical text, as `print` writes it; `str(module)` with the defaults.

        >>> import hlo_indexing as hi
        >>> text = "ENTRY e { p = f32[2] parameter(0) ROOT n = f32[2] negate(p) }"
        >>> print(hi.parse(text).to_text(operand_shapes=True).split("ROOT ")[1].split("\\n")[0])
        %n = f32[2] negate(f32[2] %p)
        """
        settings = {"no_metadata": not metadata, "operand_shapes": operand_shapes}
        return self._run("print", settings, format=None).text

    @cached_property
    def computations(self) -> tuple[Computation, ...]:
        return tuple(Computation(c, self) for c in self._module.computations)

    @cached_property
    def entry(self) -> Computation:
        return Computation(self._module.entry, self)

    @cached_property
    def _computations_by_name(self) -> dict[str, Computation]:
        return {computation.name: computation for computation in self.computations}

    @cached_property
    def _stack_tables(self) -> StackTables:
        return StackTables(self._module.stack_tables)

    def __getitem__(self, name: str) -> Instruction:
        """The instruction of that name: of the entry computation if it has one."""
        for computation in (self.entry, *self.computations):
            found = computation.get(name)
            if found is not None:
                return found
        names = (instruction.name for computation in self.computations for instruction in computation)
        raise unknown_name(name.removeprefix("%"), names)

    def __contains__(self, name: object) -> bool:
        return any(computation.get(str(name)) is not None for computation in self.computations)

    def maps(
        self,
        *,
        instruction: str | None = None,
        computation: str | None = None,
        fusions_only: bool = False,
        direction: Direction = "output_to_input",
        simplify: bool = True,
        progress: Progress | bool | None = None,
    ) -> ModuleMaps:
        """The maps of all instructions, or of those that are selected, found in one go.

        >>> import hlo_indexing as hi
        >>> module = hi.parse("ENTRY e { p = f32[6] parameter(0) ROOT r = f32[2,3] reshape(p) }")
        >>> for instruction, output, maps in module.maps():
        ...     print(instruction.name, output, maps)
        r 0 (d0, d1) -> (d0 * 3 + d1), domain: d0 in [0, 1], d1 in [0, 2]
        """
        wanted = None
        if instruction is not None or computation is not None or fusions_only:
            wanted = [i._instruction for i in self._selected(instruction, computation, fusions_only)]
        with reporting(progress) as report:
            found = self._module.all_maps(is_from_input(direction), simplify, wanted, report)
        return ModuleMaps(found, self)

    def _selected(
        self, instruction: str | None, computation: str | None, fusions_only: bool
    ) -> list[Instruction]:
        computations = self.computations
        if computation is not None:
            name = computation.removeprefix("%")
            if name not in self._computations_by_name:
                raise UsageError(f"there is no computation {name!r}")
            computations = (self._computations_by_name[name],)
        named = None if instruction is None else instruction.removeprefix("%")
        selected = [i for c in computations for i in c if named in (None, i.name)]
        if named is not None and not selected:
            raise UsageError(f"there is no instruction {named!r}")
        return [i for i in selected if i.opcode == "fusion"] if fusions_only else selected

    def add_custom_calls(self, rules: str) -> None:
        """What custom calls read, as the JSON text of `--custom-calls`."""
        self._module.add_custom_calls(rules)
        self._custom_calls += json.loads(rules)["custom_calls"]

    def _run(
        self,
        subcommand: str,
        settings: Mapping[str, object],
        *,
        progress: Progress | bool | None = None,
        partial: bool = False,
        format: str | None = "json",
        inputs: Mapping[int | str, Any] | None = None,
        texts: Mapping[str, bytes] | None = None,
        has_custom_calls: bool = False,
    ) -> Answer:
        """A subcommand on this module; `texts` are contents of further files."""
        arguments = [subcommand, *options({"format": format, **settings})]
        files = {**(texts or {}), self.file: self._module.text}
        if inputs:
            of_inputs, arrays = input_options(self._module.entry, inputs)
            arguments += of_inputs
            files |= arrays
        if has_custom_calls and self._custom_calls:
            arguments.append(f"--custom-calls={_CUSTOM_CALLS}")
            files[_CUSTOM_CALLS] = json.dumps({"custom_calls": self._custom_calls}).encode()
        return run([*arguments, self.file], files, progress, partial=partial)

    def random_arguments(
        self, seed: int = 0, *, device: int = 0, max_bytes: int = 1 << 32
    ) -> tuple[Any, ...]:
        """Arguments that `run --seed` makes: the same for the same seed, device and shapes.

        An unbounded dimension, or arrays of more than `max_bytes` in all, are an error with its
        place.

        >>> import hlo_indexing as hi
        >>> module = hi.parse("ENTRY e { p = s32[4] parameter(0) ROOT n = s32[4] negate(p) }")
        >>> (module.random_arguments(1)[0] == module.random_arguments(1)[0]).all()
        np.True_
        """
        arrays = _core.seeded_arguments(self._module, seed, device, max_bytes)
        return arguments_of(self._module.entry, arrays)

    def evaluate(
        self,
        *arguments: Any,
        backend: Backend = "interpreter",
        device: Device = "h100",
        check: Sequence[Check] | Literal["all"] | None = None,
        max_steps: int = 20_000_000_000,
        max_bytes: int = 1 << 32,
        progress: Progress | bool | None = None,
    ) -> Any:
        """The result of the module on arrays of NumPy or of whoever speaks DLPack.

        Parameters that are tuples are given as tuples, or their arrays one after the other.

        The backends virtual-gpu and cuda compile the module to kernels that are planned for
        `device`. On the virtual GPU, each fault that `check` finds is a warning. `max_bytes` is a
        limit of the interpreter.

        >>> import hlo_indexing as hi, numpy as np
        >>> module = hi.parse("ENTRY e { p = f32[3] parameter(0) ROOT s = f32[3] add(p, p) }")
        >>> module.evaluate(np.array([1, 2, 3], dtype=np.float32))
        array([2., 4., 6.], dtype=float32)
        """
        if backend not in ("interpreter", "virtual-gpu", "cuda"):
            raise UsageError(f"there is no backend {backend!r}")
        if check is not None and backend != "virtual-gpu":
            raise UsageError("only the virtual GPU checks")
        if backend == "interpreter":
            return self.evaluate_on_devices(
                [arguments],
                num_replicas=1,
                num_partitions=1,
                max_steps=max_steps,
                max_bytes=max_bytes,
                progress=progress,
            )[0]
        names = checks_of(check)
        checks = None if names is None else [name in names for name in _CHECKS[1:]]
        entry = self._module.entry
        with reporting(progress) as report:
            result, findings = _core.evaluate_on_gpu(
                self._module,
                argument_bytes(entry, arguments),
                backend == "virtual-gpu",
                str(device),
                checks,
                max_steps,
                report,
            )
        for finding in findings:
            warnings.warn(finding, Warning, stacklevel=2)
        return result_of(entry, result)

    def evaluate_on_devices(
        self,
        arguments: Sequence[Sequence[Any]],
        *,
        num_replicas: int | None = None,
        num_partitions: int | None = None,
        max_steps: int = 20_000_000_000,
        max_bytes: int = 1 << 32,
        progress: Progress | bool | None = None,
    ) -> list[Any]:
        """The result of each of several devices, which the interpreter runs in lockstep, on the
        arguments of each.

        Replicas and partitions are those of the module's header unless they are given.
        """
        replicas = num_replicas or self._module.header_count("replica_count")
        partitions = num_partitions or self._module.header_count("num_partitions")
        if len(arguments) != replicas * partitions:
            raise UsageError(
                f"there are {replicas} replicas of {partitions} partitions, and the arguments of "
                f"{len(arguments)} devices"
            )
        entry = self._module.entry
        arrays = [argument_bytes(entry, of_device) for of_device in arguments]
        with reporting(progress) as report:
            results = _core.evaluate_on_devices(
                entry, arrays, replicas, partitions, max_steps, max_bytes, report
            )
        return [result_of(entry, result) for result in results]

    def compare(
        self,
        *arguments: Any,
        backend: Literal["virtual-gpu", "cuda"] = "virtual-gpu",
        device: Device = "h100",
        tolerance: float = 0,
        max_steps: int = 20_000_000_000,
        max_bytes: int = 1 << 32,
        progress: Progress | bool | None = None,
    ) -> Comparison:
        """How far the results of a GPU's back end are from those of the interpreter; true if no
        error is above `tolerance` times the largest magnitude of the array.

        >>> import hlo_indexing as hi
        >>> module = hi.parse("ENTRY e { p = f32[64] parameter(0) ROOT s = f32[64] sine(p) }")
        >>> bool(module.compare(*module.random_arguments(), tolerance=1e-6))
        True
        """
        values = argument_bytes(self._module.entry, arguments)
        arrays = arguments_of(self._module.entry, values)
        settings = {
            "backend": backend,
            "device": device,
            "compare": True,
            "tolerance": repr(float(tolerance)),
            "max_steps": max_steps,
            "max_bytes": max_bytes,
        }
        names = [parameter.name for parameter in self._module.entry.parameters]
        inputs: dict[int | str, Any] = dict(zip(names, arrays, strict=True))
        answer = self._run("run", settings, inputs=inputs, progress=progress)
        (record,) = answer.records()
        errors = {name: float(record[name]) for name in ("max_abs_error", "max_rel_error")}
        return decode(Comparison, record, is_close=answer.status == 0, **errors)

    def gpu_program(self, *, device: Device = "h100", progress: Progress | bool | None = None) -> GpuProgram:
        """What a GPU's back end makes of the module: launches, control flow, buffers.

        >>> import hlo_indexing as hi
        >>> module = hi.parse("ENTRY e { p = f32[64] parameter(0) ROOT s = f32[64] sine(p) }")
        >>> module.gpu_program().num_kernels
        1
        """
        with reporting(progress) as report:
            text, record = _core.gpu_program(self._module, str(device), report)
        return GpuProgram(text=text, record=json.loads(record))

    def _repr_html_(self) -> str:
        from ._notebook import table

        rows = [
            {"computation": c.name, "instruction": i.name, "opcode": i.opcode, "shape": i.shape}
            for c in self.computations
            for i in c
        ]
        return table(rows, title=self.name)


def checks_of(check: Sequence[Check] | Literal["all"] | None) -> Sequence[str] | None:
    """The names of the checks; an error if one is none."""
    if check is None:
        return None
    names: Sequence[str] = _CHECKS if check == "all" else check
    if isinstance(names, str) or not set(names) <= set(_CHECKS):
        raise UsageError(f'checks are "all", or a list of {", ".join(_CHECKS)}; not {check!r}')
    return names


def _restored(text: bytes, file: str, custom_calls: list[Any]) -> Module:
    modules, _ = _core.load(file, text, 1 << 62, 20, None)
    if len(modules) != 1:
        raise InputError(f"there are {len(modules)} modules in the text of one")
    module = Module(modules[0])
    if custom_calls:
        module.add_custom_calls(json.dumps({"custom_calls": custom_calls}))
    return module
