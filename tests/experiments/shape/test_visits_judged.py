"""Pooled sessions through the whole judging: visits, looks, hosts, conditions, and sessions that are left out."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from made_up import AMD_NAME, ARMS, INTEL, INTEL_NAME, Chapter, session, together

from benchbook import statistics
from benchbook.claims import Quantity, designs
from benchbook.model import Outcome, Run, Verdict
from benchbook.numbers import judging, looks
from benchbook.numbers.algebra import measured
from benchbook.numbers.answers import Answer, Answers
from benchbook.numbers.estimands import Conditions, Estimand, custom
from benchbook.numbers.sentences import source
from benchbook.statistics.intervals import OF_VISITS, PAIRED_LOG_T

CLAIM = "L012"
"""A ratio claimed inside [0.2727, 0.4545]."""
TIME = measured("time_ns")
RATIO = TIME["changed"] / TIME["base"]


@pytest.fixture(autouse=True)
def nothing_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """No design is named for the claim, and its sessions have no plan in the book."""
    monkeypatch.setattr(designs, "of", lambda _: "")
    monkeypatch.setattr(designs, "not_testable", lambda _: "")


def judged(run: Run, estimand: Estimand = RATIO, **own: Any) -> Verdict:
    made = Answers((Answer(CLAIM, estimand),), **({"pair": ("again", "base")} | own))
    found = judging.answered(Chapter(made, ARMS, "networked_keys").summarize(run))
    return next(each.verdict for each in found if each.claim_id == CLAIM)


# visits


def test_one_visit_leaves_open_what_two_decide_and_midnight_makes_no_two() -> None:
    """What is a quarter above 0.37 lies above 0.4545."""
    midnight = judged(together(session(23.4, 0.37), session(24.1, 0.37)))
    assert (midnight.outcome, midnight.visits, midnight.look) == (Outcome.ONE_VISIT, 1, None)
    assert midnight.visits_needed == 1
    assert "(about 7 min of measuring)" in midnight.reason
    two = judged(together(session(0, 0.37), session(13, 0.37)))
    assert (two.outcome, two.visits, two.look, two.processors) == (Outcome.REPRODUCED, 2, 1, (AMD_NAME,))
    assert two.rests_on == (
        f"a comparison of configurations; 2 visits, on one processor model ({AMD_NAME}); it fell at the planned look"
    )
    assert two.error is not None


def test_four_visits_are_judged_over_their_means_where_they_differ() -> None:
    levels = (0.30, 0.35, 0.40, 0.45)
    run = together(*(session(13 * place, level) for place, level in enumerate(levels)))
    found = judged(run)
    assert found.estimate is not None
    own = statistics.ratio(levels, np.ones(4))
    assert (found.estimate.low, found.estimate.high, found.estimate.n) == pytest.approx((own.low, own.high, 4))
    assert found.estimate.method == PAIRED_LOG_T + OF_VISITS
    assert found.outcome is Outcome.INCONCLUSIVE, "over sixteen blocks it would have held"
    assert source(run) == ("measured on this machine in 4 visits (custom profile; intervals over the means of visits)")
    one = judged(together(*(session(place, level) for place, level in enumerate(levels))))
    assert one.estimate is not None
    assert (one.estimate.n, one.visits) == (16, 1), "four sessions of one visit are no four visits"


def test_the_a_a_pair_bears_what_its_visits_carry() -> None:
    """A pair that is off by 0.5 % is within what any visit moves, and one that is off by 2.1 % is not."""
    run = together(*(session(13 * place) for place in range(4)))
    for factor, outcome, failed in ((1.005, Outcome.REPRODUCED, ()), (1.021, Outcome.CHECK, ("A/A",))):
        again = run.trials["configuration"] == "again"
        trials = run.trials.assign(time_ns=run.trials["time_ns"].where(~again, 1e3 * factor))
        found = judged(replace(run, trials=trials))
        assert (found.outcome, found.failed) == (outcome, failed)


# looks


def daily(*levels: float, noise: float = 0.05) -> Run:
    """Sessions a day from each other, from before the rule: the first four are the planned look."""
    return together(*(session(24 * place, level, blocks=2, noise=noise) for place, level in enumerate(levels)))


def test_what_was_open_at_the_planned_look_is_decided_by_99_percent_from_then_on() -> None:
    """Visits that differ by a fifth: four say too little, six enough for 95 % and a seventh enough for 99 %."""
    levels = (0.355, 0.429, 0.355, 0.429)
    assert judged(daily(*levels)).outcome not in judging.SETTLED
    more = (*levels, 0.355, 0.429)
    later = judged(daily(*more))
    own = statistics.ratio(np.array(more), np.ones(6), confidence=0.99)
    assert later.estimate is not None
    assert (later.estimate.low, later.estimate.confidence) == (pytest.approx(own.low), 0.99)
    at_95 = statistics.ratio(np.array(more), np.ones(6))
    assert at_95.high * 1.01 < 0.4545 < own.high * 1.01, "95 % of all would decide it"
    assert later.outcome not in judging.SETTLED
    assert later.look is None
    enough = judged(daily(*more, *[0.39] * 3))
    assert (enough.outcome, enough.allowed, enough.look) == (Outcome.REPRODUCED, pytest.approx(0.005), 4)
    assert enough.rests_on.endswith("; it fell at look 4 of 6, with 99 %")


def test_what_fell_at_the_planned_look_stays_with_95_percent_and_counts_have_one_look() -> None:
    run = daily(*[0.35] * 6)
    found = judged(run)
    assert (found.outcome, found.look, found.allowed) == (Outcome.REPRODUCED, 1, pytest.approx(0.025))
    assert found.estimate is not None
    assert (found.estimate.n, found.estimate.confidence) == (12, 0.95), "all blocks are in its number"
    open_first = daily(0.355, 0.429, 0.355, 0.429, 0.39)
    counted = judged(open_first, replace(RATIO, quantity=Quantity.COUNTER, metric=None))
    assert counted.estimate is not None
    assert (counted.estimate.confidence, counted.look) == (0.95, None)


def test_a_planned_second_visit_is_one_look_and_an_unplanned_one_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    run = together(session(0, 0.42, blocks=6, noise=0.06), session(240, 0.42, blocks=6, noise=0.06))
    monkeypatch.setattr(looks, "of", lambda run: [len(run.parts)])
    planned = judged(run)
    monkeypatch.setattr(looks, "of", lambda run: [1, 2])
    unplanned = judged(run)
    assert planned.estimate is not None
    assert unplanned.estimate is not None
    assert (planned.estimate.confidence, unplanned.estimate.confidence) == (0.95, 0.99)


# hosts


def on_hosts(amd: float, intel: float, *, visits: int = 2, noise: float = 0.01, quantity: Any = None) -> Verdict:
    every = [session(13 * place, amd * (1 + 0.002 * place), noise=noise) for place in range(visits)]
    every += [session(13 * place + 5, intel * (1 + 0.002 * place), noise=noise, host=INTEL) for place in range(visits)]
    return judged(together(*every), replace(RATIO, quantity=quantity or RATIO.quantity))


@pytest.mark.parametrize("quantity", [Quantity.COMPARISON, Quantity.LEVEL, Quantity.SHAPE])
def test_two_processors_that_are_settled_and_differ_make_it_depend_on_the_host(quantity: Quantity) -> None:
    found = on_hosts(0.35, 0.7, quantity=quantity)
    assert (found.outcome, found.estimate, found.look) == (Outcome.HOST, None, 1)
    assert [(row.name, row.outcome, row.blocks, row.visits) for row in found.hosts] == [
        (AMD_NAME, Outcome.REPRODUCED, 8, 2), (INTEL_NAME, Outcome.DIRECTION_ONLY, 8, 2),
    ]  # fmt: skip
    assert "(kernel 6.18-a): holds" in found.reason


def test_processors_that_lie_apart_and_are_not_settled_leave_it_open_and_say_what_is_lacking() -> None:
    both = on_hosts(0.44, 0.47, noise=0.02)
    assert (both.outcome, both.estimate, both.look) == (Outcome.OPEN_HOST, None, None)
    assert both.why.startswith(f"on {AMD_NAME}, ")
    assert INTEL_NAME in both.reason


def test_processors_that_agree_are_told_together_and_counts_are_not_asked() -> None:
    found = on_hosts(0.35, 0.352, noise=0.03)
    assert (found.outcome, found.hosts) == (Outcome.REPRODUCED, ())
    assert found.estimate is not None
    assert (found.estimate.n, found.estimate.point) == (16, pytest.approx(0.3514, abs=1e-4))
    counted = on_hosts(0.35, 0.7, quantity=Quantity.COUNTER)
    assert counted.hosts == ()
    assert counted.estimate is not None


def test_a_processor_whose_sessions_all_fail_the_treatment_check_is_no_host() -> None:
    """Its number lies apart, because the cause did not act there."""

    def idle(summary: Any) -> str:
        return "" if summary.run.trials["acted"].min() > 0 else "it did not act"

    run = together(
        session(0, acted=1, blocks=6), session(13, 0.351, acted=1, blocks=6), session(14, 1.0, acted=0, host=INTEL)
    )
    found = judged(run, replace(RATIO, idle=idle))
    assert (found.outcome, found.hosts, found.visits) == (Outcome.REPRODUCED, (), 2)
    assert "; left out: session k-20261120T140000 (it did not act)" in found.rests_on


# conditions


def under(named: bool, **points: float) -> Estimand:
    """The number under conditions that the claim leaves out, each so many times the measured one."""

    def times(factor: float) -> Any:
        def compute(summary: Any) -> Any:
            top, bottom = (summary.values(arm, "time_ns") for arm in ("changed", "base"))
            return summary.estimated(statistics.ratio, factor * top, bottom)

        return compute

    def conditions(_: Any) -> Mapping[str, Any]:
        return {name: times(factor) for name, factor in points.items()}

    return replace(custom(times(1.0), Quantity.COMPARISON, ("changed", "base"), "time_ns"),
                   conditions=Conditions("the note names no round trip", conditions, named))  # fmt: skip


def test_it_depends_on_a_condition_that_was_named_before_its_data_and_on_no_other() -> None:
    run = together(session(0), session(13))
    named = judged(run, under(True, near=1.0, far=2.0))
    assert (named.outcome, named.look) == (Outcome.CONDITION, 1)
    assert [row.estimate.confidence for row in named.hosts] == pytest.approx([0.975] * 2), "they hold together"
    late = judged(run, under(False, near=1.0, far=2.0))
    assert (late.outcome, late.why) == (
        Outcome.OPEN_CONDITION, "the note names no round trip, and the verdict turns on it",
    )  # fmt: skip
    agreeing = judged(run, under(False, near=1.0, far=1.05))
    assert agreeing.outcome is Outcome.REPRODUCED
    assert agreeing.estimate is not None
    assert agreeing.estimate.confidence == 0.95
    assert agreeing.estimate.point == pytest.approx(0.35), "the number is that of the nearest"
