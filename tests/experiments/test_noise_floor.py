"""What noise_floor makes of trials of known spread: planted noise, planted differences, failed gates, bad input."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest
from planting import OFF_AT_95_ALONE, OFF_AT_99, set_apart, visits

from benchbook import lab
from benchbook.chapters.noise_floor.measure import STORED_AT_MOST, TOO_SHORT, reduce, steadiness
from benchbook.chapters.noise_floor.numbers import NUMBERS, PLAIN, Summary, noise_floor_line
from benchbook.errors import BenchbookError
from benchbook.figures.prose import digits
from benchbook.measuring.samples import subsample
from benchbook.model import Outcome, Run
from benchbook.numbers.summary import NotEstimableError
from benchbook.parameters.profiles import profile

chapter = lab.experiment("noise_floor")

pytestmark = pytest.mark.usefixtures("still_machine", "no_reports")
LEVELS = {"select-only": 9_000.0, "tpcb-like": 900.0}


def drawn(*, sd: float, plain: float = 1.0, blocks: int = 15, seed: int = 4, **columns: object) -> Run:
    """A run of the standard plan whose TPS have the level of their workload and a lognormal spread."""
    parameters = chapter.Parameters.given({"blocks": blocks})
    generator = np.random.default_rng(seed)
    rows = []
    for planned in chapter.plan(parameters).trials:
        settings = planned.configuration.settings
        tps = LEVELS[str(settings["script"])] * math.exp(generator.normal(0, sd))
        tps *= 1.0 if settings["sampled"] else plain
        row = {
            "trial": planned.index, "block": planned.block, "configuration": planned.configuration.name, "session": 0,
            "tps": tps,
            "first_tps": tps, "report_tps": tps, "report_first_tps": tps, "mean_ns": 1e11 / tps, "little_ratio": 1.0,
            "count_difference": 0.0, "run_hit_ratio": 0.9, "looks": 20.0, "looking_s": 0.04, "cache_state": "cold",
            "steadiness": "flat",
        }  # fmt: skip
        rows.append(row | columns)
    provenance = {"engine_version": "18.6", "heap_bytes": 2**29, "index_bytes": 2**27, "direct_io": False}
    return Run(
        "0123456789ab-20260117T100000", "noise_floor", 1, parameters.model_dump(mode="json"), "standard",
        parameters.seed, blocks, provenance, pd.DataFrame(rows),
        pd.DataFrame(columns=["trial", "series", "latency_ns"]), pd.DataFrame(),
    )  # fmt: skip


def twice(**given: object) -> Run:
    """Two visits of such a run: a spread is decided by no less."""
    return visits(drawn(**given), drawn(**({"seed": 5} | given)))  # type: ignore[arg-type]


def verdicts(run: Run) -> dict[str, Outcome]:
    return {verdict.claim_id: verdict.outcome for verdict in chapter.judge(chapter.summarize(run))}


def test_a_quiet_machine_reproduces_both_claims_and_a_noisy_one_contradicts_the_stable_level() -> None:
    assert verdicts(twice(sd=0.01)) == {"R053": Outcome.REPRODUCED, "R054": Outcome.REPRODUCED}
    noisy = verdicts(twice(sd=0.2))
    assert noisy["R054"] is Outcome.CONTRADICTED
    assert noisy["R053"] in (Outcome.INCONCLUSIVE, Outcome.DESIGN)


def test_one_visit_decides_no_spread_and_two_that_disagree_neither() -> None:
    alone = {v.claim_id: v for v in chapter.judge(chapter.summarize(drawn(sd=0.01)))}
    assert alone["R054"].outcome is Outcome.ONE_VISIT
    assert "a dispersion needs two visits that agree, and this is one" in alone["R054"].reason
    assert alone["R053"].outcome is Outcome.REPRODUCED, "a ratio within blocks"
    unlike = visits(drawn(sd=0.01, blocks=40), drawn(sd=0.065, blocks=40, seed=5))
    left = {v.claim_id: v for v in chapter.judge(chapter.summarize(unlike))}["R054"]
    assert left.outcome is Outcome.INCONCLUSIVE


@pytest.mark.usefixtures("moving_machine")
def test_a_machine_that_moves_leaves_a_margin_of_five_percent_open() -> None:
    alone = {v.claim_id: v for v in chapter.judge(chapter.summarize(drawn(sd=0.01)))}
    assert alone["R053"].outcome is Outcome.ONE_VISIT
    assert "[0.80, 1.27]" in alone["R053"].reason
    assert verdicts(twice(sd=0.01))["R054"] is Outcome.REPRODUCED, "two visits say the same"
    assert verdicts(twice(sd=0.01, plain=1.5))["R053"] is Outcome.CONTRADICTED, "so much no movement gives"


def test_samplers_that_cost_a_tenth_contradict_that_the_plain_command_is_the_same() -> None:
    assert verdicts(twice(sd=0.01, plain=1.1))["R053"] is Outcome.CONTRADICTED


@pytest.mark.parametrize(
    ("columns", "voided"),
    [
        ({"count_difference": 1.0}, {"R053", "R054"}),
        ({"count_difference": np.nan}, {"R053", "R054"}),
        ({"cache_state": "lukewarm"}, {"R054"}),
        ({"steadiness": "no steady state"}, {"R053"}),
        ({"steadiness": TOO_SHORT}, {"R053"}),
    ],
)
def test_a_failed_gate_voids_the_verdicts_that_stand_on_it(columns: dict[str, object], voided: set[str]) -> None:
    found = verdicts(twice(sd=0.01, **columns))
    assert {name for name, outcome in found.items() if outcome is Outcome.CHECK} == voided


@pytest.mark.parametrize("ratio", [0.97, np.nan])
def test_littles_law_opens_no_claim_for_none_is_about_a_latency(ratio: float) -> None:
    assert verdicts(twice(sd=0.01, little_ratio=ratio)) == {"R053": Outcome.REPRODUCED, "R054": Outcome.REPRODUCED}


def test_a_fifth_of_the_trials_may_lack_a_steady_state() -> None:
    run = twice(sd=0.01)
    asked = run.trials.index[run.trials["configuration"].isin(["tpcb", "tpcb_again"])]
    run.trials.loc[asked[: len(asked) // 5], "steadiness"] = "no steady state"
    assert verdicts(run)["R053"] is Outcome.REPRODUCED
    run.trials.loc[asked[: len(asked) // 5 + 1], "steadiness"] = "no steady state"
    assert verdicts(run)["R053"] is Outcome.CHECK


@pytest.mark.parametrize(("how", "outcome"), [(OFF_AT_95_ALONE, Outcome.REPRODUCED), (OFF_AT_99, Outcome.CHECK)])
def test_an_a_a_pair_that_differs_voids_the_comparison_of_commands(how: str, outcome: Outcome) -> None:
    run = set_apart(twice(sd=0.01), "tpcb_again", "tpcb", "report_tps", how)
    assert verdicts(run) == {"R053": outcome, "R054": Outcome.REPRODUCED}


def test_the_estimates_are_the_planted_ones() -> None:
    summary = chapter.summarize(drawn(sd=0.03, plain=1.02, blocks=100))
    variation = NUMBERS["cold"].estimand.compute(summary)
    assert variation.low < 0.03 < variation.high
    assert variation.n == 100
    plain = summary.ratio(*PLAIN)
    assert plain.low < 1.02 < plain.high
    for workload in ("select-only", "TPC-B-like"):
        sd = summary.trial_sd(workload)
        assert sd.low < 0.03 < sd.high
        found = summary.detectable(workload, 8)
        assert found.low < found.point < found.high
        # 8 blocks, 80 % power, paired t: 1.16 sd of the differences
        assert math.log1p(found.point) == pytest.approx(1.16 * math.sqrt(2) * sd.point, rel=0.02)


def test_the_line_for_other_captions_names_both_workloads_and_the_blocks() -> None:
    summary = chapter.summarize(drawn(sd=0.03))
    line = noise_floor_line(summary)
    assert "(select-only)" in line
    assert "(TPC-B-like)" in line
    assert "8 blocks" in line
    assert f"{digits(100 * summary.trial_sd('TPC-B-like').point)} %" in line
    assert not line.endswith("."), "the caption ends it"
    assert "12 blocks" in noise_floor_line(summary, 12)


def test_figures_tables_and_sentences_are_whole() -> None:
    summary = chapter.summarize(drawn(sd=0.03))
    found = chapter.figures(summary)
    assert [figure.id for figure in found.values()] == [
        "fig-noise-trials", "fig-noise-aa", "fig-noise-autocorrelation", "fig-noise-detectable",
    ]  # fmt: skip
    for figure in found.values():
        json.dumps(figure.record(), allow_nan=False)
        assert figure.caption.endswith(".")
    assert len(found["trials"].data) == 60
    assert set(found["autocorrelation"].data["lag (trials)"]) == set(range(1, 8))
    assert len(chapter.table(summary, "overview")) == 5
    assert chapter.table(summary, "overview")["P99 (ms)"].eq("not estimable").all()
    assert len(chapter.table(summary, "decomposition")) == 4, "TPS and mean latency of two workloads"
    for text in (chapter.say(summary, "design"), chapter.say(summary, "answer"), chapter.say(summary, "samplers")):
        assert "nan" not in text.text
        assert text.text.endswith(".")


def test_a_drift_is_told_by_block_and_of_two_blocks_not_at_all() -> None:
    run = drawn(sd=0.01, blocks=10)
    run.trials["tps"] *= np.exp(0.05 * run.trials["block"])
    slope = chapter.summarize(run).drift("select-only", "tps")
    assert slope is not None
    assert slope.n == 10
    assert slope.low < 0.05 < slope.high < 0.06
    two = chapter.summarize(drawn(sd=0.01, blocks=2))
    assert two.drift("select-only", "tps") is None
    assert "drift" not in str(chapter.say(two, "answer"))
    assert (chapter.table(two, "decomposition")["drift per block (%)"] == "").all()


def test_the_time_order_is_that_of_the_trials_not_of_the_labels() -> None:
    run = drawn(sd=0.03)
    run.trials["tps"] = run.trials["trial"].astype(float) + 1
    numbers, values = chapter.summarize(run).in_time("TPC-B-like", "tps")
    assert (np.diff(numbers) > 0).all()
    assert np.array_equal(values, numbers + 1.0)
    assert numbers.size == 30


def test_trials_without_a_number_are_not_estimable_and_never_left_out() -> None:
    run = twice(sd=0.01)
    run.trials.loc[run.trials["configuration"].eq("tpcb") & run.trials["block"].eq(3), "first_tps"] = np.nan
    summary = chapter.summarize(run)
    with pytest.raises(NotEstimableError, match="throughput after a cold start of “TPC-B-like”"):
        summary.values("tpcb", "first_tps")
    found = {verdict.claim_id: verdict for verdict in chapter.judge(summary)}
    assert found["R054"].outcome is Outcome.INCONCLUSIVE
    assert "throughput after a cold start" in found["R054"].reason
    assert found["R053"].outcome is Outcome.REPRODUCED


def test_a_run_with_no_metrics_but_the_stored_ones_gets_verdicts_that_say_so() -> None:
    run = drawn(sd=0.01)
    parameters = chapter.Parameters.given({"blocks": 15})
    trials = run.trials[["trial", "block", "configuration"]]
    bare = Summary(chapter, Run(**(vars(run) | {"trials": trials})), parameters, chapter.configurations(parameters))
    assert {verdict.outcome for verdict in chapter.judge(bare)} == {Outcome.INCONCLUSIVE}


def test_an_incomplete_run_is_refused() -> None:
    run = drawn(sd=0.01)
    with pytest.raises(BenchbookError, match="once per block"):
        chapter.summarize(Run(**(vars(run) | {"trials": run.trials.iloc[1:]})))


def test_departures_from_the_claims_design_are_named() -> None:
    standard = chapter.summarize(drawn(sd=0.01)).departures()
    assert any("15 s per trial instead of 60" in each for each in standard)
    assert not any("times the pool" in each for each in standard), "the standard profile keeps the note's 2.5"
    parameters = chapter.Parameters.given(profile("noise_floor", "paper"))
    run = drawn(sd=0.01)
    paper = Run(**(vars(run) | {"parameters": parameters.model_dump(mode="json")}))
    assert chapter.summarize(paper).departures() == []


def test_metrics_of_stored_latencies_are_named_so() -> None:
    metrics = reduce(subsample(np.arange(25_000, dtype=np.int64), STORED_AT_MOST))
    assert all(name.startswith("stored_") for name in metrics)
    assert metrics["stored_p50_ns"] == pytest.approx(12_499, abs=3)
    assert metrics["stored_p99_ns"] == pytest.approx(24_750, abs=3), "of 10,000 it is estimable"
    assert reduce(np.arange(9_999, dtype=np.int64))["stored_p99_ns"] is None
    with pytest.raises(BenchbookError):
        reduce(np.zeros(0, dtype=np.int64))


def test_a_course_is_classed_from_20_seconds_on() -> None:
    assert steadiness(np.full(19, 100)) == TOO_SHORT
    assert steadiness(np.full(20, 100)) == "flat"
    rising = np.concatenate([np.full(8, 10), np.random.default_rng(1).integers(995, 1_005, 16)])
    assert steadiness(rising) == "warm-up"
    assert steadiness(np.zeros(0)) == TOO_SHORT


@pytest.mark.parametrize("wrong", [{"threads": 4, "clients": 2}, {"duration_s": 0}, {"scale": 0}, {"clients": True}])
def test_parameters_that_cannot_be_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(BenchbookError, match=next(iter(wrong))):
        lab.experiment("noise_floor").Parameters.given(wrong)
