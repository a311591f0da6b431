"""Shares, ratios and differences add up on their own scales, and no interval leaves the range of its number."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook import lab, store
from benchbook.model import Effect, Estimate
from benchbook.reuse import scales
from benchbook.reuse.combine import _together
from benchbook.reuse.estimates import Found, estimates
from benchbook.reuse.scales import Scale
from benchbook.statistics import intervals

PUBLISHED = Path(__file__).parents[2] / "data" / "published" / "lru"
INSIDE = st.floats(1e-6, 1 - 1e-6)


def share(point: float, low: float, high: float, n: int = 2) -> Estimate:
    return Estimate(point, low, high, n=n, method=intervals.LOGIT_T)


def found(estimate: Estimate) -> Found:
    return Found("hits", estimate, (), "", "a count")


@given(INSIDE)
def test_a_number_comes_back_from_its_scale(value: float) -> None:
    for scale in Scale:
        assert scale.back(scale.on(value)) == pytest.approx(value, rel=1e-9)


@given(st.floats(-700, 700))
def test_nothing_comes_back_from_outside_of_its_range(place: float) -> None:
    assert 0 <= Scale.SHARE.back(place) <= 1
    assert Scale.RATIO.back(place) > 0
    assert Scale.REST.back(place) <= 1


def test_each_number_has_its_own_scale() -> None:
    ratio = Effect(2.0, 1.5, 2.5, n=8, method=intervals.PAIRED_LOG_T)
    less = Effect(-1.0, -2.0, 0.5, n=8, method=intervals.PAIRED_T, scale="difference")
    rest = Estimate(0.4, -0.1, 0.7, n=8, method=intervals.COMPLEMENT_T)
    some = share(0.2, 0.1, 0.3)
    visits = Estimate(0.2, 0.1, 0.3, n=8, method=f"{intervals.LOGIT_T}{intervals.OF_VISITS}")
    assert [scales.of(each) for each in (ratio, less, rest, some, visits)] == [
        Scale.RATIO, Scale.DIFFERENCE, Scale.REST, Scale.SHARE, Scale.SHARE,
    ]  # fmt: skip
    assert scales.of(ratio, less) is Scale.DIFFERENCE
    assert scales.of(some, Estimate(0.5, 0.4, 0.6, n=8, method=intervals.EXACT)) is Scale.SHARE


@given(st.lists(st.tuples(INSIDE, st.floats(0.05, 4), st.floats(0.05, 4)), min_size=2, max_size=6))
def test_a_combined_share_is_a_share(machines: list[tuple[float, float, float]]) -> None:
    each = {}
    for place, (point, below, above) in enumerate(machines):
        at = Scale.SHARE.on(point)
        each[str(place)] = found(share(point, Scale.SHARE.back(at - below), Scale.SHARE.back(at + above)))
    whole = _together("hits", each)
    ends = [whole.combined.low, whole.combined.high, *(whole.combined.predicted or ())]
    assert all(0 <= whole.back(end) <= 1 for end in ends)
    assert min(m[0] for m in machines) <= whole.back(whole.combined.point) * (1 + 1e-6)


def test_a_share_of_nothing_has_no_place_and_leaves_the_others() -> None:
    some = {"a": found(share(0.2, 0.1, 0.3)), "b": found(share(0.3, 0.2, 0.4)), "c": found(share(0.0, 0.0, 0.1))}
    whole = _together("hits", some)
    assert [*whole.each] == ["a", "b"]
    assert _together("hits", {name: some[name] for name in "ac"}) is None
    assert math.isinf(scales.half(share(0.0, 0.0, 0.0), Scale.SHARE))


def test_two_blocks_of_a_chapter_s_shares_stay_shares() -> None:
    module = lab.experiment("lru")
    run = store.read_run(sorted(PUBLISHED.iterdir())[0], published=True)
    known: dict[str, dict[str, Found]] = {}
    for name, part in (("all", run), ("two", store.without(run, range(2, run.blocks)))):
        for each in estimates(module, module.summarize(part)):
            known.setdefault(each.name, {})[name] = each
    both = [_together(name, each) for name, each in known.items() if len(each) > 1]
    shares = [each for each in both if each is not None and each.scale is Scale.SHARE]
    assert shares
    for whole in shares:
        assert 0 <= whole.back(whole.combined.low) <= whole.back(whole.combined.high) <= 1
