"""Published runs in, how far those of one chapter with the same parameters agree out: what changes from day to day."""

from __future__ import annotations

import json
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path

from benchbook.book import inputs, own_drift
from benchbook.book.repeats import REPEATS_FILE, Repeat, compared
from benchbook.runner import Experiment
from benchbook.store import Entry


def of_published(root: Path) -> list[Repeat]:
    """Each two published runs that follow each other, of one chapter, its present version and the same parameters.

    Raises StoredRunError for a damaged run.
    """
    return [
        Repeat(
            module.NAME, first.id, later.id, compared(*(own_drift.verdicts(module, each) for each in (first, later)))
        )
        for module, first, later in _pairs(root)
    ]


def _pairs(root: Path) -> list[tuple[Experiment, Entry, Entry]]:
    found = []
    for module in own_drift.measured_chapters(root):
        alike: dict[str, list[Entry]] = {}
        for entry in sorted(own_drift.published(module), key=own_drift.finished):
            alike.setdefault(json.dumps(entry.record and entry.record["parameters"], sort_keys=True), []).append(entry)
        found += [(module, *two) for runs in alike.values() for two in pairwise(runs)]
    return found


def write(root: Path) -> None:
    """Bring the record that the book's page reads up to date; nothing is judged while nothing has changed."""
    path = root / "book" / "chapters" / REPEATS_FILE
    runs = [[entry.id, (entry.record or {})["files"]] for _, *both in _pairs(root) for entry in both]
    key = inputs.key({**inputs.of_verdicts(root), "runs": runs})
    if inputs.read_json(path).get("key") != key:
        content = {"key": key, "repeats": [asdict(each) for each in of_published(root)]}
        inputs.write_atomically(path, json.dumps(content, indent=1) + "\n")
