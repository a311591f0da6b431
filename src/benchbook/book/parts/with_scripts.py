"""What a page offers only with its script: buttons that save a drawing, small pictures of figures, boxes to fill in."""

import json
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes

from benchbook.book.parts.nodes import Html
from benchbook.figures import contained
from benchbook.own_numbers import diagnosis

KINDS = ("svg", "png")
"""Suffixes that plotly.js can draw in a browser, in the order of their buttons."""
PLOT_SUFFIX = "plot.js"
"""Of the file beside a figure's page that a small picture is drawn from."""


def file_buttons(figure_id: str, existing: Iterable[str]) -> list[nodes.Node]:
    """The row below a figure with a button for each kind of file that does not lie beside the book; nothing without.

    existing: suffixes of those that do. Written with the page, so that nothing moves when the figure is drawn.
    """
    missing = [suffix for suffix in KINDS if suffix not in set(existing)]
    return [Html(html=row_html(figure_id, missing))] if missing else []


def row_html(figure_id: str, suffixes: Iterable[str] = KINDS) -> str:
    """The row as HTML; ``pst-js-only`` is the theme's word for what a page without scripts hides."""
    buttons = "".join(
        f'<button type="button" data-suffix="{suffix}">Save as {suffix.upper()}</button>' for suffix in suffixes
    )
    name = escape(figure_id)
    return (
        f'<div class="benchbook-take pst-js-only" role="group" aria-label="Drawing {name}" data-figure="{name}">'
        f'{buttons}<span role="status"></span></div>\n'
    )


class Thumbnail(nodes.General, nodes.Element):  # type: ignore[misc]
    """A small picture of the figure ``figure_id`` that leads to its page; ``title`` says what it is a picture of.

    The reader's own browser draws it when it comes near: no file of the picture exists.
    """


def plot_script(figure_id: str, plot: Mapping[str, Any]) -> str:
    """The drawing as a script that puts it under its id: a page opened from a folder may load that, but no JSON."""
    text = json.dumps(contained.drawn(plot), separators=(",", ":"))
    return f"(window.benchbookPlots ??= {{}})[{json.dumps(figure_id)}] = {text};\n"


def visit_thumbnail_html(writer: Any, node: Thumbnail) -> None:
    """A box of a fixed shape, so that nothing moves; ``pst-js-only`` is the theme's word for what needs scripts.

    The Tab key passes it by, because the words beside it lead to the same page.
    """
    page = writer.builder.current_docname or ""
    address = escape("../" * page.count("/") + f"figures/{node['figure_id']}")
    writer.body.append(
        f'<a class="benchbook-thumbnail pst-js-only" href="{address}.html" tabindex="-1"'
        f' data-figure="{escape(node["figure_id"])}" data-plot="{address}.{PLOT_SUFFIX}"'
        f' aria-label="Drawing: {escape(node["title"])}"></a>\n'
    )
    raise nodes.SkipNode


class DiagnoseForm(Html):
    """The box that counters are pasted into, with the rules that say what they mean. Hidden without JavaScript."""


def diagnose_form(root: Path) -> list[nodes.Node]:
    """The rules lie in the page as data: a page opened from a folder may load no other file of them."""
    data = json.dumps(diagnosis.rules(), separators=(",", ":")).replace("<", "\\u003c")
    form = (
        '<form class="benchbook-diagnose" hidden aria-label="What do these counters say?">'
        "<label><span>Paste a line of Badger, RocksDB's statistics, or a pg_stat view</span>"
        '<textarea rows="4" spellcheck="false"></textarea></label>'
        f'<ul aria-live="polite"></ul><script type="application/json">{data}</script></form>\n'
    )
    return [DiagnoseForm(html=form)]
