"""The records of the book's own figures, which stand in no chapter: its speed, and how steady the machine was."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from benchbook.bench import record as performance_record
from benchbook.book.records import figure_list, pool_record
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

    measured = [
        each for each in figures if each["run"] and not each.get("lacks") and figure_list.has_engine(each["run"])
    ]
    titles = {figure["run_id"]: figure["chapter_title"] for figure in measured}
    entries = pool_record.entries()
    own = ((title, entries[run]) for run, title in titles.items() if run in entries)
    shown = [(title, each) for title, entry in own for each in pool_record.pool(entry)]
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
    return figure_list.made(root, figure.record(), origin)
