"""Simulated visits: what is counted is what the book's own rules say of each run; levels, luck and looks."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from benchbook import statistics
from benchbook.chapters.calibration.arms import Parameters, design_name
from benchbook.chapters.calibration.simulation import decisions, luck, visits
from benchbook.chapters.calibration.simulation.ruling import Ruling
from benchbook.claims import Claim, Ground, Quantity, judge
from benchbook.claims.together import Alone, by_host
from benchbook.errors import BenchbookError
from benchbook.model import Outcome, Verdict
from benchbook.numbers import hosts
from benchbook.statistics.visits import LEAST_BLOCKS

RUNS = 150
PARAMETERS = Parameters.given({"visit_repetitions": RUNS, "luck_visits": [4], "luck_blocks": [3]})
EDGE = 1.25
CLAIM = replace(decisions.CLAIMS["greater"], low=EDGE, margin=0.0)
"""Holds above the edge, is wrong below it, and nothing else."""
SAYS = {Outcome.REPRODUCED: 1, Outcome.CONTRADICTED: -1}


def drawn(blocks: tuple[int, ...], seed: int, sd: float = 0.05) -> tuple[np.ndarray, np.ndarray]:
    """Log ratios over the edge, of which many are decided, and which visits met the second processor model."""
    rng = np.random.default_rng(seed)
    other = rng.random((RUNS, len(blocks))) < 0.5
    other[:, 0] = False
    differs, moved = 0.3 * rng.normal(size=(RUNS, 1)), 0.02 * rng.normal(size=(RUNS, len(blocks)))
    own = 0.1 * rng.normal(size=(RUNS, 1, 1)) + (other * differs + moved)[..., None]
    return own + sd * rng.normal(size=(RUNS, len(blocks), max(blocks))), other


def by_book(claim: Claim, logs: np.ndarray, labels: np.ndarray, confidence: float) -> Verdict:
    """The verdict of one kind of host, or of all: by the book's interval, its visits, its least number of blocks."""
    numbers = np.unique(labels, return_inverse=True)[1]
    ratios = EDGE * np.exp(logs)
    found = statistics.ratio(ratios, np.ones_like(ratios), visits=numbers, confidence=confidence)
    few = "too few" if len(logs) < 6 else ""
    found = replace(found, typical=None)  # blocks that lie far out are simulated elsewhere
    worth = statistics.visits.worth(numbers)
    ground = Ground(Quantity.COMPARISON, int(numbers.max()) + 1, worth, blocks=len(logs), a_visit=2, few=few)
    return judge(claim, found, ground=ground)


@pytest.mark.parametrize("confidence", [0.95, 0.99])
@pytest.mark.parametrize("blocks", [*visits.DESIGNS.values(), (4,) * 5], ids=str)
def test_what_is_said_of_each_run_is_what_the_books_own_rules_say(blocks: tuple[int, ...], confidence: float) -> None:
    logs, other = drawn(blocks, len(blocks))
    found = visits.ruled(logs, other, blocks, math.log(EDGE), confidence)
    labels = np.repeat(range(len(blocks)), blocks)
    there = np.arange(max(blocks)) < np.array(blocks)[:, None]
    for run in range(RUNS):
        own, second = logs[run][there], np.repeat(other[run], blocks)
        whole = by_book(CLAIM, own, labels, confidence)
        assert found.whole[run] == SAYS.get(whole.outcome, 0)
        alone, groups = [], []
        for name, part in (("one", ~second), ("other", second)):
            if part.sum() >= LEAST_BLOCKS:
                verdict = by_book(CLAIM, own[part], labels[part], confidence)
                alone.append(Alone(name, "", verdict, int(part.sum())))
                groups.append([own[labels == visit].mean() for visit in np.unique(labels[part])])
        ends = [each.verdict.estimate for each in alone if each.verdict.estimate]
        disjoint = max(each.low for each in ends) > min(each.high for each in ends)
        apart = disjoint and hosts._differ(groups)
        assert found.apart[run] == apart
        final = by_host(whole, CLAIM, alone, apart=apart)
        assert found.final[run] == SAYS.get(final.outcome, 0)
        assert found.depends[run] == (final.outcome is Outcome.HOST)
    if len(blocks) > 3:
        assert found.apart.any()
        assert len({*found.final.tolist()}) == 3, "above, below and open are all met"


def test_an_interval_that_differs_from_the_books_own_stops_the_simulation() -> None:
    logs, _ = drawn((4, 4), 1)
    labels = np.repeat([0, 1], 4)
    found = visits.numbers(logs, np.ones_like(logs, dtype=bool), 0.95)
    visits.check(logs[0].ravel(), labels, math.log(EDGE), 0.95, found)
    with pytest.raises(BenchbookError, match="the simulated ratio over visits"):
        visits.check(logs[1].ravel(), labels, math.log(EDGE), 0.95, found)
    with pytest.raises(BenchbookError, match="the simulated ratio over visits"):
        luck.check(logs[0], luck.Bounds(found.point, found.half))


def ruling(whole: int, kinds: tuple[int, int] = (0, 0), *, apart: bool = False) -> Ruling:
    one, first, other = (np.array([each], dtype=np.int8) for each in (whole, *kinds))
    return Ruling(one, (first, other), np.array([apart]), np.array([0.5]))


