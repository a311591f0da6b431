"""How the verdicts of today's rule and of the earlier ones differ: counts, claims, amendments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from benchbook.book.parts.nodes import Folded
from benchbook.book.parts.tables import Cell, table
from benchbook.book.parts.verdict_table import amendments_folded, outcome_text
from benchbook.figures.lesson import DECIDED, WITHOUT_DATA
from benchbook.model import Outcome

if TYPE_CHECKING:  # only this page needs the rules, and only while it is written
    from benchbook.book.records.judged import Judged
    from benchbook.claims import Earlier


def pairs(judged: Sequence[Judged], earlier: Mapping[str, Earlier]) -> list[tuple[Earlier, Judged]]:
    """Each verdict that the earlier rule gave on data with that of today, in the ledger's order."""
    return [
        (earlier[each.claim.id], each)
        for each in judged
        if each.claim.id in earlier and earlier[each.claim.id].outcome not in WITHOUT_DATA
    ]


def sentence(found: Sequence[tuple[Earlier, Judged]], until: str) -> str:
    """How many claims each rule decides, and how many both decide in different ways."""
    before, now = (sum(outcome in DECIDED for outcome in each) for each in (_earlier(found), _present(found)))
    other = sum(was.outcome in DECIDED and is_.outcome in DECIDED and was.outcome != is_.outcome for was, is_ in found)
    return (
        f"Until {until}, another rule decided {before} of the {len(found)} claims that runs answered then; today's "
        f"rule decides {now} of them, {other} of these differently. It was changed after the data had been seen."
    )


def _earlier(found: Sequence[tuple[Earlier, Judged]]) -> list[Outcome]:
    return [was.outcome for was, _ in found]


def _present(found: Sequence[tuple[Earlier, Judged]]) -> list[Outcome]:
    return [is_.outcome for _, is_ in found]


def rules_nodes(
    judged: Sequence[Judged], earlier: Mapping[str, Mapping[str, Earlier]], amendments: Sequence[Mapping[str, object]]
) -> list[nodes.Node]:
    """What each earlier rule said beside today's, the newest first, and what was amended."""
    parts = [
        part
        for until, verdicts in sorted(earlier.items(), reverse=True)
        for part in _beside(pairs(judged, verdicts), until)
    ]
    return [*parts, *amendments_folded([dict(each) for each in amendments], "The rules")] if parts else []


def _beside(found: Sequence[tuple[Earlier, Judged]], until: str) -> list[nodes.Node]:
    """The sentence, a table of counts, and each claim that came out otherwise."""
    if not found:
        return []
    counted = Counter((was.outcome, is_.outcome) for was, is_ in found)
    columns = [outcome for outcome in Outcome if any(was is outcome for was, _ in counted)]
    rows = [outcome for outcome in Outcome if any(is_ is outcome for _, is_ in counted)]
    body: list[list[Cell]] = [
        [outcome_text(str(is_)), *(str(counted[was, is_] or "") for was in columns)] for is_ in rows
    ]
    different: list[list[Cell]] = [
        [
            nodes.literal("", is_.claim.id),
            f"“{is_.claim.quote}”",
            outcome_text(str(was.outcome)),
            outcome_text(str(is_.outcome)),
        ]
        for was, is_ in found
        if was.outcome is not is_.outcome
    ]
    head = ["claim", "the note says", f"by the rule until {until}", "by today's rule"]
    listed = table(head, different, ["benchbook-runs"])
    return [
        nodes.paragraph("", sentence(found, until)),
        table(["today’s rule, down; the earlier one, across", *map(str, columns)], body, ["benchbook-runs"]),
        Folded("", listed, summary=f"The {len(different)} claims with a different verdict, open ones included"),
    ]


class RulesDirective(SphinxDirective):
    """``{benchbook-rules}``: what the change of the rule did to the verdicts."""

    has_content = False

    def run(self) -> list[nodes.Node]:
        """Made again whenever the verdicts or the ledger change."""
        from benchbook.book.pages.verdicts import read
        from benchbook.claims import load_earlier, protocol_amendments

        judged, _ = read(self.env)
        data = Path(self.env.srcdir) / "data"
        amended = protocol_amendments(data / "claims-amendments.csv")
        earlier = load_earlier(data / "verdicts-earlier.csv")
        return rules_nodes(judged, earlier, [vars(each) for each in amended])


def add_to(app: Sphinx) -> None:
    """Make the directive known."""
    app.add_directive("benchbook-rules", RulesDirective)
