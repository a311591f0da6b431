"""Which buttons stand below a figure, and that none is offered for a file that lies beside it."""

from __future__ import annotations

import re

import pandas as pd
import plotly.graph_objects as go
import pytest
import shown
from docutils import nodes
from docutils.utils import new_document

from benchbook.book.parts import file_buttons
from benchbook.book.parts.figure_block import figure_nodes
from benchbook.book.parts.file_buttons import FileButtons
from benchbook.figures import Figure


@pytest.mark.parametrize(
    ("existing", "offered"), [((), ["svg", "png"]), (("svg", "csv"), ["png"]), (("csv", "pdf", "png"), ["svg"])]
)
def test_a_button_stands_for_each_kind_of_file_that_is_missing(existing: tuple[str, ...], offered: list[str]) -> None:
    (row,) = file_buttons.file_buttons("fig-a", existing)
    html = shown.html(file_buttons.visit_html, row)
    assert re.findall(r'data-suffix="(\w+)"', html) == offered
    assert html.count('<button type="button"') == len(offered)
    assert 'aria-label="Drawing fig-a"' in html
    assert "pst-js-only" in html, "without scripts a button would do nothing"


def test_a_figure_with_both_files_needs_no_row() -> None:
    assert file_buttons.file_buttons("fig-a", ("svg", "png", "pdf")) == []


def test_the_row_stands_below_the_figure_and_where_it_is_from() -> None:
    figure = Figure("fig-a", "Caption.", "Alt.", go.Figure(), pd.DataFrame({"x": [1]}), "run-1", title="Points")
    (block,) = figure_nodes(new_document("page"), figure.record())
    assert isinstance(block.children[0], nodes.figure)
    assert block.children[1]["classes"] == ["benchbook-source"]
    assert isinstance(block.children[2], FileButtons)
