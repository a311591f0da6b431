"""Two tables of runs: every one with a form that compares two, and what each chapter shows."""

import json
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

from docutils import nodes

from benchbook.book.parts.directives import Shown, beside_chapters, collected
from benchbook.book.parts.nodes import PageData
from benchbook.book.parts.tables import Cell, table
from benchbook.book.records import figure_list
from benchbook.book.records.figure_list import FIGURES_FILE, in_chapter
from benchbook.book.records.run_catalogue import RUNS_FILE

DATA = "benchbook-runs"


class Comparison(nodes.General, nodes.Element):  # type: ignore[misc]
    """The form that lays two runs over each other; hidden without JavaScript."""


def catalogue_table(found: Sequence[dict[str, Any]]) -> nodes.table:
    """One row per run, the newest first."""
    columns = ["run", "chapter", "profile", "state", "begun (UTC)", "minutes in trials", "trials", "engine"]
    return table(columns, [_row(row) for row in found], ["benchbook-runs"])


def _row(row: dict[str, Any]) -> list[Cell]:
    facts = row["facts"]
    state = f"{row['state']}, {'published' if row['published'] else 'local'}"
    moment = row["started"][:16].replace("T", " ")
    name: Cell = nodes.literal("", row["id"])
    if facts is None:
        return [name, row["title"], "", state, moment, "", "", ""]
    trials = f"{facts['trials']} in {facts['blocks']} blocks"
    minutes = f"{facts['minutes']:g}"
    return [name, row["title"], facts["profile"], state, moment, minutes, trials, facts["engine"]]


def status_table(figures: Iterable[Mapping[str, Any]]) -> nodes.table:
    """One row per chapter: the run that its figures show, and whether its version of the measurement is today's."""
    shown: dict[str, Mapping[str, Any]] = {}
    for figure in figures:
        if not in_chapter(figure) or figure.get("lacks"):
            continue
        if figure["run"] is not None or figure["chapter"] not in shown:
            shown[figure["chapter"]] = figure
    body: list[list[Cell]] = []
    for figure in shown.values():
        run = figure["run"]
        if run is None:
            body.append([figure["chapter_title"], "computed from the notes' numbers", "", "", ""])
            continue
        state = " ".join(run["stale"]) or "measured by today's version"
        moment = run["measured"][:16].replace("T", " ")
        name = nodes.literal("", run["run_id"])
        body.append([figure["chapter_title"], name, run["profile"], moment, state])
        body += [
            ["", nodes.literal("", each["run_id"]), each["profile"], "", "pooled with it"]
            for each in run["pooled_with"]
        ]
    return table(["chapter", "shows the run", "profile", "finished (UTC)", "state"], body, ["benchbook-runs"])


def visit_comparison_html(writer: Any, node: Comparison) -> None:
    """Two fields and a place for the result."""
    fields = "".join(
        f'<label><span>{words}</span><select name="{name}"></select></label>'
        for name, words in (("first", "One run"), ("second", "Another run"))
    )
    writer.body.append(
        '<form class="benchbook-filters benchbook-comparison" hidden aria-label="Compare two runs">'
        f'{fields}<p role="status" aria-live="polite"></p></form>\n<div class="benchbook-compared" hidden></div>\n'
    )
    raise nodes.SkipNode


def shown(root: Path) -> list[nodes.Node]:
    """Every stored run, and the form that compares two; one sentence where no run is stored."""
    found = collected(root, RUNS_FILE)
    if not found:
        return [nodes.paragraph("", "No run is stored here yet.")]
    data = json.dumps([row for row in found if row["facts"]], separators=(",", ":"))
    return [Comparison(), PageData(name=DATA, json=data), catalogue_table(found)]


class StatusDirective(Shown):
    """``{benchbook-status}``: what each chapter of this book shows."""

    reads = (beside_chapters(FIGURES_FILE),)

    def shown(self, root: Path) -> list[nodes.Node]:
        """The table, or one sentence where no chapter has a figure yet."""
        found = self.in_order(figure_list.records(root), itemgetter("page"))
        return [status_table(found)] if found else [nodes.paragraph("", "No chapter has been executed yet.")]
