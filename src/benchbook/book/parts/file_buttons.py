"""Buttons below a figure that save its drawing from the page, for the kinds of file that it has not."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

from docutils import nodes

KINDS = ("svg", "png")
"""Suffixes that plotly.js can draw in a browser, in the order of their buttons."""


class FileButtons(nodes.General, nodes.Element):  # type: ignore[misc]
    """The row below the figure ``figure_id``: a button for each of ``suffixes``; not shown without JavaScript."""


def file_buttons(figure_id: str, existing: Iterable[str]) -> list[nodes.Node]:
    """The row, or nothing where every kind of file lies beside the book already. existing: suffixes of those files."""
    missing = [suffix for suffix in KINDS if suffix not in set(existing)]
    return [FileButtons(figure_id=figure_id, suffixes=missing)] if missing else []


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


def visit_html(writer: Any, node: FileButtons) -> None:
    """Written with the page, so that nothing moves when the figure is drawn."""
    writer.body.append(row_html(node["figure_id"], node["suffixes"]))
    raise nodes.SkipNode
