"""The catalogue of all stored runs: parameters, machine, time, and estimates to lay over each other."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchbook import lab, statistics, store
from benchbook.book.records import run_facts
from benchbook.errors import BenchbookError
from benchbook.store import Entry, tables

RUNS_FILE = "runs.json"
"""Beside the executed chapters: a list of rows, the newest run first."""
HEADLINE = {"p50_ns": "median latency (ms)", "p99_ns": "P99 latency (ms)", "tps": "throughput (transactions/s)"}
"""Metric to its words; latencies are shown in milliseconds."""
_NS_PER_MS = 1e6


def rows(folder: Path, *, published_only: bool) -> list[dict[str, Any]]:
    """One row per stored run. folder: where the last catalogue lies, of which unchanged rows are taken over."""
    try:
        known = {row["id"]: row for row in json.loads((folder / RUNS_FILE).read_text("utf-8"))}
    except (OSError, ValueError, TypeError, KeyError):
        known = {}
    found = [_row(entry, known.get(entry.id)) for entry in listed(published_only=published_only)]
    return sorted(found, key=lambda row: (row["started"], row["id"]), reverse=True)


def listed(*, published_only: bool) -> list[Entry]:
    """The stored runs that a book lists, each once: of one that was published from here the published copy."""
    entries: dict[str, Entry] = {}
    for entry in store.catalogue():
        if entry.published or not published_only:
            entries[entry.id] = entry if entry.published else entries.get(entry.id, entry)
    return [*entries.values()]


def _row(entry: Entry, before: dict[str, Any] | None) -> dict[str, Any]:
    experiment = entry.folder.parent.name
    row = {
        "id": entry.id,
        "experiment": experiment,
        "title": lab.experiment(experiment).title if experiment in lab.names() else experiment,
        "published": entry.published,
        "started": "",
        "state": "damaged",
        "facts": None,
        "estimates": {},
    }
    if entry.record is None:
        return row
    row |= {"started": entry.record["started_at"], "state": "complete"}
    if entry.record["state"] != "complete":
        return row | {"state": "unfinished"}  # measured just now or interrupted: from here both look alike
    facts = run_facts.facts(entry).record()
    row["facts"] = facts
    if before and before["facts"] and before["facts"]["files"] == facts["files"]:
        row["estimates"] = before["estimates"]
    else:
        row["estimates"] = estimates(tables.read(entry.folder / store.schema.TRIALS, entry.levels))
    return row


def estimates(trials: pd.DataFrame) -> dict[str, list[dict[str, Any]]]:
    """Per headline metric a record per configuration: geometric mean with its interval, or none where there is none."""
    found = {}
    for metric, words in HEADLINE.items():
        if metric not in trials:
            continue
        scale = _NS_PER_MS if metric.endswith("_ns") else 1.0
        grouped = trials.groupby("configuration", sort=False)[metric]
        found[words] = [record for name, values in grouped if (record := _estimate(str(name), values / scale))]
    return {words: records for words, records in found.items() if records}


def _estimate(configuration: str, values: pd.Series) -> dict[str, Any] | None:
    numbers = pd.to_numeric(values, errors="coerce").to_numpy(dtype=float)
    if not (np.isfinite(numbers).all() and (numbers > 0).all()):
        return None
    try:
        estimate = statistics.geometric_mean(numbers)
    except BenchbookError:  # one trial, or all alike
        return None
    return {"configuration": configuration, "point": estimate.point, "low": estimate.low, "high": estimate.high}
