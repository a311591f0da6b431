"""What noise_floor makes of trials of known spread and order, which checks fail, what it stores and refuses."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from planting import summary

from benchbook import lab
from benchbook.chapters.noise_floor import Summary, checks, noise_floor_line, steadiness
from benchbook.figures.prose import digits
from benchbook.model import PlannedTrial, Run
from benchbook.parameters.profiles import profile

chapter = lab.experiment("noise_floor")


def drawn(*, sd: float, blocks: int = 15, drift: float = 0.0, **columns: object) -> Summary:
    """A run of the standard plan whose TPS have a lognormal spread, and drift so much a block."""
    parameters, generator = chapter.Parameters.given({"blocks": blocks}), np.random.default_rng(4)
    known = {"count_difference": 0.0, "cache_state": "cold", "steadiness": "flat"} | columns

    def values(trial: PlannedTrial) -> dict[str, Any]:
        return {"tps": 900 * math.exp(generator.normal(0, sd) + drift * trial.block), **known}

    found: Summary = summary("noise_floor", parameters, values, direct_io=False)
    return found


@pytest.mark.parametrize(
    ("columns", "ratio", "cold"),
    [({}, True, True), ({"count_difference": 1.0}, False, False), ({"count_difference": np.nan}, False, False),
     ({"cache_state": "lukewarm"}, True, False), ({"steadiness": "no steady state"}, False, True),
     ({"steadiness": "too short"}, False, True)],
)  # fmt: skip
def test_a_check_fails_for_the_claims_that_stand_on_it(columns: dict[str, object], ratio: bool, cold: bool) -> None:
    summary = drawn(sd=0.01, **columns)
    for metric, passed in (("report_tps", ratio), (None, cold)):
        answer: Any = SimpleNamespace(estimand=SimpleNamespace(metric=metric))
        assert all(gate.passed for gate in checks(summary, answer)) is passed


def test_a_spread_and_what_it_hides_are_the_planted_ones() -> None:
    summary = drawn(sd=0.03, blocks=100)
    for workload in ("select-only", "TPC-B-like"):
        sd, found = summary.trial_sd(workload), summary.detectable(8, workload)
        assert sd.low < 0.03 < sd.high
        assert found.low < found.point < found.high
        # 8 blocks, 80 % power, paired t: 1.16 sd of the differences
        assert math.log1p(found.point) == pytest.approx(1.16 * math.sqrt(2) * sd.point, rel=0.02)


def test_the_line_for_other_captions_names_both_workloads_and_the_blocks() -> None:
    summary = drawn(sd=0.03)
    line = noise_floor_line(summary)
    assert f"{digits(100 * summary.trial_sd('TPC-B-like').point)} % (TPC-B-like), so 8 blocks" in line
    assert not line.endswith("."), "the caption ends it"
    assert "12 blocks" in noise_floor_line(summary, 12)


def test_a_drift_is_told_by_block_and_of_two_blocks_not_at_all() -> None:
    slope = drawn(sd=0.01, blocks=10, drift=0.05).drift("select-only")
    assert slope is not None
    assert (slope.estimate.n, slope.point) == (10, pytest.approx(5, abs=1))
    assert drawn(sd=0.01, blocks=2).drift("select-only") is None


def test_the_time_order_is_that_of_the_trials_not_of_the_labels() -> None:
    summary = drawn(sd=0.03)
    summary.run.trials["tps"] = summary.run.trials["trial"].astype(float) + 1
    numbers, values = summary.in_time("TPC-B-like")
    assert (np.diff(numbers) > 0).all()
    assert np.array_equal(values, numbers + 1.0)


def test_departures_from_the_claims_design_are_named() -> None:
    summary = drawn(sd=0.01)
    assert "15 s per trial instead of 60" in summary.departures()
    run = Run(**(vars(summary.run) | {"parameters": profile("noise_floor", "paper")}))
    assert chapter.summarize(run).departures() == []


def test_a_course_is_classed_from_20_seconds_on() -> None:
    assert steadiness(np.full(19, 100)) == steadiness(np.zeros(0)) == "too short"
    assert steadiness(np.full(20, 100)) == "flat"
    rising = np.concatenate([np.full(8, 10), np.random.default_rng(1).integers(995, 1_005, 16)])
    assert steadiness(rising) == "warm-up"