def test_a_verdict_for_all_is_untrue_of_the_states_met_and_one_that_depends_on_the_host_of_a_kind() -> None:
    higher, lower = np.array([0.1]), np.array([-0.1])
    assert ruling(1).untrue(1, lower)
    assert not ruling(1).untrue(1, higher), "the mean of the visits met lies above the edge"
    assert not ruling(1).untrue(-1, lower), "it says nothing of that side"
    both = ruling(1, (1, 1))
    assert both.untrue(1, higher), "the first kind stands on the edge"
    depends = ruling(1, (-1, 1))
    assert depends.depends
    assert depends.final == 0
    assert depends.untrue(-1, higher)
    assert not depends.untrue(1, higher)
    assert not ruling(0).untrue(1, lower)


def test_a_later_look_counts_only_where_the_earlier_ones_left_a_run_open() -> None:
    assert ruling(1).then(ruling(-1)).final == 1
    assert ruling(0).then(ruling(-1)).final == -1
    assert ruling(0, (1, -1)).then(ruling(1)).depends, "that it depends on the host is a decision"


def test_looking_again_costs_less_at_99_percent_than_at_95() -> None:
    given = PARAMETERS.model_copy(update={"visit_repetitions": 4_000, "edge_ratios": (EDGE,)})
    found = visits.measured(given, 0.06, 0.05, 1.0, 1, np.random.default_rng(2))
    planned, later, plain = (
        sum(found[f"{way}_1_25_{side}"] or 0 for side in visits.SIDES)
        for way in ("2x4", visits.AGAIN, visits.PLAIN)
    )  # fmt: skip
    assert planned <= later < plain
    assert later < 0.04 * 4_000
    assert found["looks_1_25_found"] > found["2x4_1_25_found"]
    assert found["1x6_1_25_above"] == 0, "one visit has to bear a quarter"


def test_visits_of_unequal_length_and_large_movements_are_where_the_rule_is_weak() -> None:
    given = PARAMETERS.model_copy(update={"visit_repetitions": 4_000, "edge_ratios": (5.0,)})
    found = visits.measured(given, 0.10, 0.02, 1.0, 1, np.random.default_rng(3))
    even, uneven, many = (
        max(found[f"{way}_5_{side}"] or 0 for side in visits.SIDES) / 4_000 for way in ("3x3", "8_2", "4x3")
    )
    assert many < 0.03
    assert even > 0.05
    assert uneven > even


def test_a_second_processor_model_is_met_as_often_as_asked_and_never_first() -> None:
    given = PARAMETERS.model_copy(update={"visit_repetitions": 2_000, "other_processor": 1.0, "edge_ratios": (2.0,)})
    one, two = (visits.measured(given, 0.06, 0.02, 1.0, n, np.random.default_rng(4)) for n in (1, 2))
    assert one["1x10_2_found"] == two["1x10_2_found"], "a run of one visit has one model"
    assert one["8_2_2_found"] != two["8_2_2_found"]


@pytest.mark.parametrize("blocks", luck.LEVEL_DESIGNS.values(), ids=str)
def test_a_level_is_decided_where_the_books_own_rule_decides_it(blocks: tuple[int, ...]) -> None:
    rng = np.random.default_rng(6)
    shape = (60, len(blocks))
    logs = 0.1 * rng.normal(size=(60, 1, 1)) + 0.03 * rng.normal(size=(*shape, 1))
    logs = logs + 0.03 * rng.normal(size=(*shape, blocks[0]))
    above, below = luck.agreeing(logs)
    labels = np.repeat(range(len(blocks)), blocks)
    for run in range(60):
        whole = statistics.geometric_mean(EDGE * np.exp(logs[run].ravel()), visits=labels)
        each = tuple((statistics.geometric_mean(EDGE * np.exp(visit)),) * 2 for visit in logs[run])
        ground = Ground(Quantity.LEVEL, visits=len(blocks), blocks=len(labels), a_visit=2, each=each)
        assert above[run] - below[run].astype(int) == SAYS.get(judge(CLAIM, whole, ground=ground).outcome, 0)
    assert above.any()
    assert below.any()


def test_levels_need_visits_that_agree_and_are_about_the_visits_met() -> None:
    given = PARAMETERS.model_copy(update={"visit_repetitions": 4_000})
    found = {name: (value or 0) / 4_000 for name, value in luck.levels(given, 0.1, np.random.default_rng(5)).items()}
    assert set(luck.LEVEL_DESIGNS) == {"2x4", "3x3", "4x3", "6x2"}
    assert found["level_2x4_all_above"] == pytest.approx(0.12, abs=0.03), "two visits lie on one side by chance"
    assert found["level_6x2_all_above"] < found["level_2x4_all_above"]
    for design in luck.LEVEL_DESIGNS:
        assert found[f"level_{design}_met_above"] < 0.01


def test_means_of_visits_that_agree_by_luck_cover_too_seldom_and_the_wider_interval_does_not() -> None:
    given = PARAMETERS.model_copy(update={"visit_repetitions": 4_000})
    alike, unlike = (luck.measured(given, sd, np.random.default_rng(10)) for sd in (0.0, 0.1))
    name = design_name(4, 3)
    lucky = alike[f"{name}_lucky"]
    assert lucky > 80
    assert alike[f"{name}_means_lucky_covered"] < 0.7 * lucky
    assert alike[f"{name}_wider_lucky_covered"] > 0.9 * lucky
    assert alike[f"{name}_wider_covered"] >= max(alike[f"{name}_{way}_covered"] for way in ("means", "blocks"))
    assert unlike[f"{name}_blocks_covered"] < 0.8 * 4_000, "blocks alone are too narrow where visits differ"
    assert unlike[f"{name}_wider_covered"] > 0.93 * 4_000
    assert alike[f"{name}_wider_alarms"] < alike[f"{name}_means_alarms"] < 0.02 * 4_000
    assert unlike[f"{name}_blocks_alarms"] > 5 * unlike[f"{name}_wider_alarms"]
