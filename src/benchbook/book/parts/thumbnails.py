"""A small picture of a figure, which the reader's own browser draws when it comes near.

No file of the picture exists: a drawing takes a browser, and building the book needs none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from typing import Any

from docutils import nodes

from benchbook.figures import contained

SUFFIX = "plot.js"
"""Of the file beside a figure's page that the picture is drawn from."""


class Thumbnail(nodes.General, nodes.Element):  # type: ignore[misc]
    """A small picture of the figure ``figure_id`` that leads to its page; ``title`` says what it is a picture of."""


def plot_script(figure_id: str, plot: Mapping[str, Any]) -> str:
    """The drawing as a script that puts it under its id: a page opened from a folder may load that, but no JSON."""
    text = json.dumps(contained.drawn(plot), separators=(",", ":"))
    return f"(window.benchbookPlots ??= {{}})[{json.dumps(figure_id)}] = {text};\n"


def visit_html(writer: Any, node: Thumbnail) -> None:
    """A box of a fixed shape, so that nothing moves; ``pst-js-only`` is the theme's word for what needs scripts.

    The Tab key passes it by, because the words beside it lead to the same page.
    """
    page = writer.builder.current_docname or ""
    address = escape("../" * page.count("/") + f"figures/{node['figure_id']}")
    writer.body.append(
        f'<a class="benchbook-thumbnail pst-js-only" href="{address}.html" tabindex="-1"'
        f' data-figure="{escape(node["figure_id"])}" data-plot="{address}.{SUFFIX}"'
        f' aria-label="Drawing: {escape(node["title"])}"></a>\n'
    )
    raise nodes.SkipNode
