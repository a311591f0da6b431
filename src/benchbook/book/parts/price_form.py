"""Two boxes for prices above the table of what two machines cost and do; a script computes with what is typed."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

SCRIPT = "prices.js"


class PriceForm(nodes.General, nodes.Element):  # type: ignore[misc]
    """The form, whose boxes the script makes from the rows of the next table; hidden without JavaScript."""


class PricesDirective(SphinxDirective):
    """``{benchbook-prices}``: the form, of the table that follows; its rows name, price, throughput cold and warm."""

    has_content = False

    def run(self) -> list[nodes.Node]:
        """The form alone."""
        return [PriceForm()]


def visit_html(writer: Any, node: PriceForm) -> None:
    """An empty form with a place for the result."""
    writer.body.append(
        '<form class="benchbook-filters benchbook-prices" hidden aria-label="Compute with your own prices">'
        '<p role="status" aria-live="polite"></p></form>\n'
    )
    raise nodes.SkipNode


def _skip(writer: Any, node: PriceForm) -> None:
    raise nodes.SkipNode


def load_script(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """The computing script, on the page that has its form."""
    if doctree is not None and next(iter(doctree.findall(PriceForm)), None) is not None:
        app.add_js_file(SCRIPT, loading_method="defer", priority=600)


def add_to(app: Sphinx) -> None:
    """Make directive and node known."""
    app.add_directive("benchbook-prices", PricesDirective)
    none: Any = (_skip, None)
    html: Any = (visit_html, None)
    app.add_node(PriceForm, html=html, latex=none, text=none, man=none, texinfo=none)
    app.connect("html-page-context", load_script)
