"""The stored form of a run: its schema number, its history, and how older forms are brought up to date.

run.json, schema 1 (first):
  schema, id, key, experiment, measurement_version, parameters, profile, seed, blocks, state ("measuring" or
  "complete"), started_at, finished_at (UTC, ISO 8601), duration_s, provenance, canary (one record per look),
  sessions (one provenance-like record per time that the run was started or resumed), files (name -> sha256, bytes).
trials.parquet: trial block configuration seed session started_at duration_s, then metrics and labels.
samples.parquet: trial (int32) series (dictionary) latency_ns (int32 or int64), in the order in which they happened.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchbook.errors import StoredRunError

SCHEMA = 1
RUN, TRIALS, SAMPLES = "run.json", "trials.parquet", "samples.parquet"
TRIAL_COLUMNS = ("trial", "block", "configuration", "seed", "session", "started_at", "duration_s")
_REQUIRED: dict[str, type] = {
    "id": str, "key": str, "experiment": str, "measurement_version": int, "parameters": dict, "profile": str,
    "seed": int, "blocks": int, "state": str, "started_at": str, "provenance": dict, "canary": list,
    "sessions": list, "files": dict,
}  # fmt: skip

MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}
"""From schema n to n + 1. Empty while there is one schema."""


def read_record(folder: Path) -> dict[str, Any]:
    """The run record in ``folder``, migrated to the current schema.

    Raises StoredRunError when it is missing, no JSON, incomplete, or written by a newer Benchbook.
    """
    path = folder / RUN
    mend = f"restore {folder.name} from git or a copy, or delete the folder and measure again"
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise StoredRunError(f"{folder} holds no {RUN}", mend) from None
    except (OSError, ValueError, RecursionError) as error:
        raise StoredRunError(f"{path} is damaged ({error})", mend) from None
    if not isinstance(record, dict) or type(record.get("schema")) is not int or record["schema"] < 1:
        raise StoredRunError(f"{path} has no schema number", mend)
    if record["schema"] > SCHEMA:
        raise StoredRunError(
            f"{path} has schema {record['schema']}, this Benchbook reads up to {SCHEMA}", "update Benchbook"
        )
    while record["schema"] < SCHEMA:
        record = MIGRATIONS[record["schema"]](record)
    missing = [name for name in _REQUIRED if name not in record]
    if missing:
        raise StoredRunError(f"{path} lacks {', '.join(missing)}", mend)
    wrong = [name for name, kind in _REQUIRED.items() if not isinstance(record[name], kind)]
    if not wrong:
        wrong += ["state"] if record["state"] not in ("measuring", "complete") else []
        wrong += [name for name in ("canary", "sessions") if not all(isinstance(each, dict) for each in record[name])]
        wrong += [name for name, sealed in record["files"].items() if not _is_seal(sealed)]
    if wrong:
        raise StoredRunError(f"{path} is damaged: {', '.join(wrong)} cannot be so", mend)
    return dict(record)


def _is_seal(sealed: Any) -> bool:
    return isinstance(sealed, dict) and type(sealed.get("bytes")) is int and isinstance(sealed.get("sha256"), str)
