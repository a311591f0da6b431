"""What a page offers only with its script: small pictures in the list of all figures, buttons below each figure."""

import json
import re
from typing import Any

import pytest
import shown
from docutils import nodes

from benchbook.book.pages import figures
from benchbook.book.parts import with_scripts
from benchbook.book.parts.nodes import SiteLink, visit_html
from benchbook.book.parts.with_scripts import Thumbnail
from benchbook.figures import contained


def record(identity: str, chapter: str) -> dict[str, Any]:
    return {"id": identity, "title": "Latency <by> cache", "alt": f"Points of {identity}.", "chapter_title": chapter}


def html_of(node: Thumbnail, page: str = "book/figures") -> str:
    return shown.html(with_scripts.visit_thumbnail_html, node, page)


def test_each_chapter_has_its_figures_with_their_words_and_a_picture() -> None:
    one, two = figures.index([record("fig-a", "One"), record("fig-b", "One"), record("fig-c", "Two")])
    assert [each.next_node(nodes.title).astext() for each in (one, two)] == ["One", "Two"]
    assert [each["figure_id"] for each in one.findall(Thumbnail)] == ["fig-a", "fig-b"]
    (entry,) = two.findall(nodes.list_item)
    assert "Points of fig-c." in entry.astext()
    assert entry.next_node(SiteLink)["path"] == "figures/fig-c.html"


def test_a_picture_leads_to_its_figure_from_any_depth_and_needs_scripts() -> None:
    node = Thumbnail(figure_id="fig-a", title="Latency <by> cache")
    assert 'href="../figures/fig-a.html"' in html_of(node)
    assert 'data-plot="figures/fig-a.plot.js"' in html_of(node, page="figures")
    assert 'aria-label="Drawing: Latency &lt;by&gt; cache"' in html_of(node)
    assert "pst-js-only" in html_of(node)


def test_the_script_of_a_drawing_holds_all_of_it() -> None:
    plot = {"data": [{"x": [1, 2.5], "name": 'a "b" </script>'}], "layout": {}}
    text = with_scripts.plot_script("fig-a", plot)
    found = re.fullmatch(r'\(window\.benchbookPlots \?\?= \{\}\)\["fig-a"\] = (.*);\n', text)
    assert found
    assert json.loads(found[1]) == contained.drawn(plot)


@pytest.mark.parametrize(
    ("existing", "offered"), [((), ["svg", "png"]), (("svg", "csv"), ["png"]), (("csv", "pdf", "png"), ["svg"])]
)
def test_a_button_stands_for_each_kind_of_file_that_is_missing(existing: tuple[str, ...], offered: list[str]) -> None:
    (row,) = with_scripts.file_buttons("fig-a", existing)
    html = shown.html(visit_html, row)
    assert re.findall(r'data-suffix="(\w+)"', html) == offered
    assert html.count('<button type="button"') == len(offered)
    assert 'aria-label="Drawing fig-a"' in html
    assert "pst-js-only" in html, "without scripts a button would do nothing"


def test_a_figure_with_both_files_needs_no_row() -> None:
    assert with_scripts.file_buttons("fig-a", ("svg", "png", "pdf")) == []
