"""The page with every claim of the ledger and its verdict; a script only filters it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from benchbook import nofollow
from benchbook.book.pages import lessons, verdict_files
from benchbook.book.pages.claim_rows import claims_table
from benchbook.book.parts import chapter_names, verdict_nodes
from benchbook.book.parts.nodes import Folded
from benchbook.book.parts.verdict_nodes import token
from benchbook.book.parts.verdict_table import VERDICTS_FILE
from benchbook.model import Outcome

if TYPE_CHECKING:  # only this page needs the statistics behind the claims, and only while it is written
    from benchbook.book.records.judged import Judged
    from benchbook.claims import PlannedExperiment

SOURCES = ("claims.csv", "claims-amendments.csv", "experiments.csv", "notes/documents.csv")
"""What the page depends on, below ``data``."""
SCRIPT = "verdicts.js"


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
    rows = nofollow.rows(root / "data" / "notes" / "documents.csv", nofollow.RUN)
    return {row["note"]: row["title"] for row in rows}


def summary(judged: Sequence[Judged], note: str = "", *, main: bool = False) -> nodes.Node:
    """The strip of these claims."""
    from benchbook.book.records import basis

    return verdict_nodes.strip(basis.bars(basis.parts(judged)), note, basis.sentence(judged), main=main)


def main_claims(judged: Sequence[Judged], beside: str = "") -> list[nodes.Node]:
    """The strip of the claims that were named as the main ones, and a line that says so. beside: what it adds."""
    main = [each for each in judged if each.claim.primary]
    words = nodes.paragraph("", f"The {len(main)} main claim{'' if len(main) == 1 else 's'}{beside}:")
    return [nodes.container("", words, summary(main, main=True), classes=["benchbook-main"])]


def population(judged: Sequence[Judged]) -> nodes.Node:
    """What the claims are, in numbers."""
    from benchbook.book.records import basis

    return nodes.paragraph("", basis.population(judged), classes=["benchbook-summary"])


def form(judged: Sequence[Judged], note_titles: Mapping[str, str]) -> nodes.Node:
    """The filters: note, chapter, verdict, weight, what decides and kind, each with the values that occur."""
    from benchbook.book.records.basis import Basis, basis

    def seen(values: list[str]) -> list[str]:
        return list(dict.fromkeys(values))

    notes = seen([each.claim.note for each in judged])
    chapters = sorted({each.claim.chapter for each in judged})
    outcomes, ways = {str(each.outcome) for each in judged}, {basis(each) for each in judged}
    return verdict_nodes.filters(
        [
            ("note", "Note", [(token("note", note), f"{note} {note_titles.get(note, '')}".strip()) for note in notes]),
            ("chapter", "Chapter", [(token("chapter", name), chapter_names.in_words(name)) for name in chapters]),
            ("outcome", "Verdict", verdict_nodes.by_outcome(str(o) for o in Outcome if str(o) in outcomes)),
            ("main", "Weight", [(token("main", "yes"), "main claims"), (token("main", "no"), "other claims")]),
            ("basis", "Decided by", [(token("basis", way), str(way)) for way in Basis if way in ways]),
            (
                "kind",
                "Kind of claim",
                [(token("kind", kind), kind) for kind in seen([each.claim.kind for each in judged])],
            ),
        ]
    )


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
        root = Path(app.srcdir)
        verdict_files.write(Path(app.outdir), load(root)[0], lessons.load(root))


def add_to(app: Sphinx) -> None:
    """Make the page known to Sphinx."""
    verdict_nodes.add_to(app)
    app.add_directive("benchbook-every-claim", VerdictPageDirective)
    app.connect("html-page-context", load_script_where_needed)
    app.connect("build-finished", write_files)
