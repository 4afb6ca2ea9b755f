"""What the command line can do, Python can: every subcommand and every option has a counterpart."""

from __future__ import annotations

import inspect
import operator
import re
import subprocess
import sys

import hlo_indexing as hi
import pytest

# By subcommand and option, what it is in Python: a function or method with, in parentheses, the parameter; or, behind
# "-", why there is none. The name of the subcommand itself is the option "".
_MODULES = {
    "": "-",
    "-o": "- answers are objects: their texts are written by whoever has them",
    "--format": "reports.Report.to_json",
    "--help": "- docstrings",
    "--max-input-bytes": "parse_all(max_bytes)",
    "--max-errors": "parse_all(max_errors)",
}
_TEXTS = {**_MODULES, "--max-input-bytes": "- the text is in memory already"}
_SELECTION = {
    "--instruction": "{}(instruction)",
    "--computation": "{}(computation)",
    "--fusions-only": "{}(fusions_only)",
    "--custom-calls": "Module.add_custom_calls",
}
_KERNELS = {
    "--instruction": "{}(instruction)",
    "--device": "{}(device)",
    "--plan": "{}(plan)",
    "--thread-map": "{}(thread_map)",
}
_EXPLAINING = {"--before": "{}(before)", "--input": "{}(inputs)"}


def _of(method: str, *tables: dict[str, str], **more: str) -> dict[str, str]:
    """The tables for a method, and further options by their names in Python."""
    result = {"": method}
    for table in (_MODULES, *tables):
        result |= {option: text.format(method) for option, text in table.items() if option or text != "-"}
    return result | {f"--{option.replace('_', '-')}": text.format(method) for option, text in more.items()}


COUNTERPARTS: dict[str, dict[str, str]] = {
    "explain": _of(
        "Module.explain",
        _KERNELS,
        _EXPLAINING,
        sort="{}(sort)",
        top="{}(top)",
        fail_on="{}(fail_on)",
        ncu="{}(ncu)",
    ),
    "report": _of("Module.report", _KERNELS, _EXPLAINING) | {"-o": "Module.report(path)"},
    "maps": _of(
        "Module.maps",
        _SELECTION,
        direction="{}(direction)",
        all_pairs="Instruction.maps(operand)",
        summary="Module.maps_summary",
        no_simplify="{}(simplify)",
        trace="Module.trace",
        max_records="Module.maps_summary(max_records)",
    ),
    "coalescing": _of(
        "Module.coalescing",
        _KERNELS,
        input="{}(inputs)",
        ncu="{}(ncu)",
        maps="kernel_reports.Access.position_map",
    ),
    "plan": _of("Module.plan", _KERNELS),
    "emit": _of(
        "Module.emit_all",
        device="{}(device)",
        instruction="Module.emit(instruction)",
        stage="{}(stage)",
        arch="{}(arch)",
        output="kernels.EmittedKernel.text",
    ),
    "utilization": _of(
        "Module.utilization", _SELECTION, max_records="{}(max_records)", max_work="{}(max_work)"
    ),
    "tiles": _of(
        "Module.tiles",
        _SELECTION,
        tile_sizes="{}(tile_sizes)",
        symbolic="Module.symbolic_tiles",
        fit="Module.fit_tiles(memory)",
        device="Module.fit_tiles(device)",
        top="Module.fit_tiles(top)",
        direction="{}(direction)",
        inside="{}(inside)",
        max_records="{}(max_records)",
    ),
    "stats": _of("Module.stats", custom_calls="Module.add_custom_calls"),
    "print": _of("Module.to_text", no_metadata="{}(metadata)", operand_shapes="{}(operand_shapes)"),
    "run": _of(
        "Module.evaluate",
        backend="{}(backend)",
        compare="Module.compare",
        tolerance="Module.compare(tolerance)",
        print_buffers="Module.gpu_program",
        check="{}(check)",
        device="{}(device)",
        input="{}(arguments)",
        seed="Module.random_arguments(seed)",
        output="{}",
        replicas="Module.evaluate_on_devices(num_replicas)",
        partitions="Module.evaluate_on_devices(num_partitions)",
        full="{}",
        max_steps="{}(max_steps)",
        max_bytes="{}(max_bytes)",
    ),
    "simplify": _TEXTS | {"": "simplify", "--rescale-ranges": "Map.simplify(rescale_ranges)"},
    "equal": _TEXTS | {"": "Map.equal"},
    "compose": _TEXTS | {"": "Map.__matmul__"},
    "inverse": _TEXTS | {"": "Map.inverse"},
    "union": _TEXTS | {"": "Maps.union"},
    "intersect": _TEXTS | {"": "Maps.intersect"},
    "subtract": _TEXTS | {"": "Maps.subtract"},
    "project": _TEXTS
    | {"": "Maps.project", "--dimensions": "Maps.project(dimensions)", "--results": "Maps.project(results)"},
    "count": _TEXTS
    | {
        "": "Maps.cardinality",
        "--parameters": "Maps.cardinality(parameters)",
        "--points": "Maps.cardinality(points)",
    },
    "image": _TEXTS | {"": "Map.image"},
    "layout": _TEXTS
    | {
        "": "Layout",
        "--format": "Layout.record",
        "--index": "Layout.offset(index)",
        "--position": "Layout.index_at(position)",
        "--byte": "Layout.index_at_byte(byte)",
        "--relayout": "Layout.relayout(other)",
        "--tpu": "Layout.tpu_formats",
        "--table": "Layout.table",
        "--svg": "Layout.svg",
        "--tikz": "Layout.tikz",
        "--offsets": "Layout.offsets",
        "--max-cells": "Layout.svg(max_cells)",
    },
    "cute": _TEXTS
    | {
        "": "cute",
        "--format": "CuteValue.record",
        "--offsets": "CuteValue.offsets",
        "--functions": "cute_functions",
        "--table": "CuteValue.table",
        "--svg": "CuteValue.svg",
        "--tikz": "CuteValue.tikz",
    },
    "ptx": _TEXTS
    | {
        "": "ptx.launch",
        "--format": "ptx.Launch.record",
        "--kernel": "ptx.launch(kernel)",
        "--list": "ptx.kernels",
        "--grid": "ptx.launch(grid)",
        "--block": "ptx.launch(block)",
        "--shared": "ptx.launch(shared)",
        "--arg": "ptx.launch(args)",
        "--output": "ptx.Launch.arrays",
        "--check": "ptx.launch(check)",
        "--profile": "ptx.launch(profile)",
        "--device": "ptx.launch(device)",
        "--registers": "ptx.launch(registers)",
        "--schedule": "ptx.launch(schedule)",
        "--cooperative": "ptx.launch(cooperative)",
        "--max-instructions": "ptx.launch(max_warp_instructions)",
        "--max-findings": "ptx.launch(max_findings)",
    },
}


