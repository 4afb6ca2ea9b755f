"""A table of the kernels of many dumps.

    python examples/fleet.py DUMPS TABLE                      on this machine's processors
    python examples/fleet.py DUMPS TABLE --scheduler=HOST:8786    on a Dask cluster

DUMPS is a folder or a bucket (gs://..., s3://..., what fsspec knows) of HLO text, as
--xla_dump_to writes it, plain or compressed. TABLE becomes a folder of Parquet files, one for each
dump, with a row for each kernel; pandas.read_parquet(TABLE) and pyarrow.dataset read all of them.
What could not be read is in TABLE/_errors, a text each. Dumps whose file is there already are left
out, so an interrupted run goes on where it was; --again begins anew.
"""

from __future__ import annotations

import argparse
import hashlib
import posixpath
import sys
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import fsspec
import hlo_indexing as hi
import pyarrow as pa
import pyarrow.parquet as pq

_FIELDS: list[pa.Field[Any]] = [
    pa.field("file", pa.string()),
    pa.field("module", pa.string()),
    pa.field("computation", pa.string()),
    pa.field("instruction", pa.string()),
    pa.field("emitter", pa.string()),
    pa.field("moved_bytes", pa.int64()),
    pa.field("needed_bytes", pa.int64()),
    pa.field("wasted_bytes", pa.int64()),
    pa.field("dram_bytes", pa.int64()),
    pa.field("estimated_us", pa.float64()),
    pa.field("bound", pa.string()),
    pa.field("exact", pa.bool_()),
    pa.field("source", pa.string()),
    pa.field("device", pa.string()),
]
SCHEMA = pa.schema(_FIELDS)
_ENDINGS = (".hlo", ".txt")


@dataclass(frozen=True)
class Outcome:
    """What became of one dump."""

    file: str
    kernels: int
    error: str = ""


def _open(folder: str) -> tuple[Any, str]:
    """The file system of a folder or bucket, which sees what others have written, and the path."""
    system, root = fsspec.core.url_to_fs(folder)
    system.invalidate_cache()
    return system, root


def dumps_in(folder: str) -> list[str]:
    """The files of a folder or bucket that may be modules, in order."""
    system, root = _open(folder)
    files = []
    for path in sorted(system.find(root)):
        plain = path.removesuffix(".gz").removesuffix(".zst")
        if plain.endswith(_ENDINGS):
            files.append(system.unstrip_protocol(path))
    return files


def name_in_table(file: str) -> str:
    """Of the Parquet file of a dump: its name, and what tells it from others of that name."""
    return f"{posixpath.basename(file)}-{hashlib.sha256(file.encode()).hexdigest()[:16]}"


def _write(path: str, write: Any) -> None:
    """Writes a file that is there as a whole or not at all: a worker may be killed."""
    system, plain = fsspec.core.url_to_fs(path)
    system.makedirs(posixpath.dirname(plain), exist_ok=True)
    temporary = f"{plain}.{uuid.uuid4().hex}.partial"
    with system.open(temporary, "wb") as stream:
        write(stream)
    system.mv(temporary, plain)


def _remove_partial(table: str) -> None:
    """Removes what killed workers have left half-written; others have written it again."""
    system, plain = _open(table)
    for pattern in ("*.partial", "_errors/*.partial"):
        for path in system.glob(posixpath.join(plain, pattern)):
            system.rm(path)


def scan(file: str, table: str, device: str) -> Outcome:
    """One task: the kernels of one dump become one Parquet file."""
    with fsspec.open(file, "rb") as stream:
        contents = stream.read()
    rows: list[dict[str, object]] = []
    error = ""
    # A dump has other texts beside modules: buffer assignments, thunks.
    is_compressed = file.endswith((".gz", ".zst"))
    if is_compressed or file.endswith(".hlo") or contents.lstrip().startswith(b"HloModule"):
        try:
            for module in hi.parse_all(contents, file=file):
                for kernel in module.explain(device=device, progress=False):
                    row = {name: kernel.record.get(name) for name in SCHEMA.names}
                    rows.append({**row, "file": file, "source": kernel.source})
        except hi.Error as problem:
            error = str(problem)
    if error:
        _note(file, table, error)
    _write(
        posixpath.join(table, name_in_table(file) + ".parquet"),
        lambda out: pq.write_table(pa.Table.from_pylist(rows, SCHEMA), out),
    )
    return Outcome(file, len(rows), error)


def _note(file: str, table: str, error: str) -> None:
    path = posixpath.join(table, "_errors", name_in_table(file) + ".txt")
    _write(path, lambda out: out.write(error.encode()))


