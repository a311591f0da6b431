"""Ways to warm without a server: the configurations, keys that moved, what the first requests lose, what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook.chapters.prewarming.arms import AGAIN, ASKED, IN_SMALL, SLOW, WAYS, Parameters, at, configurations
from benchbook.chapters.prewarming.measure import needs, reduce
from benchbook.chapters.prewarming.warming import Read
from benchbook.errors import BenchbookError
from benchbook.measuring.features.made import Data

P = Parameters()


def test_every_way_is_measured_on_both_kinds_of_reads_and_three_in_the_smaller_pool() -> None:
    arms = {arm.name: arm.settings for arm in configurations(P)}
    assert len(arms) == 2 * len(WAYS) + 1 + len(IN_SMALL) + len(P.moved_percent)
    assert arms[AGAIN] == arms[at(ASKED, SLOW)]
    assert {arm["warmed_by"] for arm in arms.values()} == set(WAYS)
    assert sum(bool(arm["small_pool"]) for arm in arms.values()) == len(IN_SMALL)


@given(st.integers(1_000, 50_000), st.integers(10, 250), st.integers(1, 100))
def test_keys_that_moved_are_as_many_as_asked_in_the_tables_and_none_of_them_was_warmed(
    rows: int, hot: int, percent: int
) -> None:
    data = Data(Parameters(rows_per_table=rows, hot_keys=hot))
    others = hot * percent // 100
    warmed = np.arange(hot) * data.apart
    drawn = np.where(warmed < others * data.apart, warmed + data.apart // 2, warmed)
    assert len(set(drawn.tolist())) == hot
    assert drawn.max() < rows
    assert len(set(drawn.tolist()) - set(warmed.tolist())) == others


def test_a_script_says_which_keys_moved() -> None:
    still, moved = (Data(P).script(hot=True, pipeline=True, moved=each).splitlines() for each in (0, 75))
    assert still[0] == moved[0] == "\\set k random(0, 299) * 66"
    assert moved[1] == "\\set k :k + (CASE WHEN :k < 4950 THEN 33 ELSE 0 END)"
    assert still[1:] == moved[2:]


def test_reads_are_told_as_differences_and_unknown_ones_stay_unknown() -> None:
    assert Read(10, 81_920) - Read(4, 32_768) == Read(6, 49_152)
    assert Read(None, None) - Read(4, 32_768) == Read(10, 1) - Read(None, None) == Read(None, None)


def test_the_tables_take_disk_and_the_pool_memory() -> None:
    asked, more = needs(P), needs(Parameters(rows_per_table=200_000))
    assert more.disk_bytes > 2 * asked.disk_bytes
    assert more.memory_bytes > 5 * asked.memory_bytes / 2


def test_stored_latencies_become_metrics() -> None:
    assert reduce(np.arange(1, 1_001))["sample_mean_ns"] == 500.5


@pytest.mark.parametrize(
    "asked", [{"hot_keys": 6_000}, {"moved_percent": [50, 5]}, {"moved_percent": []}, {"direct_io": False},
              {"slow_read_ms": 0}],
)  # fmt: skip
def test_impossible_parameters_are_refused(asked: dict[str, object]) -> None:
    with pytest.raises(BenchbookError):
        Parameters.given(asked)
