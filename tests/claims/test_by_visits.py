"""How many visits decide: one, two that carry less, visits that agree, and those that an open claim still needs."""

from dataclasses import replace

import numpy as np
import pytest
from estimated import CLAIMS, DRIFT, INSIDE, NOISE, effect, off, on

from benchbook.claims import Quantity, Rule, judge, region
from benchbook.claims.reasons import ground_text
from benchbook.claims.rules import SETTLED
from benchbook.model import Effect, Estimate, Outcome, Verdict
from benchbook.statistics import Movement, equivalence, intervals, ratio, share, share_of_trials, wilson
from benchbook.statistics.visits import widened

TIMED = [each for each in Quantity if each.moves]
BY_VISIT = [each for each in Quantity if each.by_visit]


def test_every_quantity_is_counted_or_compared_or_asked_of_each_visit() -> None:
    assert {*TIMED} == {Quantity.COMPARISON, Quantity.PARTS}
    assert {*TIMED} | {*BY_VISIT} | {Quantity.COUNTER} == {*Quantity}


# comparisons


@pytest.mark.parametrize("quantity", TIMED)
@pytest.mark.parametrize(
    ("point", "one", "two", "four"),
    [
        (0.35, Outcome.ONE_VISIT, Outcome.REPRODUCED, Outcome.REPRODUCED),  # a quarter reaches over 0.4545
        (0.42, Outcome.ONE_VISIT, Outcome.INCONCLUSIVE, Outcome.REPRODUCED),  # two visits carry it to 0.461
        (0.47, Outcome.ONE_VISIT, Outcome.INCONCLUSIVE, Outcome.INCONCLUSIVE),  # 1 % reaches below 0.4545
        (0.6, Outcome.DIRECTION_ONLY, Outcome.DIRECTION_ONLY, Outcome.DIRECTION_ONLY),
        (0.9, Outcome.ONE_VISIT, Outcome.DIRECTION_ONLY, Outcome.DIRECTION_ONLY),  # a quarter reaches over 1
        (1.1, Outcome.CONTRADICTED, Outcome.CONTRADICTED, Outcome.CONTRADICTED),
        (24.0, Outcome.CONTRADICTED, Outcome.CONTRADICTED, Outcome.CONTRADICTED),
    ],
)
def test_a_comparison_is_decided_where_what_visits_may_have_carried_decides_the_same(
    quantity: Quantity, point: float, one: Outcome, two: Outcome, four: Outcome
) -> None:
    for visits, outcome in ((1, one), (2, two), (4, four)):
        verdict = judge(INSIDE, effect(point), ground=on(visits, quantity))
        assert verdict.outcome is outcome, (visits, verdict.reason)
        assert (verdict.estimate, verdict.visits) == (effect(point), visits), "the measured interval is the one shown"
        assert verdict.carried is not None
        assert verdict.carried.low < effect(point).low < effect(point).high < verdict.carried.high
        assert (verdict.visits_needed is None) is (outcome in SETTLED)


def test_no_effect_is_never_decided_by_one_visit_and_by_more_only_with_one_percent_to_spare() -> None:
    """A recommendation, without effect inside [0.95, 1.05]."""
    for visits, high, outcome in (
        (1, 1.01, Outcome.ONE_VISIT), (2, 1.02, Outcome.NO_EFFECT), (4, 1.03, Outcome.NO_EFFECT),
        (4, 1.045, Outcome.INCONCLUSIVE),
    ):  # fmt: skip
        found = judge(
            CLAIMS["C050"], Effect(1.0, 1 / high, high, 8, intervals.PAIRED_LOG_T, sd=0.02), ground=on(visits)
        )
        assert found.outcome is outcome


def test_what_leaves_it_open_and_how_many_visits_would_decide_it_are_said() -> None:
    one = judge(INSIDE, effect(0.35), ground=on(1))
    assert (one.why, one.visits_needed) == ("one visit so far", 1)
    assert one.reason.endswith(
        "; it was measured in one visit, and an interval wider by a quarter does not say the same: [0.27, 0.45]; 1 "
        "further visit of 4 blocks would decide it, were point and spread to stay."
    )
    two = judge(INSIDE, effect(0.42), ground=on(2))
    assert (two.why, two.visits_needed) == ("too close to call", 1)
    assert "; what 2 visits may have moved it by widens it to an interval that does not say the same: [" in two.reason
    assert "; wider by 1 % it does not say the same: [" in judge(INSIDE, effect(0.47), ground=on(4)).reason
    wide = judge(INSIDE, effect(0.5, 4), ground=on(2))
    assert (wide.outcome, wide.why) == (Outcome.INCONCLUSIVE, "too close to call")
    assert wide.reason.endswith("; 3 further visits of 4 blocks would decide it, were point and spread to stay.")


