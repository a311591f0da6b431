"""The catalogue of all stored runs: parameters, machine, time."""

from typing import Any

from benchbook import lab, store
from benchbook.book.records import run_facts
from benchbook.store import Entry

RUNS_FILE = "runs.json"
"""Beside the executed chapters: a list of rows, the newest run first."""


def rows(*, published_only: bool) -> list[dict[str, Any]]:
    """One row per stored run."""
    found = [_row(entry) for entry in listed(published_only=published_only)]
    return sorted(found, key=lambda row: (row["started"], row["id"]), reverse=True)


def listed(*, published_only: bool) -> list[Entry]:
    """The stored runs that a book lists, each once: of one that was published from here the published copy."""
    entries: dict[str, Entry] = {}
    for entry in store.catalogue():
        if entry.published or not published_only:
            entries[entry.id] = entry if entry.published else entries.get(entry.id, entry)
    return [*entries.values()]


def _row(entry: Entry) -> dict[str, Any]:
    experiment = entry.folder.parent.name
    row = {
        "id": entry.id,
        "experiment": experiment,
        "title": lab.experiment(experiment).title if experiment in lab.names() else experiment,
        "published": entry.published,
        "started": "",
        "state": "damaged",
        "facts": None,
    }
    if entry.record is None:
        return row
    row |= {"started": entry.record["started_at"], "state": "complete"}
    if entry.record["state"] != "complete":
        return row | {"state": "unfinished"}  # measured just now or interrupted: from here both look alike
    return row | {"facts": run_facts.facts(entry).record()}
