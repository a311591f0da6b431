"""Static drawings of a figure: which one counts, and that nothing of it runs where it is opened."""

from pathlib import Path

import plotly.graph_objects as go
import pytest

from benchbook.book.parts import figure_files
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


STILL = '<clipPath id="c"/><use xlink:href="#c"/><image xlink:href="data:image/png;base64,AA=="/>'


@pytest.mark.parametrize(
    ("svg", "still"),
    [
        (SVG.format(STILL), True),
        *((SVG.format(part), False) for part in ACTIVE),
        pytest.param('<?xml-stylesheet type="text/xsl" href="#x"?>' + SVG.format(""), False, id="may be a program"),
    ],
)
def test_what_would_run_or_lead_elsewhere_is_no_drawing(tmp_path: Path, svg: str, still: bool) -> None:
    (tmp_path / "a.svg").write_text(svg)
    assert is_still(tmp_path / "a.svg") is still


@pytest.mark.browser
def test_a_figure_as_it_is_drawn_for_a_build_is_one(tmp_path: Path) -> None:
    path = tmp_path / "a.svg"
    plot = go.Figure([go.Scatter(x=[1, 2], y=[1, 2], name="a<br>b"), go.Heatmap(z=[[1, 2], [3, 4]])])
    with drawings.browser():
        path.write_bytes(drawings.draw(plot.to_plotly_json(), "svg", "print"))
    assert is_still(path)


FIGURE = {"id": "fig-a", "data_sha256": "a" * 64}


@pytest.mark.parametrize("folder", figure_files.FOLDERS)
def test_a_drawing_of_todays_data_is_shown(tmp_path: Path, folder: Path) -> None:
    assert figure_files.picture(tmp_path, FIGURE) == ""
    (tmp_path / folder).mkdir(parents=True)
    (tmp_path / folder / "fig-a.svg").write_text("<svg/>")
    assert figure_files.picture(tmp_path, FIGURE) == "", "nobody knows of which data it is"
    note = tmp_path / folder / "fig-a.sha256"
    note.write_text(f"{'a' * 64}  data of fig-a\n")
    assert figure_files.picture(tmp_path, FIGURE) == "figures/fig-a.svg"
    assert figure_files.picture(tmp_path, FIGURE | {"address": "figures/2026.1"}) == "figures/2026.1/fig-a.svg"
    assert figure_files.exports(tmp_path, FIGURE) == {"svg": tmp_path / folder / "fig-a.svg"}
    note.write_text(f"{'b' * 64}  data of fig-a\n")
    assert figure_files.picture(tmp_path, FIGURE) == ""
