"""Mapped files without an engine: which configurations there are, what the probe is asked, what is refused and said."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from benchbook.chapters.mapped_files import (
    COMPARED,
    ENGINES,
    MACHINES,
    WORDS,
    Parameters,
    at,
    configurations,
    refused,
    request_of,
    sized,
    volume_mib,
)
from benchbook.errors import BenchbookError

P = Parameters()
ASKED = {arm.name: request_of(P, arm, 1) for arm in configurations(P)}


def test_without_a_volume_there_is_one_read_ahead_which_is_the_machines() -> None:
    own = Parameters(allow_slow_storage=False)
    assert own.sizes == (MACHINES,)
    assert volume_mib(own) == 0 < volume_mib(P)
    assert "value_file_own_50" in {arm.name for arm in configurations(own)}


def test_the_probe_is_asked_for_no_name_of_ours_and_the_same_at_every_read_ahead() -> None:
    for engine in ENGINES:
        shares = P.memory_percent if engine in COMPARED else (P.middle,)
        first, *others = (ASKED[at(engine, kib, share)] for kib in P.read_ahead_kib for share in shares)
        assert not {"memory_percent", "read_ahead_kib", "settle", "batch_rows"} & {*first["options"]}
        assert all(each == first for each in others)
    assert ASKED["value_file_again"] == ASKED["value_file_0_50"]


def test_the_two_sqlites_differ_in_how_they_read_alone_and_rocksdb_is_asked_in_files_without_a_log() -> None:
    one, other = (ASKED[f"{engine}_0_50"]["options"] for engine in ("sqlite", "sqlite_calls"))
    assert {name for name in one if one[name] != other[name]} == {"mmap_bytes", "cache_kib"}
    assert other["mmap_bytes"] == 0
    rocksdb = ASKED["rocksdb_0_50"]
    assert (rocksdb["load"]["settle"], rocksdb["options"]["write_ahead_log"]) == ("compact", False)


def test_rocksdbs_arms_differ_in_where_the_filter_lies_alone() -> None:
    outside, one, tuned = (ASKED[f"{arm}_0_50"]["options"] for arm in ("rocksdb", "one_shard", "as_tuned"))
    assert outside == {**tuned, "cache_index_and_filter_blocks": False}
    assert one == {**tuned, "cache_shard_bits": 0}
    assert tuned["cache_index_and_filter_blocks"] is True


@pytest.mark.parametrize(
    ("trials", "filtered", "why"),
    [
        ({"share": ["as asked for"] * 2, "filter_misses_per_lookup": [0.0, 0.01]}, True, ""),
        ({"share": ["as asked for"] * 2, "filter_misses_per_lookup": [0.0, 0.02]}, True, "missed 0.02 times"),
        ({"share": ["as asked for"] * 2, "filter_misses_per_lookup": [0.0, 1.0]}, False, ""),
        ({"share": ["as asked for", "another"]}, False, "in 1 trials"),
        ({"share": ["as asked for"], "filter_misses_per_lookup": [None]}, False, ""),
        ({"share": ["as asked for"]}, True, "not counted"),
    ],
)
def test_a_time_is_refused_at_another_share_and_where_filters_were_read(
    trials: dict[str, list[Any]], filtered: bool, why: str
) -> None:
    assert why in (said := refused(pd.DataFrame(trials), filtered=filtered))
    assert bool(said) == bool(why)


@pytest.mark.parametrize(
    ("kib", "words"),
    [(MACHINES, "the machine's own"), (0, "none"), (128, "128 KiB"), (1_024, "1 MiB"), (1_536, "1536 KiB")],
)
def test_a_read_ahead_in_words(kib: int, words: str) -> None:
    assert sized(kib) == words


def test_trials_that_held_another_share_are_counted() -> None:
    for shares, off in ((["as asked for", "another", "another"], 2), (["as asked for"], 0)):
        assert WORDS["off"](SimpleNamespace(run=SimpleNamespace(trials=pd.DataFrame({"share": shares})))) == off
    assert WORDS["off"](SimpleNamespace(run=SimpleNamespace(trials=pd.DataFrame({"block": [1]})))) == 0


@pytest.mark.parametrize(
    "given", [{"memory_percent": [50, 20]}, {"read_ahead_kib": [128, 128]}, {"memory_percent": [1]}, {"lookups": 1}]
)
def test_sizes_that_do_not_grow_or_are_too_small_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(BenchbookError, match=r"memory_percent|read_ahead_kib|lookups"):
        Parameters.given(given)
