"""A tiny real run: every trial has the network that it asks for, and reads that vary keep their mean."""

from __future__ import annotations

import numpy as np
import pytest
from tiny_runs import check_cells, check_chapter, check_metrics, needing, trials

from benchbook import store
from benchbook.engines import delay
from benchbook.experiments.networked_keys.arms import (
    BASELINE,
    BY_CHANCE,
    DISJOINT,
    LOOKUP,
    MIXED,
    REQUEST,
    Parameters,
    Place,
    at,
    configurations,
    varying,
)
from benchbook.experiments.networked_keys.measure import reduce
from benchbook.model import READS, Run
from benchbook.verification import verify

pytestmark = needing(delay.find)

CHAPTER = "networked_keys"
PARAMETERS = Parameters.given(
    {
        "blocks": 2, "n_tables": 4, "rows_per_table": 4_000, "shared_buffers_mib": 32, "hot_set_keys": 20,
        "warmup_requests": 20, "measured_requests": 200, "window_requests": 50, "requests": 50, "dose_requests": 30,
        "other_read_ms": (0.0, 2.0), "short_trip_ms": 0.5,
    }
)  # fmt: skip
CORNER = Place(2.0, 0.5)


def test_every_configuration_is_measured_in_every_block_with_its_cache_as_named(run: Run) -> None:
    check_cells(run, len(configurations(PARAMETERS)))
    assert run.trials["state"].eq("measured").all()
    warmed = run.trials["configuration"].str.startswith(BASELINE)
    assert run.trials.loc[warmed, "cache_state"].eq("hot").all()
    assert run.trials.loc[warmed, "pool_misses_per_request"].eq(0).all()
    assert trials(run, DISJOINT, at(DISJOINT, CORNER, PARAMETERS))["cache_state"].eq("cold").all()


def test_the_network_is_as_slow_as_asked_in_every_trial(run: Run) -> None:
    cold = run.trials[run.trials["delayed_reads_per_request"].gt(1)]
    assert (cold["measured_read_ms"] / cold["added_read_ms"]).between(0.8, 1.2).all()
    assert (run.trials["measured_trip_ms"] - run.trials["added_trip_ms"]).abs().le(0.2).all()
    without = trials(run, at(DISJOINT, Place(0.0, PARAMETERS.trip_ms), PARAMETERS))
    assert without["delayed_reads_per_request"].eq(0).all(), "nothing is added to reads there"
    assert without["pool_misses_per_request"].gt(4).all(), "which are there"


def test_a_miss_costs_what_was_added_and_a_hit_does_not(run: Run) -> None:
    hot, cold, slow = (
        trials(run, name)["mean_ns"].to_numpy() for name in (BASELINE, DISJOINT, at(DISJOINT, CORNER, PARAMETERS))
    )
    assert (hot > 4e6).all(), "four trips of 1 ms"
    assert (cold - hot > 2e6).all(), "seven or eight reads of half a millisecond"
    assert (slow > 12e6).all(), "as many of two"
    shares = trials(run, DISJOINT)["reads_time_share"] + trials(run, DISJOINT)["trips_time_share"]
    assert shares.between(0.5, 1).all()


def test_reads_that_vary_by_request_spread_wider_than_those_that_vary_by_look_up(run: Run) -> None:
    own, by_lookup, by_request = (
        trials(run, name)["asked_wait_spread"].to_numpy()
        for name in (DISJOINT, varying(DISJOINT, LOOKUP), varying(DISJOINT, REQUEST))
    )
    assert (own == 0).all()
    assert (np.abs(np.concatenate([by_lookup, by_request]) - 0.5) < 0.1).all()
    spread = {
        name: trials(run, name)["sd_ns"].mean() for name in (varying(DISJOINT, LOOKUP), varying(DISJOINT, REQUEST))
    }
    assert spread[varying(DISJOINT, REQUEST)] > spread[varying(DISJOINT, LOOKUP)]


def test_keys_are_the_same_under_every_condition(run: Run) -> None:
    reads = run.samples[run.samples["series"] == READS]
    for block in (0, 1):
        named = run.trials[run.trials["block"] == block].set_index("configuration")["trial"]
        first, other = (
            reads.loc[reads["trial"] == named[name], "latency_ns"].to_numpy()[:30]
            for name in (BY_CHANCE, varying(BY_CHANCE, LOOKUP))
        )
        assert np.array_equal(first, other)


def test_stored_metrics_are_those_of_the_stored_samples(run: Run) -> None:
    check_metrics(run, reduce)
    [entry] = [each for each in store.catalogue() if each.id == run.id]
    assert verify(entry).problems == ()


def test_even_a_tiny_run_gets_whole_figures_and_one_verdict_per_claim(run: Run) -> None:
    summary = check_chapter(run, ("design", "answer", "control", "place", "turns", "varying", "noise"))
    assert all(verdict.departs for verdict in summary.chapter.judge(summary)), "other requests than the note's"
    assert trials(run, MIXED)["requests"].eq(50).all()


@pytest.mark.parametrize("table", ["overview", "by_condition", "settings"])
def test_tables_are_whole(run: Run, table: str) -> None:
    from benchbook import lab

    module = lab.experiment(run.experiment)
    assert len(module.table(module.summarize(run), table).data) > 3
