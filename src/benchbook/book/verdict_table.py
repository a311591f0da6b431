"""Verdict records in, the verdict table of a chapter or of the whole book out; plain HTML, no JavaScript."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

from benchbook.book.environment_reasons import own_reason, said_above, shared_causes
from benchbook.book.nodes import FigureReference, Folded
from benchbook.book.tables import table
from benchbook.figures.prose import counted

VERDICTS_FILE = "verdicts.json"
"""Name of the collected verdicts, beside the executed chapters."""


def sentence(records: list[dict[str, Any]]) -> str:
    """How many claims were judged, and how they came out, in the order of the protocol.

    Of those that a check of the machine leaves open, it says how they would come out by their intervals alone.
    """
    claims = "1 claim" if len(records) == 1 else f"{len(records)} claims"
    outcomes = counted(record["outcome"] for record in records)
    return f"{claims}: {outcomes}. {said_alone(record['alone'] for record in records)}".rstrip()


def said_alone(alone: Iterable[str | None]) -> str:
    """A sentence on the claims that a check of the machine leaves open; "" where there is none.

    alone: of every claim, what its interval alone would say, if a check leaves it open.
    """
    would = [outcome for outcome in alone if outcome]
    if not would:
        return ""
    several = f"By their intervals alone the {len(would)} that a check of the machine leaves open would be"
    one = "By its interval alone the one that a check of the machine leaves open would be"
    return f"{several if len(would) > 1 else one}: {counted(would)}."


def verdict_table(records: list[dict[str, Any]]) -> list[nodes.Node]:
    """One row per claim, with a reference to the figure that shows it; what left many of them open stands above."""
    reasons = [record["reason"] for record in records]
    said = shared_causes(reasons)
    rows = [
        [
            nodes.literal("", record["claim_id"]),
            f"“{record['quote']}”" if record["quote"] else "",
            outcome_text(record["outcome"]),
            _why(record, said),
            figure_reference(record["figure_id"]),
        ]
        for record in records
    ]
    if not rows:
        return [nodes.paragraph("", "No claim has been judged yet.")]
    made = table(["Claim", "The note says", "Verdict", "Why", "Figure"], rows, ["benchbook-verdicts"])
    return [*said_above(reasons, [record["alone"] for record in records]), made]


def _why(record: dict[str, Any], said: Sequence[str]) -> list[nodes.Node]:
    """The reason, and folded under it what was computed, as it was registered, and what was changed since then."""
    parts: list[nodes.Node] = [nodes.paragraph("", own_reason(record["reason"], said))]
    if record.get("estimand"):
        parts.append(Folded("", nodes.paragraph("", record["estimand"]), summary="What was computed"))
    return parts + amendments_folded(record.get("amendments", []))


def amendments_folded(amendments: list[dict[str, Any]]) -> list[nodes.Node]:
    """What of a claim was changed after the ledger was fixed, folded; nothing where nothing was.

    amendments: the fields of ``claims.Amendment``, in the order in which they were made.
    """
    if not amendments:
        return []
    changes = nodes.bullet_list()
    for change in amendments:
        seen = "after" if change["data_seen"] else "before"
        words = (
            f"{change['date']}, {seen} data were seen: {change['column']} was “{change['old']}”, "
            f"is “{change['new']}”. {change['reason']}"
        )
        changes += nodes.list_item("", nodes.paragraph("", words))
    times = "once" if len(amendments) == 1 else f"{len(amendments)} times"
    return [Folded("", changes, summary=f"Amended {times} since the ledger was fixed")]


def outcome_text(outcome: str) -> nodes.Node:
    """The outcome in words, with the line at its side that groups equal ones at a glance."""
    name = "benchbook-" + "".join(letter if letter.isalnum() else "-" for letter in outcome)
    return nodes.strong("", outcome, classes=["benchbook-outcome", name])


def figure_reference(figure_id: str) -> nodes.Node | str:
    """A link to the figure, or nothing where there is none."""
    return FigureReference(figure_id=figure_id) if figure_id else ""


def chapter_reference(chapter: str) -> nodes.Node:
    """A link to the chapter, which must be in the book, with its title."""
    return addnodes.pending_xref(
        "",
        nodes.inline("", chapter, classes=["xref", "doc"]),
        refdomain="std",
        reftype="doc",
        reftarget=f"/book/chapters/{chapter}",
        refexplicit=False,
        refwarn=True,
    )


class VerdictDirective(SphinxDirective):
    """``{benchbook-verdicts}``: the verdicts of the executed chapters, folded.

    ``:summary:`` gives the counts alone, ``:total:`` one sentence for all chapters.
    """

    has_content = False
    option_spec: ClassVar[dict[str, Any]] = {"summary": directives.flag, "total": directives.flag}

    def run(self) -> list[nodes.Node]:
        """Read the collected verdicts and note the page's dependence on them."""
        path = Path(self.env.srcdir) / "book" / "chapters" / VERDICTS_FILE
        self.env.note_dependency(str(path))
        records = json.loads(path.read_text("utf-8")) if path.is_file() else []
        if not records:
            return [nodes.paragraph("", "No chapter has been judged yet.")]
        parts: list[nodes.Node] = [nodes.paragraph("", sentence(records), classes=["benchbook-summary"])]
        if "total" in self.options:
            return parts
        for chapter in dict.fromkeys(record["chapter"] for record in records):
            own = [record for record in records if record["chapter"] == chapter]
            parts.append(nodes.paragraph("", "", chapter_reference(chapter), nodes.Text(f": {sentence(own)}")))
            if "summary" not in self.options:
                parts.append(Folded("", *verdict_table(own), summary="The verdicts of this chapter"))
        return parts
