"""Mapped files without an engine: which configurations there are, what the probe is asked, what is refused and said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchbook import lab
from benchbook.chapters.mapped_files.arms import (
    AGAIN,
    ENGINES,
    LMDB,
    MACHINES,
    ROCKSDB,
    SQLITE,
    SQLITE_CALLS,
    VALUE_FILE,
    Parameters,
    at,
    configurations,
    sized,
)
from benchbook.chapters.mapped_files.measure import request_of, volume_mib
from benchbook.chapters.mapped_files.numbers import NUMBERS
from benchbook.errors import BenchbookError
from benchbook.measuring.samples import reduce
from benchbook.model import Run

chapter = lab.experiment("mapped_files")

pytestmark = pytest.mark.usefixtures("still_machine")
MAPPED = (VALUE_FILE, SQLITE, LMDB)
P = Parameters()
ASKED = {arm.name: request_of(P, arm, 1) for arm in configurations(P)}


def planted(parameters: Parameters) -> Run:
    """Look-ups in mapped files take as long as the read-ahead is large; others the same whatever it is."""
    generator = np.random.default_rng(7)
    rows, samples = [], []
    for trial in chapter.plan(parameters).trials:
        settings = trial.configuration.settings
        kib = max(4, int(settings["read_ahead_kib"] or 0))
        engine = max((each for each in ENGINES if trial.configuration.name.startswith(each)), key=len)
        read = kib if engine in MAPPED else 16
        mean = 1_000 * (20 + read) * generator.lognormal(0, 0.01)
        kept = np.full(50, int(mean), dtype=np.int64)
        rows.append(
            {
                "trial": trial.index, "block": trial.block, "configuration": trial.configuration.name,
                "seed": trial.seed, "session": 0, "started_at": "2026-11-28T10:00:00+00:00", "duration_s": 5.0,
                "memory": "bounded", "share": "as asked for", "query_mean_ns": mean, "query_p50_ns": mean,
                "query_p95_ns": 2 * mean, "lookups": 2_000.0, "checked_reads": 2_000.0,
                "device_kib_per_lookup": float(read), "held_share": int(settings["memory_percent"] or 0) / 100,
                **reduce(kept),
            }
        )  # fmt: skip
        samples.append(pd.DataFrame({"trial": trial.index, "series": "query", "latency_ns": kept}))
    return Run(
        "0123456789ab-20261128T100000", "mapped_files", 1, parameters.model_dump(mode="json"), "standard",
        parameters.seed, parameters.blocks, {"engine_version": "RocksDB 9"}, pd.DataFrame(rows), pd.concat(samples),
        pd.DataFrame(),
    )  # fmt: skip


def test_every_engine_is_measured_at_every_share_and_read_ahead_and_one_twice() -> None:
    assert len(ASKED) == len(P.memory_percent) * len(P.read_ahead_kib) * len(ENGINES) + 1
    assert ASKED[AGAIN] == ASKED[at(VALUE_FILE, 0, 50)]


def test_without_a_volume_there_is_one_read_ahead_which_is_the_machines() -> None:
    own = Parameters(allow_slow_storage=False)
    assert own.sizes == (MACHINES,)
    assert volume_mib(own) == 0 < volume_mib(P)
    assert sized(MACHINES) == "the machine's own"


def test_the_probe_is_asked_for_no_name_of_ours_and_the_same_at_every_read_ahead() -> None:
    for engine in ENGINES:
        first, *others = (ASKED[at(engine, kib, share)] for kib in P.read_ahead_kib for share in P.memory_percent)
        assert not {"memory_percent", "read_ahead_kib", "settle", "batch_rows"} & {*first["options"]}
        assert all(each == first for each in others)


def test_the_two_sqlites_differ_in_how_they_read_alone() -> None:
    one, other = (ASKED[at(engine, 0, 50)]["options"] for engine in (SQLITE, SQLITE_CALLS))
    assert {name for name in one if one[name] != other[name]} == {"mmap_bytes", "cache_kib"}
    assert other["mmap_bytes"] == 0


@pytest.mark.parametrize(("kib", "words"), [(0, "none"), (128, "128 KiB"), (1_024, "1 MiB"), (1_536, "1536 KiB")])
def test_a_read_ahead_in_words(kib: int, words: str) -> None:
    assert sized(kib) == words


@pytest.mark.parametrize(
    "given", [{"memory_percent": [50, 20]}, {"read_ahead_kib": [128, 128]}, {"memory_percent": [1]}, {"lookups": 1}]
)
def test_sizes_that_do_not_grow_or_are_too_small_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(BenchbookError, match=r"memory_percent|read_ahead_kib|lookups"):
        Parameters.given(given)


def test_what_reads_by_calls_is_told_apart_from_what_is_mapped() -> None:
    summary = chapter.summarize(planted(Parameters(blocks=6)))
    title = chapter.opening(summary).title
    assert title.startswith("With memory for 50 % of a mapped file, a look-up takes 3")
    assert title.endswith("read-ahead of 8 MiB as with none")
    assert NUMBERS["sqlite_calls_more"].compute(summary).point == pytest.approx(1, abs=0.02)
    assert NUMBERS["mapping_most"].compute(summary).point > 100
    assert "in SQLite that reads by calls," in chapter.say(summary, "ahead").text
    for name in ("design", "finding", "usual", "mapping", "calls", "noise"):
        assert chapter.say(summary, name).text.strip(), name
    assert len(chapter.figures(summary)["memory"].data) == 9 * len(MAPPED)


def test_rocksdb_whose_filter_did_not_fit_into_a_shard_is_compared_with_nothing() -> None:
    summary = chapter.summarize(planted(Parameters(blocks=6)))
    of_rocksdb = {at(ROCKSDB, kib, share) for kib in P.read_ahead_kib for share in P.memory_percent}
    assert of_rocksdb <= set(summary.arms), "its trials stay"
    for name, number in NUMBERS.items():
        assert not of_rocksdb & {*number.names(summary)}, name
    for name, figure in chapter.figures(summary).items():
        assert "RocksDB" not in f"{figure.title} {figure.finding} {figure.caption} {figure.alt}", name
    lesson = chapter.lesson(summary)
    assert "RocksDB" not in " ".join((lesson.title, *lesson.besides, lesson.advice))


def test_with_one_read_ahead_nothing_is_said_of_another() -> None:
    summary = chapter.summarize(planted(Parameters(blocks=6, allow_slow_storage=False, memory_percent=(50,))))
    assert chapter.opening(summary).title == "What a look-up costs where memory holds 50 % of a store"
    for name in ("mapping", "calls"):
        assert "read-ahead" not in chapter.say(summary, name).text


def test_trials_that_held_another_share_are_counted() -> None:
    run = planted(Parameters(blocks=6))
    run.trials.loc[:1, "share"] = "another share in memory"
    assert "in 2 trials that is more than 15 points" in chapter.say(chapter.summarize(run), "design").text


def test_rocksdb_is_asked_in_files_and_without_a_log() -> None:
    asked = ASKED[at(ROCKSDB, 0, 50)]
    assert asked["load"]["settle"] == "compact"
    assert asked["options"]["write_ahead_log"] is False
