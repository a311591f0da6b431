"""Simulated machines do what they say, and every rule's verdict is that of the book's own functions."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from benchbook import statistics
from benchbook.errors import BenchbookError
from benchbook.experiments import session_widening
from benchbook.experiments.calibration.arms import SENSITIVITIES, Parameters
from benchbook.experiments.calibration.simulation import decisions, levels, machine, rulings, slopes
from benchbook.experiments.calibration.simulation.decisions import OUTCOMES, false_outcomes, region_of
from benchbook.experiments.calibration.simulation.machine import SPREAD, Machine
from benchbook.model import Outcome

PARAMETERS = Parameters.given({"state_repetitions": 40, "state_ratios": [1, 1.05, 1.25, 2, 24]})
SIZE = math.log(1.3)
SHAPE = (300, machine.SESSIONS, 10 * machine.BLOCK)


@pytest.mark.parametrize(
    ("state", "mean", "spread_of_means"),
    [
        ("quiet", 0, 0),
        ("level", SIZE, 0),
        ("trend", SIZE, 0),
        ("wandering", SIZE * math.sqrt(2 / math.pi), None),
        ("jumps", SIZE / 2, None),
        ("bursts", 0.1 * 2 * SIZE, None),
        ("rare", 0.03 * 2 * SIZE, None),
        ("days", 1.2 * SIZE * math.sqrt(2 / math.pi), None),
        ("follow", 1.2 * SIZE * math.sqrt(2 / math.pi), None),
    ],
)
def test_a_state_slows_the_machine_as_much_as_it_says(state: str, mean: float, spread_of_means: float | None) -> None:
    path = machine.slowdowns(state, SIZE, SHAPE, np.random.default_rng(1), 0.5)
    assert path.shape == SHAPE
    assert path.min() >= 0
    assert path.mean() == pytest.approx(mean, rel=0.1, abs=1e-12)
    if spread_of_means is not None:
        assert path.mean(axis=-1).std() == pytest.approx(spread_of_means, abs=1e-12)


def test_sessions_differ_from_each_other_on_other_days_alone() -> None:
    generator = np.random.default_rng(2)
    days, wandering = (machine.slowdowns(each, SIZE, SHAPE, generator, 0.8) for each in ("days", "wandering"))
    assert days.mean(axis=-1).std() > 3 * wandering.mean(axis=-1).std()
    assert machine.slowdowns("trend", SIZE, SHAPE, generator, 0.8)[0, 0, -1] == pytest.approx(2 * SIZE, rel=0.01)


@pytest.mark.parametrize(("state", "wanted"), [("follow", 0.8), ("follow", 0.3), ("days", 0.0)])
def test_a_sessions_level_follows_the_last_ones_as_asked(state: str, wanted: float) -> None:
    shape = (20_000, 3, 1)
    levels = machine.slowdowns(state, SIZE, shape, np.random.default_rng(11), wanted)[..., 0]
    # a little wandering lies over the levels
    assert np.corrcoef(levels[:, 0], levels[:, 1])[0, 1] == pytest.approx(wanted, abs=0.035)


def test_stretches_of_bursts_last_as_long_as_asked() -> None:
    on = machine.slowdowns("bursts", SIZE, SHAPE, np.random.default_rng(3), 0.8) > 0
    begins = (on[..., 1:] & ~on[..., :-1]).sum()
    assert on.sum() / begins == pytest.approx(4, rel=0.1)


def test_arms_are_slowed_by_their_sensitivity_and_the_canary_by_all_of_it() -> None:
    drawn = machine.draw(PARAMETERS, "level", "changed_alone", np.random.default_rng(4))
    assert drawn.canary.shape == (40, machine.SESSIONS, 10, 4)
    assert drawn.canary.mean() == pytest.approx(SIZE, abs=0.001)
    assert (drawn.changed - drawn.base).mean() == pytest.approx(SIZE, abs=0.01)
    assert (drawn.again - drawn.base).mean() == pytest.approx(0, abs=0.01)
    assert drawn.slowdown == pytest.approx(SIZE)


def test_random_order_spares_arms_that_feel_alike() -> None:
    given = PARAMETERS.model_copy(update={"between_trial_sd": 0.001, "state_repetitions": 400})
    drawn = machine.draw(given, "trend", "alike", np.random.default_rng(5))
    assert abs((drawn.changed - drawn.base).mean()) < 0.001
    assert np.corrcoef(drawn.base.ravel(), drawn.slowdown.mean(axis=-1).ravel())[0, 1] > 0.9


def own_verdict(drawn: Machine, run: int, rule: str, claim: str, true_ratio: float) -> Outcome:
    """What the book's own functions make of one run."""
    asked = region_of(claim)
    arms = [np.exp(each[run]) for each in (drawn.changed, drawn.base, drawn.again)]
    arms[0] = arms[0] * true_ratio
    ends = drawn.canary[run][..., [0, -1]] if rule.endswith("ends") else drawn.canary[run]
    if rule in rulings.SEVERAL:
        labels = np.repeat(np.arange(machine.SESSIONS), arms[0].shape[1])
        changed, base, again = (each.ravel() for each in arms)
        pair = [statistics.ratio(changed, base, confidence=c, sessions=labels) for c in (0.95, 0.9)]
        same = statistics.ratio(again, base, confidence=0.99, sessions=labels)
        w = math.log(1.01)
        if rule != "states":  # the means of sessions alone
            means = [np.exp(np.log(each).mean(axis=-1)) for each in arms]
            ones = [statistics.ratio(*means[:2], confidence=c) for c in (0.95, 0.9)]
            pair = [replace(each, low=one.low, high=one.high) for each, one in zip(pair, ones, strict=True)]
            same = statistics.ratio(means[2], means[1], confidence=0.99)
            blocks = ends.mean(axis=-1).ravel()
            w = statistics.session_movement(pair[0].by_block[0], blocks, labels, SPREAD, ends.shape[-1]).w
    else:
        changed, base, again = (each[0] for each in arms)
        pair = [statistics.ratio(changed, base), statistics.equivalence(changed, base)]
        same = statistics.ratio(again, base, confidence=0.95 if rule == "earlier" else 0.99)
        w = statistics.movement([ends[0].ravel()], SPREAD, around_trials=not rule.endswith("ends")).w
    plain = asked.outcome(pair[0].low, pair[0].high, pair[1].low, pair[1].high)
    if rule == "none":
        return plain
    if not same.low <= 1 <= same.high:
        return Outcome.INCONCLUSIVE
    if rule == "earlier":
        before, after = np.exp(drawn.canary[run, 0, :, 0]), np.exp(drawn.canary[run, 0, :, -1])
        return plain if statistics.canary_gate(before, after, SPREAD).passed else Outcome.INCONCLUSIVE
    if all(each.typical for each in pair):
        (low, high), (low90, high90) = (each.typical for each in pair)
        if asked.outcome(low, high, low90, high90) is not plain:
            return Outcome.INCONCLUSIVE
    wide = [(each.low * math.exp(-w), each.high * math.exp(w)) for each in pair]
    found = asked.outcome(*wide[0], *wide[1])
    return plain if found is plain else Outcome.INCONCLUSIVE


