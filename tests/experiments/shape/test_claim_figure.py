"""The figure of a chapter's claims: bars that end where they should, points where there is a number, and its table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from benchbook import lab
from benchbook.claims import chapter_claims, region
from benchbook.experiments import standing
from benchbook.experiments.shape.claim_figure import ClaimFigure, ClaimPlot, Entry, draw, named, open_to, quoted
from benchbook.model import Estimate

MEASURED, NEGATIVE, ABSENT, SHARE = "B023", "B024", "B026", "B003"


CLAIMS = chapter_claims("cache_sizing")


def entries(names: Iterable[str]) -> list[Entry]:
    """Of three claims there is a number, of the other none."""
    lows = {MEASURED: 0.7, NEGATIVE: -0.1, SHARE: 0.5}
    numbers = {name: Estimate(0.8, low, 0.9, 6, "t") for name, low in lows.items()}
    return [(CLAIMS[name], numbers.get(name), "" if name in numbers else "nothing was timed") for name in names]


def drawn_of(*names: str) -> ClaimPlot:
    """The drawing of these claims."""
    return draw(entries(names), label=quoted, height=100, each=10)


def test_points_stand_where_they_can_and_the_table_says_why_others_do_not() -> None:
    claims = [CLAIMS[name] for name in (ABSENT, MEASURED, NEGATIVE)]
    drawn = drawn_of(ABSENT, MEASURED, NEGATIVE)
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
    drawn = drawn_of(ABSENT)
    assert drawn.points == {}
    assert drawn.said == "none"


def test_a_chapters_figure_shows_its_claims_in_the_units_and_of_the_answers_that_are_asked_for() -> None:
    chapter = lab.experiment("cache_sizing")
    run = standing.run(chapter)
    assert run is not None
    summary = chapter.summarize(run)

    def shown(**settings: Any) -> set[str]:
        figure = ClaimFigure(id="fig-a", title="Claims", caption="{said}", label=named, **settings)(summary)
        assert figure.title == "Claims"
        return set(figure.data["claim"])

    ratios, fractions = shown(), shown(units=("fraction",))
    assert all(CLAIMS[name].unit == "ratio" for name in ratios)
    assert MEASURED in ratios
    assert fractions
    assert shown(units=("ratio", "fraction")) == ratios | fractions
    assert shown(only=lambda answer: answer.claim == MEASURED) == {MEASURED}


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
