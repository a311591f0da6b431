"""The larger cache without an engine: what differs between arms, which keys are asked for, which hits count."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchbook.chapters.lru import BEST, CACHES, LAWS, NUMBERS, PROBING, Parameters, configurations, read
from benchbook.engines.probe import Answer
from benchbook.errors import BenchbookError

ARMS = {arm.name: arm for arm in configurations(Parameters())}
ASKED = PROBING.requests(Parameters())
COMPARED = ("zipf", "uniform")


def without_size(request: dict[str, Any]) -> dict[str, Any]:
    return request | {"options": {key: each for key, each in request["options"].items() if key != "row_cache_entries"}}


def test_caches_of_one_kind_of_keys_differ_in_their_size_alone() -> None:
    for law in COMPARED:
        small, middle, large = (ASKED[f"{law}_{use}"] for use in CACHES)
        sizes = [each["options"]["row_cache_entries"] for each in (small, middle, large)]
        assert sizes == [1_000, 100_000, 1_000_000]
        assert without_size(small) == without_size(middle) == without_size(large)


def test_the_best_is_chosen_among_settings_with_the_largest_cache() -> None:
    for law in COMPARED:
        base = ASKED[f"{law}_large"]["options"]
        for use in BEST[1:]:
            other = ASKED[f"{law}_{use}"]["options"]
            assert len({key for key in other if other[key] != base.get(key)}) == 1


def test_sqlite_is_asked_for_the_same_kind_of_keys_and_has_no_cache_of_ours() -> None:
    for law in COMPARED:
        request = ASKED[f"{law}_sqlite"]
        assert request["options"]["engine"] == "sqlite"
        assert "row_cache_entries" not in request["options"]
        assert request["run"]["law"] == law
        assert request["load"] == ASKED[f"{law}_small"]["load"]


def test_where_each_key_is_asked_for_once_none_can_come_twice() -> None:
    p, run = Parameters(), ASKED["once_large"]["run"]
    assert np.gcd(run["stride"], p.rows) == 1, "so that it meets every row before it meets one again"
    assert run["operations"] * 2 <= p.rows
    assert "warm_operations" not in run
    assert not PROBING.once(ARMS["once_large"], ASKED["once_large"]), "it takes turns all the same"


def test_the_a_a_pair_stands_in_one_group() -> None:
    assert ASKED["zipf_again"] == ASKED["zipf_small"]
    assert ARMS["zipf_again"].group == ARMS["zipf_small"].group
    assert all(LAWS[str(arm.settings["law"])] in arm.label for arm in ARMS.values())


def test_hits_of_the_warm_up_are_not_counted() -> None:
    engine = {"rocksdb.num-entries-active-mem-table": 7, "rocksdb.num-entries-imm-mem-tables": 0}
    counters = {
        "warm": {"row_cache_hits": 40},
        "run": {"row_cache_hits": 70, "checked_reads": 120, "asked": 120, "measured_ns": 5_000, "engine": engine,
                "memory": {"anonymous_bytes": 9}},
    }  # fmt: skip
    record = {"counters": counters, "engine": "rocksdb", "engine_version": "1"}
    answer = Answer({"batch.service": np.array([1])}, record)
    request = {"options": {"row_cache_entries": 10}, "run": {"operations": 100}}
    asked: Any = SimpleNamespace(answer=answer, request=request)
    found = read(asked).metrics
    assert (found["hit_ratio"], found["lookups"], found["query_mean_ns"]) == (0.25, 120, 50)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"middle_entries": 1_000}, "must grow"),
        ({"large_entries": 50_000}, "must grow"),
        ({"once_lookups": 6_000_000}, "at most half"),
        ({"rows": 7_919_000}, "multiple of"),
        ({"pilot_blocks": 4}, "leaves none"),
    ],
)
def test_parameters_that_contradict_each_other_are_refused(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(BenchbookError, match=said):
        Parameters.given({"once_lookups": 3_000_000, **wrong})


@pytest.mark.parametrize(("hits", "said"), [(0.0, ""), (0.001, "0.10%")])
def test_a_hit_where_no_key_is_asked_twice_is_told(hits: float, said: str) -> None:
    summary = SimpleNamespace(values=lambda arm, metric: np.array([0.0, hits]))
    idle = NUMBERS["once"].idle  # type: ignore[union-attr]
    assert idle is not None
    assert idle(summary).startswith(said)
    assert bool(idle(summary)) is bool(said)
