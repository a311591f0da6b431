"""The records of the book's own figures, which stand in no chapter: its speed, and how steady the machine was."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from benchbook.bench import record as performance_record
from benchbook.book.records import figure_record, run_pools
from benchbook.book.records.figure_list import has_engine
from benchbook.book.records.run_facts import COMMAND
from benchbook.figures import Figure


def of_performance(root: Path) -> list[dict[str, Any]]:
    """The record of the figure on the performance page; none where the book's own speed was not measured."""
    measured = performance_record.read(root / performance_record.FILE)
    if measured is None:
        return []
    from benchbook.book.records.performance_figure import ratios  # brings the statistics, which nothing else needs

    figure = ratios(measured)
    if figure is None:
        return []
    source = f"{performance_record.FILE.as_posix()}, written by make bench"
    date = max(part.measured_at for part in measured.parts)
    return [_made(root, figure, "performance", "Performance", source, date, "make bench")]


def of_steadiness(root: Path, figures: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The record of the figure that shows how steady the machine was; none where no run looked at its canary.

    figures: the records of the chapters, whose runs are shown.
    """
    from benchbook.book.records import steadiness_figure
    from benchbook.numbers import environment

    own = [figure for figure in figures if figure["run"] and not figure.get("lacks")]
    measured = [figure for figure in own if has_engine(figure["run"])]
    titles = {figure["run_id"]: figure["chapter_title"] for figure in measured}
    entries = run_pools.entries()
    shown = [(title, each) for run, title in titles.items() if run in entries for each in run_pools.pool(entries[run])]
    figure = steadiness_figure.of_runs(shown, environment.quiet_levels(local=True))
    if figure is None:
        return []
    source = "the canary's readings in the records of the runs"
    date = max(entry.record["finished_at"] for _, entry in shown if entry.record)
    return [_made(root, figure, "threats", "Threats to validity", source, date, f"{COMMAND} build --edition")]


def _made(root: Path, figure: Figure, page: str, title: str, source: str, date: str, command: str) -> dict[str, Any]:
    origin = {
        "chapter": page,
        "chapter_title": title,
        "page": f"book/{page}",
        "source": source,
        "date": date[:10],
        "run": None,
        "command": command,
    }
    return figure_record.made(root, figure.record(), origin)
