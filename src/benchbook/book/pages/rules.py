"""How often the rules of the verdicts were amended, folded: each change with its date and its reason."""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from benchbook.book.parts.verdict_table import amendments_folded

AMENDMENTS = Path("data") / "claims-amendments.csv"


class RulesDirective(SphinxDirective):
    """``{benchbook-rules}``: the amendments to the rules of all claims."""

    has_content = False

    def run(self) -> list[nodes.Node]:
        """Made again whenever the amendments change."""
        from benchbook.claims import protocol_amendments  # only this page needs it, while it is written

        path = Path(self.env.srcdir) / AMENDMENTS
        self.env.note_dependency(str(path))
        return amendments_folded([vars(each) for each in protocol_amendments(path)], "The rules")


def add_to(app: Sphinx) -> None:
    """Make the directive known."""
    app.add_directive("benchbook-rules", RulesDirective)
