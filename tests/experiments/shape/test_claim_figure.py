"""The figure of a chapter's claims: bars that end where they should, points where there is a number, and its table."""

from collections.abc import Iterable

import pytest

from benchbook import lab
from benchbook.claims import chapter_claims, region
from benchbook.drawing.claim_figure import BEYOND, ClaimFigure, Entry, draw
from benchbook.experiments import parts
from benchbook.model import Estimate, Outcome

MEASURED, NEGATIVE, ABSENT, SHARE = "B023", "B024", "B026", "B003"


CLAIMS = chapter_claims("cache_sizing")


def entries(names: Iterable[str], outcome: Outcome = Outcome.REPRODUCED) -> list[Entry]:
    """Of three claims there is a number, of the other none."""
    lows = {MEASURED: 0.7, NEGATIVE: -0.1, SHARE: 0.5}
    numbers = {name: Estimate(0.8, low, 0.9, 6, "t") for name, low in lows.items()}
    return [
        Entry(CLAIMS[name], "mean: more ÷ less", numbers.get(name), "" if name in numbers else "untimed", outcome)
        for name in names
    ]


def test_points_stand_where_they_can_and_the_table_says_why_others_do_not() -> None:
    drawn = draw(entries([ABSENT, MEASURED, NEGATIVE]))
    label = f"{MEASURED}: mean<br>more ÷ less"
    assert [each.label for each in drawn.shown] == [label]
    assert drawn.said == "B023, mean: more ÷ less, 0.800 [0.700, 0.900]"
    assert drawn.rest == " 2 more without a place on this axis are in the table."
    assert list(drawn.table["claim"]) == [ABSENT, MEASURED, NEGATIVE]
    assert drawn.table["low"].tolist()[1:] == [0.7, -0.1], "the table has it in full"
    assert drawn.table.columns[-1] == "why not"
    assert drawn.table["why not"].fillna("").tolist() == ["untimed", "", ""]
    assert list(drawn.plot.layout.yaxis.categoryarray) == [label]
    bar, limits, points = drawn.plot.data
    allowed = region(CLAIMS[MEASURED]).bound
    assert allowed is not None
    assert allowed < (CLAIMS[MEASURED].high or 0), "the margin is included"
    assert tuple(bar.x) == (0.7 / BEYOND, allowed), "open to the left, a little beyond the point"
    assert tuple(bar.y) == (label, label)
    assert (tuple(limits.x), tuple(limits.y)) == ((allowed,), (label,)), "a mark where the region ends, none where not"
    assert tuple(points.x) == (0.8,)
    assert points.error_x.array[0] == pytest.approx(0.1)
    assert points.error_x.arrayminus[0] == pytest.approx(0.1)
    assert points.customdata[0] == "B023, mean: more ÷ less: 0.800 [0.700, 0.900], holds"


def test_points_are_told_apart_by_their_verdicts() -> None:
    held, open_ = entries([MEASURED]), entries([SHARE], Outcome.ONE_VISIT)
    drawn = draw([*held, *open_])
    points = [trace for trace in drawn.plot.data if trace.mode == "markers" and trace.customdata]
    assert [trace.name for trace in points] == ["holds", "open"]
    assert len({(trace.marker.color, trace.marker.symbol) for trace in points}) == 2
    assert [trace.showlegend for trace in drawn.plot.data if trace.mode == "lines"] == [True, False]


def test_as_far_as_visits_may_have_moved_a_number_is_drawn_to_its_ends() -> None:
    [entry] = entries([MEASURED])
    carried = Estimate(0.8, 0.63, 0.99, 6, "t")
    still, moved = draw([entry]), draw([entry._replace(carried=carried)])
    assert still.drift == ""
    assert [trace.name for trace in still.plot.data if trace.name not in [each.name for each in moved.plot.data]] == []
    [line] = [trace for trace in moved.plot.data if trace.line.dash == "dot"]
    assert line.x[:2] == pytest.approx((0.63, 0.99))
    assert moved.drift == " Dotted: as far as visits may have moved it."
    assert moved.plot.data[0].x[0] < line.x[0]


def test_a_figure_without_points_says_none() -> None:
    drawn = draw(entries([ABSENT]))
    assert drawn.shown == ()
    assert drawn.said == "none"
    assert drawn.lacks


@pytest.mark.parametrize("name", [name for name in lab.names() if lab.experiment(name).answers.given])
def test_a_chapters_figures_say_of_every_claim_what_is_divided_by_what(name: str) -> None:
    chapter, claims = lab.experiment(name), chapter_claims(name)
    answers = chapter.answers.given
    for figure in parts.module(chapter.package).FIGURES.values():
        if isinstance(figure, ClaimFigure):
            shown = [each for each in answers if claims[each.claim].unit in figure.units and figure.only(each)]
            assert shown
            for each in shown:
                assert each.row, each.claim
                divided = "÷" in each.row or "factor" in each.row
                assert divided or claims[each.claim].unit != "ratio", f"{each.claim}: {each.row}"
