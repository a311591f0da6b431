"""The verdict table of a chapter or of the whole book; plain HTML, no JavaScript."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes

from benchbook.book.parts import own_marks
from benchbook.book.parts.nodes import FigureReference, Folded
from benchbook.book.parts.tables import coded, table
from benchbook.figures.lesson import WITHOUT_DATA

AMENDMENTS = Path("data") / "claims-amendments.csv"
REGISTERED = "What was registered, and the basis of the verdict"


def verdict_table(records: list[dict[str, Any]], root: Path | None = None) -> list[nodes.Node]:
    """One row per claim, with a reference to the figure that shows it.

    records: of one chapter. root: the book's source folder, where a run made here is looked up.
    """
    own = own_marks.column(root, records)
    told: dict[str, str] = {}
    rows = [
        [
            nodes.literal("", record["claim_id"]),
            f"“{record['quote']}”" if record["quote"] else "",
            outcome_cell(record["outcome"], record["evidence"]),
            _why(record, told),
            *([own[record["claim_id"]]] if own else []),
            FigureReference(figure_id=record["figure_id"]) if record["figure_id"] else "",
        ]
        for record in records
    ]
    if not rows:
        return [nodes.paragraph("", "No claim has been judged yet.")]
    head = ["Claim", "The note says", "Verdict", "Why", *([own_marks.HEAD] if own else []), "Figure"]
    return [table(head, rows, ["benchbook-verdicts", *(["benchbook-beside"] if own else [])])]


def _why(record: dict[str, Any], told: dict[str, str]) -> list[nodes.Node]:
    """The reason; folded under it what was registered, what the verdict rests on, and what was changed since.

    told: reasons of changes to the claim that gave each first; those of this one are added.
    """
    parts: list[nodes.Node] = [nodes.paragraph("", "", *coded(record["reason"]))]
    if record.get("estimand"):
        parts.append(Folded("", nodes.paragraph("", record["estimand"]), *rests_on(record), summary=REGISTERED))
    changes = [
        change | {"reason": f"The reason is that of {told[change['reason']]}."} if change["reason"] in told else change
        for change in record.get("amendments", [])
    ]
    told |= {each["reason"]: record["claim_id"] for each in record.get("amendments", []) if each["reason"] not in told}
    return parts + amendments_folded(changes, now=record.get("estimand", ""))


def rests_on(verdict: Mapping[str, Any]) -> list[nodes.Node]:
    """The quantity, visits, processors and look of a verdict, and what leaves an open one open.

    verdict: the fields of ``model.Verdict`` that are asked for, of it or of its record.
    """
    words = [f"Basis of the verdict: {verdict['rests_on']}."] if verdict["rests_on"] else []
    if verdict["why"]:
        words.append(f"Open because: {verdict['why']}.")
    if needed := verdict["visits_needed"]:
        words.append(f"Further visits that would decide it, were point and spread to stay: {needed}.")
    if verdict["quiet"] is not None:
        words.append(f"A quiet machine {'would say the same' if verdict['quiet'] else 'might not say so'}.")
    return [nodes.paragraph("", " ".join(words))] if words else []


def amendments_folded(amendments: list[dict[str, Any]], what: str = "", now: str = "") -> list[nodes.Node]:
    """What of a claim was changed after the ledger was fixed, folded; nothing where nothing was.

    what: another thing than the claim beside which it stands. now: a text that the page shows already.
    amendments: the fields of ``claims.Amendment``, in the order in which they were made.
    """
    if not amendments:
        return []
    changes = nodes.bullet_list()
    for change in amendments:
        seen = "after" if change["data_seen"] else "before"
        was = f"was “{change['old']}”, " if change["old"] else ""
        is_now = "is what stands above" if now and change["new"] == now else f"is “{change['new']}”"
        words = f"{change['date']}, {seen} data were seen: {change['column']} {was}{is_now}. {change['reason']}"
        changes += nodes.list_item("", nodes.paragraph("", words))
    times = "once" if len(amendments) == 1 else f"{len(amendments)} times"
    amended = f"{what}, amended" if what else "Amended"
    return [Folded("", changes, summary=f"{amended} {times} since the ledger was fixed")]


def outcome_text(outcome: str) -> nodes.Node:
    """The outcome in words, with the line at its side that groups equal ones at a glance."""
    name = "benchbook-" + "".join(letter if letter.isalnum() else "-" for letter in outcome)
    return nodes.strong("", outcome, classes=["benchbook-outcome", name])


def outcome_cell(outcome: str, evidence: str) -> list[nodes.Node]:
    """The outcome, and below it what it stands on; nothing below one that asks for no data."""
    below = [] if outcome in WITHOUT_DATA else [nodes.paragraph("", evidence, classes=["benchbook-aside"])]
    return [nodes.paragraph("", "", outcome_text(outcome)), *below]


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


def rules(root: Path) -> list[nodes.Node]:
    """The amendments to the rules of all claims, folded, each with its date and its reason."""
    from benchbook.claims import protocol_amendments  # only one page needs it, while it is written

    return amendments_folded([vars(each) for each in protocol_amendments(root / AMENDMENTS)], "The rules")
