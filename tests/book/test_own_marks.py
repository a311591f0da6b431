"""What was measured on this machine, beside a chapter's published numbers: a column, marks, a line below the title."""

import math
from pathlib import Path
from typing import Any

import judging
import plotly.graph_objects as go
import pytest

from benchbook.book.assembly import comparing
from benchbook.book.assembly.chapter_plan import Shown
from benchbook.book.pages import around
from benchbook.book.parts import own_marks
from benchbook.book.parts.verdict_table import verdict_table
from benchbook.book.records.own_runs import QUICK_DECIDES_NOTHING, Number, Own
from benchbook.model import Estimate

CHAPTER = "hot_cold_keys"


def estimate(point: float, low: float, high: float, n: int = 8) -> Estimate:
    return Estimate(point, low, high, n, "t")


def own(profile: str = "quick", published: str = "run-a") -> Own:
    decided = "" if profile == "quick" else "wrong"
    numbers = (
        Number("L003", estimate(2, 1.9, 2.1), estimate(3, 0.001, 9_000, 3), "holds", decided),
        Number("L004", estimate(2, 1.9, 2.1), estimate(-1, -2, 1, 3), "holds", decided),
        Number("L005", estimate(2, 1.9, 2.1), None, "holds", decided),
        Number("L012", estimate(4, 4, 4), estimate(5, 5, 5, 3), "holds", decided),
    )
    return Own(CHAPTER, published, "run-b", profile, 3, "2026-01-02T03:04:05+00:00", ("rows",), numbers)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    comparing.write(tmp_path, Shown(), [own()])
    return tmp_path


RECORDS = [judging.record(claim, "holds") for claim in ("L003", "L004", "L005", "L012", "L089")]


def texts(cells: dict[str, Any]) -> dict[str, str]:
    return {claim: " | ".join(node.astext() for node in cell) for claim, cell in cells.items()}


def test_the_column_has_number_interval_and_blocks_and_nothing_where_there_is_no_number(root: Path) -> None:
    assert texts(own_marks.column(root, RECORDS)) == {
        "L003": "3.00 [0.00100, 9,000] | 3 blocks; intervals overlap",
        "L004": "-1.00 [-2.00, 1.00] | 3 blocks; intervals do not overlap",
        "L005": "",
        "L012": "5.00",
        "L089": "",
    }


def test_a_run_that_may_decide_has_its_verdicts_beside(tmp_path: Path) -> None:
    comparing.write(tmp_path, Shown(), [own("standard")])
    assert texts(own_marks.column(tmp_path, RECORDS))["L003"].endswith("| wrong")


def test_the_verdict_table_has_the_column_only_beside_a_run_made_here(root: Path) -> None:
    heads = [
        [entry.astext() for entry in table.findall(lambda node: node.tagname == "thead")]
        for table in (verdict_table(RECORDS, root)[-1], verdict_table(RECORDS)[-1])
    ]
    assert "On this machine" in heads[0][0]
    assert "On this machine" not in heads[1][0]


@pytest.mark.parametrize(
    ("shown", "given"),
    [(Shown(edition=True), own()), (Shown(local=True), own()), (Shown(), own(published=""))],
    ids=["edition", "local", "nothing is published"],
)
def test_nothing_stands_beside_in_a_book_of_another_kind_or_where_nothing_is_published(
    tmp_path: Path, shown: Shown, given: Own
) -> None:
    comparing.write(tmp_path, shown, [given])
    assert own_marks.of_chapter(tmp_path, CHAPTER) is None
    assert own_marks.column(tmp_path, RECORDS) == {}


def record(claims: dict[str, str]) -> dict[str, Any]:
    plot = go.Figure()
    plot.add_scatter(x=[1, 4], y=["L003: a", "L003: a"], mode="lines")
    plot.add_scatter(x=[2], y=["L003: a"], error_x={"array": [0.5], "arrayminus": [0.5]})
    plot.update_xaxes(type="log", title="ratio")
    plot.update_layout(meta={"claims": claims} if claims else None)
    return {"plot": plot.to_plotly_json()}


def test_a_figure_of_claims_gets_a_mark_for_each_number_that_has_a_place_on_its_axis() -> None:
    figure = record({"L003": "L003: a", "L004": "L004: b", "L005": "L005: c"})
    plot, words, [line] = own_marks.over(figure, own())
    mark = plot["data"][-1]
    assert (mark["name"], mark["x"], mark["y"]) == ("on this machine", [3], ["L003: a"])
    assert len(figure["plot"]["data"]) == 2, "the record stays that of the published run"
    assert words == "On this machine: L003 3.00 [0.00100, 9,000]."
    assert "run-b (quick profile, 3 blocks)" in line.astext()
    low, high = plot["layout"]["xaxis"]["range"]
    assert math.log10(1) - 0.1 < low < 0 < math.log10(4) < high < 1, "three blocks' interval does not stretch the axis"
    assert "reach beyond the axis" in line.astext()
    assert plot["layout"]["xaxis"]["title"]["text"] == "ratio"


@pytest.mark.parametrize(("claims", "beside"), [({}, True), ({"L005": "L005: c"}, True), ({"L003": "L003: a"}, False)])
def test_a_figure_without_claims_or_numbers_stays_as_it_is(claims: dict[str, str], beside: bool) -> None:
    figure = record(claims)
    assert own_marks.over(figure, own() if beside else None) == (figure["plot"], "", [])


@pytest.mark.parametrize(
    ("shown", "given", "words"),
    [
        ("published", own(), "Also measured on this machine"),
        ("published", own(published=""), "No run of this chapter is published"),
        ("local", own(), "This page shows the run made on this machine"),
    ],
)
def test_the_line_below_a_title_names_the_run_and_says_that_a_quick_one_decides_nothing(
    shown: str, given: Own, words: str
) -> None:
    said = around.own_line(shown, given)
    assert said.startswith(words)
    assert "run `run-b` (quick profile, 3 blocks, 2026-01-02)" in said
    assert said.endswith(QUICK_DECIDES_NOTHING)
    assert "decides nothing" not in around.own_line(shown, own("standard"))