def test_what_twenty_visits_would_not_decide_is_not_for_this_design() -> None:
    for visits in (1, 2, 4):
        for found in (effect(0.456, 0.1), effect(INSIDE.high or 0.0), effect(0.47, 2)):
            verdict = judge(INSIDE, found, ground=on(visits))
            assert (verdict.outcome, verdict.visits_needed) == (Outcome.DESIGN, None)
            assert verdict.reason.endswith("; no number of visits up to 20 would decide it.")
            designed = judge(INSIDE, found, ground=on(visits, design="both sizes side by side"))
            assert designed.reason.endswith("would decide it; what would: both sizes side by side.")
    for counted in (share([1.0] * 6, 80), wilson(40, 100), share_of_trials(6, 6)):
        found = judge(CLAIMS["L011"], counted, ground=on(1, Quantity.COUNTER))
        assert "blocks would decide" not in found.reason, "more of these does not narrow it, or nobody can say"


@pytest.mark.parametrize(("point", "spread", "visits"), [(0.5, 4.0, 2), (0.48, 1.5, 1), (0.42, 1.0, 2), (0.47, 1.0, 3)])
def test_so_many_visits_that_move_as_expected_do_decide_it_and_one_fewer_does_not(
    point: float, spread: float, visits: int
) -> None:
    needed = judge(INSIDE, effect(point, spread), ground=on(visits)).visits_needed
    assert needed
    asked = region(INSIDE, difference=False)
    said = []
    for more in (needed - 1, needed):
        blocks = 8 + 4 * more
        logs = np.resize([-1.0, 1.0], blocks)
        logs *= effect(point, spread).sd / np.std(logs, ddof=1)
        own = ratio(point * np.exp(logs), np.ones(blocks))
        q = max(abs(np.log(point)) / 8, np.log(1.01))
        carried = widened(own, np.log(1.01), q / np.sqrt(visits + more))
        said.append(asked.of(carried, carried) is asked.of(own, own) in SETTLED)
    assert said == [False, True]


def test_where_visits_are_the_replicates_further_ones_are_counted_with_them() -> None:
    logs = np.repeat([-1.5, -0.5, 0.5, 1.5], 2) * 0.04
    over = ratio(0.42 * np.exp(logs), np.ones(8), visits=np.repeat(range(4), 2))
    assert intervals.over_visits(over.method)
    verdict = judge(INSIDE, over, ground=replace(on(4), a_visit=2))
    assert "(95 %, 4 visits)" in verdict.reason
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert verdict.visits_needed
    blocks = judge(INSIDE, ratio(0.42 * np.exp(logs), np.ones(8)), ground=replace(on(4), a_visit=2))
    assert blocks.outcome is Outcome.REPRODUCED, "as if the eight blocks said so, it would be decided"


def test_no_difference_is_accepted_by_the_narrow_interval_and_refused_by_the_wide_one() -> None:
    same = DRIFT * NOISE**0.3
    accepted, refused = ((ratio(by * same, DRIFT), equivalence(by * same, DRIFT)) for by in (1.0, 1.3))
    by = {visits: judge(CLAIMS["R053"], *accepted, ground=on(visits)).outcome for visits in (1, 2, 4)}
    assert by == {1: Outcome.ONE_VISIT, 2: Outcome.REPRODUCED, 4: Outcome.REPRODUCED}
    assert judge(CLAIMS["R053"], *refused, ground=on(1)).outcome is Outcome.ONE_VISIT
    assert judge(CLAIMS["R053"], *refused, ground=on(2)).outcome is Outcome.CONTRADICTED


def test_a_check_that_was_missed_by_little_is_borne_beside_what_visits_carry() -> None:
    assert judge(INSIDE, effect(0.41), ground=on(4)).outcome is Outcome.REPRODUCED
    assert judge(INSIDE, effect(0.41), ground=on(4, borne=0.1)).outcome not in SETTLED


def test_a_quiet_machine_is_told_beside_and_decides_nothing() -> None:
    for w, quiet in ((0.01, True), (0.5, False)):
        verdict = judge(INSIDE, effect(0.35), ground=on(2, quiet=Movement(w, "it stood so")))
        assert (verdict.outcome, verdict.quiet) == (Outcome.REPRODUCED, quiet)
    assert judge(INSIDE, effect(0.35), ground=on(2)).quiet is None


# what each visit has to say


def by_visit(*points: float, quantity: Quantity = Quantity.LEVEL, spread: float = 1.0) -> Verdict:
    each = tuple((effect(point, spread), effect(point, spread)) for point in points)
    return judge(INSIDE, effect(0.31), ground=on(len(points), quantity, each=each))


@pytest.mark.parametrize("quantity", BY_VISIT)
def test_one_visit_alone_decides_no_level_shape_or_spread(quantity: Quantity) -> None:
    found = by_visit(0.31, quantity=quantity)
    assert (found.outcome, found.why) == (Outcome.ONE_VISIT, "one visit so far")
    assert found.reason.endswith(f"; but {quantity} needs two visits that agree, and this is one.")
    assert found.carried is None


