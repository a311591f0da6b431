"""The book's plotly template: readable on light and dark paper, and not by colour alone."""

import math

import plotly.graph_objects as go
import pytest

from benchbook.figures import theme

PAPERS = ("#ffffff", "#121212", "#14181e")


def luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("name", theme.COLOURS)
def test_every_colour_stands_out_from_the_paper(name: str, paper: str) -> None:
    dark, light = sorted((luminance(theme.COLOURS[name]), luminance(paper)))
    assert (light + 0.05) / (dark + 0.05) >= 3, "WCAG 2.1, 1.4.11: graphical objects"


def test_traces_differ_by_symbol_and_dash_as_well_as_colour() -> None:
    marks = theme.template().data.scatter
    assert len({mark.marker.symbol for mark in marks}) == len({mark.line.dash for mark in marks}) == len(theme.COLOURS)


def test_the_template_keeps_what_the_figure_sets() -> None:
    plot = theme.apply(go.Figure(layout={"height": 700}))
    assert plot.layout.height == 700
    assert plot.layout.template.layout.paper_bgcolor == "rgba(0, 0, 0, 0)"


def test_error_bars_reach_from_the_low_to_the_high_end() -> None:
    bars = theme.error_bars([2.0], [1.5], [4.0])
    assert bars["arrayminus"] == [0.5]
    assert bars["array"] == [2.0]


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([0.74, 1.26], [0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3]),
        ([1, 2.6], [1, 1.2, 1.4, 1.6, 1.8, 2, 2.2, 2.4, 2.6]),
        ([97, 103], [97, 98, 99, 100, 101, 102, 103]),
        ([1, 1], [1]),
        ([1, 40], theme.decades()["tickvals"]),
        ([3, 400], [1, 10, 100, 1000]),
        ([0.0, 3, math.inf, 400], [1, 10, 100, 1000]),
        ([], theme.decades()["tickvals"]),
        ([0.05, 51], [0.01, 0.1, 1, 10, 100]),
        ([2e-7, 30], [1e-6, 1e-4, 1e-2, 1, 1e2]),
    ],
)
def test_ticks_lie_as_close_as_the_values_ask_for(values: list[float], ticks: list[float]) -> None:
    assert theme.ticks(values)["tickvals"] == pytest.approx(ticks)


def test_an_axis_with_room_has_ticks_between_the_powers_of_ten() -> None:
    assert theme.ticks([3, 400], decades_at_most=3) == theme.decades()


def test_ticks_of_a_logarithmic_axis_are_written_out() -> None:
    ticks = theme.decades()
    written = dict(zip(ticks["tickvals"], ticks["ticktext"], strict=True))
    assert written[0.5] == "0.5"
    assert written[2000.0] == "2,000"
    assert theme.ticks([2e-7, 30])["ticktext"][:2] == ["10<sup>−6</sup>", "0.0001"]
    assert all(float(text.replace(",", "")) == pytest.approx(value) for value, text in written.items())


def test_twelve_marks_have_twelve_symbols_that_plotly_knows() -> None:
    symbols = [theme.symbol(place) for place in range(12)]
    assert len({*symbols}) == 12
    for each in symbols:
        go.Scatter(marker={"symbol": each})
