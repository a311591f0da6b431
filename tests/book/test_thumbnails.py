"""The list of all figures: words that lead to each figure, and the box of its small picture."""

from __future__ import annotations

import json
import re
from typing import Any

import shown
from docutils import nodes

from benchbook.book.pages import figures
from benchbook.book.parts import thumbnails
from benchbook.book.parts.nodes import SiteLink
from benchbook.book.parts.thumbnails import Thumbnail
from benchbook.figures import contained


def record(identity: str, chapter: str) -> dict[str, Any]:
    return {"id": identity, "title": "Latency <by> cache", "alt": f"Points of {identity}.", "chapter_title": chapter}


def html_of(node: Thumbnail, page: str = "book/figures") -> str:
    return shown.html(thumbnails.visit_html, node, page)


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
    text = thumbnails.plot_script("fig-a", plot)
    found = re.fullmatch(r'\(window\.benchbookPlots \?\?= \{\}\)\["fig-a"\] = (.*);\n', text)
    assert found
    assert json.loads(found[1]) == contained.drawn(plot)
