"""Two tables of runs, every one and what each chapter shows; and what all stand on."""

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

from docutils import nodes

from benchbook.book.parts.directives import Shown, beside_chapters, collected
from benchbook.book.parts.tables import Cell, table
from benchbook.book.records import figure_list
from benchbook.book.records.figure_list import FIGURES_FILE, has_engine, in_chapter
from benchbook.book.records.run_catalogue import RUNS_FILE

NO_EVIDENCE = "No figure of this book is based on a measured run yet."


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
    for figure in (each for each in figures if in_chapter(each) and not each.get("lacks")):
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
        body.append([figure["chapter_title"], nodes.literal("", run["run_id"]), run["profile"], moment, state])
        for each in run["pooled_with"]:
            body.append(["", nodes.literal("", each["run_id"]), each["profile"], "", "pooled with it"])
    return table(["chapter", "shows the run", "profile", "finished (UTC)", "state"], body, ["benchbook-runs"])


def shown(root: Path) -> list[nodes.Node]:
    """Every stored run; one sentence where none is stored."""
    found = collected(root, RUNS_FILE)
    return [catalogue_table(found) if found else nodes.paragraph("", "No run is stored here yet.")]


class StatusDirective(Shown):
    """``{benchbook-status}``: what each chapter of this book shows."""

    reads = (beside_chapters(FIGURES_FILE),)

    def shown(self, root: Path) -> list[nodes.Node]:
        """The table, or one sentence where no chapter has a figure yet."""
        found = self.in_order(figure_list.records(root), itemgetter("page"))
        return [status_table(found)] if found else [nodes.paragraph("", "No chapter has been executed yet.")]


def measured(records: Iterable[Mapping[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Chapter to the facts of the runs that its figures show, the oldest first; one without an engine is left out."""
    own = [each for each in records if each["run"] and not each.get("lacks")]
    return {each["chapter"]: [*each["run"]["pooled_with"], each["run"]] for each in own if has_engine(each["run"])}


def sentence(runs: Iterable[Mapping[str, Any]]) -> str:
    """On what the measured chapters stand, in one sentence."""
    found = list(runs)
    if not found:
        return NO_EVIDENCE
    days = sorted(run["measured"][:10] for run in found)
    hosts = sorted({run["host"] for run in found})
    machines = "one processor and kernel" if len(hosts) == 1 else f"{len(hosts)} pairs of processor and kernel"
    when = f"on {days[0]}" if days[0] == days[-1] else f"from {days[0]} to {days[-1]}"
    runs_said = "One run stands" if len(found) == 1 else f"{len(found)} runs stand"
    trials, minutes = (sum(run[name] for run in found) for name in ("trials", "minutes"))
    return (
        f"{runs_said} behind the measured chapters: {trials:,} trials, {minutes:,.0f} minutes in all, "
        f"on {machines} ({'; '.join(hosts)}), {when}."
    )


def evidence(root: Path) -> list[nodes.Node]:
    """The sentence on what the measured chapters of the book as it is built stand on."""
    found = measured(figure_list.records(root))
    return [nodes.paragraph("", sentence(run for runs in found.values() for run in runs))]
