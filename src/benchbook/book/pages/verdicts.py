"""The page with every claim of the ledger and its verdict; a script only filters it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx

from benchbook import nofollow
from benchbook.book.pages import lessons, verdict_files
from benchbook.book.pages.claim_rows import claims_table
from benchbook.book.parts import names, verdict_nodes
from benchbook.book.parts.directives import VERDICTS_FILE, Shown, beside_chapters, collected
from benchbook.book.parts.nodes import Folded
from benchbook.book.parts.tables import Cell, table
from benchbook.book.parts.verdict_nodes import token
from benchbook.book.records.pool_words import many
from benchbook.model import Outcome

if TYPE_CHECKING:  # only this page needs the statistics behind the claims, and only while it is written
    from benchbook.book.records.judged import Judged
    from benchbook.claims import PlannedExperiment

SOURCES = ("claims.csv", "claims-amendments.csv", "experiments.csv", "notes/documents.csv")
"""What the page depends on, below ``data``."""
READS = (beside_chapters(VERDICTS_FILE), *(f"data/{name}" for name in SOURCES))
"""What changes a page of verdicts."""


def load(root: Path) -> tuple[list[Judged], dict[str, PlannedExperiment]]:
    """Every claim with its verdict, and the experiments that claims name. root: the project's folder."""
    from benchbook.book.records.judged import from_records
    from benchbook.claims import load_claims, load_experiments

    claims = load_claims(root / "data" / "claims.csv")
    return from_records(claims, collected(root, VERDICTS_FILE)), load_experiments(root / "data" / "experiments.csv")


def titles(root: Path) -> dict[str, str]:
    rows = nofollow.rows(root / "data" / "notes" / "documents.csv", nofollow.RUN)
    return {row["note"]: row["title"] for row in rows}


def summary(judged: Sequence[Judged], note: str = "", *, main: bool = False) -> nodes.Node:
    """The strip of these claims."""
    from benchbook.book.records import basis

    return verdict_nodes.strip(basis.bars(basis.parts(judged)), note, basis.sentence(judged), main=main)


def main_claims(judged: Sequence[Judged]) -> list[nodes.Node]:
    """The strip of the claims that were named as the main ones, and a line that says so."""
    main = [each for each in judged if each.claim.primary]
    words = nodes.paragraph("", f"The {many(len(main), 'main claim')}:")
    return [nodes.container("", words, summary(main, main=True), classes=["benchbook-main"])]


def population(judged: Sequence[Judged]) -> nodes.Node:
    """What the claims are, in numbers."""
    from benchbook.book.records import basis

    return nodes.paragraph("", basis.population(judged), classes=["benchbook-summary"])


def form(judged: Sequence[Judged], note_titles: Mapping[str, str]) -> nodes.Node:
    """The filters: note, chapter, verdict, weight, what decides and kind, each with the values that occur."""
    from benchbook.book.records.basis import Basis, basis

    notes, kinds = (dict.fromkeys(getattr(each.claim, name) for each in judged) for name in ("note", "kind"))
    chapters = sorted({each.claim.chapter for each in judged})
    outcomes, ways = {str(each.outcome) for each in judged}, {basis(each) for each in judged}
    return verdict_nodes.filters(
        [
            ("note", "Note", [(token("note", note), f"{note} {note_titles.get(note, '')}".strip()) for note in notes]),
            ("chapter", "Chapter", [(token("chapter", name), names.in_words(name)) for name in chapters]),
            ("outcome", "Verdict", verdict_nodes.by_outcome(str(o) for o in Outcome if str(o) in outcomes)),
            ("main", "Weight", [(token("main", "yes"), "main claims"), (token("main", "no"), "other claims")]),
            ("basis", "Decided by", [(token("basis", way), str(way)) for way in Basis if way in ways]),
            ("kind", "Kind of claim", [(token("kind", kind), kind) for kind in kinds]),
        ]
    )


class VerdictPageDirective(Shown):
    """``{benchbook-every-claim}``: what the claims are, strips, the filters, and per note a strip and a folded table.

    ``:main:`` gives only the strip of the main claims, ``:counts:`` only the sentence on what the claims are,
    ``:note:`` only the strip of a note.
    """

    reads = READS
    option_spec: ClassVar[dict[str, Any]] = {
        "counts": directives.flag, "main": directives.flag, "note": directives.unchanged_required,
    }  # fmt: skip

    def shown(self, root: Path) -> list[nodes.Node]:
        judged, experiments = load(root)
        if "counts" in self.options:
            return [population(judged)]
        if "main" in self.options:
            return main_claims(judged)
        if note := self.options.get("note"):
            return [summary([each for each in judged if each.claim.note == note], note)]
        note_titles = titles(root)
        words = nodes.paragraph("", f"All {len(judged)} claims:")
        every = nodes.container("", words, summary(judged), classes=["benchbook-main"])
        parts = [population(judged), *main_claims(judged), every, verdict_files.links(), form(judged, note_titles)]
        for note in dict.fromkeys(each.claim.note for each in judged):
            own = [each for each in judged if each.claim.note == note]
            made = claims_table(own, experiments, self.has_chapter)
            section = nodes.section(ids=[f"note-{note}"], names=[f"note-{note}"], classes=["benchbook-note"])
            section += nodes.title("", f"Note {note}: {note_titles.get(note, '')}")
            folded = Folded("", made, summary=f"The {len(own)} claims of note {note}")
            section += [summary(own, note), folded]
            parts.append(section)
        return parts


def open_nodes(judged: Sequence[Judged]) -> list[nodes.Node]:
    """A table of the kinds with their numbers, and folded under it each open claim; nothing where none is open."""
    from benchbook.book.records.basis import MEANS, by_kind, would_decide

    found = by_kind(judged)
    if not found:
        return []
    kinds: list[list[Cell]] = [[str(kind), str(len(own)), MEANS[kind]] for kind, own in found.items()]
    rows: list[list[Cell]] = [
        [
            nodes.reference("", "", nodes.literal("", each.claim.id), internal=True, refid=names.anchor(each.claim.id)),
            f"“{each.claim.quote}”",
            str(kind),
            would_decide(each),
        ]
        for kind, own in found.items()
        for each in own
    ]
    number = sum(map(len, found.values()))
    every = table(["claim", "the note says", "verdict", "what would decide it"], rows, ["benchbook-runs"])
    return [
        table(["open", "claims", "what that means"], kinds, ["benchbook-runs"]),
        Folded("", every, summary=f"The {number} open claims, and what would decide each"),
    ]


def shown_open(root: Path) -> list[nodes.Node]:
    """The open claims, on the page of every claim, whose rows they link to."""
    return open_nodes(load(root)[0])


def write_files(app: Sphinx) -> None:
    """Put the claims with their verdicts beside the page, for programs."""
    if "book/verdicts" in app.env.found_docs:
        root = Path(app.srcdir)
        verdict_files.write(Path(app.outdir), load(root)[0], lessons.load(root))
