"""How far published runs of one chapter with the same parameters agree: what changes from day to day."""

from __future__ import annotations

import json
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path

from benchbook import store
from benchbook.book.assembly import own_drift
from benchbook.book.records import inputs
from benchbook.book.records.repeats import REPEATS_FILE, Repeat, compared
from benchbook.experiments import chosen_runs
from benchbook.experiments.manifest import Chapter
from benchbook.store import Entry


def write(root: Path) -> None:
    """Bring the record that the book's page reads up to date; nothing is judged while nothing has changed.

    Compared are each two published runs that follow each other, of one chapter, its present version and the same
    parameters. Raises StoredRunError for a damaged run.
    """
    path, pairs = root / "book" / "chapters" / REPEATS_FILE, _pairs(root)
    runs = [[entry.id, (entry.record or {})["files"]] for _, *both in pairs for entry in both]
    key = inputs.key({**inputs.of_verdicts(root), "runs": runs})
    if inputs.read_json(path).get("key") != key:
        content = {"key": key, "repeats": [asdict(_repeat(*each)) for each in pairs]}
        inputs.write_atomically(path, json.dumps(content, indent=1) + "\n")


def _pairs(root: Path) -> list[tuple[Chapter, Entry, Entry]]:
    found = []
    for module in own_drift.measured_chapters(root):
        alike: dict[str, list[Entry]] = {}
        for entry in sorted(chosen_runs.published(module), key=own_drift.finished):
            alike.setdefault((entry.record or {})["key"], []).append(entry)
        found += [(module, *two) for runs in alike.values() for two in pairwise(runs)]
    return found


def _repeat(module: Chapter, first: Entry, later: Entry) -> Repeat:
    both = (store.read_run(each.folder, published=True) for each in (first, later))
    numbers = compared(*(own_drift.verdicts(module, run) for run in both))
    return Repeat(module.name, first.id, later.id, numbers)
