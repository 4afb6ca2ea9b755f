"""The fleet example: nothing is lost when a worker is killed, and a run goes on where it was."""

from __future__ import annotations

import gzip
import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
distributed = pytest.importorskip("distributed")

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
import fleet  # noqa: E402


@pytest.fixture
def dumps(tmp_path: Path, examples: Path) -> Path:
    folder = tmp_path / "dumps"
    (folder / "inner").mkdir(parents=True)
    text = (examples / "slow_kernels.hlo").read_text()
    for number in range(40):
        (folder / f"m{number}.hlo").write_text(text)
    (folder / "inner" / "m0.txt.gz").write_bytes(gzip.compress(text.encode()))
    (folder / "inner" / "buffers.txt").write_text("BufferAssignment:\n")
    (folder / "broken.hlo").write_text("ENTRY e { p = }")
    return folder


def test_a_run_that_loses_a_worker_and_one_that_goes_on(dumps: Path, tmp_path: Path) -> None:
    table = tmp_path / "table"
    files = fleet.dumps_in(str(dumps))
    assert len(files) == 43
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, processes=True
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        victim = next(iter(client.run(os.getpid).values()))

        def kill() -> None:
            while len(list(table.glob("*.parquet"))) < 5:
                time.sleep(0.005)
            os.kill(victim, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        outcomes = fleet.run(client, files, str(table), "h100")
        killer.join()
        assert victim not in client.run(os.getpid).values()
    assert sorted(outcome.file for outcome in outcomes) == files
    assert len(list(table.glob("*.parquet"))) == 43
    assert not list(table.glob("*.partial"))
    frame = pd.read_parquet(table)
    assert len(frame) == 41 * 4
    assert frame["file"].nunique() == 41
    assert frame.groupby("file")["moved_bytes"].sum().nunique() == 1
    (error,) = (table / "_errors").iterdir()
    assert "broken.hlo:1:" in error.read_text()

    # One is missing, the others stay as they are.
    missing = table / (fleet.name_in_table(files[3]) + ".parquet")
    missing.unlink()
    before = {path: path.stat().st_mtime_ns for path in table.glob("*.parquet")}
    arguments = [str(dumps), str(table), "--workers=1"]
    assert fleet.main(arguments) == (1 if "broken" in files[3] else 0)
    assert missing.exists()
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert fleet.main(arguments) == 0
