"""Verdicts of kinds of host, and of conditions that a claim leaves out, put together (items 20d2 and d3)."""

from dataclasses import replace

import pytest
from estimated import INSIDE, effect, on
from hypothesis import given
from hypothesis import strategies as st

from benchbook.claims import judge, region
from benchbook.claims.rules import SETTLED
from benchbook.claims.together import Alone, by_condition, by_host
from benchbook.model import Outcome, Verdict

LOW, HIGH = region(INSIDE, difference=False).low or 0.0, region(INSIDE, difference=False).high or 0.0
MIDDLE = (LOW * HIGH) ** 0.5
DECIDED = {*SETTLED, Outcome.HOST, Outcome.CONDITION}


def said(point: float, spread: float = 0.3, visits: int = 4) -> Verdict:
    return judge(INSIDE, effect(point, spread), ground=on(visits))


HELD, SIZE, WRONG = said(MIDDLE), said(HIGH * 1.5), said(1.3)
OPEN, ONE = said(HIGH, 4), said(0.4, visits=1)
"""One that twenty visits would not decide, and one that a further one would."""


def kind(verdict: Verdict, name: str) -> Alone:
    return Alone(name, f"kernel of {name}", verdict, 8)


def hosts(pooled: Verdict, *alone: Verdict, apart: bool = True) -> Verdict:
    kinds = [kind(each, f"P{place}") for place, each in enumerate(alone)]
    return by_host(pooled, INSIDE, kinds, apart=apart)


# hosts


@pytest.mark.parametrize("apart", [True, False])
@pytest.mark.parametrize("pooled", [HELD, WRONG, OPEN])
def test_two_settled_kinds_that_differ_make_a_claim_depend_on_the_host(pooled: Verdict, apart: bool) -> None:
    found = hosts(pooled, HELD, SIZE, apart=apart)
    assert (found.outcome, found.estimate, found.carried, found.visits_needed) == (Outcome.HOST, None, None, None)
    assert [(row.name, row.told, row.outcome, row.blocks, row.visits) for row in found.hosts] == [
        ("P0", "kernel of P0", Outcome.REPRODUCED, 8, 4), ("P1", "kernel of P1", Outcome.DIRECTION_ONLY, 8, 4),
    ]  # fmt: skip
    assert found.reason.startswith("The ratio is 0.3521 [")
    assert "on P0 (kernel of P0): holds; 0.68" in found.reason
    assert found.reason.endswith("; the kinds of host lie apart.")
    assert (found.error, found.allowed) == (max(HELD.error or 0, SIZE.error or 0), pytest.approx(0.025))
    third = hosts(pooled, HELD, SIZE, OPEN, apart=apart)
    assert third.outcome is Outcome.HOST, "a third that is open takes nothing back"
    assert len(third.hosts) == 3


@pytest.mark.parametrize("pooled", [said(0.377), said(0.777), said(1.777), said(0.447, 4)])
@pytest.mark.parametrize("settled", [[], [HELD], [WRONG]])
def test_kinds_that_lie_apart_decide_nothing_while_one_is_open_and_what_it_lacks_is_said(
    pooled: Verdict, settled: list[Verdict]
) -> None:
    """So it was with O014, O016 and O028, which had counted as decided with both kinds open, and O079 with one."""
    open_ = [ONE, OPEN][: 2 - len(settled)]
    found = hosts(pooled, *settled, *open_)
    assert (found.outcome, found.estimate, found.error, found.allowed) == (Outcome.OPEN_HOST, None, None, None)
    place = len(settled)
    assert found.why == f"on P{place}, {open_[0].why}"
    for name, each in enumerate(open_, start=place):
        assert f"P{name}: {each.why}" in found.reason
    assert pooled.estimate is not None
    assert f"{pooled.estimate.point:.3f}" not in found.reason, "the number of all together is not told"


def test_where_kinds_do_not_lie_apart_all_blocks_together_say_it() -> None:
    for pooled, alone in (
        (HELD, (HELD, HELD)),
        (HELD, (OPEN, OPEN)),  # neither has enough by itself
        (HELD, (HELD, OPEN)),
        (OPEN, (HELD, OPEN)),
        (HELD, (HELD,)),
    ):
        assert hosts(pooled, *alone, apart=False) == pooled
    assert hosts(HELD, HELD, replace(OPEN, estimate=None)) == HELD, "a kind without a number says nothing"


