"""The preloaded library delays direct reads and flushes below its folders, nothing else, and counts what it did."""

import json
import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest

from benchbook import files
from benchbook.engines import pgbench
from benchbook.engines.postgres import Binaries, Cluster, find, private_cluster
from benchbook.engines.storage import compiling, latency
from benchbook.engines.storage.latency import Delayed
from benchbook.errors import BenchbookError, MachineError, NoEngineError

pytestmark = pytest.mark.engine

PROGRAM = """
import json, mmap, os, sys, threading, time
path, times = sys.argv[1], int(sys.argv[2])
direct, plain = os.open(path, os.O_RDWR | os.O_DIRECT), os.open(path, os.O_RDWR)
buffer = mmap.mmap(-1, 8192)
took = {}
def timed(name, act):
    start = time.perf_counter_ns()
    for turn in range(times):
        act()
    took[name] = (time.perf_counter_ns() - start) / times / 1e6
timed("direct", lambda: os.preadv(direct, [buffer], 0))
timed("plain", lambda: os.pread(plain, 8192, 0))
timed("write", lambda: os.pwritev(direct, [buffer], 0))
timed("fsync", lambda: os.fsync(plain))
timed("fdatasync", lambda: os.fdatasync(plain))
timed("past the end", lambda: os.preadv(direct, [buffer], 1 << 20))
try:
    os.preadv(-1, [buffer], 0)
except OSError as error:
    took["errno"] = error.errno
print(json.dumps(took))
"""
PAUSES = """
import ctypes, sys
asked = (ctypes.c_long * 2)(0, 50_000)
for turn in range(int(sys.argv[2])):
    ctypes.CDLL(None).nanosleep(asked, None)
print("{}")
"""


@pytest.fixture
def place(home: Path) -> Path:
    """A folder on a disk that allows direct reads, with a file of two pages in it and in one beside it."""
    scratch = files.scratch()
    if not files.direct_reads(scratch):
        pytest.skip("no direct reads here")
    folders = [scratch / name for name in ("inside", "inside-not")]
    for folder in folders:
        folder.mkdir()
        (folder / "file").write_bytes(bytes(16384))
    return scratch


