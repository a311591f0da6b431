"""The records of the book's figures in, what all of them stand on out: machines, days, engines, blocks and trials."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from benchbook.book import figure_pages
from benchbook.book.figure_records import FIGURES_FILE
from benchbook.book.tables import Cell, table
from benchbook.book.verdict_table import chapter_reference

SIMULATED = "simulation"
"""What runs of drawn numbers have in the place of an engine."""
NONE = "No measured run stands behind a figure of this book yet."


def measured(records: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Chapter to the facts of the run that its figures show; a chapter that measures no engine is left out."""
    return {each["chapter"]: each["run"] for each in records if each["run"] and _has_engine(each["run"])}


def _has_engine(run: Mapping[str, Any]) -> bool:
    return bool(run["engine"]) and run["engine"].split()[0] != SIMULATED


def sentence(runs: Iterable[Mapping[str, Any]]) -> str:
    """On what the measured chapters stand, in one sentence."""
    found = list(runs)
    if not found:
        return NONE
    days = sorted(run["measured"][:10] for run in found)
    hosts = sorted({run["host"] for run in found})
    machines = f"one machine ({hosts[0]})" if len(hosts) == 1 else f"{len(hosts)} machines ({'; '.join(hosts)})"
    when = f"on {days[0]}" if days[0] == days[-1] else f"from {days[0]} to {days[-1]}"
    runs_said = "One run stands" if len(found) == 1 else f"{len(found)} runs stand"
    trials, minutes = (sum(run[name] for run in found) for name in ("trials", "minutes"))
    return (
        f"{runs_said} behind the measured chapters: {trials:,} trials in {minutes:,.0f} minutes, "
        f"all of them on {machines}, {when}."
    )


def evidence(runs: Mapping[str, Mapping[str, Any]]) -> list[nodes.Node]:
    """The sentence, and a row per chapter. runs: facts by chapter."""
    parts: list[nodes.Node] = [nodes.paragraph("", sentence(runs.values()))]
    rows: list[list[Cell]] = [
        [
            chapter_reference(chapter),
            run["engine"],
            run["measured"][:10],
            f"{run['minutes']:g}",
            str(run["blocks"]),
            f"{run['trials']:,}",
            run["profile"],
        ]
        for chapter, run in runs.items()
    ]
    columns = ["chapter", "engine", "measured", "minutes", "blocks", "trials", "profile"]
    return [*parts, table(columns, rows, ["benchbook-runs"])] if rows else parts


class EvidenceDirective(SphinxDirective):
    """``{benchbook-evidence}``: what the measured chapters of the book as it is built stand on."""

    has_content = False
    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        """Read the records of the figures."""
        root = Path(self.env.srcdir)
        self.env.note_dependency(str(root / "book" / "chapters" / FIGURES_FILE))
        return evidence(measured(figure_pages.records(root)))


def add_to(app: Sphinx) -> None:
    """Make the directive known."""
    app.add_directive("benchbook-evidence", EvidenceDirective)
