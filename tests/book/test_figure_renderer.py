"""What a figure becomes on a page, and where the warning at figures of absolute numbers stands."""

import json
import re
from types import SimpleNamespace
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import pytest
import shown
from docutils import nodes
from docutils.utils import new_document

from benchbook.book.parts import figure_block
from benchbook.book.parts.figure_block import figure_nodes
from benchbook.book.parts.nodes import Drawing, Folded, drawing, visit_drawing_html
from benchbook.book.parts.tables import ROWS_SHOWN, cell_text, data_table
from benchbook.book.sphinx_extension import PLOTLY_MIME_TYPE, FigureRenderer
from benchbook.figures import MIME_TYPE, Figure, theme


def a_figure(label: str = "a", rows: int = 2) -> Figure:
    data = pd.DataFrame({"arm": [label] * rows, "p99 (ms)": [1.25] * rows})
    plot = theme.apply(go.Figure(go.Scatter(x=data["arm"], y=data["p99 (ms)"], name=label)))
    return Figure("fig-a", "Caption.", "Two points at 1.25 ms.", plot, data, "run-1", title="Two points")


def test_without_scripts_a_picture_stands_for_the_drawing_where_there_is_one() -> None:
    still = drawing("fig-a", {}, "Two <points>.", "figures/fig-a.svg")
    html = shown.html(visit_drawing_html, still, "book/chapters/scale")
    assert '<noscript><img src="../../figures/fig-a.svg" alt="Two &lt;points&gt;."></noscript>' in html


def output(*mime_types: str) -> Any:
    bundle = {"data": {name: {} for name in mime_types}}
    client = SimpleNamespace(code_cell_outputs=lambda cell: (1, [bundle]))
    return SimpleNamespace(renderer=SimpleNamespace(nb_client=client, document=new_document("page"), sphinx_env=None))


def mime(mime_type: str, content: Any = None) -> Any:
    return SimpleNamespace(mime_type=mime_type, content=content, cell_index=0, output_index=0)


def test_a_figure_has_its_id_as_target_a_caption_a_drawing_and_folded_data() -> None:
    document = new_document("page")
    (block,) = figure_nodes(document, a_figure().record())
    (figure,) = block.findall(nodes.figure)
    assert figure["ids"] == ["fig-a"]
    assert document.nameids["fig-a"] == "fig-a"
    assert document.nametypes["fig-a"], "an explicit target, which {numref} needs"
    assert next(figure.findall(nodes.caption)).astext() == "Caption."
    assert next(figure.findall(Drawing))["alt"] == "Two points at 1.25 ms."
    (folded,) = block.findall(Folded)
    assert "1.25" in folded.astext()
    assert "\n\nFigure fig-a · run run-1\n" in block.astext()


def test_the_drawing_is_readable_json_that_no_label_can_break_out_of() -> None:
    record = a_figure("</script><script>alert(1)</script><!--").record()
    html = shown.html(visit_drawing_html, drawing(record["id"], record["plot"], record["alt"]))
    assert html.count("</script>") == 1
    plot = json.loads(re.search(r'<script type="application/json">(.*?)</script>', html)[1])
    assert plot["data"][0]["name"].replace("&lt;", "<") == "</script><script>alert(1)</script><!--"


def test_a_long_table_says_how_many_rows_it_leaves_out() -> None:
    record = a_figure(rows=ROWS_SHOWN + 50).record()
    table, sentence = data_table(record["data"])
    assert len(list(table.findall(nodes.row))) == ROWS_SHOWN + 1
    assert f"{ROWS_SHOWN} of {ROWS_SHOWN + 50}" in sentence.astext()


@pytest.mark.parametrize(
    ("value", "text"), [(None, ""), (True, "yes"), (1234567.8, "1.23457e+06"), (0, "0"), ("a", "a"), (0.1 + 0.2, "0.3")]
)
def test_a_missing_value_stays_empty_and_numbers_are_rounded_for_reading(value: object, text: str) -> None:
    assert cell_text(value) == text


def test_the_renderer_takes_our_type_and_drops_the_drawing_that_travels_with_it() -> None:
    renderer = output(MIME_TYPE, PLOTLY_MIME_TYPE)
    assert FigureRenderer.handle_mime(renderer, mime(MIME_TYPE, a_figure().record()), False)
    assert FigureRenderer.handle_mime(renderer, mime(PLOTLY_MIME_TYPE), False) == []
    assert FigureRenderer.handle_mime(renderer, mime("text/plain", "x"), False) is None


def test_a_bare_plotly_drawing_is_left_to_myst_nb_whose_warning_fails_the_build() -> None:
    assert FigureRenderer.handle_mime(output(PLOTLY_MIME_TYPE), mime(PLOTLY_MIME_TYPE), False) is None


def record(*headings: str) -> dict[str, Any]:
    return {"data": {"columns": [*headings], "data": []}}


@pytest.mark.parametrize(
    "heading",
    ["latency (ms)", "mean (ns)", "look-up (µs)", "insert (µs a row)", "TPS", "reopen (s)", "rows per second"],
)
def test_times_and_throughputs_are_absolute(heading: str) -> None:
    assert figure_block.absolute(record("configuration", heading, "low", "high"))
    [line] = figure_block.warning(new_document("page"), record(heading), measured=True)
    assert line.astext() == f"{figure_block.WARNING}."
    assert line.children[1]["words"] == figure_block.CARRY_OVER, "which leads to the reason"
    assert figure_block.warning(new_document("page"), record(heading), measured=False) == [], (
        "the note's numbers are not of this machine"
    )


@pytest.mark.parametrize(
    "heading",
    ["ratio", "TPS over 25 % of memory", "speed-up", "hit ratio (%)", "bytes a key", "share of a query's mean time (%)",
     "time of a lookup / the value file's", "claimed low"],
)  # fmt: skip
def test_ratios_shares_and_counts_are_not(heading: str) -> None:
    assert not figure_block.absolute(record("configuration", heading))
    assert figure_block.warning(new_document("page"), record(heading), measured=True) == []


def test_the_line_stands_below_the_figure() -> None:
    document, figure = new_document("page"), a_figure().record()
    [block] = figure_nodes(document, figure)
    classes = [child.get("classes", []) for child in block.children]
    assert classes.index(["benchbook-levels"]) > 0
    document += block
    [second] = figure_nodes(document, figure | {"id": "fig-made-up-too"})
    assert ["benchbook-levels"] not in [child.get("classes", []) for child in second.children], "once a page"


def test_a_figure_that_shows_nothing_is_a_sentence_with_its_address() -> None:
    figure = {"id": "fig-made-up", "alt": "Checkpoints: nothing to draw. None ran; give seconds.", "blank": True}
    document = new_document("page")
    [said] = figure_nodes(document, figure)
    assert isinstance(said, nodes.paragraph)
    assert (said.astext(), said["ids"]) == (figure["alt"], ["fig-made-up"])
