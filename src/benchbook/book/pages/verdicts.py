"""The page with every claim of the ledger and its verdict; a script only filters it."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from benchbook.book.pages import verdict_files
from benchbook.book.parts import chapter_names, claim_links, verdict_nodes
from benchbook.book.parts.nodes import Folded
from benchbook.book.parts.tables import Cell, table
from benchbook.book.parts.verdict_nodes import token
from benchbook.book.parts.verdict_table import (
    REGISTERED,
    VERDICTS_FILE,
    amendments_folded,
    chapter_reference,
    figure_reference,
    outcome_text,
    rests_on,
    widened_by,
)
from benchbook.model import Outcome

if TYPE_CHECKING:  # only this page needs the statistics behind the claims, and only while it is written
    from benchbook.book.records.judged import Judged
    from benchbook.claims import Claim, PlannedExperiment

SOURCES = ("claims.csv", "claims-amendments.csv", "verdicts-earlier.csv", "experiments.csv", "notes/documents.csv")
"""What the page depends on, below ``data``."""
SCRIPT = "verdicts.js"

Known = Callable[[str], bool]


def load(root: Path) -> tuple[list[Judged], dict[str, PlannedExperiment]]:
    """Every claim with its verdict, and the experiments that claims name. root: the project's folder."""
    from benchbook.book.records.judged import from_records
    from benchbook.claims import load_claims, load_experiments

    path = root / "book" / "chapters" / VERDICTS_FILE
    records = json.loads(path.read_text("utf-8")) if path.is_file() else []
    claims = load_claims(root / "data" / "claims.csv")
    return from_records(claims, records), load_experiments(root / "data" / "experiments.csv")


def read(env: BuildEnvironment) -> tuple[list[Judged], dict[str, PlannedExperiment]]:
    """The same for a page being written, which is written again whenever the verdicts or the ledger change."""
    root = Path(env.srcdir)
    for path in (root / "book" / "chapters" / VERDICTS_FILE, *(root / "data" / name for name in SOURCES)):
        env.note_dependency(str(path))
    return load(root)


def titles(root: Path) -> dict[str, str]:
    """The notes' titles by their numbers."""
    with (root / "data" / "notes" / "documents.csv").open(encoding="utf-8", newline="") as file:
        return {row["note"]: row["title"] for row in csv.DictReader(file)}


def summary(judged: Sequence[Judged], note: str = "", *, main: bool = False) -> nodes.Node:
    """The strip of these claims."""
    from benchbook.book.records import basis

    return verdict_nodes.strip(basis.parts(judged), note, basis.sentence(judged), main=main)


def main_claims(judged: Sequence[Judged]) -> list[nodes.Node]:
    """The strip of the claims that were named as the main ones, and a line that says so."""
    main = [each for each in judged if each.claim.primary]
    words = nodes.paragraph("", f"The {len(main)} main claims:")
    return [nodes.container("", words, summary(main, main=True), classes=["benchbook-main"])]


def population(judged: Sequence[Judged]) -> nodes.Node:
    """What the claims are, in numbers."""
    from benchbook.book.records import basis

    return nodes.paragraph("", basis.population(judged), classes=["benchbook-summary"])


def form(judged: Sequence[Judged], note_titles: Mapping[str, str]) -> nodes.Node:
    """The filters: note, chapter, verdict, weight, what decides and kind, each with the values that occur."""
    from benchbook.book.records.basis import Basis, basis

    def options(kind: str, values: Sequence[str]) -> list[tuple[str, str]]:
        return [(token(kind, value), value) for value in values]

    def seen(values: list[str]) -> list[str]:
        return list(dict.fromkeys(values))

    notes = seen([each.claim.note for each in judged])
    chapters = sorted({each.claim.chapter for each in judged})
    outcomes, ways = {str(each.outcome) for each in judged}, {basis(each) for each in judged}
    return verdict_nodes.filters(
        [
            ("note", "Note", [(token("note", note), f"{note} {note_titles.get(note, '')}".strip()) for note in notes]),
            ("chapter", "Chapter", [(token("chapter", name), chapter_names.in_words(name)) for name in chapters]),
            ("outcome", "Verdict", options("outcome", [str(o) for o in Outcome if str(o) in outcomes])),
            ("main", "Weight", [(token("main", "yes"), "main claims"), (token("main", "no"), "other claims")]),
            ("basis", "Decided by", [(token("basis", way), str(way)) for way in Basis if way in ways]),
            ("kind", "Kind of claim", options("kind", seen([each.claim.kind for each in judged]))),
        ]
    )


def claims_table(
    judged: Sequence[Judged],
    experiments: Mapping[str, PlannedExperiment],
    exists: Known,
) -> nodes.table:
    """One row per claim, marked with its note, chapter, verdict and kind.

    exists: whether the book has a chapter.
    """
    from benchbook.book.records.basis import basis

    rows: list[list[Cell]] = [
        [
            _identity(each.claim),
            _words(each.claim),
            outcome_text(str(each.outcome)),
            _why(each, experiments, exists),
            _where(each, exists),
        ]
        for each in judged
    ]
    made = table(["Claim", "The note says", "Verdict", "Why", "Where"], rows, ["benchbook-verdicts"])
    body = next(iter(made.findall(nodes.tbody)))
    for row, each in zip(body.children, judged, strict=True):
        row["ids"].append(claim_links.anchor(each.claim.id))
        marks = {"note": each.claim.note, "chapter": each.claim.chapter, "kind": each.claim.kind}
        marks |= {"outcome": str(each.outcome), "basis": str(basis(each))}
        marks["main"] = "yes" if each.claim.primary else "no"
        row["classes"] += [token(kind, value) for kind, value in marks.items()]
    return made


