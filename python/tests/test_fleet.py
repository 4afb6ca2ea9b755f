"""The fleet example: nothing is lost when a worker is killed, and a run goes on where it was."""

from __future__ import annotations

import gzip
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

pd = pytest.importorskip("pandas")
fsspec = pytest.importorskip("fsspec")
pytest.importorskip("pyarrow")
dask = pytest.importorskip("dask")
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


def dying(killed: Path) -> Any:
    """`fleet.scan`, whose worker is killed while it writes the file of m7, the first time, and always by m8."""

    def scan(file: str, table: str, device: str) -> Any:
        import fleet as of_worker
        import pyarrow.parquet as pq

        if file.endswith("/m8.hlo"):
            os.kill(os.getpid(), signal.SIGKILL)
        if not file.endswith("/m7.hlo") or killed.exists():
            return of_worker.scan(file, table, device)

        def die(rows: object, stream: Any) -> None:
            stream.write(b"half")
            stream.flush()
            killed.write_text(str(os.getpid()))
            os.kill(os.getpid(), signal.SIGKILL)

        vars(pq)["write_table"] = die
        return of_worker.scan(file, table, device)

    return scan


def test_a_run_that_loses_a_worker_and_one_that_goes_on(
    dumps: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "table"
    killed = tmp_path / "killed"
    files = fleet.dumps_in(str(dumps))
    assert len(files) == 43
    monkeypatch.setattr(fleet, "scan", dying(killed))
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, processes=True
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        outcomes = fleet.run(client, files, str(table), "h100")
    with pytest.raises(ProcessLookupError):
        os.kill(int(killed.read_text()), 0)
    monkeypatch.undo()
    assert sorted(outcome.file for outcome in outcomes) == files
    assert not list(table.glob("*.partial"))
    assert len(list(table.glob("*.parquet"))) == 42
    # What kills its workers is told, and tried again by the next run.
    (deadly,) = (file for file in files if file.endswith("/m8.hlo"))
    note = table / "_errors" / (fleet.name_in_table(deadly) + ".txt")
    failed = [outcome.file for outcome in outcomes if outcome.error]
    assert sorted(failed) == [file for file in files if file.endswith(("/broken.hlo", "/m8.hlo"))]
    assert note.read_text() == f"{deadly}: the workers die that scan it"
    assert fleet.main([str(dumps), str(table), "--workers=1"]) == 0
    assert not note.exists()
    assert len(list(table.glob("*.parquet"))) == 43
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


def fill(bucket: str, text: str) -> None:
    fsspec.filesystem(bucket.partition(":")[0]).makedirs(bucket, exist_ok=True)
    for number in range(6):
        with fsspec.open(f"{bucket}/dumps/m{number}.hlo", "wb") as stream:
            stream.write(text.encode())
    with fsspec.open(f"{bucket}/dumps/inner/m0.txt.gz", "wb") as stream:
        stream.write(gzip.compress(text.encode()))
    with fsspec.open(f"{bucket}/dumps/broken.hlo", "wb") as stream:
        stream.write(b"ENTRY e { p = }")


def scan_bucket(bucket: str, text: str, *, processes: bool) -> None:
    """A whole run, and one that has nothing to do but one file."""
    fill(bucket, text)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, processes=processes
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        files = fleet.dumps_in(f"{bucket}/dumps")
        assert len(files) == 8
        assert all(file.startswith(bucket.partition(":")[0] + "://") for file in files)
        outcomes = fleet.run(client, files, f"{bucket}/table", "h100")
        assert sum(outcome.kernels for outcome in outcomes) == 7 * 4
        assert [outcome.file for outcome in outcomes if outcome.error] == [
            file for file in files if file.endswith("/broken.hlo")
        ]
        done = fleet.done_in(f"{bucket}/table")
        assert done == {fleet.name_in_table(file) for file in files}
        system, table = fsspec.core.url_to_fs(f"{bucket}/table")
        rows = 0
        for path in system.glob(f"{table}/*.parquet"):
            with system.open(path, "rb") as stream:
                rows += len(pd.read_parquet(stream))
        assert rows == 7 * 4
        (error,) = system.ls(f"{table}/_errors", detail=False)
        assert b"broken.hlo:1:" in system.cat_file(error)
        assert not [path for path in system.find(table) if path.endswith(".partial")]
        system.rm(f"{table}/{fleet.name_in_table(files[2])}.parquet")
        missing = [
            file for file in files if fleet.name_in_table(file) not in fleet.done_in(f"{bucket}/table")
        ]
        assert missing == [files[2]]


@pytest.mark.parametrize("protocol", ["memory", "file"])
def test_urls(protocol: str, tmp_path: Path, examples: Path) -> None:
    bucket = "memory://fleet" if protocol == "memory" else f"file://{tmp_path}"
    # What is in the memory of one process, others do not have.
    scan_bucket(bucket, (examples / "slow_kernels.hlo").read_text(), processes=protocol != "memory")


def test_a_bucket(examples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S3, as a server on this machine speaks it."""
    pytest.importorskip("s3fs")
    moto_server = pytest.importorskip("moto.server")
    server = moto_server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "nobody")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "nothing")
        monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        scan_bucket("s3://fleet", (examples / "slow_kernels.hlo").read_text(), processes=True)
    finally:
        server.stop()