def _forget(files: list[str], table: str) -> None:
    """Removes what an earlier run has noted of files that are scanned again."""
    system, root = _open(posixpath.join(table, "_errors"))
    again = {name_in_table(file) + ".txt" for file in files}
    for path in system.find(root) if system.exists(root) else []:
        if posixpath.basename(path) in again:
            system.rm(path)


def done_in(table: str) -> set[str]:
    """The names of the Parquet files that are there."""
    system, root = _open(table)
    if not system.exists(root):
        return set()
    return {
        posixpath.basename(path).removesuffix(".parquet")
        for path in system.find(root, maxdepth=1)
        if path.endswith(".parquet")
    }


def _scanned(
    client: Any, files: list[str], table: str, device: str, ahead: int
) -> Iterator[tuple[str, Outcome | None]]:
    """Each file and what became of it; None if too many workers died that had it."""
    from distributed import KilledWorker, as_completed

    waiting = iter(files)
    files_of: dict[Any, str] = {}

    def submit(count: int) -> list[Any]:
        taken = [file for _, file in zip(range(count), waiting, strict=False)]
        futures = [client.submit(scan, file, table, device, retries=3, pure=False) for file in taken]
        files_of.update({future.key: file for future, file in zip(futures, taken, strict=True)})
        return futures

    pending = as_completed(submit(ahead))
    for future in pending:
        file = files_of.pop(future.key)
        try:
            yield file, future.result()
        except KilledWorker:
            yield file, None
        except Exception as problem:
            yield file, _given_up(file, table, str(problem))
        for more in submit(1):
            pending.add(more)


def _given_up(file: str, table: str, problem: str) -> Outcome:
    """Its file is not written, so the next run tries it again."""
    error = f"{file}: {problem}"
    _note(file, table, error)
    return Outcome(file, 0, error)


def run(client: Any, files: list[str], table: str, device: str, ahead: int = 1000) -> list[Outcome]:
    """Scans the files, each a task; one whose worker dies is done again by another one.

    No more than `ahead` tasks wait at a time, so that the scheduler holds a hundred thousand dumps.
    """
    _forget(files, table)
    begin = time.monotonic()
    outcomes: list[Outcome] = []
    suspects = []
    for file, outcome in _scanned(client, files, table, device, ahead):
        if outcome is None:
            suspects.append(file)
            continue
        outcomes.append(outcome)
        done = len(outcomes)
        if done % 100 == 0 or done == len(files):
            rate = done / (time.monotonic() - begin)
            print(f"\r{done} of {len(files)} files, {rate:.0f} a second", end="", file=sys.stderr)
    # Dask counts a worker's death for all that waited there. Alone, it is a dump's own doing.
    for suspect in suspects:
        ((file, outcome),) = _scanned(client, [suspect], table, device, 1)
        outcomes.append(outcome or _given_up(file, table, "the workers die that scan it"))
    print(file=sys.stderr)
    _remove_partial(table)
    return outcomes


def main(arguments: list[str] | None = None) -> int:
    """The command line; 1 if a dump could not be read."""
    parser = argparse.ArgumentParser(description="A table of the kernels of many dumps.")
    parser.add_argument("dumps", help="a folder or bucket of HLO text")
    parser.add_argument("table", help="a folder or bucket for Parquet files")
    parser.add_argument("--device", default="h100", help="whose figures (default: h100)")
    parser.add_argument("--scheduler", help="the address of a Dask scheduler; a local one if missing")
    parser.add_argument("--workers", type=int, help="of the local cluster (default: all processors)")
    parser.add_argument("--again", action="store_true", help="also what is in the table already")
    options = parser.parse_args(arguments)

    from distributed import Client, LocalCluster

    done = set() if options.again else done_in(options.table)
    files = [file for file in dumps_in(options.dumps) if name_in_table(file) not in done]
    print(f"{len(files)} files to scan, {len(done)} done before")
    if not files:
        return 0
    cluster = None
    if not options.scheduler:
        cluster = LocalCluster(n_workers=options.workers, threads_per_worker=1)
    with Client(options.scheduler or cluster) as client:
        print(f"dashboard: {client.dashboard_link}")
        begin = time.monotonic()
        outcomes = run(client, files, options.table, options.device)
        seconds = time.monotonic() - begin
        workers = sum(client.nthreads().values())
    if cluster is not None:
        cluster.close()
    failed = [outcome for outcome in outcomes if outcome.error]
    kernels = sum(outcome.kernels for outcome in outcomes)
    print(
        f"{len(outcomes)} files, {kernels} kernels, {len(failed)} not read; "
        f"{len(outcomes) / seconds:.1f} files a second, {len(outcomes) / seconds / workers:.1f} a core"
    )
    for outcome in failed[:5]:
        print(f"{outcome.file}: {outcome.error.splitlines()[0]}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
