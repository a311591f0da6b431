"""The list of the book's figures, kept beside the executed chapters: its records, and what one of them says.

A record is the drawing with everything that stands behind it.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from benchbook.book.records import citation_forms, inputs, references
from benchbook.errors import BenchbookError, suggestion

CHAPTERS = "book/chapters"
FIGURES_FILE = "figures.json"
"""Beside the executed chapters: a list of records, in the order of the chapters and of the figures in them."""
SIMULATED = "simulation"
"""What runs of drawn numbers have in the place of an engine."""


def made(root: Path, figure: Mapping[str, Any], origin: dict[str, Any]) -> dict[str, Any]:
    """The record of a figure, with its citations. figure: as ``Figure.record`` gives it; origin: page, run, command."""
    record = {
        **{name: figure[name] for name in ("id", "caption", "alt", "run_id", "data", "plot")},
        **{name: figure.get(name, "") for name in ("interval", "lacks", "origin")},
        "blank": figure.get("blank", False),
        "title": figure["title"],
        "finding": figure.get("finding", ""),
        "data_sha256": data_sha256(figure["data"]),
        **origin,
    }
    reference = references.of_figure(root, record)
    record["citations"] = {form: citation_forms.cite(reference, form) for form in citation_forms.FORMATS}
    return record


def data_sha256(data: Mapping[str, Any]) -> str:
    """SHA-256 of a figure's table as compact JSON: ``columns`` and ``data`` (rows)."""
    return hashlib.sha256(json.dumps(data, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def write(folder: Path, records: list[dict[str, Any]]) -> None:
    inputs.write_json(folder / FIGURES_FILE, records)


def stored(root: Path) -> list[dict[str, Any]]:
    """The records of the book as it was last built; raises BenchbookError when none was."""
    if not (root / CHAPTERS / FIGURES_FILE).is_file():
        raise BenchbookError("no book has been built here, so it has no figures yet", "run `benchbook build --edition`")
    return [*records(root)]


def find(records: Iterable[dict[str, Any]], identity: str) -> dict[str, Any]:
    """One figure; raises BenchbookError with the nearest id."""
    known = {record["id"]: record for record in records}
    if identity not in known:
        raise BenchbookError(
            f"the book has no figure {identity!r}{suggestion(identity, known)}",
            "see the book's page of figures, or the line below each figure",
        )
    return known[identity]


def records(root: Path) -> tuple[dict[str, Any], ...]:
    """The records beside the executed chapters; none where the chapters were not executed by Benchbook."""
    path = root / CHAPTERS / FIGURES_FILE
    return tuple(inputs.read_once(path, json.loads)) if path.is_file() else ()


def record(root: Path, identity: str) -> dict[str, Any] | None:
    return next((each for each in records(root) if each["id"] == identity), None)


def behind(figure: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What is known of each run that a figure shows, pooled ones among them; nothing for one without a run."""
    run = figure["run"]
    return [*run.get("pooled_with", ()), run] if run else []


def has_engine(run: Mapping[str, Any]) -> bool:
    """Whether a run, by its facts, measured an engine and not drawn numbers."""
    return bool(run["engine"]) and run["engine"].split()[0] != SIMULATED


def in_chapter(record: Mapping[str, Any]) -> bool:
    """Whether a figure stands in a chapter; one that does not is of the book itself, and shows no run."""
    return is_chapter(str(record["page"]))


def is_chapter(page: str) -> bool:
    return page.startswith(f"{CHAPTERS}/")


def is_front(page: str, root_doc: str) -> bool:
    """Whether a page is the book's first; a chapter that is built alone is none."""
    return page == root_doc and not is_chapter(page)
