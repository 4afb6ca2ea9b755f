"""Reports: the same words and figures as the command line."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import hlo_indexing as hi
import pytest


def command_line(*arguments: object) -> str:
    command = [sys.executable, "-m", "hlo_indexing", *(str(argument) for argument in arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_explain_says_what_the_command_line_says(slow_kernels: hi.Module, examples: Path) -> None:
    report = slow_kernels.explain(device="a100", sort="time")
    expected = command_line("explain", "--device=a100", "--sort=time", examples / "slow_kernels.hlo")
    assert str(report) == expected.rstrip("\n")
    assert [str(kernel) for kernel in report] == [block.rstrip("\n") for block in expected.split("\n\n")[1:]]


def test_records_are_those_of_the_command_line(slow_kernels: hi.Module, examples: Path) -> None:
    lines = command_line("explain", "--format=json", examples / "slow_kernels.hlo").splitlines()
    kernels = [record for record in map(json.loads, lines) if record["kind"] == "kernel"]
    report = slow_kernels.explain()
    assert report.to_dicts() == kernels
    assert [json.loads(line) for line in report.to_json().splitlines()] == kernels
    assert report.moved_bytes == sum(kernel.moved_bytes for kernel in report)
    assert report[0].efficiency == pytest.approx(0.3)
    assert report[0].cures[0]["change"] == "result layout"
    assert {access.space for access in report.accesses} == {"global", "shared"}
    assert slow_kernels.explain(top=2)[1].instruction == report[1].instruction


def test_other_reports(slow_kernels: hi.Module, examples: Path) -> None:
    coalescing = slow_kernels.coalescing(instruction="scaled")
    assert [access.sectors for access in coalescing] == [4194304, 524288, 524288]
    launch = slow_kernels.plan(instruction="scaled", plan="ours")[0]
    assert launch.threads[0] > 0
    assert len(launch.maps[0].dimensions) == 6
    partly = hi.parse(examples / "partly_read.hlo")
    assert any(record.utilization is not None and record.utilization < 1 for record in partly.utilization())
    assert slow_kernels.stats()["modules"] == 1
    tiles = hi.parse(examples / "tiles.hlo").tiles([8, 8])
    assert all(tile.tile_sizes for tile in tiles)


def test_tables(slow_kernels: hi.Module) -> None:
    pandas = pytest.importorskip("pandas")
    pyarrow = pytest.importorskip("pyarrow")
    report = slow_kernels.explain()
    frame = report.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame["moved_bytes"].sum() == report.moved_bytes
    assert frame["blocks"][0] == list(report[0].blocks)
    table = report.to_arrow()
    assert isinstance(table, pyarrow.Table)
    assert table.num_rows == len(report)
    assert report.accesses.to_pandas()["sectors"].notna().any()


def test_partial_answers_are_told() -> None:
    module = hi.parse(
        "triton { p = f32[64] parameter(0) ROOT n = f32[64] negate(p) }\n"
        "ENTRY e { p = f32[64] parameter(0) a = f32[64] negate(p) "
        'ROOT f = f32[64] fusion(a), kind=kCustom, calls=triton, backend_config={"fusion_backend_config":{"kind":"__triton"}} }'
    )
    with pytest.warns(hi.Warning, match="f"):
        report = module.plan()
    assert [launch.instruction for launch in report] == ["a"]
    assert len(report.problems) == 1
    assert report.problems[0].line == 2


def test_wrong_options(slow_kernels: hi.Module) -> None:
    with pytest.raises(hi.UsageError, match="no instruction 'nope'"):
        slow_kernels.explain(instruction="nope")
    with pytest.raises(hi.UsageError, match="no device 'abacus'"):
        slow_kernels.explain(device="abacus")
    with pytest.raises(hi.UsageError, match="must be one of wasted"):
        slow_kernels.explain(sort="size")  # type: ignore[arg-type]


def test_notebook(slow_kernels: hi.Module) -> None:
    html = slow_kernels.explain()._repr_html_()
    assert html.startswith("<table>")
    assert html.count("<tr>") == 5
    assert "onclick" in html
    assert slow_kernels["scaled"]._repr_html_().count("<tr>") == 3
    assert hi.Layout("f32[3,5]{1,0:T(2,2)}")._repr_html_().startswith("<svg")
    assert hi.cute("(4,4):(4,1)")._repr_html_().startswith("<svg")
    assert "&lt;" in hi.maps.Maps((), "unknown", "a < b")._repr_html_()
    # A page has all of them at once: a style in one is for that one alone.
    access = slow_kernels.coalescing(instruction="scaled")[0]
    layout = hi.Layout("bf16[4,8]{1,0:T(2,4)(2,1)}")
    shown = [layout._repr_html_(), hi.cute("(4,4):(4,1)")._repr_html_(), access._repr_html_()]
    rules = [
        rule
        for text in shown
        for style in re.findall(r"<style>(.*?)</style>", text)
        for rule in style.split("}")[:-1]
    ]
    assert len(rules) > 10
    assert all(rule.startswith(".hlo-indexing-grid ") for rule in rules)


def test_progress(slow_kernels: hi.Module) -> None:
    calls: list[tuple[str, int, int]] = []
    slow_kernels.explain(progress=lambda *call: calls.append(call))
    assert calls
    assert calls[-1][1] == calls[-1][2] == 4

    def refuse(what: str, done: int, total: int) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        slow_kernels.explain(progress=refuse)


def test_layouts() -> None:
    layout = hi.Layout("f32[3,5]{1,0:T(2,2)}")
    assert (layout.elements, layout.physical_elements, layout.wasted_bytes) == (15, 24, 36)
    assert {layout.offset(i, j) for i in range(3) for j in range(5)} == {
        position for position in range(24) if layout.index_at(position) is not None
    }
    assert layout.byte_offset(2, 3) == 68
    relayout = layout.relayout("{1,0}")
    assert relayout.bitcast == "no"
    assert layout.relayout(layout).bitcast == "yes"
    assert "17" in layout.table()
    with pytest.raises(hi.InputError) as error:
        hi.Layout("f32[3")
    assert error.value.column == 6


def test_cute() -> None:
    assert str(hi.cute("zipped_divide((24,8):(_1,24), (_8,_4))")) == "((_8,_4),(3,2)):((_1,24),(_8,96))"
    assert hi.cute("(4,2):(1,8)").offsets() == [0, 1, 2, 3, 8, 9, 10, 11]
    with pytest.raises(hi.InputError):
        hi.cute("composition(")
    with pytest.raises(hi.Error):
        hi.cute("composition((4,2):(1,8), 3:3)")


def test_the_page_is_that_of_the_command_line(
    slow_kernels: hi.Module, examples: Path, tmp_path: Path
) -> None:
    page = slow_kernels.report(tmp_path / "report.html", device="a100", instruction="kept")
    written = (tmp_path / "report.html").read_bytes()
    assert written == page.encode()
    file = examples / "slow_kernels.hlo"
    assert page == command_line("report", "--device=a100", "--instruction=kept", file)
