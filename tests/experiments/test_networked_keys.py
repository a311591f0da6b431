"""Hot keys over a network on planted numbers: the trips that the note's own run allows decide, and no others."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from planting import visits

from benchbook import lab
from benchbook.chapters.networked_keys import network
from benchbook.chapters.networked_keys.arms import (
    BASELINE,
    BY_CHANCE,
    COLD,
    DISJOINT,
    LOOKUP,
    REQUEST,
    Parameters,
    Place,
    at,
    configurations,
    varying,
)
from benchbook.chapters.networked_keys.bench import shares
from benchbook.chapters.networked_keys.client import waits_ns
from benchbook.errors import BenchbookError
from benchbook.measuring.features.keys import requests
from benchbook.measuring.features.summary import promised
from benchbook.model import Outcome, Run, Verdict

chapter = lab.experiment("networked_keys")

pytestmark = pytest.mark.usefixtures("still_machine", "no_reports")

READS, BLOCKS = 60.0, 12
FALLS = ("L012", "L054")
OF_THE_FASTEST = ("L004", "L013", "L058", "L075")
SPREADS = ("L003", "L004", "L055", "L059")
TAILS = ("L003", "L012", "L013")
"""Claims on a P99 of the design."""
ALL = {each.claim for each in chapter.answers.given}


def modelled(settings: dict[str, Any], cost_ms: float = 0.1) -> dict[str, float]:
    """Times of a configuration whose requests wait for 30 trips, and cold ones for 60 reads; the fastest for 40."""
    cold = settings["draw"] == "disjoint"
    trips, block = 30 * (settings["trip_ms"] + 0.05), settings["read_ms"] + cost_ms
    p50 = 1e6 * (trips + READS * block * cold)
    fastest = 1e6 * (trips + 40 * block * cold)
    return {
        "mean_ns": p50, "note_p50_ns": p50, "p50_ns": p50, "note_p95_ns": 1.1 * p50, "note_p99_ns": 1.2 * p50,
        "sd_ns": 0.05 * p50, "note_min_ns": 0.95 * fastest, "pool_misses_per_request": READS * cold,
    }  # fmt: skip


def planted(arms: dict[str, dict[str, Any]] | None = None, *, blocks: int = BLOCKS, seed: int = 2, **own: Any) -> Run:
    """A run by the model within 0.5 %, but where ``arms`` says otherwise; 1,000 requests at each place."""
    parameters = Parameters.given({"blocks": blocks, "dose_requests": 1_000, **own})
    generator = np.random.default_rng(seed)
    rows = []
    for trial in chapter.plan(parameters).trials:
        settings = trial.configuration.settings
        state = promised(settings)
        times = {name: value * float(np.exp(generator.normal(0, 0.005))) for name, value in modelled(settings).items()}
        rows.append(
            {
                "trial": trial.index, "block": trial.block, "configuration": trial.configuration.name, "session": 0,
                "cache_state": "mixed" if state is None else str(state), "state": "measured",
                "requests": 1_000.0, "index_scans": 30_000.0, "loop_share_in_requests": 1.0,
                **times, **(arms or {}).get(trial.configuration.name, {}),
            }
        )  # fmt: skip
    return Run(
        "r", "networked_keys", 1, parameters.model_dump(mode="json"), "standard", parameters.seed, blocks,
        {"engine_version": "18.6", "direct_io": True}, pd.DataFrame(rows),
        pd.DataFrame(columns=["trial", "series", "latency_ns"]), pd.DataFrame(),
    )  # fmt: skip


def judged(run: Run) -> dict[str, Verdict]:
    return {verdict.claim_id: verdict for verdict in chapter.judge(chapter.summarize(run))}


def everywhere(keys: str, **metrics: float) -> dict[str, dict[str, float]]:
    """The same numbers of these keys at all latencies and however reads vary."""
    p = Parameters()
    places = (p.centre, *p.elsewhere)
    return dict.fromkeys({*(at(keys, e, p) for e in places), *(varying(keys, e) for e in p.varied)}, metrics)


def test_only_a_trip_that_the_notes_own_fastest_request_allows_judges() -> None:
    found, run = judged(planted()), planted()
    assert network.longest_trip_ms() == pytest.approx(9.08 / 30)
    place = Place(1.0, 0.25)
    for claim in FALLS:
        assert found[claim].outcome is Outcome.DIRECTION_ONLY, found[claim].reason
        metric = "note_p99_ns" if claim == "L012" else "note_p50_ns"
        own = chapter.summarize(run).over((BASELINE, metric), (DISJOINT, metric), place)
        assert found[claim].estimate.point == pytest.approx(own.point)
    few = judged(planted(dose_requests=300))
    assert few["L012"].outcome is Outcome.OPEN_CONDITION
    assert "300 requests a trial over the way that the note allows, where 1,000 are asked" in few["L012"].reason


def test_a_typical_request_is_no_fastest_one() -> None:
    found = judged(planted())
    for claim in ("L013", "L075"):
        assert found[claim].outcome is Outcome.CONTRADICTED, found[claim].reason
    assert found["L058"].outcome is Outcome.DIRECTION_ONLY, "the minimum falls, and by more than was said"


def test_a_spread_takes_two_visits() -> None:
    def twice(arms: dict[str, dict[str, Any]] | None = None) -> dict[str, Verdict]:
        return judged(visits(planted(arms), planted(arms, seed=3)))

    alone, both = judged(planted()), twice()
    for claim in SPREADS:
        assert alone[claim].outcome is Outcome.ONE_VISIT, alone[claim].reason
    assert both["L055"].outcome is both["L003"].outcome is Outcome.REPRODUCED, both["L055"].reason
    assert both["L004"].outcome is Outcome.CONTRADICTED, both["L004"].reason


def test_latencies_that_all_give_the_note_s_fall_reproduce_it() -> None:
    fall = everywhere(DISJOINT, note_p50_ns=78e6, note_p99_ns=110e6, mean_ns=78e6)
    p = Parameters()
    warm = {"note_p50_ns": 31e6, "note_p99_ns": 40e6, "mean_ns": 31e6}
    hot = dict.fromkeys((BASELINE, "same_keys_again", at(BASELINE, p.elsewhere[-1], p)), warm)
    found = judged(planted(fall | hot))
    for claim in FALLS:
        assert found[claim].outcome is Outcome.REPRODUCED, found[claim].reason


@pytest.mark.parametrize(
    "own", [{"other_read_ms": (0.0, 0.25)}, {"short_trip_ms": 0.0}, {"varied": ()}, {"read_ms": 0.6}]
)
def test_a_run_with_other_latencies_than_the_claims_name_decides_nothing(own: dict[str, Any]) -> None:
    for claim, verdict in judged(planted(**own)).items():
        assert verdict.outcome is Outcome.OPEN_CONDITION, claim
        assert "other latencies than those that the claims name" in verdict.reason


def test_fewer_requests_or_blocks_than_a_p99_takes_leave_the_tails_open() -> None:
    few = judged(planted(blocks=9))
    for claim in ALL:
        assert ("a P99 needs 10,000" in few[claim].reason) is (claim in TAILS), few[claim].reason
    other = judged(planted(requests=500))
    assert all("500 measured requests of 30 tables" in other[claim].reason for claim in ALL)


def test_where_a_block_costs_what_a_local_disk_takes_nothing_is_decided() -> None:
    cheap = everywhere(DISJOINT, mean_ns=31.5e6 + READS * 0.1e6) | everywhere(BY_CHANCE, mean_ns=31.5e6 + READS * 0.1e6)
    for claim, verdict in judged(planted(cheap)).items():
        assert verdict.outcome is Outcome.DESIGN, claim
        assert re.search(r"an uncached block costs 0\.\d+ ms, and over a network 0\.25 ms or more", verdict.reason)
    same = everywhere(DISJOINT, pool_misses_per_request=0.5) | everywhere(BY_CHANCE, pool_misses_per_request=0.5)
    assert all("0.5 blocks per request more" in each.reason for each in judged(planted(same)).values())


def test_a_trial_whose_network_was_not_as_asked_is_in_no_number() -> None:
    run = planted()
    failed = (run.trials["configuration"] == at(DISJOINT, Place(0.25, 1.0), Parameters())) & (run.trials["block"] == 4)
    metrics = [name for name in modelled({"draw": "same", "trip_ms": 1, "read_ms": 1}) if name in run.trials]
    run.trials.loc[failed, metrics] = np.nan
    summary = chapter.summarize(run)
    assert summary.typical_ms(DISJOINT, "note_p50_ns", Place(0.25, 1.0)).n == BLOCKS - 1
    assert summary.over((BASELINE, "note_p50_ns"), (DISJOINT, "note_p50_ns")).n == BLOCKS
    run.trials.loc[run.trials["block"] > 0, "mean_ns"] = np.nan
    with pytest.raises(BenchbookError, match="in two blocks"):
        chapter.summarize(run).block_ms(DISJOINT)


@pytest.mark.parametrize("by", [LOOKUP, REQUEST])
def test_waits_that_vary_keep_their_mean_and_have_a_tail(by: str) -> None:
    waits = waits_ns(by, 0.5, 300, 30, np.random.default_rng(1))
    assert waits.shape == (300, 30)
    assert waits.mean() == pytest.approx(0.5e6, rel=1e-3)
    assert waits.min() >= 0.25e6 - 1, "half of the wait is fixed"
    assert np.quantile(waits, 0.99) / np.median(waits) == pytest.approx(3.3, rel=0.05)
    assert (waits == waits[:, :1]).all() == (by == REQUEST)


def test_trials_of_a_block_ask_for_the_same_keys_under_every_condition() -> None:
    p = Parameters()
    by_name = {each.name: requests(p, each, 7) for each in configurations(p)}
    for keys in COLD:
        first = by_name[keys].measured
        assert len(first) == p.requests
        for name in everywhere(keys).keys() & by_name.keys():
            assert np.array_equal(by_name[name].measured, first[: len(by_name[name].measured)]), name
    assert set(by_name[BASELINE].measured) <= set(by_name[BASELINE].warm)


def test_shares_of_the_time_are_delays_as_measured_by_the_mean() -> None:
    metrics: dict[str, float | None] = {
        "mean_ns": 80e6, "delayed_reads_per_request": 60.0, "measured_read_ms": 0.5, "measured_trip_ms": 1.0
    }  # fmt: skip
    assert shares(metrics, 30) == {"reads_time_share": 30 / 80, "trips_time_share": 30 / 80}
    assert shares({"mean_ns": 80e6, "measured_read_ms": None}, 30) == {"reads_time_share": 0.0, "trips_time_share": 0.0}


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
