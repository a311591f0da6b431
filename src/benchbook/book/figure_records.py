"""Executed chapters in, one record per figure out: the drawing with everything that stands behind it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from benchbook import lab, store
from benchbook.bench import record as performance_record
from benchbook.book import inputs, notebook_text, references
from benchbook.book.noise_line import PGBENCH, noise_line
from benchbook.book.run_facts import COMMAND, facts
from benchbook.errors import BenchbookError, suggestion
from benchbook.experiments import standing
from benchbook.figures import MIME_TYPE

CHAPTERS = "book/chapters"
FIGURES_FILE = "figures.json"
"""Beside the executed chapters: a list of records, in the order of the chapters and of the figures in them."""
SIMULATED = "simulation"
"""What runs of drawn numbers have in the place of an engine."""


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
    entries = _entries()

    @cache
    def known(run_id: str) -> dict[str, Any] | None:
        return _facts(entries[run_id]) if run_id in entries else None

    floor = cache(noise_line)
    for path in chapters:
        notebook = notebook_text.parse(path.read_text("utf-8"))
        for figure in _figures(notebook):
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
            records.append(_record(root, figure, origin))
            run = records[-1]["run"] or {}
            records[-1]["noise_floor"] = floor(run["blocks"]) if run.get("experiment") in PGBENCH else ""
    return records


def _entries() -> dict[str, store.Entry]:
    """The runs whose record can be read, by their ids."""
    return {entry.id: entry for entry in store.catalogue() if entry.record is not None}


def _check(figure: Mapping[str, Any], chapter: str) -> None:
    """What ``Figure`` refuses is refused here too: a notebook may show a record that it made in another way."""
    lacking = [name for name in ("caption", "alt") if not str(figure.get(name) or "").strip()]
    if not (figure.get("data") or {}).get("data"):
        lacking.append("data")
    if lacking:
        raise BenchbookError(
            f"figure {figure['id']} in {chapter} has no {', no '.join(lacking)}", "show a benchbook.figures.Figure"
        )


def _figures(notebook: Any) -> list[dict[str, Any]]:
    return [
        output["data"][MIME_TYPE]
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if MIME_TYPE in output.get("data", {})
    ]


def of_performance(root: Path) -> list[dict[str, Any]]:
    """The record of the figure on the performance page; none where the book's own speed was not measured."""
    measured = performance_record.read(root / performance_record.FILE)
    if measured is None:
        return []
    from benchbook.book.performance_figure import ratios  # brings the statistics, which no other figure needs here

    figure = ratios(measured)
    if figure is None:
        return []
    origin = {
        "chapter": "performance",
        "chapter_title": "Performance and drift",
        "page": "book/performance",
        "source": f"{performance_record.FILE.as_posix()}, written by make bench",
        "date": max(part.measured_at for part in measured.parts)[:10],
        "run": None,
        "command": "make bench",
    }
    return [_record(root, figure.record(), origin)]


