"""What is said of two sides whose truth is known."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook.own_numbers.judged import Claimed, Judged, Word, claimed, courses, judge
from benchbook.own_numbers.series import Repetition, Series
from benchbook.statistics import effects
from benchbook.statistics.steady import Steadiness


def series(values: list[float], *, sessions: list[str] | None = None, blocks: bool = False, name: str = "x") -> Series:
    marks = sessions or [""] * len(values)
    repetitions = tuple(
        Repetition(value, "f", block=str(place) if blocks else "", session=mark)
        for place, (value, mark) in enumerate(zip(values, marks, strict=True))
    )
    return Series("a table", name, "throughput", "TPS", True, "a row", "", repetitions)


def of(first: list[float], other: list[float], margin: float = 0.05, **how: object) -> Judged:
    one, two = (series(values, **how) for values in (first, other))
    return judge([one], {two.key: two}, margin)[0]


def test_unpaired_sides_have_welchs_interval_and_blocks_a_paired_one() -> None:
    first, other = [110.0, 112.0, 108.0, 111.0], [100.0, 103.0, 98.0, 101.0]
    assert of(first, other).ratio == effects.ratio_unblocked(first, other)
    assert of(first, other, blocks=True).ratio == effects.ratio(first, other)


def test_a_visit_bears_a_quarter_and_two_visits_bear_less() -> None:
    first, other = [110.0, 111.0, 109.0, 110.5], [100.0, 101.0, 99.0, 100.5]
    assert of(first, other, blocks=True).word is Word.APART_HERE
    far = [200.0, 202.0, 198.0, 201.0]
    assert of(far, other, blocks=True).word is Word.APART
    two = of(first, other, blocks=True, sessions=["mon", "mon", "tue", "tue"])
    assert (two.visits, two.word) == (2, Word.APART)


def test_the_same_is_shown_by_an_interval_within_the_margin_and_not_by_a_wide_one() -> None:
    near = [100.2, 100.1, 99.9, 100.0, 100.1, 99.8]
    assert of(near, near[::-1], sessions=["a", "a", "b", "b", "c", "c"], blocks=True, margin=0.05).word is Word.SAME
    wild = of([60.0, 150.0, 90.0], [100.0, 80.0, 130.0])
    assert wild.word is Word.UNKNOWN
    assert wild.needed > 3


def test_with_many_benchmarks_what_one_would_show_alone_may_be_chance() -> None:
    draw = np.random.default_rng(5)
    mine, theirs = {}, {}
    for place in range(40):
        one, two = (series((100 * np.exp(draw.normal(0, 0.02, 4))).tolist(), name=str(place)) for _ in range(2))
        mine[one.key], theirs[two.key] = one, two
    found = judge(mine.values(), theirs)
    assert not [each for each in found if each.word in {Word.APART, Word.APART_HERE}]
    assert all(each.p is not None and each.p > 0.05 for each in found)


@given(st.lists(st.floats(50, 200), min_size=3, max_size=8), st.floats(0.5, 2))
def test_the_other_way_round_the_ratio_is_its_reciprocal(values: list[float], factor: float) -> None:
    other = [factor * value * (1 + 0.01 * place) for place, value in enumerate(values)]
    there, back = of(values, other), of(other, values)
    assert there.point == pytest.approx(1 / back.point)
    assert there.word is back.word or {there.word, back.word} <= {Word.SAME, Word.SAME_HERE, Word.UNKNOWN}


@pytest.mark.parametrize(
    ("region", "outcome"),
    [((1.5, math.inf), Claimed.HOLDS), ((0, 1.2), Claimed.WRONG), ((1.9, math.inf), Claimed.OPEN)],
)
def test_a_claim_holds_is_wrong_or_open_by_what_the_interval_has_to_bear(
    region: tuple[float, float], outcome: Claimed
) -> None:
    found = of([200.0, 202.0, 198.0, 201.0], [100.0, 101.0, 99.0, 100.0], blocks=True)
    assert claimed(found, *region)[0] is outcome
    assert claimed(of([2.0], [1.0]), 1.5, 3)[0] is Claimed.OPEN


def test_a_course_is_classed_as_in_the_book_and_its_fall_has_a_second() -> None:
    draw = np.random.default_rng(1)
    flat = 100 + draw.normal(0, 1, 60)
    fallen = np.concatenate([flat, flat / 10])
    kinds = []
    for course in (flat, np.concatenate([flat / 2, flat, flat]), fallen):
        one = series([1.0])
        repetition = Repetition(1.0, "f", course=course)
        [found] = courses(Series(one.tool, "", "t", "TPS", True, "", "", (repetition,)))
        kinds.append((found.kind, found.fell))
    assert kinds[0] == (Steadiness.FLAT, None)
    assert kinds[1][0] is Steadiness.WARM_UP
    assert 60 <= (kinds[2][1] or 0) <= 66
