"""A tiny real run: every trial has the network that it asks for, and reads that vary keep their mean."""

from __future__ import annotations

import pytest
from tiny_runs import check_cells, check_chapter, check_metrics, needing, trials

from benchbook import lab, store
from benchbook.chapters.networked_keys import Parameters, Place, at, reduce
from benchbook.engines import delay
from benchbook.model import Evidence, Run
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
    check_cells(run, len(lab.experiment(CHAPTER).configurations(PARAMETERS)))
    assert run.trials["state"].eq("measured").all()
    warmed = run.trials["configuration"].str.startswith("same_keys")
    assert run.trials.loc[warmed, "cache_state"].eq("hot").all()
    assert run.trials.loc[warmed, "pool_misses_per_request"].eq(0).all()
    assert trials(run, "disjoint", at("disjoint", CORNER, PARAMETERS))["cache_state"].eq("cold").all()


def test_no_delay_is_cut_short_and_none_is_added_where_none_is_asked(run: Run) -> None:
    """How far a delay may be exceeded is no matter of this test: other work can hold it up."""
    cold = run.trials[run.trials["delayed_reads_per_request"].gt(1)]
    assert (cold["measured_read_ms"] / cold["added_read_ms"]).gt(0.9).all()
    assert (run.trials["measured_trip_ms"] / run.trials["added_trip_ms"]).median() > 0.5, "it is what other times leave"
    without = trials(run, at("disjoint", Place(0.0, PARAMETERS.trip_ms), PARAMETERS))
    assert without["delayed_reads_per_request"].eq(0).all()
    assert without["pool_misses_per_request"].gt(4).all(), "it reads as cold keys do"


def test_requests_take_the_delays_that_were_measured_and_more(run: Run) -> None:
    shares = run.trials["reads_time_share"] + run.trials["trips_time_share"]
    assert shares.gt(0).all()
    assert shares.median() < 1, "few short trials may exceed it: the observer's own reads wait too"
    cold = trials(run, "disjoint", at("disjoint", CORNER, PARAMETERS))
    waited_ms = cold["delayed_reads_per_request"] * cold["measured_read_ms"]
    assert (waited_ms > 4 * 0.5).all(), "a page of each of four tables at least"
    assert (cold["mean_ns"] > 1e6 * waited_ms).all()


def test_reads_vary_where_a_configuration_says_so_and_keep_their_mean(run: Run) -> None:
    assert trials(run, "disjoint")["asked_wait_spread"].eq(0).all()
    for by in ("lookup", "request"):
        varied = trials(run, *(at(keys, by, PARAMETERS) for keys in ("disjoint", "by_chance")))
        assert varied["asked_wait_spread"].between(0.4, 0.55).all()
        assert varied["measured_read_ms"].gt(0.45).all()
        assert varied["delayed_reads_per_request"].gt(2).all()


def test_stored_metrics_are_those_of_the_stored_samples(run: Run) -> None:
    check_metrics(run, reduce)
    [entry] = [each for each in store.catalogue() if each.id == run.id]
    assert verify(entry).problems == ()


def test_even_a_tiny_run_gets_whole_figures_and_one_verdict_per_claim(run: Run) -> None:
    summary = check_chapter(run, ("design", "answer", "control", "place", "turns", "varying", "noise"))
    measured = [verdict for verdict in summary.chapter.judge(summary) if verdict.evidence is Evidence.MEASURED]
    assert measured
    assert all("50 measured requests of 4 tables instead of" in verdict.reason for verdict in measured)
    assert trials(run, "hot_share_80")["requests"].eq(50).all()


@pytest.mark.parametrize("table", ["overview", "by_condition", "settings"])
def test_tables_are_whole(run: Run, table: str) -> None:
    module = lab.experiment(run.experiment)
    assert len(module.table(module.summarize(run), table)) > 3
