"""How often verdicts came out again: a share whose interval knows that verdicts of one experiment go together."""

import pytest

from benchbook.book.pages.retests import interval, sentence
from benchbook.statistics import wilson


@pytest.mark.parametrize(
    "again", [[[True, False]] * 12, [[True] * 3 + [False]] * 5, [[True]], [[True] * 9, [True]]], ids=str
)
def test_experiments_that_differ_no_more_than_chance_has_it_count_verdict_by_verdict(again: list[list[bool]]) -> None:
    every = [each for rows in again for each in rows]
    one_by_one = wilson(sum(every), len(every))
    assert interval(again) == pytest.approx((one_by_one.low, one_by_one.high))


def test_experiments_whose_verdicts_agree_count_as_one_each() -> None:
    twelve = [[index % 2 == 0] * 10 for index in range(12)]
    one_each = wilson(6, 12)
    assert interval(twelve) == pytest.approx((one_each.low, one_each.high), abs=0.02)


def test_without_a_visit_after_the_freeze_nothing_is_claimed() -> None:
    assert "No verdict was tested once more yet" in sentence([])
