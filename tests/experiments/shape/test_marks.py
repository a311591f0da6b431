"""The axis of a figure with rows holds all that is drawn, and series that share no row are not moved."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook.drawing.marks import reach
from benchbook.drawing.regular import Dots
from benchbook.model import Estimate
from benchbook.pages.names import Names, Template

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
