"""Stored runs in, how far the verdicts of those made here agree with the published ones out; nothing is measured."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchbook import lab, store
from benchbook.book import inputs
from benchbook.book.drift import DRIFT_FILE, ChapterDrift, compared
from benchbook.experiments import profiles
from benchbook.experiments.kinds import Kind, kind_of
from benchbook.model import Outcome, Verdict
from benchbook.runner import Experiment
from benchbook.store import Entry

LAST = "drift.key.json"
"""In the folder of the built book: what was compared last, and the key of all that it rests on."""


def of_runs(root: Path, profile: str) -> list[ChapterDrift]:
    """Every chapter of the book that has a published run and a local one with the profile's parameters.

    Both are of the experiment's present measurement version. A run that was published as it is, is not compared with
    itself; a chapter that decides no claim is left out. What was found last is kept and given again while nothing
    changes that verdicts rest on. Raises StoredRunError for a damaged run.
    """
    pairs = list(_pairs(root, profile))
    key, last = _key(root, pairs), root / "_build" / LAST
    stored = inputs.read_json(last)
    if stored.get("key") == key:
        return [ChapterDrift.of_record(each) for each in stored["chapters"]]
    found = [
        ChapterDrift(module.NAME, first.id, here.id, compared(_outcomes(module, first), _outcomes(module, here)))
        for module, first, here in pairs
    ]
    chapters = [each for each in found if each.claims]
    content = {"key": key, "chapters": [each.record() for each in chapters]}
    inputs.write_atomically(last, json.dumps(content) + "\n")
    return chapters


def write(root: Path, profile: str, chapters: list[ChapterDrift]) -> None:
    """Put the record where the book's page reads it. profile: "" for an edition, which compares nothing."""
    content = {"profile": profile, "chapters": [each.record() for each in chapters]}
    inputs.write_atomically(root / "book" / "chapters" / DRIFT_FILE, json.dumps(content, indent=1) + "\n")


def measured_chapters(root: Path) -> Iterator[Experiment]:
    """The experiments of the book's chapters that have runs, by name."""
    known = lab.names()
    for name in sorted(path.stem for path in (root / "notebooks").glob("*.ipynb")):
        module = lab.experiment(name) if name in known else None
        if module is not None and kind_of(module) is not Kind.ANALYSIS:
            yield module


def published(module: Experiment) -> list[Entry]:
    """An experiment's complete published runs of its present measurement version."""
    return [
        entry
        for entry in store.catalogue(module.NAME)
        if entry.published
        and entry.record
        and entry.record["state"] == "complete"
        and entry.record["measurement_version"] == module.MEASUREMENT_VERSION
    ]


def finished(entry: Entry) -> str:
    """When a run was finished, in a form that sorts by time."""
    return str(entry.record and entry.record.get("finished_at"))


def verdicts(module: Experiment, entry: Entry) -> list[Verdict]:
    """What the chapter concludes from a stored run; raises StoredRunError for a damaged one."""
    every: Any = module  # judge takes the module's own kind of summary
    summary = every.summarize(store.read_run(entry.folder, published=entry.published))
    found: list[Verdict] = every.judge(summary)
    return found


def _pairs(root: Path, profile: str) -> Iterator[tuple[Experiment, Entry, Entry]]:
    for module in measured_chapters(root):
        newest = max(published(module), key=finished, default=None)
        if newest is None:
            continue
        wanted = module.Parameters.given(profiles.profile(module.NAME, profile))
        here = store.find_complete(module.NAME, wanted.key(module.NAME, module.MEASUREMENT_VERSION), published=False)
        if here is not None and here.id != newest.id:
            yield module, newest, here


def _key(root: Path, pairs: list[tuple[Experiment, Entry, Entry]]) -> str:
    runs = [[entry.id, (entry.record or {})["files"]] for _, *both in pairs for entry in both]
    return inputs.key({**inputs.of_verdicts(root), "runs": runs})


def _outcomes(module: Experiment, entry: Entry) -> dict[str, Outcome]:
    return {each.claim_id: each.outcome for each in verdicts(module, entry)}