@pytest.mark.parametrize("state", ["quiet", "days", pytest.param("rare", marks=pytest.mark.long)])
def test_every_rules_counts_are_those_of_the_books_own_functions(state: str) -> None:
    drawn = machine.draw(PARAMETERS, state, "changed_more", np.random.default_rng(6))
    metrics = rulings.measured(PARAMETERS, drawn, "changed_more")
    for rule in rulings.RULES:
        for claim in rulings.COMPARISONS:
            for true_ratio in PARAMETERS.state_ratios:
                own = [own_verdict(drawn, run, rule, claim, true_ratio) for run in range(40)]
                name = decisions.ruled(rule, claim, true_ratio)
                assert metrics[f"{name}_decided"] == sum(each is not Outcome.INCONCLUSIVE for each in own), name
                untrue = false_outcomes(region_of(claim), true_ratio)
                assert metrics[f"{name}_false_quiet"] == sum(each in untrue for each in own), name


def test_levels_shapes_and_spreads_need_two_sessions_that_agree() -> None:
    drawn = machine.draw(PARAMETERS, "days", "changed_more", np.random.default_rng(7))
    metrics = levels.measured(PARAMETERS, drawn, "changed_more")
    asked = region_of("greater")
    decided = 0
    for run in range(40):
        found, sound = [], True
        for session in range(levels.PLANNED):
            level = statistics.geometric_mean(1.25 * np.exp(drawn.changed[run, session]))
            found.append(asked.outcome(level.low, level.high, level.low, level.high))
            pair = np.exp(drawn.again[run, session]), np.exp(drawn.base[run, session])
            sound &= statistics.aa_gate(statistics.ratio(*pair, confidence=0.99)).passed
        decided += sound and found[0] is found[1] and found[0] is not Outcome.INCONCLUSIVE
    assert metrics["new_level_1_25_decided"] == decided
    assert metrics["none_dispersion_1_decided"] >= metrics["new_dispersion_1_decided"]
    assert {name.split("_")[1] for name in metrics} == set(levels.KINDS)


