"""Modules, computations and instructions."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from . import _core
from ._commands import Answer, JsonObject, options, run
from ._errors import InputError, UsageError, Warning
from ._metadata import Frame, StackTables, fields_of, frames_of
from ._progress import Progress, reporting
from .maps import Exactness, Map, Maps
from .reports import Access, Explanation, Kernel, KernelTexts, Launch, Report, Tile, Utilization, decode

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Check = Literal["memcheck", "initcheck", "racecheck", "synccheck"]
Backend = Literal["interpreter", "virtual-gpu", "cuda"]
Direction = Literal["output_to_input", "input_to_output"]
Stage = Literal["plan", "mlir", "llvm", "ptx"]
Sort = Literal["wasted", "time", "moved", "efficiency", "module"]

_CHECKS = ("memcheck", "initcheck", "racecheck", "synccheck")
_WORST_FIRST: tuple[Exactness, ...] = ("unknown", "superset", "exact")


@dataclass(frozen=True)
class EmittedKernel:
    """A kernel as text, and how it is launched."""

    name: str
    text: str
    blocks: tuple[int, int, int]
    threads: tuple[int, int, int]
    arguments: tuple[JsonObject, ...]
    """What the pointers that it is launched with are: operands, then outputs, with their shapes."""
    record: JsonObject

    def __str__(self) -> str:
        return self.text


class Instruction:
    """An operation of a computation."""

    __slots__ = ("_instruction", "module")

    def __init__(self, instruction: _core.Instruction, module: Module) -> None:
        self._instruction = instruction
        self.module = module

    def __str__(self) -> str:
        return str(self._instruction)

    def __repr__(self) -> str:
        return f"<Instruction %{self.name}: {self.opcode}, {self.shape}>"

    @property
    def name(self) -> str:
        return self._instruction.name

    @property
    def opcode(self) -> str:
        return self._instruction.opcode

    @property
    def shape(self) -> str:
        """As HLO writes it, with layouts."""
        return self._instruction.shape

    @property
    def num_outputs(self) -> int:
        """The arrays of its output, which may be a tuple."""
        return len(self._instruction.arrays)

    @property
    def operands(self) -> tuple[Instruction, ...]:
        return tuple(Instruction(i, self.module) for i in self._instruction.operands)

    @property
    def users(self) -> tuple[Instruction, ...]:
        return tuple(Instruction(i, self.module) for i in self._instruction.users)

    @property
    def computation(self) -> Computation:
        return Computation(self._instruction.computation, self.module)

    @property
    def is_root(self) -> bool:
        return self._instruction.is_root

    @property
    def line(self) -> int:
        """Where it stands in the module's text, counted from 1."""
        return self._instruction.place[0]

    @property
    def column(self) -> int:
        return self._instruction.place[1]

    @property
    def op_name(self) -> str:
        """The operation of the program that it comes from; empty if the module does not say it."""
        return fields_of(self._instruction.metadata).get("op_name", "")

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The lines of the program that it comes from, the innermost first."""
        return tuple(frames_of(self._instruction.metadata, self.module._stack_tables))

    def maps(
        self,
        operand: int | None = None,
        *,
        array: int = 0,
        output: int = 0,
        direction: Direction = "output_to_input",
    ) -> Maps:
        """What an element of an array of the output reads of an operand, or of all operands.

        With the direction input_to_output, where an element of the operand goes.

        >>> import hlo_indexing as hi
        >>> text = "p = f32[2,3] parameter(0) ROOT t = f32[3,2] transpose(p), dimensions={1,0}"
        >>> module = hi.parse("ENTRY e {" + text + "}")
        >>> print(module["t"].maps(operand=0)[0])
        (d0, d1) -> (d1, d0), domain: d0 in [0, 2], d1 in [0, 1]
        """
        if operand is not None:
            operands = self._instruction.operands
            if not 0 <= operand < len(operands):
                raise UsageError(f"%{self.name} has {len(operands)} operands, not {operand + 1}")
            if not 0 <= array < len(operands[operand].arrays):
                raise UsageError(f"operand {operand} of %{self.name} has no array {array}")
        if direction not in ("output_to_input", "input_to_output"):
            raise UsageError(f"a direction is output_to_input or input_to_output, not {direction!r}")
        indexing = self._instruction.indexing(output, direction == "input_to_output")
        wanted = None if operand is None else (operand, array)
        return _maps_of(self, output, indexing, wanted)

    def emit(self, stage: Stage = "ptx", **settings: Any) -> EmittedKernel:
        """The kernel of this instruction; see Module.emit."""
        return self.module.emit(self.name, stage, **settings)

    def _repr_html_(self) -> str:
        return self.maps()._repr_html_()


def _maps_of(
    instruction: Instruction,
    output: int,
    indexing: str | list[tuple[int, int, str, str, list[tuple[_core.Map, _core.Map | None]]]],
    wanted: tuple[int, int] | None = None,
) -> Maps:
    """What the core says of an output, or of one operand array of it."""
    title = f"%{instruction.name} = {instruction.shape} {instruction.opcode}"
    if isinstance(indexing, str):
        return Maps((), "unknown", indexing, title)
    exactness: Exactness = "exact"
    reasons: dict[str, None] = {}
    maps = []
    for number, leaf, of_operand, reason, pairs in indexing:
        if wanted is not None and (number, leaf) != wanted:
            continue
        exactness = _worse(exactness, of_operand)
        if reason:
            reasons[reason] = None
        for core_map, replica_map in pairs:
            m = Map(core_map)
            m.operand, m.array, m.output = number, leaf, output
            m.replica_map = None if replica_map is None else Map(replica_map)
            maps.append(m)
    return Maps(maps, exactness, "; ".join(reasons), title)


class ModuleMaps(Sequence[tuple["Instruction", int, Maps]]):
    """The maps of all instructions of a module: instruction, number of the output array, maps."""

    def __init__(self, maps: _core.ModuleMaps, module: Module) -> None:
        self._maps = maps
        self._module = module

    def __len__(self) -> int:
        return len(self._maps)

    @overload
    def __getitem__(self, index: int) -> tuple[Instruction, int, Maps]: ...

    @overload
    def __getitem__(self, index: slice) -> list[tuple[Instruction, int, Maps]]: ...

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        number = index + len(self) if index < 0 else index
        if not 0 <= number < len(self):
            raise IndexError(index)
        core_instruction, output, indexing = self._maps.at(number)
        instruction = Instruction(core_instruction, self._module)
        return instruction, output, _maps_of(instruction, output, indexing)


class Computation(Sequence[Instruction]):
    """A function of HLO: its instructions, operands before users."""

    def __init__(self, computation: _core.Computation, module: Module) -> None:
        self._computation = computation
        self.module = module

    def __repr__(self) -> str:
        return f"<Computation {self.name}: {len(self)} instructions>"

    @cached_property
    def _instructions(self) -> list[Instruction]:
        return [Instruction(i, self.module) for i in self._computation.instructions]

    @cached_property
    def _by_name(self) -> dict[str, Instruction]:
        return {instruction.name: instruction for instruction in self._instructions}

    @property
    def name(self) -> str:
        return self._computation.name

    @property
    def is_entry(self) -> bool:
        return self._computation.is_entry

    @property
    def root(self) -> Instruction:
        return Instruction(self._computation.root, self.module)

    @property
    def parameters(self) -> tuple[Instruction, ...]:
        return tuple(Instruction(i, self.module) for i in self._computation.parameters)

    def __len__(self) -> int:
        return len(self._instructions)

    def __iter__(self) -> Iterator[Instruction]:
        return iter(self._instructions)

    @overload
    def __getitem__(self, key: int | str) -> Instruction: ...

    @overload
    def __getitem__(self, key: slice) -> list[Instruction]: ...

    def __getitem__(self, key: int | str | slice) -> Instruction | list[Instruction]:
        if isinstance(key, str):
            name = key.removeprefix("%")
            if name not in self._by_name:
                raise KeyError(name)
            return self._by_name[name]
        return self._instructions[key]


class Module:
    """A whole program of HLO.

    >>> import hlo_indexing as hi
    >>> module = hi.parse("ENTRY e { p = f32[6] parameter(0) ROOT r = f32[2,3] reshape(p) }")
    >>> module["r"].opcode
    'reshape'
    """

    def __init__(self, module: _core.Module) -> None:
        self._module = module

    def __str__(self) -> str:
        return str(self._module)

    def __repr__(self) -> str:
        return f"<Module {self.name or self.file}: {self._module.num_instructions} instructions>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._module.text, self.file)

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

    @cached_property
    def computations(self) -> tuple[Computation, ...]:
        return tuple(Computation(c, self) for c in self._module.computations)

    @cached_property
    def entry(self) -> Computation:
        return Computation(self._module.entry, self)

    @cached_property
    def _stack_tables(self) -> StackTables:
        return StackTables(self._module.stack_tables)

    def __getitem__(self, name: str) -> Instruction:
        """The instruction of that name: of the entry computation if it has one."""
        for computation in (self.entry, *self.computations):
            try:
                return computation[name]
            except KeyError:
                continue
        raise KeyError(name.removeprefix("%"))

    def __contains__(self, name: object) -> bool:
        try:
            self[str(name)]
        except KeyError:
            return False
        return True

    def maps(
        self,
        *,
        direction: Direction = "output_to_input",
        progress: Progress | bool | None = None,
    ) -> ModuleMaps:
        """The maps of all instructions, found in one go.

        >>> import hlo_indexing as hi
        >>> module = hi.parse("ENTRY e { p = f32[6] parameter(0) ROOT r = f32[2,3] reshape(p) }")
        >>> for instruction, output, maps in module.maps():
        ...     print(instruction.name, output, maps)
        r 0 (d0, d1) -> (d0 * 3 + d1), domain: d0 in [0, 1], d1 in [0, 2]
        """
        with reporting(progress) as report:
            found = self._module.all_maps(direction == "input_to_output", report)
        return ModuleMaps(found, self)

    def add_custom_calls(self, rules: str) -> None:
        """What custom calls read, as the JSON text of `--custom-calls`."""
        self._module.add_custom_calls(rules)

    def _run(
        self,
        subcommand: str,
        settings: Mapping[str, object],
        *,
        progress: Progress | bool | None = None,
        partial: bool = False,
        format: str | None = "json",
    ) -> Answer:
        arguments = [subcommand, *options({"format": format, **settings}), self.file]
        return run(arguments, {self.file: self._module.text}, progress, partial=partial)

    def explain(
        self,
        *,
        device: str = "h100",
        plan: Literal["xla", "ours"] = "xla",
        instruction: str | None = None,
        sort: Sort = "wasted",
        top: int | None = None,
        progress: Progress | bool | None = None,
    ) -> Explanation:
        """Why each kernel is as fast as it is: what it moves and wastes, and what would help.

        >>> import hlo_indexing as hi
        >>> module = hi.parse("ENTRY e { p = f32[64,64]{0,1} parameter(0) ROOT c = f32[64,64]{1,0} copy(p) }")
        >>> [(kernel.instruction, kernel.emitter) for kernel in module.explain()]
        [('c', 'transpose')]
        """
        settings = {
            "device": device,
            "plan": plan,
            "instruction": instruction,
            "sort": sort,
            "top": top,
        }
        records = self._run("explain", settings, progress=progress).records()
        texts = KernelTexts(lambda: self._run("explain", settings, format=None).text)
        summary = records[0]
        accesses: dict[tuple[str, str], list[Access]] = {}
        for record in records:
            if record["kind"] == "access":
                key = (record["computation"], record["instruction"])
                accesses.setdefault(key, []).append(decode(Access, record))
        kernels: list[Kernel] = []
        for record in records:
            if record["kind"] != "kernel":
                continue
            key = (record["computation"], record["instruction"])
            kernels.append(
                decode(
                    Kernel,
                    record,
                    accesses=tuple(accesses.get(key, ())),
                    texts=texts,
                    number=len(kernels),
                    source=self._source_of(*key),
                )
            )
        return Explanation(kernels, summary, texts)

    def report(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        device: str = "h100",
        plan: Literal["xla", "ours"] = "xla",
        instruction: str | None = None,
        progress: Progress | bool | None = None,
    ) -> str:
        """A page for the browser with what `explain` says, and the maps as pictures.

        The text of the page, which is also written to `path` if there is one.

        >>> import hlo_indexing as hi
        >>> hi.parse("ENTRY e { p = f32[8] parameter(0) ROOT c = f32[8] negate(p) }").report()[:15]
        '<!DOCTYPE html>'
        """
        settings = {"device": device, "plan": plan, "instruction": instruction}
        page = self._run("report", settings, progress=progress, format=None).text
        if path is not None:
            Path(path).write_text(page, encoding="utf-8", newline="\n")
        return page

    @cached_property
    def _computations_by_name(self) -> dict[str, Computation]:
        return {computation.name: computation for computation in self.computations}

    def _source_of(self, computation: str, instruction: str) -> str | None:
        frames = self._computations_by_name[computation][instruction].frames
        return str(frames[0]) if frames else None

    def coalescing(
        self,
        *,
        device: str = "h100",
        plan: Literal["xla", "ours"] = "xla",
        instruction: str | None = None,
        thread_map: str | Map | None = None,
        progress: Progress | bool | None = None,
    ) -> Report[Access]:
        """Requests, sectors and bank conflicts of every access of every kernel."""
        settings = {
            "device": device,
            "plan": plan,
            "instruction": instruction,
            "thread_map": thread_map,
        }
        answer = self._run("coalescing", settings, progress=progress, partial=True)
        accesses = [decode(Access, r) for r in answer.records() if r["kind"] == "access"]
        return Report(accesses, title=f"coalescing of {self.name}", problems=answer.problems)

    def plan(
        self,
        *,
        device: str = "h100",
        plan: Literal["xla", "ours"] = "xla",
        instruction: str | None = None,
        progress: Progress | bool | None = None,
    ) -> Report[Launch]:
        """How each kernel is launched: emitter, blocks, threads, thread maps."""
        settings = {"device": device, "plan": plan, "instruction": instruction}
        answer = self._run("plan", settings, progress=progress, partial=True)
        launches = [decode(Launch, r) for r in answer.records() if r["kind"] == "plan"]
        return Report(launches, title=f"plans of {self.name}", problems=answer.problems)

    def utilization(
        self,
        *,
        instruction: str | None = None,
        fusions_only: bool = False,
        progress: Progress | bool | None = None,
    ) -> Report[Utilization]:
        """How many elements of each operand are read, how often, and which are not.

        >>> import hlo_indexing as hi
        >>> module = hi.parse("ENTRY e { p = f32[8] parameter(0) ROOT s = f32[2] slice(p), slice={[0:4:2]} }")
        >>> module.utilization()[0].utilization
        0.25
        """
        settings = {"instruction": instruction, "fusions_only": fusions_only}
        answer = self._run("utilization", settings, progress=progress, partial=True)
        records = [decode(Utilization, r) for r in answer.records() if r["kind"] == "utilization"]
        return Report(records, title=f"utilization in {self.name}", problems=answer.problems)

    def tiles(
        self,
        tile_sizes: Sequence[int],
        *,
        instruction: str | None = None,
        inside: bool = False,
        progress: Progress | bool | None = None,
    ) -> Report[Tile]:
        """What a tile of the output needs of each operand."""
        settings = {"tile_sizes": list(tile_sizes), "instruction": instruction, "inside": inside}
        answer = self._run("tiles", settings, progress=progress, partial=True)
        records = [decode(Tile, r) for r in answer.records() if r["kind"] == "tile"]
        return Report(records, title=f"tiles in {self.name}", problems=answer.problems)

    def stats(self, *, progress: Progress | bool | None = None) -> JsonObject:
        """Opcodes, shapes, and how many maps are exact, superset, unknown."""
        (record,) = self._run("stats", {}, progress=progress).records()
        return record

    def emit(
        self,
        instruction: str,
        stage: Stage = "ptx",
        *,
        arch: str = "sm_90",
        device: str = "h100",
    ) -> EmittedKernel:
        """The kernel of a fusion, or of another instruction by itself.

        >>> import hlo_indexing as hi
        >>> module = hi.parse("ENTRY e { p = f32[64] parameter(0) ROOT n = f32[64] negate(p) }")
        >>> kernel = module.emit("n")
        >>> kernel.name, kernel.threads, ".visible .entry n(" in kernel.text
        ('n', (64, 1, 1), True)
        """
        settings = {"instruction": instruction, "stage": stage, "arch": arch, "device": device}
        (record,) = self._run("emit", settings).records()
        return EmittedKernel(
            record["name"],
            record["text"],
            tuple(record["blocks"]),
            tuple(record["threads"]),
            tuple(record["arguments"]),
            record,
        )

    def evaluate(
        self,
        *arguments: Any,
        backend: Backend = "interpreter",
        device: str = "h100",
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
        names = _CHECKS if check == "all" else check
        checks = None if names is None else [name in names for name in _CHECKS[1:]]
        with reporting(progress) as report:
            result, findings = self._module.evaluate_on_gpu(
                self._bytes_of(arguments), backend == "virtual-gpu", device, checks, max_steps, report
            )
        for finding in findings:
            warnings.warn(finding, Warning, stacklevel=2)
        return self._value_of(result)

    def _bytes_of(self, arguments: Sequence[Any]) -> list[NDArray[np.uint8]]:
        """The arrays of the arguments of one device as bytes."""
        from .arrays import to_bytes

        parameters = self._module.entry.parameters
        wanted = [
            (f"argument {number} (%{parameter.name})", element_type, sizes)
            for number, parameter in enumerate(parameters)
            for _, element_type, sizes in parameter.arrays
        ]
        leaves = list(_leaves(arguments, [parameter.structure for parameter in parameters]))
        if len(leaves) != len(wanted):
            raise UsageError(f"the module takes {len(wanted)} arrays, not {len(leaves)}")
        return [
            to_bytes(leaf, element_type, sizes, name)
            for leaf, (name, element_type, sizes) in zip(leaves, wanted, strict=True)
        ]

    def _value_of(self, arrays: Sequence[tuple[str, list[int], list[int], NDArray[np.uint8]]]) -> Any:
        """The result of one device in the structure that the root has."""
        from .arrays import from_bytes

        structure = self._module.entry.root.structure
        return _unflatten(structure, [from_bytes(*array) for array in arrays])

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
        arrays = [self._bytes_of(of_device) for of_device in arguments]
        with reporting(progress) as report:
            results = self._module.entry.evaluate(arrays, replicas, partitions, max_steps, max_bytes, report)
        return [self._value_of(result) for result in results]

    def _repr_html_(self) -> str:
        from ._notebook import table

        rows = [
            {"computation": c.name, "instruction": i.name, "opcode": i.opcode, "shape": i.shape}
            for c in self.computations
            for i in c
        ]
        return table(rows, title=self.name)


def _worse(a: Exactness, b: str) -> Exactness:
    return next(exactness for exactness in _WORST_FIRST if exactness in (a, b))


def _leaves(arguments: Sequence[Any], structures: Sequence[Any]) -> Iterator[Any]:
    """The arrays of the arguments. A list is a tuple of arrays where a parameter is one."""
    given = list(arguments)
    if len(given) != len(structures):
        yield from given
        return
    for argument, structure in zip(given, structures, strict=True):
        if isinstance(structure, list) and isinstance(argument, (tuple, list)):
            yield from _leaves(argument, structure)
        elif structure is not None:
            yield argument


def _unflatten(structure: Any, arrays: list[NDArray[Any]]) -> Any:
    if isinstance(structure, list):
        return tuple(_unflatten(element, arrays) for element in structure)
    return None if structure is None else arrays[structure]


def _restored(text: bytes, file: str) -> Module:
    return parse(text, file=file)


def _is_text(source: str) -> bool:
    return "\n" in source or "{" in source or source.lstrip().startswith("HloModule")


def _contents(source: Any) -> tuple[str, bytes | None]:
    """The name of a source, and what it contains unless it is a file."""
    if isinstance(source, bytes):
        return "<bytes>", source
    if isinstance(source, str):
        return ("<text>", source.encode()) if _is_text(source) else (source, None)
    if isinstance(source, os.PathLike):
        return os.fspath(source), None
    kind = type(source).__name__
    name = f"<{kind}>"
    if hasattr(source, "as_hlo_text"):  # XlaComputation
        return name, str(source.as_hlo_text()).encode()
    if hasattr(source, "as_serialized_hlo_module_proto") and hasattr(source, "to_string"):
        return name, str(source.to_string()).encode()  # HloModule
    if hasattr(source, "lower"):  # Traced: what XLA is given
        source = source.lower()
    if hasattr(source, "compile") and hasattr(source, "as_text"):  # Lowered
        return name, str(source.as_text("hlo")).encode()
    if hasattr(source, "as_text"):  # Compiled
        return name, str(source.as_text()).encode()
    raise UsageError(f"{kind} is no HLO: neither text, nor a path, nor of JAX")


def parse_all(
    source: Any, *, file: str | None = None, max_bytes: int = 1 << 30, max_errors: int = 20
) -> list[Module]:
    """The modules of a text, path, file or folder, or of an object of JAX.

    Bytes, and files, may be compressed by gzip or zstd. `file` is the name of a text in errors.
    """
    name, contents = _contents(source)
    if contents is None and Path(name).is_dir():
        modules = []
        for path in _module_files(Path(name)):
            modules += parse_all(path, max_bytes=max_bytes, max_errors=max_errors)
        return modules
    return [Module(m) for m in _core.load(file or name, contents, max_bytes, max_errors)]


def _module_files(folder: Path) -> list[Path]:
    """The files that the command line takes for modules in a folder."""
    endings = (".hlo", ".hlo.gz", ".hlo.zst", ".txt", ".txt.gz", ".txt.zst")
    return [
        path
        for path in sorted(folder.rglob("*"))
        if path.name.endswith(endings) and (".hlo" in path.suffixes or _begins_with_module(path))
    ]


def _begins_with_module(path: Path) -> bool:
    import gzip

    if path.suffix == ".zst":
        return True
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
            return stream.read(1 << 12).lstrip().startswith(b"HloModule")
    except OSError:
        return False


def parse(source: Any, *, file: str | None = None, max_bytes: int = 1 << 30, max_errors: int = 20) -> Module:
    """The one module of a text, path, or object of JAX; see parse_all.

    >>> import hlo_indexing as hi
    >>> hi.parse("HloModule m ENTRY e { ROOT p = f32[2] parameter(0) }").name
    'm'
    """
    modules = parse_all(source, file=file, max_bytes=max_bytes, max_errors=max_errors)
    if len(modules) != 1:
        raise InputError(f"there are {len(modules)} modules, not one: parse_all gives all of them")
    return modules[0]
