"""What the command line says of a module: reports of its kernels, reads, tiles, and its code."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ._commands import Answer, JsonObject
from ._errors import UsageError
from ._progress import Progress
from .kernel_reports import Access, Explanation, Kernel, KernelTexts, Launch
from .kernels import EmittedKernel, Stage, kernel_of
from .map_reports import MapsSummary, SymbolicTile, Tile, TileFit, TraceStep, Utilization
from .reports import Report, decode

if TYPE_CHECKING:
    from .instructions import Computation, Direction
    from .maps import Map
    from .modules import Module

Device = str | os.PathLike[str]
"""A name, as h100, or a file that describes a device."""
Plan = Literal["xla", "ours"]
Sort = Literal["wasted", "time", "moved", "efficiency", "module"]
Inputs = Mapping[int | str, Any]
"""Values of parameters that decide what is accessed, by name or by number of the array."""


class ModuleQueries(ABC):
    """The part of a Module that asks."""

    @property
    @abstractmethod
    def name(self) -> str: ...

    @property
    @abstractmethod
    def _computations_by_name(self) -> Mapping[str, Computation]: ...

    @abstractmethod
    def _run(
        self,
        subcommand: str,
        settings: Mapping[str, object],
        *,
        progress: Progress | bool | None = None,
        partial: bool = False,
        format: str | None = "json",
        inputs: Inputs | None = None,
        texts: Mapping[str, bytes] | None = None,
        has_custom_calls: bool = False,
    ) -> Answer: ...

    def explain(
        self,
        *,
        device: Device = "h100",
        plan: Plan = "xla",
        instruction: str | None = None,
        thread_map: str | Map | None = None,
        inputs: Inputs | None = None,
        before: Module | str | os.PathLike[str] | None = None,
        fail_on: str | None = None,
        ncu: bool = False,
        sort: Sort = "wasted",
        top: int | None = None,
        progress: Progress | bool | None = None,
    ) -> Explanation:
        """Why each kernel is as fast as it is: what it moves and wastes, and what would help.

        `before` is an earlier version of the module: kernels then have what they moved before.
        Kernels that are beyond the limit `fail_on`, as "efficiency<0.5", are in `failures`. `ncu` adds
        the names of Nsight Compute's metrics. Where `inputs` decide what is accessed, counts are exact.

        >>> import hlo_indexing as hi
        >>> module = hi.parse("ENTRY e { p = f32[64,64]{0,1} parameter(0) ROOT c = f32[64,64]{1,0} copy(p) }")
        >>> [(kernel.instruction, kernel.emitter) for kernel in module.explain()]
        [('c', 'transpose')]
        """
        settings, texts = _explaining(device, plan, instruction, thread_map, before)
        settings |= {"fail_on": fail_on, "ncu": ncu, "sort": sort, "top": top}
        answer = self._run("explain", settings, inputs=inputs, texts=texts, progress=progress)
        records = answer.records()
        as_text = KernelTexts(
            lambda: self._run("explain", settings, inputs=inputs, texts=texts, format=None).text
        )
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
                    texts=as_text,
                    number=len(kernels),
                    count_again=partial(self._patterns_of, *key, settings, inputs),
                    source=self._source_of(*key),
                )
            )
        return Explanation(kernels, records[0], as_text, failures=answer.problems)

    def _patterns_of(
        self,
        computation: str,
        instruction: str,
        settings: Mapping[str, object],
        inputs: Inputs | None,
    ) -> Report[Access]:
        """The accesses of one kernel, with maps, as the options of `explain` have it planned."""
        shared = {name: settings[name] for name in ("device", "plan", "thread_map", "ncu")}
        own = {"instruction": instruction, "maps": True}
        records = self._run("coalescing", shared | own, inputs=inputs).records()
        accesses = [decode(Access, r) for r in records if r["kind"] == "access"]
        own_accesses = [a for a in accesses if a.record["computation"] == computation]
        return Report(own_accesses, title=f"%{instruction}")

    def _source_of(self, computation: str, instruction: str) -> str | None:
        frames = self._computations_by_name[computation][instruction].frames
        return str(frames[0]) if frames else None

    def report(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        device: Device = "h100",
        plan: Plan = "xla",
        instruction: str | None = None,
        thread_map: str | Map | None = None,
        inputs: Inputs | None = None,
        before: Module | str | os.PathLike[str] | None = None,
        progress: Progress | bool | None = None,
    ) -> str:
        """A page for the browser with what `explain` says, and the maps as pictures.

        The text of the page, which is also written to `path` if there is one.

        >>> import hlo_indexing as hi
        >>> hi.parse("ENTRY e { p = f32[8] parameter(0) ROOT c = f32[8] negate(p) }").report()[:15]
        '<!DOCTYPE html>'
        """
        settings, texts = _explaining(device, plan, instruction, thread_map, before)
        page = self._run("report", settings, inputs=inputs, texts=texts, progress=progress, format=None).text
        if path is not None:
            Path(path).write_text(page, encoding="utf-8", newline="\n")
        return page

    def coalescing(
        self,
        *,
        device: Device = "h100",
        plan: Plan = "xla",
        instruction: str | None = None,
        thread_map: str | Map | None = None,
        inputs: Inputs | None = None,
        ncu: bool = False,
        progress: Progress | bool | None = None,
    ) -> Report[Access]:
        """Requests, sectors and bank conflicts of every access of every kernel, each with the map
        from threads to memory, and a picture of the first warp.

        >>> import hlo_indexing as hi
        >>> module = hi.parse("ENTRY e { p = f32[4096] parameter(0) ROOT n = f32[4096] negate(p) }")
        >>> load = module.coalescing()[0]
        >>> load.access, load.vector_elements, load.lanes()[:3]
        ('load', 1, (0, 4, 8))
        """
        settings = _kernels(device, plan, instruction, thread_map) | {"ncu": ncu, "maps": True}
        answer = self._run("coalescing", settings, inputs=inputs, progress=progress, partial=True)
        accesses = [decode(Access, r) for r in answer.records() if r["kind"] == "access"]
        return Report(accesses, title=f"coalescing of {self.name}", problems=answer.problems)

    def plan(
        self,
        *,
        device: Device = "h100",
        plan: Plan = "xla",
        instruction: str | None = None,
        thread_map: str | Map | None = None,
        progress: Progress | bool | None = None,
    ) -> Report[Launch]:
        """How each kernel is launched: emitter, blocks, threads, thread maps."""
        settings = _kernels(device, plan, instruction, thread_map)
        answer = self._run("plan", settings, progress=progress, partial=True)
        launches = [decode(Launch, r) for r in answer.records() if r["kind"] == "plan"]
        return Report(launches, title=f"plans of {self.name}", problems=answer.problems)

    def utilization(
        self,
        *,
        instruction: str | None = None,
        computation: str | None = None,
        fusions_only: bool = False,
        max_records: int | None = None,
        max_work: int | None = None,
        progress: Progress | bool | None = None,
    ) -> Report[Utilization]:
        """How many elements of each operand are read, how often, and which are not.

        >>> import hlo_indexing as hi
        >>> module = hi.parse("ENTRY e { p = f32[8] parameter(0) ROOT s = f32[2] slice(p), slice={[0:4:2]} }")
        >>> module.utilization()[0].utilization
        0.25
        """
        settings = _selection(instruction, computation, fusions_only, max_records) | {"max_work": max_work}
        answer = self._run("utilization", settings, progress=progress, partial=True, has_custom_calls=True)
        records = [decode(Utilization, r) for r in answer.records() if r["kind"] == "utilization"]
        return Report(records, title=f"utilization in {self.name}", problems=answer.problems)

    def tiles(
        self,
        tile_sizes: Sequence[int],
        *,
        direction: Direction | Literal["both"] = "output_to_input",
        inside: bool = False,
        instruction: str | None = None,
        computation: str | None = None,
        fusions_only: bool = False,
        max_records: int | None = None,
        progress: Progress | bool | None = None,
    ) -> Report[Tile]:
        """What a tile of the output needs of each operand.

        >>> import hlo_indexing as hi
        >>> text = "p = f32[8,6] parameter(0) ROOT t = f32[6,8] transpose(p), dimensions={1,0}"
        >>> tile = hi.parse("ENTRY e {" + text + "}").tiles([2, 4])[0]
        >>> tile.num_tiles, tile.most_elements, tile.boxes(0, 1)
        ((3, 2), 8, (((4, 0), (4, 2), (1, 1)),))
        """
        settings = _selection(instruction, computation, fusions_only, max_records) | {
            "tile_sizes": list(tile_sizes),
            "direction": direction.replace("_", "-"),
            "inside": inside,
        }
        answer = self._run("tiles", settings, progress=progress, partial=True, has_custom_calls=True)
        records = [self._tile_of(r) for r in answer.records() if r["kind"] == "tile"]
        return Report(records, title=f"tiles in {self.name}", problems=answer.problems)

    def _tile_of(self, record: JsonObject) -> Tile:
        """With the shapes of the array that is cut into tiles and of the one that these need."""
        instruction = self._computations_by_name[record["computation"]][record["instruction"]]
        output = instruction.array_shapes[record["output"]]
        needed = None
        if "operand" in record:
            needed = instruction.operands[record["operand"]].array_shapes[record["operand_array"]]
        else:
            for computation in self._computations_by_name.values():
                if record["inside"] in computation:
                    needed = computation[record["inside"]].array_shapes[record["inside_array"]]
        if record["direction"] == "input_to_output":
            return decode(Tile, record, output_shape=needed, operand_shape=output)
        return decode(Tile, record, output_shape=output, operand_shape=needed)

    def symbolic_tiles(
        self,
        *,
        direction: Direction | Literal["both"] = "output_to_input",
        inside: bool = False,
        instruction: str | None = None,
        computation: str | None = None,
        fusions_only: bool = False,
        max_records: int | None = None,
        progress: Progress | bool | None = None,
    ) -> Report[SymbolicTile]:
        """For which sizes t0, t1, ... of tiles of the output a tile needs one box of each operand.

        >>> import hlo_indexing as hi
        >>> text = "p = f32[8,6] parameter(0) ROOT t = f32[6,8] transpose(p), dimensions={1,0}"
        >>> tile = hi.parse("ENTRY e {" + text + "}").symbolic_tiles()[0]
        >>> tile.cases[0]["offset_and_size"]["results"]
        ['d1', 'd0', 't1', 't0']
        """
        settings = _selection(instruction, computation, fusions_only, max_records) | {
            "symbolic": True,
            "direction": direction.replace("_", "-"),
            "inside": inside,
        }
        answer = self._run("tiles", settings, progress=progress, partial=True, has_custom_calls=True)
        records = [decode(SymbolicTile, r) for r in answer.records() if r["kind"] == "symbolic_tile"]
        return Report(records, title=f"tiles in {self.name}", problems=answer.problems)

    def fit_tiles(
        self,
        memory: str = "shared",
        *,
        device: Device = "h100",
        top: int = 10,
        inside: bool = False,
        instruction: str | None = None,
        computation: str | None = None,
        fusions_only: bool = False,
        max_records: int | None = None,
        progress: Progress | bool | None = None,
    ) -> Report[TileFit]:
        """The sizes of tiles with which all that a tile needs fits a memory: "shared", of a block on
        the device, or a part of it, as "shared:100KiB".

        >>> import hlo_indexing as hi
        >>> text = "p = f32[512,512] parameter(0) ROOT t = f32[512,512] transpose(p), dimensions={1,0}"
        >>> fit = hi.parse("ENTRY e {" + text + "}").fit_tiles("shared:64KiB", top=2)[0]
        >>> [sizes["bytes_per_tile"] <= fit.capacity for sizes in fit.fits]
        [True, True]
        """
        settings = _selection(instruction, computation, fusions_only, max_records) | {
            "fit": memory,
            "device": device,
            "top": top,
            "inside": inside,
        }
        answer = self._run("tiles", settings, progress=progress, partial=True, has_custom_calls=True)
        records = [decode(TileFit, r) for r in answer.records() if r["kind"] == "tile_fit"]
        return Report(records, title=f"tiles in {self.name}", problems=answer.problems)

    def maps_summary(
        self,
        *,
        direction: Direction | Literal["both"] = "output_to_input",
        instruction: str | None = None,
        computation: str | None = None,
        fusions_only: bool = False,
        max_records: int | None = None,
        progress: Progress | bool | None = None,
    ) -> Report[MapsSummary]:
        """For each opcode how many maps there are and how exact they are, and why those are not that
        are not, each reason with the first instruction."""
        settings = _selection(instruction, computation, fusions_only, max_records) | {
            "summary": True,
            "direction": direction.replace("_", "-"),
        }
        answer = self._run("maps", settings, progress=progress, partial=True, has_custom_calls=True)
        kinds = ("summary", "summary_reason")
        records = [decode(MapsSummary, r) for r in answer.records() if r["kind"] in kinds]
        return Report(records, title=f"maps of {self.name}", problems=answer.problems)

    def trace(
        self,
        *,
        instruction: str | None = None,
        computation: str | None = None,
        fusions_only: bool = False,
        simplify: bool = True,
        progress: Progress | bool | None = None,
    ) -> Report[TraceStep]:
        """How maps are made: for each array of an output the instructions that propagation visits."""
        settings = _selection(instruction, computation, fusions_only, None) | {
            "trace": True,
            "no_simplify": not simplify,
        }
        answer = self._run("maps", settings, progress=progress, partial=True, has_custom_calls=True)
        steps = [decode(TraceStep, r) for r in answer.records() if r["kind"] == "trace"]
        return Report(steps, title=f"trace of {instruction or self.name}", problems=answer.problems)

    def stats(self, *, progress: Progress | bool | None = None) -> JsonObject:
        """Opcodes, shapes, and how many maps are exact, superset, unknown.

        >>> import hlo_indexing as hi
        >>> hi.parse("ENTRY e { p = f32[8] parameter(0) ROOT n = f32[8] negate(p) }").stats()["opcodes"]
        {'negate': 1, 'parameter': 1}
        """
        (record,) = self._run("stats", {}, progress=progress, has_custom_calls=True).records()
        return record

    def emit(
        self,
        instruction: str,
        stage: Stage = "ptx",
        *,
        arch: str = "sm_90",
        device: Device = "h100",
    ) -> EmittedKernel:
        """The kernel of a fusion, or of another instruction by itself.

        >>> import hlo_indexing as hi
        >>> module = hi.parse("ENTRY e { p = f32[64] parameter(0) ROOT n = f32[64] negate(p) }")
        >>> kernel = module.emit("n")
        >>> kernel.name, kernel.threads, ".visible .entry n(" in kernel.text
        ('n', (32, 1, 1), True)
        """
        settings = {"instruction": instruction, "stage": stage, "arch": arch, "device": device}
        records = self._run("emit", settings).records()
        if len(records) != 1:
            raise UsageError(f"there are {len(records)} kernels of {instruction!r}: emit_all gives all")
        return kernel_of(records[0])

    def emit_all(
        self,
        stage: Stage = "ptx",
        *,
        arch: str = "sm_90",
        device: Device = "h100",
        progress: Progress | bool | None = None,
    ) -> list[EmittedKernel]:
        """The kernels of all fusions; what has none is a warning.

        >>> import hlo_indexing as hi
        >>> module = hi.parse("ENTRY e { p = f32[64] parameter(0) ROOT n = f32[64] negate(p) }")
        >>> [kernel.instruction for kernel in module.emit_all("mlir")]
        ['n']
        """
        settings = {"stage": stage, "arch": arch, "device": device}
        answer = self._run("emit", settings, progress=progress, partial=True)
        return [kernel_of(record) for record in answer.records()]


def _kernels(
    device: Device, plan: Plan, instruction: str | None, thread_map: str | Map | None
) -> dict[str, object]:
    return {
        "device": os.fspath(device),
        "plan": None if thread_map is not None and plan == "xla" else plan,
        "instruction": instruction,
        "thread_map": thread_map,
    }


def _explaining(
    device: Device,
    plan: Plan,
    instruction: str | None,
    thread_map: str | Map | None,
    before: Module | str | os.PathLike[str] | None,
) -> tuple[dict[str, object], dict[str, bytes]]:
    """The options, and the files that they name."""
    settings = _kernels(device, plan, instruction, thread_map)
    if before is None:
        return settings, {}
    if isinstance(before, (str, os.PathLike)):
        return settings | {"before": os.fspath(before)}, {}
    name = f"{before.file} before"
    return settings | {"before": name}, {name: before._module.text}


def _selection(
    instruction: str | None, computation: str | None, fusions_only: bool, max_records: int | None
) -> dict[str, object]:
    return {
        "instruction": instruction,
        "computation": computation,
        "fusions_only": fusions_only,
        "max_records": max_records,
    }
