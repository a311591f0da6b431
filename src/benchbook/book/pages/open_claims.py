"""The open claims by what leaves them open, each with what would decide it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes

from benchbook.book.pages.verdicts import OfVerdicts, load
from benchbook.book.parts import claim_links
from benchbook.book.parts.nodes import Folded
from benchbook.book.parts.tables import Cell, table

if TYPE_CHECKING:  # only this page needs the ledger, and only while it is written
    from benchbook.book.records.judged import Judged


def open_nodes(judged: Sequence[Judged]) -> list[nodes.Node]:
    """A table of the kinds with their numbers, and folded under it each open claim; nothing where none is open."""
    from benchbook.book.records.open_claims import MEANS, by_kind, would_decide

    found = by_kind(judged)
    if not found:
        return []
    kinds: list[list[Cell]] = [[str(kind), str(len(own)), MEANS[kind]] for kind, own in found.items()]
    rows: list[list[Cell]] = [
        [_link(each.claim.id), f"“{each.claim.quote}”", str(kind), would_decide(each)]
        for kind, own in found.items()
        for each in own
    ]
    number = sum(map(len, found.values()))
    every = table(["claim", "the note says", "verdict", "what would decide it"], rows, ["benchbook-runs"])
    return [
        table(["open", "claims", "what that means"], kinds, ["benchbook-runs"]),
        Folded("", every, summary=f"The {number} open claims, and what would decide each"),
    ]


def _link(claim: str) -> nodes.Node:
    return nodes.reference("", "", nodes.literal("", claim), internal=True, refid=claim_links.anchor(claim))


class OpenDirective(OfVerdicts):
    """``{benchbook-open-claims}``: on the page of every claim, whose rows it links to."""

    def shown(self, root: Path) -> list[nodes.Node]:
        """Of all claims."""
        return open_nodes(load(root)[0])
