"""Two boxes for prices above the table of what two machines cost and do; a script computes with what is typed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes

from benchbook.book.parts.directives import Shown


class PriceForm(nodes.General, nodes.Element):  # type: ignore[misc]
    """The form, whose boxes the script makes from the rows of the next table; hidden without JavaScript."""


class PricesDirective(Shown):
    """``{benchbook-prices}``: the form, of the table that follows; its rows name, price, throughput cold and warm."""

    def shown(self, root: Path) -> list[nodes.Node]:
        """The form alone."""
        return [PriceForm()]


def visit_html(writer: Any, node: PriceForm) -> None:
    """An empty form with a place for the result."""
    writer.body.append(
        '<form class="benchbook-filters benchbook-prices" hidden aria-label="Compute with your own prices">'
        '<p role="status" aria-live="polite"></p></form>\n'
    )
    raise nodes.SkipNode