def test_a_settled_kind_that_says_other_than_all_together_leaves_it_open() -> None:
    assert hosts(HELD, WRONG, OPEN, apart=False).outcome is Outcome.OPEN_HOST
    assert hosts(HELD, WRONG, WRONG, apart=False).outcome is Outcome.CONTRADICTED, "but both of them say it"


def test_kinds_that_lie_apart_and_say_the_same_have_it_without_a_number_for_all() -> None:
    found = hosts(HELD, said(MIDDLE * 0.95), said(MIDDLE * 1.05))
    assert (found.outcome, found.estimate, len(found.hosts)) == (Outcome.REPRODUCED, None, 2)
    assert found.error is not None


@given(st.lists(st.sampled_from([HELD, SIZE, WRONG, OPEN, ONE]), max_size=4), st.booleans())
def test_no_kind_that_is_settled_is_overruled(alone: list[Verdict], apart: bool) -> None:
    for pooled in (HELD, OPEN):
        found = hosts(pooled, *alone, apart=apart)
        settled = {each.outcome for each in alone} & SETTLED
        if found.outcome in SETTLED and len(alone) > 1:
            assert settled <= {found.outcome}
            if apart:
                assert {each.outcome for each in alone} == {found.outcome}
        assert (found.outcome is Outcome.HOST) is (len(settled) > 1)


# conditions


def under(*given_: Verdict, named: bool = True) -> Verdict:
    every = {f"c{place}": each for place, each in enumerate(given_)}
    return by_condition(INSIDE, "the note names no latency", every, named=named, blocks=12)


@pytest.mark.parametrize("named", [True, False])
def test_conditions_that_agree_give_the_verdict_of_the_nearest(named: bool) -> None:
    assert under(HELD, said(MIDDLE * 1.02), named=named) == HELD
    assert under(HELD, named=named) == HELD, "one condition alone is the claim's own"
    assert under(OPEN, OPEN, named=named) == OPEN
    below = said(LOW / 1.5)
    assert under(below, said(LOW / 1.6), named=named) == below


def test_two_settled_verdicts_that_differ_depend_on_the_condition_if_it_was_named_before_its_data() -> None:
    found = under(HELD, SIZE)
    assert (found.outcome, found.estimate, found.error, found.carried) == (Outcome.CONDITION, None, None, None)
    assert [(row.name, row.outcome, row.blocks, row.visits) for row in found.hosts] == [
        ("c0", Outcome.REPRODUCED, 12, 4), ("c1", Outcome.DIRECTION_ONLY, 12, 4),
    ]  # fmt: skip
    assert found.reason.startswith("The note names no latency. The ratio is ")
    assert "where c0: holds; " in found.reason
    assert "where c1: another size; the claim needs it inside" in found.reason
    both = under(said(LOW / 1.5), SIZE)
    assert both.outcome is Outcome.CONDITION, "both are outside, but on the two sides of what the claim allows"


def test_what_was_named_after_its_data_stays_open_however_far_the_verdicts_lie_apart() -> None:
    found = under(HELD, SIZE, named=False)
    assert (found.outcome, found.error, found.allowed) == (Outcome.OPEN_CONDITION, None, None)
    assert found.why == "the note names no latency, and the verdict turns on it"
    assert "; but the note names no latency, and the verdict turns on it: 0.682 [" in found.reason
    assert found.reason.endswith(" where c1: another size.")


@pytest.mark.parametrize("named", [True, False])
def test_one_that_is_not_settled_leaves_the_claim_open(named: bool) -> None:
    for given_ in ((HELD, OPEN), (OPEN, HELD), (HELD, replace(OPEN, estimate=None))):
        assert under(*given_, named=named).outcome is Outcome.OPEN_CONDITION
    unknown = replace(OPEN, estimate=None)
    assert under(unknown, HELD, named=named) == unknown


@given(st.lists(st.floats(LOW / 3, HIGH * 3), min_size=1, max_size=5), st.booleans())
def test_it_is_decided_only_where_all_say_the_same_or_two_named_ones_differ(points: list[float], named: bool) -> None:
    every = [said(each) for each in points]
    found = under(*every, named=named)
    outcomes = {each.outcome for each in every}
    if found.outcome in SETTLED:
        assert outcomes == {found.outcome}
    if found.outcome is Outcome.CONDITION:
        assert named
    if not named and len(outcomes & SETTLED) > 1:
        assert found.outcome is Outcome.OPEN_CONDITION
    assert found.outcome in DECIDED or found.error is None
