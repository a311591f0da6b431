"""Static drawings of a figure, made by a real browser."""

from __future__ import annotations

import json
import struct

import plotly.graph_objects as go
import pytest

from benchbook.errors import BenchbookError, MachineError
from benchbook.figures import drawings, theme

PLOT = json.loads(theme.apply(go.Figure(go.Scatter(x=[1, 2], y=[3, 4], name="a mark"))).to_json())


@pytest.mark.browser
def test_the_three_formats_are_what_their_first_bytes_say() -> None:
    with drawings.browser():
        made = {suffix: drawings.draw(PLOT, suffix) for suffix in drawings.SUFFIXES}
        dark = drawings.draw(PLOT, "svg", "dark")
    assert made["svg"].lstrip().startswith(b"<svg")
    assert made["png"].startswith(b"\x89PNG\r\n")
    assert struct.unpack(">I", made["png"][16:20]) == (1200,)
    assert made["pdf"].startswith(b"%PDF-")
    assert dark != made["svg"]


@pytest.mark.parametrize("name", list(drawings.THEMES))
def test_a_theme_colours_paper_text_and_grid_and_leaves_the_given_plot_alone(name: str) -> None:
    before = json.dumps(PLOT)
    coloured = drawings.in_colours(PLOT, name)
    colours = drawings.THEMES[name]
    assert json.dumps(PLOT) == before
    assert coloured["data"] == PLOT["data"]
    assert coloured["layout"]["paper_bgcolor"] == colours["paper"]
    assert coloured["layout"]["font"]["color"] == colours["text"]
    assert {coloured["layout"][axis]["gridcolor"] for axis in ("xaxis", "yaxis")} == {colours["grid"]}


def test_unknown_formats_and_themes_are_refused_with_the_nearest() -> None:
    with pytest.raises(BenchbookError, match="did you mean 'png'"):
        drawings.draw(PLOT, "pgn")
    with pytest.raises(BenchbookError, match="did you mean 'dark'"):
        drawings.draw(PLOT, "svg", "drak")


def test_without_a_browser_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHBOOK_CHROMIUM", "absent-chrome")
    with pytest.raises(MachineError, match="no Chromium") as caught, drawings.browser():
        pass
    assert "apt-get install chromium" in caught.value.mend
    assert "CSV" in caught.value.mend