def _help(*arguments: str) -> str:
    command = [sys.executable, "-m", "hlo_indexing", *arguments, "--help"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _section(text: str, title: str) -> str:
    found = re.search(rf"^{title}:\n((?:  .*\n)+)", text, re.MULTILINE)
    assert found, text
    return found.group(1)


def subcommands() -> list[str]:
    return re.findall(r"^  (\w+)  ", _section(_help(), "SUBCOMMANDS"), re.MULTILINE)


def test_all_subcommands_are_known() -> None:
    assert set(subcommands()) == set(COUNTERPARTS)


@pytest.mark.parametrize("subcommand", COUNTERPARTS)
def test_all_options_have_a_counterpart(subcommand: str) -> None:
    known = COUNTERPARTS[subcommand]
    options = re.findall(r"^  (?:-h, )?(--?[\w-]+)", _section(_help(subcommand), "OPTIONS"), re.MULTILINE)
    assert len(options) >= 4
    assert [option for option in options if option not in known] == []
    for option in ("", *options):
        place = known[option]
        if place.startswith("-"):
            assert len(place) > len("- why"), f"{subcommand} {option}: why is there none?"
            continue
        name, _, parameter = place.removesuffix(")").partition("(")
        _check(name, parameter, f"{subcommand} {option}")


def _check(name: str, parameter: str, what: str) -> None:
    """That there is a function or attribute of that name, which takes that parameter."""
    owner, _, attribute = name.rpartition(".")
    # Modules of the package that are imported when they are first needed.
    for module in ("kernel_reports", "kernels", "reports", "ptx"):
        __import__(f"hlo_indexing.{module}")
    holder = operator.attrgetter(owner)(hi) if owner else hi
    fields = getattr(holder, "__dataclass_fields__", {})
    if attribute in fields:
        assert not parameter
        return
    found = getattr(holder, attribute, None)
    assert found is not None, f"{what}: there is no {name}"
    if parameter:
        parameters = inspect.signature(found).parameters
        assert parameter in parameters, f"{what}: {name} has no {parameter}"
