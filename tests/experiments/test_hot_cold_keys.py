"""Verdicts of hot and cold keys on planted numbers: what its claims decide, and what leaves them open."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from planting import OFF_AT_95_ALONE, OFF_AT_99, set_apart, visits

from benchbook import lab
from benchbook.chapters.hot_cold_keys import figures, held
from benchbook.chapters.hot_cold_keys.arms import (
    ALL_WARMED,
    BASELINE,
    BY_CHANCE,
    CELLS,
    COLD,
    DISJOINT,
    DISJOINT_CELL,
    HOT_CELL,
    PIPELINE,
    PROBED,
    REPEATED,
    TEN_PERCENT,
    Parameters,
    cell,
)
from benchbook.chapters.hot_cold_keys.numbers import FEW_COLD
from benchbook.errors import BenchbookError
from benchbook.experiments import parts
from benchbook.measuring.features.summary import promised
from benchbook.model import Outcome, Run, Verdict

chapter = lab.experiment("hot_cold_keys")

pytestmark = pytest.mark.usefixtures("still_machine")

TIMES = {
    "p50_ns": 1.0e6, "p95_ns": 1.3e6, "p99_ns": 1.5e6, "mean_ns": 1.05e6, "sd_ns": 0.18e6, "note_min_ns": 0.45e6,
    "note_p50_ns": 1.0e6, "first_100_mean_ns": 1.05e6, "rest_mean_ns": 1.05e6,
}  # fmt: skip
COUNTS = {
    "requests": 10_000.0, "index_scans": 300_000.0, "loop_share_in_requests": 1.0, "note_heap_hit_ratio": 1.0,
    "note_heap_blocks": 30_000.0, "cumulative_heap_hit_ratio": 0.33, "needed_in_pool_at_start": 1.0,
    "needed_pages": 30_000.0, "reread_share": 0.6, "note_reads": 20_000.0, "warmed_pages": 30_000.0,
    "pool_misses_per_request": 0.0, "blocks_in_pool_at_start": 0.0,
}  # fmt: skip
READS = {"pool_misses_per_request": 50.0}
HALF_WARM = READS | {"note_heap_hit_ratio": 0.33, "needed_in_pool_at_start": 0.1}
PLANTED = {
    DISJOINT: HALF_WARM, BY_CHANCE: HALF_WARM, TEN_PERCENT: READS, COLD: READS,
    FEW_COLD: {"pool_misses_per_request": 0.5},
    PROBED: READS | {"blocks_in_pool_at_start": 120.0},
}  # fmt: skip
ESTIMANDS = {answer.claim: answer.estimand for answer in chapter.answers.given}
ON_LATENCY = [name for name, estimand in ESTIMANDS.items() if estimand.metric is not None]
COUNTED = [name for name, estimand in ESTIMANDS.items() if estimand.metric is None]
PROMISED = {
    "same_keys": "hot", "same_keys_again": "hot", "same_keys_first_table": "hot", "all_warmed_large_pool": "hot",
    "true_cold": "cold", "true_cold_probed": "cold", "disjoint": "cold",
}  # fmt: skip
"""Cache states that names of configurations stand for; the others promise none."""


def planted(arms: dict[str, dict[str, Any]] | None = None, *, seed: int = 2, blocks: int = 8) -> Run:
    """A run whose times and counts are alike in all configurations within 0.5 %, but where ``arms`` says otherwise."""
    parameters = Parameters.given({"blocks": blocks})
    generator = np.random.default_rng(seed)
    rows = []
    for trial in chapter.plan(parameters).trials:
        name = trial.configuration.name
        own = TIMES | COUNTS | PLANTED.get(name, {}) | (arms or {}).get(name, {})
        state = promised(trial.configuration.settings)
        row = {
            "trial": trial.index, "block": trial.block, "configuration": name, "session": 0,
            "cache_state": "mixed" if state is None else str(state),
        }  # fmt: skip
        noise = {metric: float(np.exp(generator.normal(0, 0.005))) for metric in TIMES}
        rows.append(row | {metric: value * noise.get(metric, 1.0) for metric, value in own.items()})
    return Run(
        "r", "hot_cold_keys", 1, parameters.model_dump(mode="json"), "standard", parameters.seed, blocks,
        {"engine_version": "18.6", "direct_io": True}, pd.DataFrame(rows),
        pd.DataFrame(columns=["trial", "series", "latency_ns"]), pd.DataFrame(),
    )  # fmt: skip


def judged(run: Run) -> dict[str, Verdict]:
    return {verdict.claim_id: verdict for verdict in chapter.judge(chapter.summarize(run))}


def twice(arms: dict[str, dict[str, Any]] | None = None) -> Run:
    return visits(planted(arms), planted(arms, seed=3))


def slower(factor: float) -> dict[str, dict[str, float]]:
    """The configuration of disjoint keys takes so many times as long in all quantiles."""
    return {DISJOINT: {metric: factor * value for metric, value in TIMES.items()}}


def test_a_configuration_promises_the_cache_state_that_its_name_stands_for() -> None:
    arms = chapter.configurations(Parameters())
    found = {name: promised(arm.settings) for name, arm in arms.items()}
    plain = {name: str(state) for name, state in found.items() if state is not None and not name.startswith("slow_")}
    assert plain == PROMISED
    assert found[cell(HOT_CELL, 1, 1)] == "hot"
    assert found[cell(DISJOINT_CELL, 1, 1)] == "cold"


def test_a_warm_cache_that_is_as_much_faster_as_the_note_says_reproduces_its_ratios() -> None:
    found = judged(planted(slower(2.8)))
    for claim in ("L001", "L053", "L057", "L061"):
        assert found[claim].outcome is Outcome.REPRODUCED, found[claim].reason
    none = judged(planted(slower(1.0), seed=3))
    for claim in ("L001", "L053", "L057", "L061"):
        assert none[claim].outcome is Outcome.CONTRADICTED, none[claim].reason


def test_one_session_decides_no_spread_and_two_decide_it() -> None:
    alone, both = judged(planted()), judged(twice())
    assert alone["L089"].outcome is Outcome.ONE_VISIT
    assert "a dispersion needs two visits that agree, and this is one" in alone["L089"].reason
    assert both["L089"].outcome is Outcome.REPRODUCED, both["L089"].reason


@pytest.mark.usefixtures("moving_machine")
def test_a_machine_that_moves_decides_what_is_far_apart_every_count_and_spreads_of_two_visits() -> None:
    found = judged(twice(slower(3.0)))
    for claim in ("L001", "L053", "L061"):
        assert found[claim].outcome is Outcome.REPRODUCED, found[claim].reason
    alone = judged(planted(slower(3.0)))["L023"]
    assert alone.outcome in (Outcome.ONE_VISIT, Outcome.DESIGN), alone.reason
    assert "an interval wider by a quarter does not say the same: [" in alone.reason
    for claim in ("L089", "L009", "L011", "L052"):
        assert found[claim].outcome is Outcome.REPRODUCED, found[claim].reason


def test_littles_law_opens_the_claims_on_the_latency_of_that_configuration_and_no_others() -> None:
    """Four of sixteen blocks are more than may be left out."""
    sound = judged(twice(slower(2.8)))
    run = twice(slower(2.8))
    several = (run.trials["configuration"] == DISJOINT) & (run.trials["block"] >= 12)
    run.trials.loc[several, "loop_share_in_requests"] = 0.8
    found = judged(run)
    decided = {Outcome.REPRODUCED, Outcome.DIRECTION_ONLY, Outcome.CONTRADICTED}
    for claim in ON_LATENCY:
        opened = DISJOINT in ESTIMANDS[claim].arms and sound[claim].outcome in decided
        assert ("Little's law: 4 of" in found[claim].reason) is opened, claim
        if opened:
            assert found[claim].outcome is Outcome.CHECK
    for claim in COUNTED:
        assert found[claim] == sound[claim]


@pytest.mark.usefixtures("moving_machine")
def test_a_comparison_bears_a_small_miss_of_littles_law_as_a_widening() -> None:
    run = twice(slower(2.8))
    run.trials.loc[run.trials["configuration"] == DISJOINT, "loop_share_in_requests"] = 0.95
    found, sound = judged(run)["L001"], judged(twice(slower(2.8)))["L001"]
    assert found.outcome is sound.outcome is Outcome.REPRODUCED
    assert found.carried is not None
    assert sound.carried is not None
    assert found.carried.high / sound.carried.high == pytest.approx(1.05, rel=0.002)


@pytest.mark.parametrize(("how", "outcome"), [(OFF_AT_95_ALONE, Outcome.REPRODUCED), (OFF_AT_99, Outcome.CHECK)])
def test_an_a_a_pair_that_is_off_at_99_percent_opens_the_claims_on_that_metric(how: str, outcome: Outcome) -> None:
    found = judged(set_apart(planted(slower(2.8)), REPEATED, BASELINE, "p99_ns", how))
    for claim in ("L001", "L057", "L061"):
        assert found[claim].outcome is outcome, found[claim].reason
        assert ("A/A: the baseline against itself" in found[claim].reason) is (outcome is Outcome.CHECK)
    for claim in ("L053", "L009", "L011"):
        assert found[claim].outcome is Outcome.REPRODUCED, "another metric, or a count"


def test_a_cache_that_is_not_as_its_name_says_opens_the_claims_about_it() -> None:
    run = planted(slower(2.8))
    run.trials.loc[(run.trials["configuration"] == BASELINE) & (run.trials["block"] == 2), "cache_state"] = "mixed"
    found = judged(run)
    for claim in ("L001", "L011", "L053"):
        assert found[claim].outcome is Outcome.CHECK
        assert "1 of 8 trials of" in found[claim].reason
    assert found["L009"].outcome is Outcome.REPRODUCED


def test_parts_of_one_trial_are_compared_within_it() -> None:
    costly = {ALL_WARMED: {"first_100_mean_ns": 1.5e6}, TEN_PERCENT: {"sd_ns": 0.5e6, "mean_ns": 2e6}}
    found = judged(planted(costly))
    assert found["L023"].outcome is Outcome.CONTRADICTED
    assert found["L023"].rests_on.startswith("a comparison of parts of one trial")
    assert found["L024"].outcome is found["L081"].outcome is Outcome.REPRODUCED


def test_fewer_than_six_blocks_decide_nothing() -> None:
    found = judged(planted(slower(2.8), blocks=5))
    for claim in ESTIMANDS:
        assert found[claim].outcome is Outcome.INCONCLUSIVE
        assert "5 blocks instead of at least 6" in found[claim].reason or found[claim].estimate is None


@pytest.mark.parametrize(("reads", "stopped"), [(0.5, False), (0.009, True)])
def test_one_cold_request_in_a_hundred_is_told_by_the_blocks_that_it_reads(reads: float, stopped: bool) -> None:
    found = judged(planted({FEW_COLD: {"p99_ns": 6 * TIMES["p99_ns"], "pool_misses_per_request": reads}}))["L017"]
    assert found.outcome is (Outcome.DESIGN if stopped else Outcome.CONTRADICTED), found.reason
    assert ("read 0.9 blocks per request for another key more" in found.reason) is stopped


@pytest.mark.parametrize("further", [0.0, 0.9, 1.0])
def test_arms_that_read_the_same_blocks_decide_nothing(further: float) -> None:
    run = planted(slower(2.8))
    one = (run.trials["configuration"] == DISJOINT) & (run.trials["block"] == 3)
    run.trials.loc[one, "pool_misses_per_request"] = further
    found = judged(run)
    for claim in ("L001", "L010", "L052", "L053", "L056", "L057", "L060", "L061"):
        stopped = found[claim].outcome is Outcome.DESIGN
        assert stopped is (further < 1), found[claim].reason
        assert ("both did the same work" in found[claim].reason) is stopped
    for claim in ("L005", "L011", "L081"):
        assert found[claim].outcome is not Outcome.DESIGN, "their arms read other blocks"


@pytest.mark.parametrize(("brought", "stopped"), [(29.0, True), (30.0, False)])
def test_a_start_up_warm_up_that_loads_nothing_decides_nothing(brought: float, stopped: bool) -> None:
    found = judged(planted({PROBED: {"blocks_in_pool_at_start": brought}}))["L066"]
    assert (found.outcome is Outcome.DESIGN) is stopped, found.reason


def test_every_claim_on_warmed_and_other_keys_names_the_blocks_that_must_differ() -> None:
    without = {"L002", "L011", "L022", "L023"}
    assert {name for name, estimand in ESTIMANDS.items() if estimand.idle is None} == without


def linear(hot_ms: float, trips: float, reads: float) -> dict[str, dict[str, Any]]:
    """Cells that grow by so many trips and, with disjoint keys, reads; a block costs 0.05 ms without added latency."""
    found = {}
    for read in (0.0, 0.5, 1.0):
        for trip in (0.0, 0.5, 1.0):
            hot = hot_ms + trips * trip
            found[cell(HOT_CELL, read, trip)] = {"mean_ns": 1e6 * hot}
            found[cell(DISJOINT_CELL, read, trip)] = {"mean_ns": 1e6 * (hot + reads * (0.05 + read))}
    return found


def test_the_storage_of_the_note_follows_from_the_surface() -> None:
    summary = chapter.summarize(planted(linear(hot_ms=3.0, trips=30.0, reads=60.0)))
    found = held.implied(summary)
    assert found.trip_ms.point == pytest.approx((33.32 - 3) / 30, rel=0.02)
    assert found.read_ms.point == pytest.approx((77.82 - 33.32 - 3) / 60, rel=0.02)
    assert found.trip_ms.low < found.trip_ms.point < found.trip_ms.high
    without = planted()
    without = replace(without, parameters=dict(without.parameters) | {"added_read_ms": [0.0]})
    names = [cell(keys, read, trip, client) for keys in CELLS for read in (0.5, 1) for trip in (0, 0.5, 1)
             for client in ("serial", PIPELINE)]  # fmt: skip
    kept = without.trials[~without.trials["configuration"].isin(names)]
    spare = kept[kept["configuration"] == cell(HOT_CELL, 0, 1)]
    more = [spare.assign(configuration=cell(keys, 0, 1, PIPELINE)) for keys in CELLS]
    alone = chapter.summarize(replace(without, trials=pd.concat([kept, *more])))
    with pytest.raises(BenchbookError, match="both without and with"):
        held.implied(alone)
    page = parts.paged(chapter.package)
    assert page is not None
    surface = page.figure("surface", figures.surface)(alone)
    assert surface.data["mean (ms)"].gt(0).all(), "what there is is drawn"


def test_shares_stand_at_equal_steps_and_rows_in_order_of_the_median() -> None:
    page, summary = parts.paged(chapter.package), chapter.summarize(planted())
    assert page is not None
    shares = page.figure("hot_share", figures.hot_shares)(summary).plot
    assert [*shares.layout.xaxis.tickvals] == [*range(len(shares.layout.xaxis.ticktext))]
    assert shares.layout.xaxis.ticktext[0] == "100"
    tails = page.figure("tails", figures.tails)(summary)
    medians = [*tails.plot.data[0].x]
    assert medians == sorted(medians)
    assert len(medians) <= 12
