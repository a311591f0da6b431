"""Simulated runs of several sessions: what is counted is what the book's own functions say of each of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchbook import statistics
from benchbook.errors import BenchbookError
from benchbook.experiments.calibration.arms import (
    ALIKE,
    KNOWN,
    NOISY,
    READ,
    SENSITIVITIES,
    UNEQUAL,
    Parameters,
    design_name,
)
from benchbook.experiments.calibration.simulation import machine, several
from benchbook.experiments.calibration.simulation.decisions import false_outcomes, region_of, ruled
from benchbook.experiments.calibration.simulation.machine import SPREAD, Machine
from benchbook.model import Outcome

RUNS = 24
PARAMETERS = Parameters.given(
    {
        "state_repetitions": RUNS, "state_ratios": [1, 1.1, 2], "patience_sessions": [4, 5], "patience_blocks": [2, 3],
        "session_sd": 0.05,
    }
)  # fmt: skip
SIZE = math.log(1.3)


@pytest.mark.parametrize("state", PARAMETERS.states)
@pytest.mark.parametrize("share", [0.5, 1.0])
def test_a_state_slows_on_average_as_much_as_its_population_says(state: str, share: float) -> None:
    path = machine.slowdowns(state, SIZE, (2_000, 2, 6 * machine.BLOCK), np.random.default_rng(1))
    seen = path[..., : round(share * path.shape[-1])].mean()
    assert machine.mean_slowdown(state, SIZE, share) == pytest.approx(seen, rel=0.04, abs=1e-3)


def whole(state: str, pairs: list[tuple[float, float]], seed: int) -> Machine:
    """What ``several.measured`` draws."""
    felt = np.array([pairs[run % len(pairs)] for run in range(RUNS)])
    return machine.drawn(PARAMETERS, state, felt, (RUNS, 5, 3), np.random.default_rng(seed), PARAMETERS.session_sd)


@pytest.mark.parametrize(("state", "arms"), [("days", ALIKE), ("bursts", UNEQUAL)])
def test_every_count_is_that_of_the_books_own_functions(state: str, arms: str) -> None:
    metrics = several.measured(PARAMETERS, state, arms, np.random.default_rng(2))
    pairs = [pair for name, pair in SENSITIVITIES.items() if (name == ALIKE) == (arms == ALIKE)]
    drawn = whole(state, pairs, 2)
    sessions, blocks = 4, 2
    labels = np.repeat(range(sessions), blocks)
    name, asked = design_name(sessions, blocks), region_of("greater")
    held, quiet, decided, untrue, halves, ws = 0, 0, 0, 0, [], []
    for run in range(RUNS):
        changed, base, again = (
            np.exp(each[run, :sessions, :blocks]).ravel() for each in (drawn.changed, drawn.base, drawn.again)
        )
        looks = drawn.canary[run, :sessions, :blocks].mean(axis=-1).ravel()
        found = statistics.ratio(changed, base, sessions=labels)
        felt = pairs[run % len(pairs)]
        mean = (felt[1] - felt[0]) * machine.mean_slowdown(state, SIZE, blocks / 3)
        held += found.low <= math.exp(mean) <= found.high
        w = statistics.session_movement(found.by_block[0], looks, labels, SPREAD, drawn.canary.shape[-1]).w
        wide = statistics.widened(found, w)
        quiet += wide.low <= 1 <= wide.high
        halves.append(math.log(found.high / found.low) / 2)
        ws.append(w)
        planted = statistics.ratio(2 * changed, base, sessions=labels)
        narrow, wider = statistics.ratio(2 * changed, base, sessions=labels, confidence=0.9), None
        outcome = asked.of(planted, narrow)
        wider = asked.of(statistics.widened(planted, w), statistics.widened(narrow, w))
        pair = statistics.ratio(again, base, sessions=labels, confidence=0.99)
        if planted.typical and narrow.typical and asked.outcome(*planted.typical, *narrow.typical) is not outcome:
            continue
        if outcome is wider is not Outcome.INCONCLUSIVE and pair.low <= 1 <= pair.high:
            decided += 1
            untrue += outcome in false_outcomes(asked, 2)
    assert (metrics[f"{name}_covered"], metrics[f"{name}_quiet_covered"]) == (held, quiet)
    assert metrics[f"{name}_half_width"] == pytest.approx(np.mean(halves))
    assert metrics[f"{name}_w"] == pytest.approx(np.mean(ws))
    assert metrics[f"{ruled(name, 'greater', 2)}_decided"] == decided
    assert metrics[f"{ruled(name, 'greater', 2)}_false_quiet"] == untrue


def test_a_level_is_decided_where_the_interval_over_sessions_and_each_sessions_number_agree() -> None:
    metrics = several.measured(PARAMETERS, "jumps", ALIKE, np.random.default_rng(3))
    drawn = whole("jumps", [SENSITIVITIES[ALIKE]], 3)
    asked, decided = region_of("greater"), 0
    for run in range(RUNS):
        times = 1.1 * np.exp(drawn.changed[run])
        labels = np.repeat(range(5), 3)
        overall = statistics.geometric_mean(times.ravel(), sessions=labels)
        numbers = (statistics.exact(statistics.geometric_mean(session).point) for session in times)
        each = {asked.of(number, number) for number in numbers}
        same = [np.exp(arm[run]).ravel() for arm in (drawn.again, drawn.base)]
        sound = statistics.aa_gate(statistics.ratio(*same, confidence=0.99, sessions=labels)).passed
        outcome = asked.of(overall, overall)
        decided += each == {outcome} and outcome is not Outcome.INCONCLUSIVE and sound
    assert 0 < decided < RUNS
    assert metrics[f"{ruled(design_name(5, 3), 'level', 1.1)}_decided"] == decided


def test_the_arms_ratio_differs_from_session_to_session_as_asked() -> None:
    given = PARAMETERS.model_copy(update={"session_sd": 0.2, "between_trial_sd": 0.001})
    felt = np.array([SENSITIVITIES[ALIKE]])
    drawn = machine.drawn(given, "quiet", felt, (400, 5, 3), np.random.default_rng(4), given.session_sd)
    apart = (drawn.changed - drawn.base).mean(axis=-1)
    assert apart.std() == pytest.approx(0.2, rel=0.05)
    assert (drawn.again - drawn.base).std() < 0.002, "the A/A arm is the baseline"


def test_an_interval_that_differs_from_the_books_own_stops_the_simulation() -> None:
    drawn = whole("quiet", [SENSITIVITIES[ALIKE]], 5)
    apart = drawn.changed - drawn.base
    several.check(apart[0], several.intervals_of(apart.mean(axis=-1))[0])
    with pytest.raises(BenchbookError, match="over sessions has the ends"):
        several.check(apart[0], several.intervals_of(apart[:, :, 0])[0])


def test_a_quiet_level_is_read_from_all_known_blocks_as_the_book_reads_it() -> None:
    rng = np.random.default_rng(6)
    means, others = rng.normal(0.3, 0.1, (RUNS, 5, 3)), rng.normal(0.1, 0.1, (RUNS, 60))
    found, spread = several.Canary(means, others, SPREAD).of(4, 2)
    for run in range(RUNS):
        own = means[run, :4, :2].ravel()
        quiet = statistics.quiet_level(np.exp([*others[run], *own]))
        assert quiet is not None
        assert found[run].ravel() == pytest.approx(own - math.log(quiet), abs=0.01), (
            "a quantile of logs, or a log of one"
        )
    assert (found.shape, spread) == ((RUNS, 4, 2), SPREAD)
    assert several.Canary(means, None, SPREAD).of(4, 2)[0] == pytest.approx(means[:, :4, :2])


@pytest.mark.parametrize(("state", "mean"), [("quiet", 0.0), ("level", SIZE)])
def test_a_canary_of_other_sessions_reads_what_the_state_does_and_its_own_noise(state: str, mean: float) -> None:
    looks = machine.readings(state, SIZE, (50, 20, 3), 0.075, np.random.default_rng(7))
    assert looks.shape == (50, 20, 3, 4)
    assert (looks.mean(), looks.std()) == pytest.approx((mean, 0.075), abs=0.002)


def test_a_machine_that_is_never_quiet_hides_it_and_one_that_is_at_times_does_not() -> None:
    for state, hidden in (("level", True), ("days", False)):
        metrics = several.measured(PARAMETERS, state, UNEQUAL, np.random.default_rng(8))
        known, read, noisy = (metrics[f"{design_name(4, 3, level)}_w"] for level in (KNOWN, READ, NOISY))
        assert (read < 0.05 * known) is hidden
        assert (noisy < 0.5 * known) is hidden
    assert f"{design_name(5, 3, READ)}_w" not in metrics, "for the fewest sessions alone"
    assert f"{design_name(5, 3)}_w" in metrics