def test_a_verdict_is_held_against_the_quiet_machine_and_against_the_runs_own_state() -> None:
    asked = region_of("greater")
    codes = np.array([OUTCOMES.index(Outcome.REPRODUCED)] * 2 + [decisions.OPEN], dtype=np.int8)
    found = decisions.tallied("it", "greater", asked, codes, 1.0, np.log([1.2, 1.0, 1.0]))
    assert found == {"it_greater_1_decided": 2, "it_greater_1_false_quiet": 2, "it_greater_1_false_own": 1}


def test_a_machine_that_is_slow_throughout_passes_the_earlier_rule_and_not_the_new_one() -> None:
    given = PARAMETERS.model_copy(update={"state_repetitions": 200})
    drawn = machine.draw(given, "level", "changed_alone", np.random.default_rng(8))
    metrics = rulings.measured(given, drawn, "changed_alone")
    assert (metrics["earlier_greater_1_05_false_quiet"] or 0) > 150
    assert (metrics["new_greater_1_05_false_quiet"] or 0) < 15
    assert (metrics["new_greater_1_05_false_own"] or 0) < 15
    assert SENSITIVITIES["changed_alone"] == (0, 1)


def test_an_interval_that_differs_from_the_books_own_stops_the_simulation() -> None:
    drawn = machine.draw(PARAMETERS, "quiet", "alike", np.random.default_rng(9))
    looks = rulings.seen(drawn)
    rulings.check(drawn, looks["none"])
    with pytest.raises(BenchbookError, match="the simulated ratio"):
        rulings.check(drawn, looks["sessions"])


def test_the_present_rules_w_is_that_of_the_judging() -> None:
    assert (rulings.SMALL, rulings.LARGER) == (session_widening.SMALL, session_widening.LARGER)


def test_a_slope_that_differs_from_the_books_own_stops_the_simulation(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = machine.draw(PARAMETERS, "days", "changed_more", np.random.default_rng(10))
    apart, canary = drawn.changed - drawn.base, drawn.canary.mean(axis=-1)
    labels = np.repeat(np.arange(machine.SESSIONS), 10)
    found = slopes.session_widening(apart, canary, looks=4)
    own = [
        statistics.session_movement(logs.ravel(), means.ravel(), labels, SPREAD, 4).w
        for logs, means in zip(apart, canary, strict=True)
    ]
    assert found == pytest.approx(own)
    monkeypatch.setattr(slopes, "MOST", 0.5)
    with pytest.raises(BenchbookError, match="the simulated w over sessions"):
        slopes.session_widening(apart, 0 * canary + 0.2, looks=4)
