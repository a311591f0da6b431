"""Simulated runs of several sessions: what is counted is what the book's own functions say of each of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchbook import statistics
from benchbook.errors import BenchbookError
from benchbook.experiments.calibration.arms import ALIKE, CLOSE, FAR, FEELING, Parameters, design_name
from benchbook.experiments.calibration.simulation import luck, machine, several
from benchbook.experiments.calibration.simulation.decisions import region_of
from benchbook.experiments.calibration.simulation.machine import SPREAD, Machine
from benchbook.experiments.shape import hosts
from benchbook.model import Effect, Outcome
from benchbook.statistics import ratio

RUNS = 24
PARAMETERS = Parameters.given(
    {"state_repetitions": RUNS, "state_ratios": [1, 1.1, 2], "patience_sessions": [4, 5], "patience_blocks": [2, 3]}
)
SIZE = math.log(1.3)


@pytest.mark.parametrize("state", PARAMETERS.states)
@pytest.mark.parametrize("share", [0.5, 1.0])
def test_a_state_slows_on_average_as_much_as_its_population_says(state: str, share: float) -> None:
    path = machine.slowdowns(state, SIZE, (3_000, 2, 6 * machine.BLOCK), np.random.default_rng(1), 0.8)
    seen = path[..., : round(share * path.shape[-1])].mean()
    assert machine.mean_slowdown(state, SIZE, share) == pytest.approx(seen, rel=0.04, abs=1e-3)


def whole(state: str, arms: str, seed: int) -> Machine:
    """What ``several.measured`` draws."""
    given = PARAMETERS.model_copy(update={"between_trial_sd": PARAMETERS.patience_trial_sd})
    felt = np.array([[1.0, FEELING[arms]]])
    return machine.drawn(given, state, felt, (RUNS, 5, 3), np.random.default_rng(seed))


def w_of(rule: str, found: Effect, drawn: Machine, run: int, labels: np.ndarray) -> float:
    if rule in ("dates", "day"):
        return math.log({"dates": 1.01, "day": 1.02}[rule])
    looks = drawn.canary[run, :4, :2].mean(axis=-1).ravel()
    return statistics.session_movement(found.by_block[0], looks, labels, SPREAD, drawn.canary.shape[-1]).w


@pytest.mark.parametrize("rule", ["dates", "day", "known"])
@pytest.mark.parametrize(("state", "arms"), [("days", ALIKE), ("follow", FAR), ("bursts", CLOSE)])
def test_every_count_of_the_present_rule_is_that_of_the_books_own_functions(state: str, arms: str, rule: str) -> None:
    metrics = several.measured(PARAMETERS, state, arms, np.random.default_rng(2))
    drawn = whole(state, arms, 2)
    name, labels = design_name(4, 2), np.repeat(range(4), 2)
    mean = (FEELING[arms] - 1) * machine.mean_slowdown(state, SIZE, 2 / 3)
    held, above, below, alarms, decided, halves = 0, 0, 0, 0, 0, []
    asked = region_of("inside")
    for run in range(RUNS):
        changed, base, again = (np.exp(each[run, :4, :2]).ravel() for each in (drawn.changed, drawn.base, drawn.again))
        found = ratio(changed, base, sessions=labels)
        pair = ratio(again, base, sessions=labels, confidence=0.99)
        sound = pair.low <= 1 <= pair.high
        truth, w = math.exp(mean), w_of(rule, found, drawn, run, labels)
        wide = statistics.widened(found, w)
        low, high = found.typical or (wide.low, wide.high)
        held += found.low <= truth <= found.high
        above += sound and wide.low > truth and low > truth
        below += sound and wide.high < truth and high < truth
        alarms += not sound
        halves.append(math.log(found.high / found.low) / 2)
        planted, narrow = (ratio(changed / truth, base, sessions=labels, confidence=c) for c in (0.95, 0.9))
        outcome = asked.of(planted, narrow)
        typical = not planted.typical or not narrow.typical
        agrees = typical or asked.outcome(*planted.typical, *narrow.typical) is outcome
        wider = asked.of(statistics.widened(planted, w), statistics.widened(narrow, w))
        decided += sound and agrees and outcome is wider is not Outcome.INCONCLUSIVE
    assert metrics[f"{name}_covered"] == held
    assert metrics[f"{name}_half_width"] == pytest.approx(np.mean(halves))
    assert metrics[f"{name}_{rule}_alarms"] == alarms
    assert metrics[f"{name}_{rule}_above_states"] == above
    assert metrics[f"{name}_{rule}_below_states"] == below
    assert metrics[f"{name}_{rule}_inside_decided"] == decided


def test_the_earlier_rule_takes_the_means_of_sessions_and_the_slope_of_the_canary() -> None:
    metrics = several.measured(PARAMETERS, "jumps", FAR, np.random.default_rng(3))
    drawn, name, labels = whole("jumps", FAR, 3), design_name(4, 2), np.repeat(range(4), 2)
    above, ws = 0, []
    truth = math.exp(-0.7 * machine.mean_slowdown("jumps", SIZE))
    for run in range(RUNS):
        changed, base, again = (drawn_[run, :4, :2] for drawn_ in (drawn.changed, drawn.base, drawn.again))
        means = [np.exp((each - base).mean(axis=1)) for each in (changed, again)]
        found, pair = (ratio(each, np.ones(4), confidence=c) for each, c in zip(means, (0.95, 0.99), strict=True))
        every = ratio(np.exp(changed).ravel(), np.exp(base).ravel(), sessions=labels)
        ws.append(w_of("slopes", every, drawn, run, labels))
        far = every.typical is not None and every.typical[0] <= truth
        above += pair.low <= 1 <= pair.high and found.low * math.exp(-ws[-1]) > truth and not far
    assert metrics[f"{name}_slopes_above_states"] == above
    assert metrics[f"{name}_slopes_w"] == pytest.approx(np.mean(ws))


def test_a_level_is_untrue_where_the_interval_and_each_sessions_number_lie_on_one_side_of_the_truth() -> None:
    metrics = several.measured(PARAMETERS, "follow", ALIKE, np.random.default_rng(3))
    drawn, labels = whole("follow", ALIKE, 3), np.repeat(range(5), 3)
    truth, above = math.exp(machine.mean_slowdown("follow", SIZE)), 0
    for run in range(RUNS):
        times, again, base = (np.exp(each[run]) for each in (drawn.changed, drawn.again, drawn.base))
        overall = statistics.geometric_mean(times.ravel(), sessions=labels)
        pair = ratio(again.ravel(), base.ravel(), confidence=0.99, sessions=labels)
        numbers = [statistics.geometric_mean(session).point for session in times]
        above += statistics.aa_gate(pair).passed and min(overall.low, *numbers) > truth
    assert 0 < above < RUNS
    assert metrics[f"{design_name(5, 3)}_level_above"] == above


def test_an_interval_that_differs_from_the_books_own_stops_the_simulation() -> None:
    drawn = whole("quiet", ALIKE, 5)
    apart, same = drawn.changed - drawn.base, drawn.again - drawn.base
    several.check(apart[0], several.wider(apart, same, 0.0).wide)
    with pytest.raises(BenchbookError, match="over sessions has the ends"):
        several.check(apart[0], several.intervals_of(apart[:, :, 0])[0])


def test_a_quiet_level_is_read_from_all_known_blocks_as_the_book_reads_it() -> None:
    rng = np.random.default_rng(6)
    means, others = rng.normal(0.3, 0.1, (RUNS, 5, 3)), rng.normal(0.1, 0.1, (RUNS, 60))
    found, spread = several._of(means, others, SPREAD, 4, 2)
    for run in range(RUNS):
        own = means[run, :4, :2].ravel()
        quiet = statistics.quiet_level(np.exp([*others[run], *own]))
        assert quiet is not None
        assert found[run].ravel() == pytest.approx(own - math.log(quiet), abs=0.01), (
            "a quantile of logs, or a log of one"
        )
    assert (found.shape, spread) == ((RUNS, 4, 2), SPREAD)
    assert several._of(means, None, SPREAD, 4, 2)[0] == pytest.approx(means[:, :4, :2])


@pytest.mark.parametrize(("state", "mean"), [("quiet", 0.0), ("level", SIZE)])
def test_a_canary_of_other_sessions_reads_what_the_state_does_and_its_own_noise(state: str, mean: float) -> None:
    looks = machine.readings(state, SIZE, (50, 20, 3), 0.075, np.random.default_rng(7), 0.8)
    assert looks.shape == (50, 20, 3, 4)
    assert (looks.mean(), looks.std()) == pytest.approx((mean, 0.075), abs=0.002)


def test_a_machine_that_is_never_quiet_hides_it_and_one_that_is_at_times_does_not() -> None:
    for state, hidden in (("level", True), ("days", False)):
        metrics = several.measured(PARAMETERS, state, FAR, np.random.default_rng(8))
        known, read, noisy = (metrics[f"{design_name(4, 3)}_{level}_w"] for level in several.LEVELS)
        assert (read < 0.05 * known) is hidden
        assert (noisy < 0.5 * known) is hidden


def test_unequal_arms_and_sessions_that_follow_each_other_are_where_the_rule_fails() -> None:
    given = PARAMETERS.model_copy(update={"state_repetitions": 1_000})
    worst = {}
    for state in ("days", "follow"):
        for arms in FEELING:
            found = several.measured(given, state, arms, np.random.default_rng(9))
            worst[state, arms] = max(found[f"{design_name(5, 3)}_dates_{side}_states"] for side in ("above", "below"))
    assert worst["days", ALIKE] < 15
    assert worst["follow", ALIKE] < 15, "arms that feel alike are safe whatever the machine does"
    assert worst["days", CLOSE] < 25
    assert worst["days", FAR] < 80
    assert worst["follow", FAR] > 2 * worst["days", FAR]


def test_means_of_sessions_that_agree_by_luck_cover_too_seldom_and_the_wider_interval_does_not() -> None:
    given = PARAMETERS.model_copy(update={"state_repetitions": 4_000, "patience_sessions": (4,)})
    same, unlike = (luck.measured(given, sd, np.random.default_rng(10)) for sd in (0.0, 0.1))
    name = design_name(4, 3)
    lucky = same[f"{name}_lucky"]
    assert lucky > 80
    assert same[f"{name}_means_lucky_covered"] < 0.7 * lucky
    assert same[f"{name}_wider_lucky_covered"] > 0.9 * lucky
    assert same[f"{name}_wider_covered"] >= max(same[f"{name}_{way}_covered"] for way in ("means", "blocks"))
    assert unlike[f"{name}_blocks_covered"] < 0.8 * 4_000, "blocks alone are too narrow where sessions differ"
    assert unlike[f"{name}_wider_covered"] > 0.93 * 4_000
    assert same[f"{name}_wider_alarms"] < same[f"{name}_means_alarms"] < 0.02 * 4_000
    assert unlike[f"{name}_blocks_alarms"] > 5 * unlike[f"{name}_wider_alarms"]


@pytest.mark.parametrize("split", luck.SPLITS)
def test_kinds_of_hosts_are_told_apart_as_the_book_does(split: tuple[int, int]) -> None:
    rng = np.random.default_rng(11)
    here, there = (0.1 * rng.normal(size=(200, n, 1)) + 0.04 * rng.normal(size=(200, n, 4)) for n in split)
    there += 0.2
    apart, differ = luck.kinds(here, there)
    for run in range(200):
        own = [statistics.ratio(np.exp(each[run]).ravel(), np.ones(each[run].size), sessions=np.repeat(
            range(each.shape[1]), 4)) for each in (here, there)]  # fmt: skip
        assert apart[run] == (max(each.low for each in own) > min(each.high for each in own))
        assert differ[run] == hosts._differ([each[run].mean(axis=-1) for each in (here, there)])
    assert 0 < apart.sum() < 200
    assert 0 < differ.sum() < 200
    assert luck.LEVEL == hosts.LEVEL


def test_the_f_test_keeps_one_odd_session_from_passing_for_a_host() -> None:
    given = PARAMETERS.model_copy(update={"state_repetitions": 2_000, "session_sds": (0.1,)})
    found = luck.hosts(given, 0.1, np.random.default_rng(12))
    without, with_ = (found[f"{luck.split_name((2, 2), 0)}_{count}"] for count in ("apart", "told"))
    assert without > 0.1 * 2_000
    assert with_ < 0.07 * 2_000
    assert found[f"{luck.split_name((4, 2), 2)}_told"] > 0.95 * 2_000
