"""Instructions and computations of a module, and their maps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, overload

from . import _core
from ._errors import UsageError, unknown_name
from ._metadata import Frame, fields_of, frames_of
from .kernels import EmittedKernel, Stage
from .map_reports import TraceStep
from .maps import Exactness, Map, Maps
from .reports import Report

if TYPE_CHECKING:
    from .modules import Module

Direction = Literal["output_to_input", "input_to_output"]

_WORST_FIRST: tuple[Exactness, ...] = ("unknown", "superset", "exact")


def is_from_input(direction: str) -> bool:
    """Whether maps lead from the operands to the output."""
    if direction not in ("output_to_input", "input_to_output"):
        raise UsageError(f"a direction is output_to_input or input_to_output, not {direction!r}")
    return direction == "input_to_output"


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
    def array_shapes(self) -> tuple[str, ...]:
        """The shapes of these arrays, with layouts."""
        return tuple(shape for shape, _, _ in self._instruction.arrays)

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
        simplify: bool = True,
    ) -> Maps:
        """What an element of an array of the output reads of an operand, or of all operands.

        With the direction input_to_output, where an element of the operand goes. Without `simplify`,
        the maps as composition gives them. There are none where nothing is read.

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
        indexing = self._instruction.indexing(output, is_from_input(direction), simplify)
        wanted = None if operand is None else (operand, array)
        return _maps_of(self, output, indexing, wanted)

    def trace(self, *, output: int | None = None) -> Report[TraceStep]:
        """How the maps of an array of the output, or of all, are made: the instructions that
        propagation visits, users before operands, with the accesses that have reached each.

        >>> import hlo_indexing as hi
        >>> fused = "f { p = f32[2,3] parameter(0) ROOT t = f32[3,2] transpose(p), dimensions={1,0} }"
        >>> entry = "ENTRY e { q = f32[2,3] parameter(0) ROOT c = f32[3,2] fusion(q), kind=kLoop, calls=f }"
        >>> for step in hi.parse(fused + entry)["c"].trace():
        ...     print(step.visited, step.accesses[0])
        c (d0, d1) -> (d0, d1), domain: d0 in [0, 2], d1 in [0, 1]
        t (d0, d1) -> (d0, d1), domain: d0 in [0, 2], d1 in [0, 1]
        p (d0, d1) -> (d1, d0), domain: d0 in [0, 2], d1 in [0, 1]
        """
        steps = self.module.trace(instruction=self.name, computation=self.computation.name)
        return Report([s for s in steps if output in (None, s.output)], title=f"trace of %{self.name}")

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


def _worse(a: Exactness, b: str) -> Exactness:
    return next(exactness for exactness in _WORST_FIRST if exactness in (a, b))


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

    def get(self, name: str) -> Instruction | None:
        """The instruction of that name, if there is one."""
        return self._by_name.get(name.removeprefix("%"))

    def __contains__(self, item: object) -> bool:
        if isinstance(item, str):
            return self.get(item) is not None
        return any(item is instruction for instruction in self._instructions)

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
            found = self.get(key)
            if found is None:
                raise unknown_name(key.removeprefix("%"), self._by_name)
            return found
        return self._instructions[key]
