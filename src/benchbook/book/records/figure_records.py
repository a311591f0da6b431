"""One record for each figure: of the executed chapters, where no id stands for two, and of the book itself.

The book's own stand in no chapter: its speed, and how steady the machine was.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from benchbook import store
from benchbook.bench import record as performance_record
from benchbook.book.records import (
    figure_list,
    notebook_text,
    performance_figure,
    pool_record,
    references,
    steadiness_figure,
)
from benchbook.book.records.run_facts import COMMAND, facts
from benchbook.chapters.noise_floor import Summary, noise_floor_line
from benchbook.errors import BenchbookError
from benchbook.experiments import catalogue, chosen_runs
from benchbook.figures import MIME_TYPE, VERDICTS_MIME_TYPE, Figure
from benchbook.numbers import environment, host_kinds

PGBENCH = ("noise_floor", "shared_buffers", "io_cliff")
"""The chapters of which the noise floor speaks: in the others something else is timed, and their own A/A pair tells."""


def of_chapters(
    root: Path, chapters: Iterable[Path], earlier: Mapping[str, tuple[str, str]] = MappingProxyType({})
) -> list[dict[str, Any]]:
    """The records of all figures of the executed chapters.

    earlier: id to chapter and edition of the figures in editions. Raises BenchbookError that names both places when
    two figures have one id, also when an edition has it in another chapter, and for a figure that lacks its caption,
    its alternative text or its data.
    """
    records: list[dict[str, Any]] = []
    places: dict[str, str] = {}
    entries = pool_record.entries()

    @cache
    def known(run_id: str) -> dict[str, Any] | None:
        return _facts(entries[run_id]) if run_id in entries else None

    floor = cache(_noise_line)
    for path in chapters:
        notebook = notebook_text.parse(path.read_text("utf-8"))
        judged = [record for table in notebook_text.shown(notebook, VERDICTS_MIME_TYPE) for record in table]
        for figure in shown(notebook):
            if figure["id"] in places:
                raise BenchbookError(
                    f"two figures have the id {figure['id']}: one in {places[figure['id']]}, one in {path.stem}",
                    "rename the newer one; an id never stands for two figures",
                )
            chapter, edition = earlier.get(figure["id"], (path.stem, ""))
            if chapter != path.stem:
                raise BenchbookError(
                    f"the id {figure['id']} stands for a figure of {chapter} in the edition {edition}, and now for "
                    f"one in {path.stem}",
                    "rename the one in the book of today; an id never stands for two figures",
                )
            _check(figure, path.stem)
            places[figure["id"]] = path.stem
            origin = _origin(root, path.stem, notebook_text.heading(notebook), known(figure["run_id"]))
            run = origin["run"] or {}
            beside = {
                "noise_floor": floor(run["pool"]["blocks"]) if run.get("experiment") in PGBENCH else "",
                "by_host": pool_record.by_host(judged, figure["id"]),
            }
            records.append(figure_list.made(root, figure, origin) | beside)
    return records


def _check(figure: Mapping[str, Any], chapter: str) -> None:
    """What ``Figure`` refuses is refused here too: a notebook may show a record that it made in another way."""
    lacking = [name for name in ("title", "caption", "alt") if not str(figure.get(name) or "").strip()]
    if not (figure.get("data") or {}).get("data"):
        lacking.append("data")
    if lacking:
        raise BenchbookError(
            f"figure {figure['id']} in {chapter} has no {', no '.join(lacking)}", "show a benchbook.figures.Figure"
        )


def shown(notebook: Any) -> list[dict[str, Any]]:
    """The records of the figures that an executed notebook shows, in its order."""
    return notebook_text.shown(notebook, MIME_TYPE)


def _noise_line(blocks: int) -> str:
    """Which differences so many blocks can show; "" where no noise floor is published, or not of this version."""
    chapter = catalogue.experiment("noise_floor")
    run = chosen_runs.run(chapter)
    if run is None:
        return ""
    try:
        return noise_floor_line(cast(Summary, chapter.summarize(run)), blocks)
    except BenchbookError:  # too few blocks for a spread
        return ""


def _facts(entry: store.Entry) -> dict[str, Any]:
    """What is known of a run; under ``pooled_with`` the same of the other runs that stand for its chapter with it.

    pool: what all of these rest on together. mixes: which hosts they were measured on, in words, where there are
    several.
    """
    pool = pool_record.pool(entry)
    known = [facts(each) for each in pool]
    (own,) = (each for each in known if each.run_id == entry.id)
    return own.record() | {
        "pooled_with": [each.record() for each in known if each is not own],
        "pool": pool_record.of(pool, known),
        "mixes": host_kinds.mixture(chosen_runs.parts(pool)),
    }


def _origin(root: Path, chapter: str, heading: str, run: dict[str, Any] | None) -> dict[str, Any]:
    """Where a chapter's figure is from: its page, its run or the notes, and what makes it again."""
    return {
        "chapter": chapter,
        "chapter_title": heading,
        "page": f"{figure_list.CHAPTERS}/{chapter}",
        "source": f"measured in run {run['run_id']}" if run else "computed from data/notes",
        "date": (run["measured"] if run else "") or references.day(root),  # of the notes' numbers: the book's version
        "run": run,
        "command": run["command"] if run else f"{COMMAND} run {chapter}",
    }


def of_performance(root: Path) -> list[dict[str, Any]]:
    """The record of the figure on the performance page; none where the book's own speed was not measured."""
    measured = performance_record.read(root / performance_record.FILE)
    if measured is None:
        return []
    if (figure := performance_figure.ratios(measured)) is None:
        return []
    source = f"{performance_record.FILE.as_posix()}, written by make bench"
    date = max(part.measured_at for part in measured.parts)
    return [_made(root, figure, "performance", "Performance", source, date, "make bench")]


def of_steadiness(root: Path, figures: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The record of how steady the machine was in the runs of these figures; none where none looked at its canary."""
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
    origin = {"chapter": page, "chapter_title": title, "page": f"book/{page}", "source": source, "date": date[:10]}
    return figure_list.made(root, figure.record(), origin | {"run": None, "command": command})
