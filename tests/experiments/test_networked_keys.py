"""Hot keys over a network on planted numbers: the trips that the note's own run allows decide, and no others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from planting import visits

from benchbook import lab
from benchbook.chapters.networked_keys import (
    Bench,
    Parameters,
    Place,
    at,
    block_ms,
    departing,
    longest_trip_ms,
    no_network,
    of,
    over,
    waits_ns,
)  # fmt: skip
from benchbook.errors import BenchbookError
from benchbook.measuring.features.keys import requests
from benchbook.measuring.features.summary import promised
from benchbook.model import Outcome, Run, Verdict

chapter = lab.experiment("networked_keys")

pytestmark = pytest.mark.usefixtures("still_machine", "no_reports")

BLOCKS = 12
P50 = (("same_keys", "note_p50_ns"), ("disjoint", "note_p50_ns"))


def planted(arms: dict[str, dict[str, Any]] | None = None, *, blocks: int = BLOCKS, seed: int = 2, **own: Any) -> Run:
    """Requests that wait for 30 trips, cold ones for 60 reads, the fastest for 40; but as ``arms`` says otherwise."""
    parameters = Parameters.given({"blocks": blocks, "dose_requests": 1_000, **own})
    draw, rows = np.random.default_rng(seed), []
    for trial in chapter.plan(parameters).trials:
        settings = trial.configuration.settings
        cold, trips = settings["draw"] == "disjoint", 30e6 * (float(settings["trip_ms"] or 0) + 0.05)
        p50, fastest = (trips + 1e6 * reads * cold * (float(settings["read_ms"] or 0) + 0.1) for reads in (60, 40))
        times = {
            "mean_ns": p50, "note_p50_ns": p50, "p50_ns": p50, "note_p95_ns": 1.1 * p50, "note_p99_ns": 1.2 * p50,
            "sd_ns": 0.05 * p50, "note_min_ns": 0.95 * fastest, "pool_misses_per_request": 60.0 * cold,
        }  # fmt: skip
        rows.append(
            {"trial": trial.index, "block": trial.block, "configuration": trial.configuration.name, "session": 0,
             "cache_state": str(promised(settings) or "mixed"), "state": "measured", "requests": 1_000.0,
             "index_scans": 30_000.0, "loop_share_in_requests": 1.0}
            | {name: value * float(np.exp(draw.normal(0, 0.005))) for name, value in times.items()}
            | (arms or {}).get(trial.configuration.name, {})
        )  # fmt: skip
    return Run(
        "r", "networked_keys", 1, parameters.model_dump(mode="json"), "standard", parameters.seed, blocks,
        {"engine_version": "18.6", "direct_io": True}, pd.DataFrame(rows),
        pd.DataFrame(columns=["trial", "series", "latency_ns"]), pd.DataFrame(),
    )  # fmt: skip


def judged(run: Run) -> dict[str, Verdict]:
    return {verdict.claim_id: verdict for verdict in chapter.judge(chapter.summarize(run))}


def test_only_a_trip_that_the_notes_own_fastest_request_allows_judges() -> None:
    run, place = planted(), Place(1.0, 0.25)
    assert longest_trip_ms() == pytest.approx(9.08 / 30)
    found = judged(run)["L054"]
    assert found.outcome is Outcome.DIRECTION_ONLY, found.reason
    assert found.estimate.point == pytest.approx(over(*P50, place)(chapter.summarize(run)).point)


def test_a_spread_takes_two_visits() -> None:
    alone, both = judged(planted()), judged(visits(planted(), planted(seed=3)))
    for claim in ("L003", "L004", "L055", "L059"):
        assert alone[claim].outcome is Outcome.ONE_VISIT, alone[claim].reason
    assert (both["L055"].outcome, both["L004"].outcome) == (Outcome.REPRODUCED, Outcome.CONTRADICTED)


@pytest.mark.parametrize(
    ("own", "words"),
    [({name: value}, "other latencies than those that the claims name") for name, value in
     {"other_read_ms": (0.0, 0.25), "short_trip_ms": 0.0, "varied": (), "read_ms": 0.6}.items()]
    + [({"requests": 500}, "500 measured requests of 30 tables instead of 1,000 of 30"), ({"blocks": 9}, "a P99 needs"),
       ({"dose_requests": 300}, "300 requests a trial over the way that the note allows, where 1,000 are asked")],
)  # fmt: skip
def test_a_run_with_other_latencies_or_fewer_requests_departs_from_the_claims(own: dict[str, Any], words: str) -> None:
    summary = chapter.summarize(planted(**own))
    assert words in departing(True, summary)
    assert bool(departing(False, summary)) is ("blocks" not in own), "other quantiles need fewer requests"


@pytest.mark.parametrize(
    ("same", "words"),
    [({"mean_ns": 40e6}, "an uncached block costs 0.14 ms, and over a network 0.25 ms or more"),
     ({"pool_misses_per_request": 0.5}, "at the central latencies, cold keys read 0.5 blocks per request more")],
)  # fmt: skip
def test_where_a_block_costs_what_a_local_disk_takes_nothing_is_decided(same: dict[str, float], words: str) -> None:
    summary = chapter.summarize(planted({"disjoint": same, "same_keys": {"pool_misses_per_request": 0.0}}))
    assert words in no_network("disjoint", summary)
    assert no_network("disjoint", chapter.summarize(planted())) == ""


def test_a_trial_whose_network_was_not_as_asked_is_in_no_number() -> None:
    run, place = planted(), Place(0.25, 1.0)
    failed = (run.trials["configuration"] == at("disjoint", place, Parameters())) & (run.trials["block"] == 4)
    run.trials.loc[failed, "note_p50_ns"] = np.nan
    summary = chapter.summarize(run)
    assert of("disjoint", "note_p50_ns", place)(summary).n == BLOCKS - 1
    assert over(*P50)(summary).n == BLOCKS
    run.trials.loc[run.trials["block"] > 0, "mean_ns"] = np.nan
    with pytest.raises(BenchbookError, match="in two blocks"):
        block_ms("disjoint")(chapter.summarize(run))


@pytest.mark.parametrize("by", ["lookup", "request"])
def test_waits_that_vary_keep_their_mean_and_have_a_tail(by: str) -> None:
    waits = waits_ns(by, 0.5, 300, 30, np.random.default_rng(1))
    assert waits.mean() == pytest.approx(0.5e6, rel=1e-3)
    assert waits.min() >= 0.25e6 - 1, "half of the wait is fixed"
    assert np.quantile(waits, 0.99) / np.median(waits) == pytest.approx(3.3, rel=0.05)
    assert (waits == waits[:, :1]).all() == (by == "request")


def test_trials_of_a_block_ask_for_the_same_keys_under_every_condition() -> None:
    p = Parameters()
    asked = {name: requests(p, each, 7).measured for name, each in chapter.configurations(p).items()}
    for keys in ("disjoint", "by_chance"):
        assert len(asked[keys]) == p.requests
        for name in (name for name in asked if name.startswith(keys)):
            assert np.array_equal(asked[name], asked[keys][: len(asked[name])]), name


def test_shares_of_the_time_are_delays_as_measured_by_the_mean() -> None:
    made: Any = object.__new__(Bench)
    object.__setattr__(made, "parameters", Parameters())
    seen = {"mean_ns": 80e6, "delayed_reads_per_request": 60.0, "measured_read_ms": 0.5, "measured_trip_ms": 1.0}
    assert made.derived(seen) == {"reads_time_share": 30 / 80, "trips_time_share": 30 / 80}
    assert made.derived({"mean_ns": 80e6, "measured_read_ms": None}) == dict.fromkeys(made.derived(seen), 0.0)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"short_trip_ms": 1.0}, "no shorter"), ({"other_read_ms": (0.5,)}, "twice"),
        ({"varied": ("lookup",) * 2}, "twice"), ({"direct_io": False}, "only direct reads"),
        ({"requests": 20_000}, "exceeds"), ({"other_read_ms": (-1.0,)}, "between"),
    ],
)  # fmt: skip
def test_parameters_that_contradict_themselves_are_refused(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(BenchbookError, match=words):
        Parameters.given(wrong)
