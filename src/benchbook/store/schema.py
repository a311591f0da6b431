"""The stored form of a run: its schema number, its history, and how older forms are brought up to date.

run.json, schema 1 (first):
  schema, id, key, experiment, measurement_version, parameters, profile, seed, blocks, state ("measuring" or
  "complete"), started_at, finished_at (UTC, ISO 8601), duration_s, provenance, canary (one record per look),
  sessions (one provenance-like record per time that the run was started or resumed), files (name -> sha256, bytes).
run.json, schema 2: a complete run ends in seal, the SHA-256 of all other fields as they are written.
run.json, schema 3: first_block, the place of the run's first block in its plan; looks of the canary name a trial.
  Since 2026-11-26 provenance and sessions have machine_id, where the machine has one (provenance/identity.py).
  Until 2026-11-29 provenance and sessions had measurement_sha256, a hash over the code that measured.
trials.parquet: trial block configuration seed session started_at duration_s, then metrics and labels.
samples.parquet: trial (int32) series (dictionary) latency_ns (int32 or int64), in the order in which they happened.

Of a published run SHA256SUMS lists every file besides; those of schema 1 have no other seal.
"""

import json
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import benchbook
from benchbook import nofollow
from benchbook.errors import StoredRunError
from benchbook.store import seals, sums
from benchbook.store.remembered import Remembered

SCHEMA = 3
MOST_BYTES, MOST_TABLE_BYTES = 64 << 20, 2 << 30
"""Of a record and of a table's file, far above those of the longest run."""
RUN, TRIALS, SAMPLES, PARTS = "run.json", "trials.parquet", "samples.parquet", "parts"
TRIAL_COLUMNS = ("trial", "block", "configuration", "seed", "session", "started_at", "duration_s")

MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {
    1: lambda record: record | {"schema": 2},
    2: lambda record: record | {"schema": 3, "first_block": 0},
}
"""From schema n to n + 1."""


def read_record(folder: Path, *, published: bool = False, known: Remembered | None = None) -> dict[str, Any]:
    """The run record in ``folder``, checked and migrated to the current schema; its tables are not looked at.

    published: SHA256SUMS beside the published runs has to list its files, and they and no others have to be there.
    known: records found right before, whose text is not checked again; this one is added if it is right and complete.

    Raises StoredRunError when it is missing or changed, when it is not sealed, when a field cannot be so, when its
    experiment is unknown or its folder another run's, and when a newer Benchbook wrote it.
    """
    path = folder / RUN
    mend = sums.MEND if published else f"restore {folder.name} from a copy, or delete the folder and measure again"
    raw, record = _parsed(path, nofollow.PUBLISHED if published else nofollow.RUN, mend)
    number = record["schema"]
    if number > SCHEMA:
        raise StoredRunError(f"{path} has schema {number}, this Benchbook reads up to {SCHEMA}", "update Benchbook")
    complete = record.get("state") == "complete"
    if number == 1 and complete and not published:
        raise StoredRunError(
            f"{path} is not sealed: it was measured before runs were sealed",
            "measure it again, or restore it with `git checkout` if it is published",
        )
    digest = sha256(raw).hexdigest()
    right = known is not None and digest in known
    changed = "" if right or (number == 1 and published) else seals.problem(raw.decode(), record)
    if changed:
        raise StoredRunError(f"{path} {changed}", mend)
    while record["schema"] < SCHEMA:
        record = MIGRATIONS[record["schema"]](record)
    wrong = ""
    if not right:
        from benchbook.store import record as fields  # late: its models take as long to load as a thousand known runs

        wrong = fields.problem(record)
    wrong = wrong or _misplaced(folder, record)
    if wrong:
        raise StoredRunError(f"{path} is damaged: {wrong}", mend)
    if known is not None and complete and not right:
        known.add(digest)
    if published:
        _check_listed(folder, digest, record)
    return record


def _check_listed(folder: Path, digest: str, record: dict[str, Any]) -> None:
    if record["state"] != "complete":
        raise StoredRunError(f"run {folder.name} is unfinished, and published ones are complete", sums.MEND)
    recorded = {RUN: digest} | {name: each["sha256"] for name, each in record["files"].items()}
    different = sums.problem(folder, recorded, sums.read(folder.parents[1]))
    if different:
        raise StoredRunError(f"run {folder.name} {different}", sums.MEND)


def _parsed(path: Path, levels: int, mend: str) -> tuple[bytes, dict[str, Any]]:
    try:
        raw = nofollow.content(path, MOST_BYTES, levels)
        record = json.loads(raw.decode())
    except FileNotFoundError:
        raise StoredRunError(f"{path.parent} has no {RUN}", mend) from None
    except (OSError, ValueError, RecursionError) as error:
        raise StoredRunError(f"{path} is damaged ({error})", mend) from None
    if not isinstance(record, dict) or type(record.get("schema")) is not int or record["schema"] < 1:
        raise StoredRunError(f"{path} has no schema number", mend)
    return raw, record


def _misplaced(folder: Path, record: dict[str, Any]) -> str:
    """Why the record cannot be that of a run in this folder; "" where it can."""
    if record["id"] != folder.name:
        return f"its record calls it {record['id']}, its folder {folder.name}"
    name = record["experiment"]
    if name != folder.parent.name:
        return f"it is a run of {name}, but is stored among those of {folder.parent.name}"
    if record["state"] != "complete" or _is_chapter(benchbook.__file__, name):
        return ""
    # Notebooks lie beside runs and data, in crates too.
    notebooks = [parent / "notebooks" / f"{name}.ipynb" for parent in folder.parents[2:4]]
    return "" if any(path.is_file() for path in notebooks) else f"there is no experiment {name!r}"


@cache
def _is_chapter(benchbook: str, name: str) -> bool:
    """Looked for by name, since importing experiments takes seconds; of a thousand runs once."""
    return (Path(benchbook).parent / "chapters" / f"{name}.md").is_file()