def of_steadiness(root: Path, figures: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The record of the figure that shows how steady the machine was; none where no run looked at its canary.

    figures: the records of the chapters, whose runs are shown.
    """
    from benchbook.book import steadiness_figure
    from benchbook.experiments import environment

    own = [figure for figure in figures if figure["run"] and not figure.get("lacks")]
    measured = [figure for figure in own if has_engine(figure["run"])]
    titles = {figure["run_id"]: figure["chapter_title"] for figure in measured}
    entries = _entries()
    shown = [row for run, title in titles.items() if run in entries for row in _sessions(title, entries[run])]
    figure = steadiness_figure.of_runs(shown, environment.quiet_levels(local=True))
    if figure is None:
        return []
    origin = {
        "chapter": "threats",
        "chapter_title": "Threats to validity",
        "page": "book/threats",
        "source": "the canary's readings in the records of the runs",
        "date": max(entry.record["finished_at"] for _, entry in shown if entry.record)[:10],
        "run": None,
        "command": f"{COMMAND} build --edition",
    }
    return [_record(root, figure.record(), origin)]


def _facts(entry: store.Entry) -> dict[str, Any]:
    """What is known of a run; under ``pooled_with`` the same of the other runs that stand for its chapter with it."""
    others = [facts(each).record() for each in _pool(entry) if each.id != entry.id]
    return facts(entry).record() | {"pooled_with": others}


def _pool(entry: store.Entry) -> list[store.Entry]:
    """The runs that stand for a chapter with this one, oldest first; alone where its experiment is no longer known."""
    record = entry.record or {}
    if record["experiment"] not in lab.names():
        return [entry]
    found = standing.pool(lab.experiment(record["experiment"]), record["key"], public=entry.published)
    return found if entry.id in {each.id for each in found} else [entry]


def _sessions(title: str, entry: store.Entry) -> list[tuple[str, store.Entry]]:
    """The runs that stand for a chapter together with this one, each with its name; dated where there are several."""
    parts = _pool(entry)
    if len(parts) == 1:
        return [(title, entry)]
    return [(f"{title}, {(each.record or {})['started_at'][:10]}", each) for each in parts]


def behind(figure: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What is known of each run that a figure shows, pooled ones among them; nothing for one without a run."""
    run = figure["run"]
    return [*run.get("pooled_with", ()), run] if run else []


def has_engine(run: Mapping[str, Any]) -> bool:
    """Whether a run, by its facts, measured an engine and not drawn numbers."""
    return bool(run["engine"]) and run["engine"].split()[0] != SIMULATED


def in_chapter(record: Mapping[str, Any]) -> bool:
    """Whether a figure stands in a chapter; one that does not is of the book itself, and shows no run."""
    return str(record["page"]).startswith(f"{CHAPTERS}/")


def _origin(root: Path, chapter: str, heading: str, run: dict[str, Any] | None) -> dict[str, Any]:
    """Where a chapter's figure is from: its page, its run or the notes, and what makes it again."""
    return {
        "chapter": chapter,
        "chapter_title": heading,
        "page": f"{CHAPTERS}/{chapter}",
        "source": "computed from data/notes",
        "date": (run["measured"] if run else "") or _of_the_book(root),
        "run": run,
        "command": run["command"] if run else f"{COMMAND} run {chapter}",
    }


def _record(root: Path, figure: Mapping[str, Any], origin: dict[str, Any]) -> dict[str, Any]:
    record = {
        **{name: figure[name] for name in ("id", "caption", "alt", "run_id", "data", "plot")},
        "interval": figure.get("interval", ""),
        "lacks": figure.get("lacks", ""),
        "title": _title(figure["caption"]),
        "data_sha256": data_sha256(figure["data"]),
        **origin,
    }
    reference = references.of_figure(root, record)
    record["citations"] = {form: references.cite(reference, form) for form in references.FORMATS}
    return record


def _of_the_book(root: Path) -> str:
    """The date of a figure that is computed from the notes' numbers: that of the book's version."""
    return str(references.book(root)["date-released"])


_DRAWING = re.compile(
    r",? (?:both axes logarithmic|logarithmic(?: ax[ie]s)?|mean over trials|paired within blocks"
    r"|with 95 % intervals(?: \([^)]*\))?)(?=,|$)"
)
"""What a caption says of how its figure is drawn, which belongs in no title."""


def _title(caption: str) -> str:
    """The caption's first sentence, up to a colon or semicolon, without how it is drawn and brackets that stay open."""
    first = re.split(r"(?<=\?)\s|[.:;](?:\s|$)", caption, maxsplit=1)[0].strip()
    first = _DRAWING.sub("", first)
    opened = first.rfind("(")
    return first[:opened].rstrip() or first if opened > first.rfind(")") else first


def data_sha256(data: Mapping[str, Any]) -> str:
    """SHA-256 of a figure's table as compact JSON: ``columns`` and ``data`` (rows)."""
    return hashlib.sha256(json.dumps(data, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def stored(root: Path) -> list[dict[str, Any]]:
    """The records of the book as it was last built; raises BenchbookError when none was."""
    path = root / "book" / "chapters" / FIGURES_FILE
    if not path.is_file():
        raise BenchbookError("no book has been built here, so it has no figures yet", "run `benchbook build --edition`")
    found: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))
    return found


def find(records: Iterable[dict[str, Any]], identity: str) -> dict[str, Any]:
    """One figure; raises BenchbookError with the nearest id."""
    known = {record["id"]: record for record in records}
    if identity not in known:
        raise BenchbookError(
            f"the book has no figure {identity!r}{suggestion(identity, known)}",
            "see the book's page of figures, or the line below each figure",
        )
    return known[identity]


def write(folder: Path, records: list[dict[str, Any]]) -> None:
    """Store the records beside the chapters."""
    inputs.write_atomically(folder / FIGURES_FILE, json.dumps(records, indent=1, ensure_ascii=False) + "\n")
