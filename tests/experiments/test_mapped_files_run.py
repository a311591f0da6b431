"""A tiny real run of mapped files on a volume of its own: where files are mapped, reads grow with the read-ahead."""

from __future__ import annotations

import os

import pytest
from tiny_runs import check_run, needing, trials

from benchbook.chapters.mapped_files import Parameters, at
from benchbook.engines import kv
from benchbook.engines.storage import refusals
from benchbook.model import Run

SLOW = refusals.refusal(allowed=True) is None
ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root bounds memory")
pytestmark = [*needing(kv.versions), pytest.mark.machine, ROOT]

CHAPTER = "mapped_files"
PARAMETERS = Parameters.given(
    {
        "blocks": 2, "rows": 500_000, "lookups": 300, "memory_percent": [50], "read_ahead_kib": [0, 1_024],
        "allow_slow_storage": SLOW, "kept_samples": 100,
    }
)  # fmt: skip


def test_the_run_is_whole_and_every_answer_was_checked(run: Run) -> None:
    check_run(run, ("design", "noise", "mapping", "calls", "rocksdb", "filter"))
    assert (run.trials["checked_reads"] >= run.trials["lookups"]).all()
    assert run.trials["memory"].eq("bounded").all()


@pytest.mark.skipif(not SLOW, reason="no volume can be made here")
def test_a_mapped_file_is_read_in_pages_without_a_read_ahead_and_in_more_with_one(run: Run) -> None:
    for engine in ("value_file", "sqlite", "lmdb"):
        few, many = (trials(run, at(engine, kib, 50))["device_kib_per_lookup"] for kib in (0, 1_024))
        assert few.notna().all()
        assert many.min() > few.max(), engine


def test_rocksdb_finds_its_filter_outside_and_in_one_shard(run: Run) -> None:
    for engine in ("rocksdb", "one_shard"):
        assert trials(run, at(engine, PARAMETERS.sizes[0], 50))["filter_misses_per_lookup"].max() <= 0.01, engine
    assert trials(run, at("as_tuned", PARAMETERS.sizes[0], 50))["filter_misses_per_lookup"].notna().all()
