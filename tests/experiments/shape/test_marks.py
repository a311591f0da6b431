"""The axis of a figure with rows holds all that is drawn, and series that share no row are not moved."""

from __future__ import annotations

import math

import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook.experiments.shape.marks import add_dots, reach
from benchbook.model import Estimate

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


@pytest.mark.parametrize(("series", "mode"), [(1, None), (2, "group")])
def test_one_series_stands_on_its_rows_and_several_below_each_other(series: int, mode: str | None) -> None:
    plot = go.Figure()
    for place in range(series):
        add_dots(plot, place, f"series {place}", {"a row": Estimate(1.0, 0.9, 1.1, 6, "t")})
    assert plot.layout.scattermode == mode
    assert {trace.offsetgroup for trace in plot.data} == {str(place) for place in range(series)}