def _identity(claim: Claim) -> list[nodes.Node]:
    return [nodes.paragraph("", "", nodes.literal("", claim.id)), *([_aside("main claim")] if claim.primary else [])]


def _words(claim: Claim) -> list[nodes.Node]:
    place = f"{claim.section} · {claim.kind}" if claim.section else claim.kind
    return [nodes.paragraph("", f"“{claim.quote}”"), _aside(place)]


def _aside(text: str) -> nodes.Node:
    return nodes.paragraph("", text, classes=["benchbook-aside"])


def _why(judged: Judged, experiments: Mapping[str, PlannedExperiment], exists: Known) -> list[nodes.Node]:
    """The reason with w, and folded under it what was registered and what the verdict rests on."""
    claim = judged.claim
    rule = [nodes.paragraph("", claim.estimand)]
    rule += [nodes.paragraph("", f"Our reading: {claim.reading}")] if claim.reading else []
    if claim.experiments:
        named = "; ".join(experiments[name].title for name in claim.experiments)
        rule.append(nodes.paragraph("", f"Planned as: {named}."))
    rule += rests_on(judged.verdict.rests_on)
    parts: list[nodes.Node] = [nodes.paragraph("", reason(judged, exists)), *widened_by(judged.verdict.w)]
    parts.append(Folded("", *rule, summary=REGISTERED))
    return parts + amendments_folded([vars(change) for change in claim.amendments], now=claim.estimand)


def reason(judged: Judged, exists: Known) -> str:
    """Why a claim came out as it did, or what it waits for. exists: whether the book has a chapter."""
    given, written = judged.verdict.reason, exists(judged.claim.chapter)
    if judged.outcome is Outcome.NOT_TESTABLE:
        return f"This machine cannot decide it. {given}"
    if judged.judged_by or judged.outcome not in (Outcome.NOT_YET_RUN, Outcome.NOT_A_MEASUREMENT):
        return given
    if judged.outcome is Outcome.NOT_YET_RUN:
        if written:
            return "Its chapter is written and has no run to show yet."
        return "Its chapter is planned but not written yet. The rule that will decide it is already fixed."
    if written:
        return given
    return "This is a recommendation or an opinion, which no measurement decides. Its planned chapter will discuss it."


def _where(judged: Judged, exists: Known) -> list[nodes.Node]:
    """The figure that shows it, else the chapter; a chapter that is not written yet by its name."""
    chapter = judged.judged_by or judged.claim.chapter
    reference: nodes.Node | str = figure_reference(judged.verdict.figure_id)
    if not isinstance(reference, str):
        return [nodes.paragraph("", "", reference)]
    if exists(chapter):
        return [nodes.paragraph("", "", chapter_reference(chapter))]
    return [nodes.paragraph("", "", nodes.Text(f"planned chapter: {chapter_names.in_words(chapter)}"))]


class VerdictPageDirective(SphinxDirective):
    """``{benchbook-every-claim}``: what the claims are, strips, the filters, and per note a strip and a folded table.

    ``:main:`` gives only the strip of the main claims, ``:counts:`` only the sentence on what the claims are.
    """

    has_content = False
    option_spec: ClassVar[dict[str, Any]] = {"counts": directives.flag, "main": directives.flag}

    def run(self) -> list[nodes.Node]:
        """Read the ledger and the collected verdicts, and note the page's dependence on them."""
        judged, experiments = read(self.env)
        if "counts" in self.options:
            return [population(judged)]
        if "main" in self.options:
            return main_claims(judged)
        note_titles = titles(Path(self.env.srcdir))
        words = nodes.paragraph("", f"All {len(judged)} claims:")
        every = nodes.container("", words, summary(judged), classes=["benchbook-main"])
        parts = [population(judged), *main_claims(judged), every, verdict_files.links(), form(judged, note_titles)]
        for note in dict.fromkeys(each.claim.note for each in judged):
            own = [each for each in judged if each.claim.note == note]
            made = claims_table(own, experiments, self._exists)
            section = nodes.section(ids=[f"note-{note}"], names=[f"note-{note}"], classes=["benchbook-note"])
            section += nodes.title("", f"Note {note}: {note_titles.get(note, '')}")
            folded = Folded("", made, summary=f"The {len(own)} claims of note {note}")
            section += [summary(own, note), folded]
            parts.append(section)
        return parts

    def _exists(self, chapter: str) -> bool:
        return f"book/chapters/{chapter}" in self.env.found_docs


def load_script_where_needed(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Load the script of the filters only on a page that has them."""
    if doctree is not None and next(iter(doctree.findall(verdict_nodes.Filters)), None) is not None:
        app.add_js_file(SCRIPT, loading_method="defer", priority=500)


def write_files(app: Sphinx, error: Exception | None) -> None:
    """Put the claims with their verdicts beside the page, for programs."""
    if error is None and app.builder.format == "html" and "book/verdicts" in app.env.found_docs:
        verdict_files.write(Path(app.outdir), load(Path(app.srcdir))[0])


def add_to(app: Sphinx) -> None:
    """Make the page known to Sphinx."""
    verdict_nodes.add_to(app)
    app.add_directive("benchbook-every-claim", VerdictPageDirective)
    app.connect("html-page-context", load_script_where_needed)
    app.connect("build-finished", write_files)
