"""A static drawing is taken over only if nothing of it runs where it is opened."""

from pathlib import Path

import plotly.graph_objects as go
import pytest

from benchbook.book.parts.figure_files import is_still
from benchbook.figures import drawings

SVG = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">{}</svg>'
ACTIVE = (
    "<script>planted()</script>",
    '<rect onload="planted()"/>',
    '<a href="https://example.org"><text>x</text></a>',
    '<image xlink:href="https://example.org/a.png"/>',
    '<use href="&#106;avascript:planted()"/>',
    '<foreignObject><p xmlns="http://www.w3.org/1999/xhtml">x</p></foreignObject>',
    '<script xmlns="http://www.w3.org/1999/xhtml">planted()</script>',
    "<rect>",
)


@pytest.mark.parametrize("part", ACTIVE)
def test_what_would_run_or_lead_elsewhere_is_no_drawing(tmp_path: Path, part: str) -> None:
    path = tmp_path / "a.svg"
    path.write_text(SVG.format(part))
    assert not is_still(path)


def test_a_style_sheet_of_its_own_may_be_a_program(tmp_path: Path) -> None:
    path = tmp_path / "a.svg"
    path.write_text('<?xml-stylesheet type="text/xsl" href="#x"?>' + SVG.format(""))
    assert not is_still(path)


def test_a_drawing_is_one(tmp_path: Path) -> None:
    path = tmp_path / "a.svg"
    path.write_text(
        SVG.format('<clipPath id="c"/><use xlink:href="#c"/><image xlink:href="data:image/png;base64,AA=="/>')
    )
    assert is_still(path)


@pytest.mark.browser
def test_a_figure_as_it_is_drawn_for_a_build_is_one(tmp_path: Path) -> None:
    path = tmp_path / "a.svg"
    plot = go.Figure([go.Scatter(x=[1, 2], y=[1, 2], name="a<br>b"), go.Heatmap(z=[[1, 2], [3, 4]])])
    with drawings.browser():
        path.write_bytes(drawings.draw(plot.to_plotly_json(), "svg", "print"))
    assert is_still(path)
