"""Two tables of runs: every one with a form that compares two, and what each chapter shows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from benchbook.book.pages.figure_index import in_order
from benchbook.book.parts.nodes import PageData
from benchbook.book.parts.tables import Cell, table
from benchbook.book.records import figure_list
from benchbook.book.records.figure_list import in_chapter
from benchbook.book.records.run_catalogue import RUNS_FILE

SCRIPT = "runs.js"
DATA = "benchbook-runs"


class Comparison(nodes.General, nodes.Element):  # type: ignore[misc]
    """The form that lays two runs over each other; hidden without JavaScript."""


def rows(root: Path) -> list[dict[str, Any]]:
    """The catalogue beside the executed chapters; none where there is none."""
    path = root / "book" / "chapters" / RUNS_FILE
    return json.loads(path.read_text("utf-8")) if path.is_file() else []


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


def _skip(writer: Any, node: Comparison) -> None:
    raise nodes.SkipNode


class RunsDirective(SphinxDirective):
    """``{benchbook-runs}``: every stored run, and the form that compares two."""

    has_content = False

    def run(self) -> list[nodes.Node]:
        """The form and the table, or one sentence where no run is stored."""
        found = rows(Path(self.env.srcdir))
        self.env.note_dependency(f"book/chapters/{RUNS_FILE}")
        if not found:
            return [nodes.paragraph("", "No run is stored here yet.")]
        complete = [row for row in found if row["facts"]]
        data = json.dumps(complete, separators=(",", ":"))
        return [Comparison(), PageData(name=DATA, json=data), catalogue_table(found)]


class StatusDirective(SphinxDirective):
    """``{benchbook-status}``: what each chapter of this book shows."""

    has_content = False

    def run(self) -> list[nodes.Node]:
        """The table, or one sentence where no chapter has a figure yet."""
        contents: Iterable[str] = getattr(self.env, "external_site_map", ())
        found = in_order(figure_list.records(Path(self.env.srcdir)), contents)
        self.env.note_dependency("book/chapters/figures.json")
        return [status_table(found)] if found else [nodes.paragraph("", "No chapter has been executed yet.")]


def load_script(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """The comparing script, on the page that has its form."""
    if doctree is not None and next(iter(doctree.findall(Comparison)), None) is not None:
        app.add_js_file(SCRIPT, loading_method="defer", priority=600)


def add_to(app: Sphinx) -> None:
    """Make directives and node known."""
    app.add_directive("benchbook-runs", RunsDirective)
    app.add_directive("benchbook-status", StatusDirective)
    none: Any = (_skip, None)
    html: Any = (visit_comparison_html, None)
    app.add_node(Comparison, html=html, latex=none, text=none, man=none, texinfo=none)
    app.connect("html-page-context", load_script)
