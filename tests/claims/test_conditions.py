"""A claim that leaves out a condition: when its verdict is that of all conditions, depends on one, or stays open."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook.claims import conditions, judge, load_claims, region
from benchbook.model import Effect, Outcome, Verdict

INSIDE = next(each for each in load_claims().values() if each.id == "L012")
LOW, HIGH = region(INSIDE).low or 0.0, region(INSIDE).high or 0.0
MIDDLE = (LOW * HIGH) ** 0.5


def number(point: float, width: float = 1.01) -> Effect:
    return Effect(point, point / width, point * width, 12, "t", scale="ratio")


def alone(point: float, width: float = 1.01) -> Verdict:
    return judge(INSIDE, number(point, width))


def judged(**given_: Verdict) -> Verdict:
    return conditions.judged(INSIDE, "the note names no latency", given_, blocks=12, sessions=4)


def test_conditions_that_agree_give_their_verdict_with_the_number_of_the_first() -> None:
    first, second = alone(MIDDLE), alone(MIDDLE * 1.02)
    assert first.outcome is Outcome.REPRODUCED
    assert judged(first=first, second=second) == first


def test_two_settled_verdicts_that_differ_depend_on_the_condition() -> None:
    found = judged(first=alone(MIDDLE), second=alone(HIGH * 1.5))
    assert found.outcome is Outcome.CONDITION
    assert found.estimate is None
    assert [(row.name, row.outcome, row.blocks, row.sessions) for row in found.hosts] == [
        ("first", Outcome.REPRODUCED, 12, 4), ("second", Outcome.DIRECTION_ONLY, 12, 4),
    ]  # fmt: skip
    assert found.reason.startswith("The note names no latency. The ratio is ")
    assert "where first: holds; " in found.reason
    assert "where second: another size; the claim needs it inside" in found.reason


def test_numbers_on_both_sides_differ_although_both_are_outside() -> None:
    assert judged(first=alone(LOW / 1.5), second=alone(HIGH * 1.5)).outcome is Outcome.CONDITION
    assert judged(first=alone(LOW / 1.5), second=alone(LOW / 1.6)).outcome is Outcome.DIRECTION_ONLY


def test_one_that_is_not_settled_leaves_the_claim_open() -> None:
    found = judged(first=alone(MIDDLE), second=alone(HIGH, 1.3))
    assert found.outcome is Outcome.INCONCLUSIVE
    assert "which is not the same verdict" in found.departs
    assert "where second: open" in found.departs
    unknown = replace(alone(MIDDLE), outcome=Outcome.INCONCLUSIVE, estimate=None)
    assert judged(first=alone(MIDDLE), second=unknown).outcome is Outcome.INCONCLUSIVE
    assert judged(first=alone(MIDDLE)).outcome is Outcome.REPRODUCED, "one condition alone is the claim's own"


@pytest.mark.parametrize("settled", [MIDDLE, HIGH * 1.5])
@given(points=st.lists(st.floats(LOW / 3, HIGH * 3), min_size=1, max_size=5))
def test_it_depends_only_where_two_conditions_say_so_alone(settled: float, points: list[float]) -> None:
    every = {f"c{place}": alone(each) for place, each in enumerate((settled, *points))}
    found = judged(**every)
    said = {verdict.outcome for verdict in every.values()}
    if len(said - {Outcome.INCONCLUSIVE}) > 1:
        assert found.outcome is Outcome.CONDITION
    if found.outcome not in (Outcome.CONDITION, Outcome.INCONCLUSIVE):
        assert said == {found.outcome}
