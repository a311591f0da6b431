"""Figures from descriptions: axes that hold all that is drawn, rows that share their place, lines, rules and words."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up import run_of

from benchbook import statistics
from benchbook.drawing.marks import reach
from benchbook.drawing.regular import Dots, Given, Lines
from benchbook.drawing.regular.lines import CUT
from benchbook.experiments.manifest import Chapter
from benchbook.model import Estimate
from benchbook.numbers.summary import Summary
from benchbook.pages.names import Names, Template
from benchbook.parameters.kinds import Kind

POSITIVE = st.floats(min_value=1e-9, max_value=1e12)


@given(st.lists(st.floats(min_value=-1e12, max_value=1e12), min_size=1))
def test_every_value_lies_within_the_frame(values: list[float]) -> None:
    low, high = reach([*values, math.inf, math.nan])
    assert low < min(values)
    assert max(values) < high


@given(st.lists(POSITIVE, min_size=1), st.lists(st.floats(max_value=0.0, min_value=-1e3)))
def test_on_a_logarithmic_axis_what_has_no_place_moves_nothing(values: list[float], others: list[float]) -> None:
    assert reach([*values, *others], log=True) == reach(values, log=True)
    low, high = reach(values, log=True)
    assert low < math.log10(min(values)) <= math.log10(max(values)) < high


@pytest.mark.parametrize(("rows", "mode"), [(["a"], None), (["a", "a"], "group"), (["a", "b"], None)])
def test_series_stand_on_their_rows_and_below_each_other_where_they_share_one(
    rows: list[str], mode: str | None
) -> None:
    found = {f"series {place}": {row: Estimate(1.0, 0.9, 1.1, 6, "t")} for place, row in enumerate(rows)}
    dots = Dots(id="fig-dots", title="Dots", rows={}, series={}, caption="", axis="ratio")
    plot = dots.draw(found, {row: f"row {row}" for row in rows}, ())
    assert plot.layout.scattermode == mode
    assert {trace.offsetgroup for trace in plot.data} == {str(place) for place in range(len(rows))}


def test_a_note_s_bar_is_in_the_middle_of_its_row_its_rule_in_all_rows_and_what_is_below_a_rule_has_a_tick() -> None:
    found = {f"series {place}": {"a": Estimate(1.0, 0.9, 1.1, 6, "t")} for place in range(2)}
    dots = Dots(id="fig-dots", title="Dots", rows={}, series={}, caption="", axis="ratio", rule=1)
    plot = dots.draw(found, {"a": "row a"}, (Given("the note", {"a": 2.0}), Given("target", {"": 3.0}, line="dash")))
    assert [trace.name for trace in plot.data] == ["series 0", "the note", "series 1"]
    [line] = plot.layout.shapes
    assert (line.name, line.x0, line.x1, line.yref) == ("target", 3.0, 3.0, "y domain")
    dots.scaled(plot, [0.93, 1.4])
    assert 10 ** plot.layout.xaxis.range[0] < 0.9 in plot.layout.xaxis.tickvals


def test_the_words_of_the_page_name_marks_by_series_and_label_in_the_unit_of_the_axis() -> None:
    summary = SimpleNamespace(parameters=None, run=SimpleNamespace(id="r"))
    words = (
        "{% for label, each in marks.share.items() %}{{ label }}: {{ each }}{{ '; ' if not loop.last }}{% endfor %}."
    )
    dots = Dots(
        id="fig-dots", title="Dots", rows={"a": "first", "b": "second"},
        series={"share": lambda summary, key: Estimate(0.5, 0.4, 0.6, 6, "t")},
        axis="share (%)", factor=100, scale="percent", caption=Template(Names(SimpleNamespace(NUMBERS={})), words),
        table_only=lambda summary: ["b"],
    )  # fmt: skip
    assert dots(summary).caption == "first: 50.0 [40.0, 60.0]; second: 50.0 [40.0, 60.0]. 1 more is tabulated."


SIZES = (1_000, 10_000, 100_000)


def of(values: dict[int, list[float]]) -> Any:
    """A series that has these trials at these sizes."""

    def ask(summary: Any, size: int) -> Estimate:
        return statistics.geometric_mean(np.array(values[size]))

    return ask


def drawn(*series: dict[int, list[float]], **others: Any) -> Any:
    run = run_of(pd.DataFrame({"block": range(2)}), provenance={"engine_version": "0"})
    chapter = Chapter("none", "?", "None", engine="none", version=1, kind=Kind.MEASUREMENT)
    lines = Lines(
        id="fig-lines", title="Lines", over=lambda summary: SIZES, across="rows", rows=True, axis="time",
        series={f"series {place}": of(each) for place, each in enumerate(series)}, caption="{said}.{cut}", **others,
    )  # fmt: skip
    return lines(Summary(chapter, run, None, {}))


STEADY = {size: [2.0, 2.1, 1.9] for size in SIZES}


def test_series_stand_beside_each_other_and_the_table_has_the_numbers_themselves() -> None:
    figure = drawn(STEADY, STEADY, aside=True)
    first, second = figure.plot.data
    assert list(first.x) == list(SIZES)
    assert all(after > before for before, after in zip(first.x, second.x, strict=True))
    assert sorted(set(figure.data["rows"])) == list(SIZES)


def test_the_words_of_a_page_may_name_each_number_by_series_and_key() -> None:
    words = "{% for size, each in keyed['series 0'].items() %}{{ size }}: {{ each }}; {% endfor %}"
    figure = drawn(STEADY, factor=10, alt=Template(Names(SimpleNamespace(NUMBERS={})), words))
    assert figure.alt.startswith("1000: 20.0 [")


def test_a_point_says_what_it_is_in_a_sentence() -> None:
    [line] = drawn(STEADY).plot.data
    assert line.hovertemplate == "%{customdata}<extra></extra>"
    assert line.customdata[0].startswith("rows 1,000: series 0 2.00 [")
    assert line.customdata[0].endswith("], 3 trials")


@pytest.mark.parametrize(("axis", "unit"), [("time (µs)", "µs"), ("ratio (1 = the same)", ""), ("speed-up", "")])
def test_the_unit_of_a_sentence_is_that_of_the_axis(axis: str, unit: str) -> None:
    lines = Lines(
        id="fig-lines", title="Lines", over=lambda summary: SIZES, across="rows", axis=axis, series={}, caption=""
    )
    assert lines.unit == unit


def test_a_rule_goes_through_what_is_given_and_stands_in_no_table() -> None:
    rule = Given("equally fast", {1_000: 1, 100_000: 1}, line="dash", listed=False)
    figure = drawn(STEADY, given=lambda summary: [rule, Given("the note", {10_000: 3.0})])
    line, marks = (next(t for t in figure.plot.data if t.name == name) for name in ("equally fast", "the note"))
    assert (line.mode, list(line.x), list(line.y)) == ("lines", [1_000, 100_000], [1, 1])
    assert marks.mode == "markers"
    assert "equally fast" not in set(figure.data["series"])
    assert 3.0 in set(figure.data["time"])


@pytest.mark.parametrize(("trials", "cut"), [([1.0, 1e4], True), ([2.0, 2.1], False)])
def test_an_interval_that_leaves_the_axis_is_said(trials: list[float], cut: bool) -> None:
    figure = drawn(STEADY | {10_000: trials}, beyond=5.0)
    assert (CUT in figure.caption) is cut
    assert CUT not in drawn(STEADY | {10_000: trials}).caption, "the whole axis is drawn where none is asked"


@given(st.lists(st.floats(0.01, 100), min_size=3, max_size=3), st.floats(1.5, 10))
def test_the_axis_holds_every_point_and_goes_no_further_beyond_them_than_asked(
    points: list[float], beyond: float
) -> None:
    figure = drawn({size: [each / 3, each * 3] for size, each in zip(SIZES, points, strict=True)}, beyond=beyond)
    low, high = (10**end for end in figure.plot.layout.yaxis.range)
    assert low <= min(points) <= max(points) <= high
    assert low >= min(points) / beyond * (1 - 1e-9)
    assert high <= max(points) * beyond * (1 + 1e-9)
