"""The larger cache without an engine: what differs between arms, which keys are asked for, counters, the best."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchbook import lab
from benchbook.chapters.lru.arms import (
    AGAIN,
    BEST,
    LARGE,
    LAWS,
    MIDDLE,
    ONCE,
    SMALL,
    SQLITE,
    UNIFORM,
    ZIPF,
    Parameters,
    at,
    configurations,
)
from benchbook.chapters.lru.measure import metrics, once, request_of
from benchbook.chapters.lru.numbers import NUMBERS, TIME, Summary
from benchbook.engines.probe import Answer
from benchbook.errors import BenchbookError
from benchbook.model import Run

chapter = lab.experiment("lru")

ARMS = {arm.name: arm for arm in configurations(Parameters())}
ASKED = {name: request_of(Parameters(), arm, 1) for name, arm in ARMS.items()}


def test_caches_of_one_kind_of_keys_differ_in_their_size_alone() -> None:
    for law in (ZIPF, UNIFORM):
        small, middle, large = (ASKED[at(law, use)] for use in (SMALL, MIDDLE, LARGE))
        assert [each["options"].pop("row_cache_entries") for each in map(dict_of, (small, middle, large))] == [
            1_000, 100_000, 1_000_000,
        ]  # fmt: skip
        assert without_size(small) == without_size(middle) == without_size(large)


def dict_of(request: dict[str, Any]) -> dict[str, Any]:
    return request | {"options": dict(request["options"])}


def without_size(request: dict[str, Any]) -> dict[str, Any]:
    return request | {"options": {k: v for k, v in request["options"].items() if k != "row_cache_entries"}}


def test_the_best_is_chosen_among_settings_with_the_largest_cache() -> None:
    for law in (ZIPF, UNIFORM):
        base = ASKED[at(law, LARGE)]["options"]
        for use in BEST[1:]:
            other = ASKED[at(law, use)]["options"]
            assert len({key for key in other if other[key] != base.get(key)}) == 1


def test_sqlite_is_asked_for_the_same_kind_of_keys_and_has_no_cache_of_ours() -> None:
    for law in (ZIPF, UNIFORM):
        request = ASKED[at(law, SQLITE)]
        assert request["options"]["engine"] == "sqlite"
        assert "row_cache_entries" not in request["options"]
        assert request["run"]["law"] == law
        assert request["load"] == ASKED[at(law, SMALL)]["load"]


def test_where_each_key_is_asked_for_once_none_can_come_twice() -> None:
    p = Parameters()
    run = ASKED[at(ONCE, LARGE)]["run"]
    assert np.gcd(run["stride"], p.rows) == 1, "so that it meets every row before it meets one again"
    assert run["operations"] * 2 <= p.rows
    assert "warm_operations" not in run
    assert not once(ARMS[at(ONCE, LARGE)], ASKED[at(ONCE, LARGE)]), "it takes turns all the same"


def test_the_a_a_pair_stands_in_one_group() -> None:
    assert ASKED[at(ZIPF, AGAIN)] == ASKED[at(ZIPF, SMALL)]
    assert ARMS[at(ZIPF, AGAIN)].group == ARMS[at(ZIPF, SMALL)].group


def test_labels_name_size_and_keys() -> None:
    assert len({arm.label for arm in ARMS.values()}) == len(ARMS)
    assert all(LAWS[str(arm.settings["law"])] in arm.label for arm in ARMS.values())


def test_hits_of_the_warm_up_are_not_counted() -> None:
    engine = {"rocksdb.num-entries-active-mem-table": 7, "rocksdb.num-entries-imm-mem-tables": 0}
    counters = {
        "warm": {"row_cache_hits": 40},
        "run": {
            "row_cache_hits": 70, "checked_reads": 120, "asked": 120, "measured_ns": 5_000, "engine": engine,
            "memory": {"anonymous_bytes": 9},
        },
    }  # fmt: skip
    request = {"options": {"row_cache_entries": 10}, "run": {"operations": 100}}
    found = metrics(Answer({}, {"counters": counters}), request)
    assert found["hit_ratio"] == 0.25
    assert found["lookups"] == 120
    assert found["query_mean_ns"] == 50


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


def summary(values: dict[str, dict[str, list[float]]]) -> Summary:
    """A run of one session. values: of metrics in configurations, block by block."""
    rows = []
    for arm, each in values.items():
        for block in range(len(next(iter(each.values())))):
            rows.append({"configuration": arm, "block": block, "session": 0} | {k: v[block] for k, v in each.items()})
    blocks = max(int(row["block"]) for row in rows) + 1
    began = {"started_at": "2026-01-01T00:00:00+00:00"}
    run = Run("r", "lru", 1, {}, "standard", 1, blocks, began, pd.DataFrame(rows), pd.DataFrame(), pd.DataFrame())
    return Summary(chapter, run, Parameters(pilot_blocks=1), ARMS)


def test_the_best_is_that_of_the_first_block() -> None:
    times = {at(ZIPF, use): {TIME: [place + 1.0, 9.0 - place, 9.0 - place]} for place, use in enumerate(BEST)}
    assert summary(times).chosen([at(ZIPF, use) for use in BEST]) == at(ZIPF, LARGE)


def test_memory_is_what_the_larger_cache_adds() -> None:
    found = summary(
        {
            at(UNIFORM, LARGE): {"anonymous_bytes": [330e6, 350e6]},
            at(UNIFORM, SMALL): {"anonymous_bytes": [200e6, 220e6]},
        }
    )
    assert NUMBERS["memory"].compute(found).point == pytest.approx(130)


@pytest.mark.parametrize(("hits", "said"), [(0.0, ""), (0.001, "0.10%")])
def test_a_hit_where_no_key_is_asked_twice_is_told(hits: float, said: str) -> None:
    idle = NUMBERS["once"].idle
    assert idle is not None
    found = idle(summary({at(ONCE, use): {"hit_ratio": [0.0, hits]} for use in (SMALL, LARGE)}))
    assert found.startswith(said)
    assert bool(found) is bool(said)


def test_a_gain_is_how_many_times_faster_the_larger_cache_is() -> None:
    for law in (ZIPF, UNIFORM):
        found = summary({at(law, SMALL): {TIME: [30.0, 30.0]}, at(law, LARGE): {TIME: [10.0, 10.0]}})
        assert NUMBERS[f"gain_{law}"].compute(found).point == pytest.approx(3)
    found = summary({at(ONCE, SMALL): {TIME: [10.0, 10.0]}, at(ONCE, LARGE): {TIME: [11.0, 11.0]}})
    assert NUMBERS["once"].compute(found).point == pytest.approx(1.1), "and here how many times as long it takes"
