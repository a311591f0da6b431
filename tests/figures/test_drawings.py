"""Static drawings of a figure, made by a real browser."""

import json
import struct
from hashlib import sha256
from io import BytesIO
from typing import Any

import plotly.graph_objects as go
import pytest
from pypdf import PdfReader
from pypdf.generic import StreamObject

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


@pytest.mark.browser
def test_hatched_bars_are_stored_once_in_a_pdf_and_all_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    marker = {"color": "#336699", "pattern": {"shape": "/"}}
    bars = go.Bar(x=[f"bar {place}" for place in range(20)], y=[1.0] * 20, marker=marker)
    hatched = json.loads(theme.apply(go.Figure(bars)).to_json())
    with drawings.browser():
        mended = drawings.draw(hatched, "pdf")
        monkeypatch.setattr(drawings, "each_object_once", bytes)
        raw = drawings.draw(hatched, "pdf")
    assert len(mended) < len(raw) / 5
    assert drawings.each_object_once(mended) == mended
    (page,), (raw_page,) = PdfReader(BytesIO(mended)).pages, PdfReader(BytesIO(raw)).pages
    assert "bar 19" in page.extract_text()
    unfolded = [_unfolded(each["/Resources"]) + _unfolded(each["/Contents"]) for each in (page, raw_page)]
    assert unfolded[0] == unfolded[1]
    assert unfolded[1].count("/Image") >= 20


def _unfolded(part: Any) -> str:
    """All that a part of a PDF leads to, written out at each place that names it."""
    part = part.get_object()
    if isinstance(part, dict):
        drawn = sha256(part.get_data()).hexdigest() if isinstance(part, StreamObject) else ""
        inner = [f"{key} {_unfolded(part[key])}" for key in sorted(part) if key not in {"/Length", "/Filter"}]
        return f"<{' '.join(inner)} {drawn}>"
    return f"[{' '.join(map(_unfolded, part))}]" if isinstance(part, list) else repr(part)


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