def run(
    place: Path, file: str, *, times: int = 20, waits: tuple[int, int] = (2, 3), program: str = PROGRAM, **changed: str
) -> tuple[dict[str, float], Delayed]:
    """Mean time of each kind of operation in ms, and what the library counted. waits: of a read and a sync, in ms."""
    counts, known = place / "counts", bytes(40)
    if counts.exists():
        known = counts.read_bytes()[:40]
    counts.write_bytes(known + struct.pack("@QQ", *(1_000_000 * each for each in waits)))
    variables = {
        "LD_PRELOAD": str(compiling.compiled("latency")),
        "BENCHBOOK_LATENCY_COUNTS": str(place / "counts"),
        "BENCHBOOK_LATENCY_FOLDERS": f"/nowhere:{place / 'inside'}",
    }
    given = {name: value for name, value in (os.environ | variables | changed).items() if value}
    done = subprocess.run(
        [sys.executable, "-c", program, str(place / file), str(times)],
        env=given, check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stderr == ""
    return json.loads(done.stdout), Delayed(*struct.unpack("@QQQQQ", counts.read_bytes()[:40]))


def test_direct_reads_and_fdatasync_below_the_folder_wait_and_are_counted(place: Path) -> None:
    took, counted = run(place, "inside/file")
    assert (counted.reads, counted.syncs) == (20, 20), "neither plain reads, nor writes, nor fsync, nor an empty read"
    assert 2 <= counted.read_ms <= took["direct"]
    assert 3 <= counted.sync_ms <= took["fdatasync"]
    assert took["errno"] == 9


def test_files_elsewhere_are_left_alone_even_beside_a_folder_of_the_same_beginning(place: Path) -> None:
    _, counted = run(place, "inside-not/file")
    assert counted == Delayed(0, 0, 0, 0)


@pytest.mark.parametrize(
    ("variable", "value"),
    [("COUNTS", "/nowhere/counts"), ("COUNTS", ""), ("FOLDERS", ""), ("FOLDERS", ":")],
)
def test_without_its_variables_nothing_is_delayed(place: Path, variable: str, value: str) -> None:
    _, counted = run(place, "inside/file", **{f"BENCHBOOK_LATENCY_{variable}": value})
    assert counted == Delayed(0, 0, 0, 0)


def test_a_wait_of_0_delays_and_counts_nothing(place: Path) -> None:
    _, counted = run(place, "inside/file", waits=(0, 0))
    assert counted == Delayed(0, 0, 0, 0)
    _, counted = run(place, "inside/file", waits=(0, 3))
    assert (counted.reads, counted.syncs) == (0, 20)


def test_processes_that_run_at_once_add_to_the_same_counts(place: Path) -> None:
    run(place, "inside/file", times=10)
    _, counted = run(place, "inside/file", times=15)
    assert (counted.reads, counted.syncs) == (25, 25)
    assert counted.since(Delayed(10, 1, 10, 1)).reads == 15


def test_pauses_of_its_own_are_counted_and_made_no_longer(place: Path) -> None:
    _, counted = run(place, "inside/file", waits=(0, 0), program=PAUSES)
    assert counted == Delayed(0, 0, 0, 0, pauses=20)


def test_a_select_of_pgbench_waits_for_each_of_its_reads(home: Path) -> None:
    binaries = find()
    why = latency.refusal(binaries, files.scratch())
    if why is not None:
        pytest.skip(str(why))
    workload = pgbench.Workload("select-only", duration_s=1)
    with private_cluster(binaries, bytes_needed=200_000_000) as cluster:
        cluster.start({})
        pgbench.initialise(cluster, 2)
        cluster.stop()
        added = latency.add(cluster, read_ms=2.0, sync_ms=2.0)
        cluster.start({"shared_buffers": "2MB"} | dict(added.settings), added.environment)
        before = added.delayed()
        done = pgbench.run(cluster, workload)
        seen = added.delayed().since(before)
        assert seen.reads > done.latency_ns.size / 2, "the pool holds less than a tenth of the pages"
        assert seen.reads_ns >= seen.reads * 2_000_000
        assert done.latency_ns.sum() > 0.5 * seen.reads_ns, "a client's time holds the delays of its reads"
        with pgbench.connect(cluster) as connection:
            connection.execute("CREATE TABLE flushed AS SELECT 1")
        assert added.delayed().syncs > before.syncs
        with added.suspended():
            quiet = added.delayed()
            pgbench.run(cluster, workload)
            assert added.delayed().reads == quiet.reads, "nothing waits while a cache is warmed"
        pgbench.run(cluster, workload)
        waited = added.delayed().since(quiet).read_ms
        assert 2.0 <= waited < 4.0, "once; a busy machine may wake a reader late, and none early"
        added.confirm(Delayed(100, 220_000_000, 0, 0))
        with pytest.raises(MachineError, match=r"a read was delayed by 3\.000 ms in the mean instead of 2"):
            added.confirm(Delayed(100, 300_000_000, 0, 0))
        cluster.stop()
        counted = added.delayed()
        cluster.start(added.settings)
        with pytest.raises(MachineError, match="without the library"):
            added.confirm(counted)
        cluster.stop()
        assert added.delayed() == counted
        with pytest.raises(MachineError, match="no server runs"):
            added.confirm(counted)


@pytest.mark.parametrize("value", [-1.0, 101.0, float("nan")])
def test_a_delay_that_is_none_is_refused(value: float) -> None:
    with pytest.raises(BenchbookError, match="is not between 0 and 100"):
        latency.add(cast(Cluster, None), read_ms=value)


def test_what_cannot_be_delayed_is_said(home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = find()
    assert "direct reads" in str(latency.refusal(Binaries(found.folder, "15.4", False), tmp_path))
    assert "page cache" in str(latency.refusal(found, Path("/dev/shm")))
    assert latency.settings(Binaries(found.folder, "17.2", False)) == {"debug_io_direct": "data"}
    monkeypatch.setattr(compiling.shutil, "which", lambda name: None)
    monkeypatch.setattr(compiling.project, "homes", lambda: iter([tmp_path]))
    with pytest.raises(NoEngineError, match="the source"):
        compiling.compiled("latency")
    (tmp_path / "probes" / "latency").mkdir(parents=True)
    (tmp_path / "probes" / "latency" / "latency.c").write_text("no C")
    with pytest.raises(NoEngineError, match="no C compiler"):
        compiling.compiled("latency")
    monkeypatch.undo()
    monkeypatch.setattr(compiling.project, "homes", lambda: iter([tmp_path]))
    with pytest.raises(NoEngineError, match="cannot be compiled"):
        compiling.compiled("latency")
    assert not list((tmp_path / ".tools" / "latency").iterdir())
