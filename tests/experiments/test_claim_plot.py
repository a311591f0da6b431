"""The figure of a chapter's claims: bars that end where they should, points where there is a number, and its table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from benchbook.claims import chapter_claims, region
from benchbook.errors import BenchbookError
from benchbook.experiments.claim_plot import draw, named, open_to, quoted
from benchbook.model import Estimate

MEASURED, NEGATIVE, ABSENT, SHARE = "B023", "B024", "B026", "B003"


@dataclass
class Given:
    """An estimand that has these three numbers, or says that there is none; its chapter's summary is the confidence."""

    compute: Callable[[float, float], Estimate]


def _absent(summary: float, confidence: float) -> Estimate:
    raise BenchbookError("nothing was timed", "measure again")


def _given(low: float) -> Given:
    def compute(summary: float, confidence: float) -> Estimate:
        assert confidence == summary
        return Estimate(0.8, low, 0.9, 6, "t")

    return Given(compute)


ESTIMANDS = {ABSENT: Given(_absent), MEASURED: _given(0.7), NEGATIVE: _given(-0.1), SHARE: _given(0.5)}


def test_points_stand_where_they_can_and_the_table_says_why_others_do_not() -> None:
    claims = [chapter_claims("cache_sizing")[name] for name in (ABSENT, MEASURED, NEGATIVE)]
    drawn = draw("cache_sizing", ESTIMANDS, 0.95, label=quoted, height=100, each=10)
    labels = [f"{claim.id}: {quoted(claim)}" for claim in claims]
    assert list(drawn.points) == labels[1:2]
    assert drawn.said == "B023 0.800 [0.700, 0.900]"
    assert list(drawn.table["claim"]) == [ABSENT, MEASURED, NEGATIVE]
    assert drawn.table["low"].tolist()[1:] == [0.7, -0.1], "the table has it in full"
    assert drawn.table.columns[-1] == "why not"
    assert drawn.table["why not"].fillna("").tolist() == ["nothing was timed", "", ""]
    assert drawn.plot.layout.height == 130
    assert list(drawn.plot.layout.yaxis.categoryarray) == labels
    *bars, points = drawn.plot.data
    for claim, bar, label in zip(claims, bars, labels, strict=True):
        assert tuple(bar.x) == (0.01, claim.high), "open to the left"
        assert tuple(bar.y) == (label, label)
    assert [bar.showlegend for bar in bars] == [True, False, False]
    assert tuple(points.x) == (0.8,)
    assert points.error_x.array[0] == pytest.approx(0.1)
    assert points.error_x.arrayminus[0] == pytest.approx(0.1)


def test_a_figure_without_points_says_none() -> None:
    drawn = draw("cache_sizing", {ABSENT: Given(_absent)}, 0.95, label=named, height=100, each=10)
    assert drawn.points == {}
    assert drawn.said == "none"


def test_claims_in_other_units_come_when_they_are_asked_for() -> None:
    drawn = draw("cache_sizing", ESTIMANDS, 0.95, label=named, height=100, each=10, units=("ratio", "fraction"))
    assert [label.split(":")[0] for label in drawn.points] == [MEASURED, SHARE]
    assert drawn.plot.layout.height == 140


def test_open_sides_end_where_they_are_told_to() -> None:
    claims = chapter_claims("io_cliff")
    edges = open_to(0.2, 5.0)
    assert edges(region(claims["C037"])) == (1.0, 5.0), "greater"
    assert edges(region(claims["C009"])) == (1.3154, 2.0553), "inside"


def test_a_long_quote_is_cut_between_words() -> None:
    claim = chapter_claims("cache_sizing")["B026"]
    assert claim.quote.startswith(quoted(claim).removesuffix(" …"))
    assert quoted(claim).endswith(" …")
    assert len(quoted(claim)) <= 38
    assert quoted(claim, 500) == claim.quote
    assert named(claim) == "mean latency us"
