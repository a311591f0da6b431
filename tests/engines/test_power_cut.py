"""A loss of power takes what no sync has written, and nothing else; the volume can be used again."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchbook.chapters.sqlite_fairness import Parameters, configurations, request_of
from benchbook.engines import kv
from benchbook.engines.prepared import prepared
from benchbook.engines.storage import power
from benchbook.engines.storage.volumes import Volume, volume
from benchbook.measuring.kv.power_cuts import SPARE_BYTES

pytestmark = [pytest.mark.engine, pytest.mark.machine]

ROWS = 5_000


@pytest.fixture
def disk(slow_storage: None) -> Iterator[Volume]:
    with volume(SPARE_BYTES >> 20, allowed=True) as made:
        yield made


def write(path: Path, *, synced: bool) -> None:
    descriptor = os.open(path, os.O_CREAT | os.O_WRONLY, 0o600)
    try:
        os.write(descriptor, b"x" * 8192)
        if synced:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def test_what_was_synced_outlives_it_and_what_was_not_does_not(disk: Volume) -> None:
    for _ in range(2):
        write(disk.folder / "kept", synced=True)
        write(disk.folder / "lost", synced=False)
        power.cut(disk)
        assert (disk.folder / "kept").read_bytes() == b"x" * 8192
        lost = disk.folder / "lost"
        assert not lost.exists() or lost.read_bytes() != b"x" * 8192


@pytest.mark.parametrize(
    ("use", "all_left"), [("log_synced", True), ("log_unsynced", False), ("extra", True), ("wal_full", True)]
)
def test_a_log_keeps_what_it_was_told_to_sync(disk: Volume, use: str, all_left: bool) -> None:
    """SQLite's default promises less than EXTRA, so whether it keeps the last commit depends on the moment."""
    parameters = Parameters.given({"one_write_rows": ROWS})
    arm = next(each for each in configurations(parameters) if each.name == f"power_cut_{use}")
    store = disk.folder / "store"
    store.mkdir()
    os.sync()
    with prepared(kv.find(), request_of(parameters, arm, 1), timeout_s=60, store=store) as waiting:
        power.cut(disk)
        crash = waiting.end().record["counters"]["crash"]
    assert crash["acknowledged_rows"] == ROWS
    assert (crash["recovered_rows"] == ROWS) is all_left, crash