@pytest.mark.parametrize("quantity", BY_VISIT)
@pytest.mark.parametrize("visits", [2, 3, 5])
def test_visits_that_agree_decide_and_one_that_does_not_leaves_it_open(quantity: Quantity, visits: int) -> None:
    for point in (0.31, 0.7, 1.3):
        each = ((effect(point), effect(point)),) * visits
        found = judge(INSIDE, effect(point), ground=on(visits, quantity, each=each))
        assert found.outcome is judge(INSIDE, effect(point)).outcome in SETTLED
    for other, says in ((0.7, "another size"), (1.3, "wrong")):
        found = by_visit(*[0.31] * (visits - 1), other, quantity=quantity)
        assert (found.outcome, found.why) == (Outcome.INCONCLUSIVE, "its visits do not agree, or are too short to")
        assert found.reason.endswith(f"visits that agree, and these say: {'holds, ' * (visits - 1)}{says}.")
    assert by_visit(*[0.7] * visits, quantity=quantity).outcome is Outcome.INCONCLUSIVE, "all against the pooled one"


def test_two_say_it_by_their_intervals_a_third_by_its_number_and_from_four_on_all_by_their_numbers() -> None:
    wide, sure = (effect(0.31, 40),) * 2, (effect(0.31),) * 2
    for each, decided in (
        ((sure, wide), False), ((sure, sure, wide), True), ((sure, wide, wide), False), ((wide,) * 4, True)
    ):  # fmt: skip
        found = judge(INSIDE, effect(0.31), ground=on(len(each), Quantity.LEVEL, each=each))
        assert (found.outcome in SETTLED) is decided, found.reason
    for quantity in (Quantity.DISPERSION, Quantity.SHARE_OF_TRIALS):
        found = judge(INSIDE, effect(0.31), ground=on(2, quantity, each=(wide, wide)))
        assert found.outcome is Outcome.REPRODUCED, "the pooled interval decides, and the numbers lie there"


def test_a_visit_that_cannot_say_is_none_that_agrees_and_what_all_leave_open_no_visit_decides() -> None:
    silent = judge(INSIDE, effect(0.31), ground=on(2, Quantity.LEVEL, each=((effect(0.31), effect(0.31)),)))
    assert silent.outcome is Outcome.INCONCLUSIVE
    assert silent.reason.endswith("these say: holds.")
    none = judge(INSIDE, effect(0.31), ground=on(2, Quantity.LEVEL))
    assert none.reason.endswith("these say: nothing.")
    whole = judge(INSIDE, effect(0.5, 4), ground=on(2, Quantity.LEVEL, each=((effect(0.31), effect(0.31)),) * 2))
    assert whole.outcome is Outcome.INCONCLUSIVE
    assert "would decide it" in whole.reason


def test_a_visit_is_judged_by_its_own_narrow_interval_where_the_claim_says_no_difference() -> None:
    same, noisy = DRIFT * NOISE**0.3, DRIFT * NOISE**2
    good, bad = ((ratio(each, DRIFT), equivalence(each, DRIFT)) for each in (same, noisy))
    for other, outcome in ((good, Outcome.REPRODUCED), (bad, Outcome.INCONCLUSIVE)):
        assert judge(CLAIMS["R053"], *good, ground=on(2, Quantity.SHAPE, each=(good, other))).outcome is outcome


# in words


def test_what_a_verdict_rests_on_is_said_with_visits_processors_and_sessions_left_out() -> None:
    assert ground_text(on(1, Quantity.COUNTER)) == "a count, which does not depend on the machine's speed"
    assert ground_text(on(1)) == "a comparison of configurations; 1 visit"
    assert ground_text(on(2, Quantity.LEVEL, processors=("A",))) == (
        "a level of one configuration; 2 visits, on one processor model (A)"
    )
    assert ground_text(on(3, processors=("A", "B"), left_out=("session x (it did not read)", "session y (z)"))) == (
        "a comparison of configurations; 3 visits, on 2 processor models (A, B); left out: session x (it did not "
        "read); left out: session y (z)"
    )
    found = judge(INSIDE, effect(0.35), ground=on(2, processors=("A",), failed=(off("warm", "no"),)))
    assert (found.visits, found.processors, found.look) == (2, ("A",), None)
    assert found.rests_on == "a comparison of configurations; 2 visits, on one processor model (A)"


def test_a_mean_that_may_be_below_0_has_no_logarithm_and_bears_nothing() -> None:
    claim = replace(CLAIMS["R003"], rule=Rule.GREATER, low=-5.0, high=None, margin=0.0, unit="none")
    level = Estimate(7.0, -1.0, 15.0, 8, intervals.T)
    assert judge(claim, level, ground=on(1)).outcome is Outcome.REPRODUCED
