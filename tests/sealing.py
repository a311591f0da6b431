"""Runs that tests write, change and copy by hand: whole records, sealed and listed as the store does it itself."""

import json
import shutil
from pathlib import Path
from typing import Any

from clones import git

from benchbook import files
from benchbook.store import atomic, schema, seals, sums

DIGEST = "0" * 64
PROVENANCE: dict[str, Any] = {
    "processor": "x", "cores": 2, "memory_gib": 8.0, "system": "Linux 6", "filesystem": "ext4", "direct_reads": True,
    "python": "3.11.7", "timer_cost_ns": 50.0, "benchbook_version": "0.9.1", "commit": None, "dirty": None,
    "lock_sha256": None, "ledger_sha256": DIGEST, "engine": "none",
    "engine_version": "1.0",
}  # fmt: skip
"""What every complete run has to say of its origin."""


def write_run(root: Path, experiment: str, identity: str, *, published: bool = False, **fields: Any) -> Path:
    """A complete run whose tables are none, but sealed as if they were; returns its folder. fields: of its record."""
    folder = root / ("data/published" if published else "runs") / experiment / identity
    folder.mkdir(parents=True)
    for name in (schema.TRIALS, schema.SAMPLES):
        (folder / name).write_text(f"{name} of {identity}")
    record = {
        "schema": schema.SCHEMA, "id": identity, "key": identity.rpartition("-")[0] or identity,
        "experiment": experiment, "measurement_version": 1, "parameters": {}, "profile": "standard", "seed": 1,
        "blocks": 3, "provenance": PROVENANCE, "state": "complete", "started_at": "2026-01-01T00:00:00+00:00",
        "finished_at": "2026-01-01T00:10:00+00:00", "canary": [], "sessions": [{}], "files": hashes(folder),
        "duration_s": 1.0,
    }  # fmt: skip
    store(folder, record | fields)
    know(root, experiment)
    if published:
        list_published(root)
    return folder


def hashes(folder: Path) -> dict[str, Any]:
    """Size and SHA-256 of a run's tables as they are now."""
    paths = [folder / name for name in (schema.TRIALS, schema.SAMPLES)]
    return {path.name: {"sha256": files.sha256(path), "bytes": path.stat().st_size} for path in paths}


def rewrite(folder: Path, **changes: Any) -> None:
    """Change fields of a run's record and seal it again."""
    store(folder, json.loads((folder / schema.RUN).read_text()) | changes)


def reseal(folder: Path, **changes: Any) -> None:
    """The same after its tables were changed."""
    rewrite(folder, files=hashes(folder), **changes)


def store(folder: Path, record: dict[str, Any]) -> None:
    """Write a record as one of the newest schema: sealed if it is complete, else without what comes in the end."""
    record = {"first_block": 0} | record | {"schema": schema.SCHEMA}
    if record["state"] == "complete":
        record = seals.sealed(record)
    else:
        record = {name: value for name, value in record.items() if name not in (seals.SEAL, "duration_s")}
        record |= {"finished_at": None, "files": {}}
    atomic.write_json(folder / schema.RUN, record)


def committed(root: Path) -> None:
    """Make a clone of a folder."""
    for words in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "all")):
        git(root, *words)


def know(root: Path, experiment: str) -> None:
    """Let there be an experiment of this name, by an empty notebook, if there is none."""
    path = root / "notebooks" / f"{experiment}.ipynb"
    if not path.is_file() and not (Path(schema.__file__).parents[1] / "chapters" / f"{experiment}.md").is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def publish_copy(source: Path, root: Path) -> Path:
    """A copy of a published run in a project of its own, with its lines in SHA256SUMS; returns its folder."""
    folder = shutil.copytree(source, root / "data" / "published" / source.parent.name / source.name)
    list_published(root)
    return folder


def list_published(root: Path) -> None:
    """Let SHA256SUMS list what lies in a project's folder of published runs now."""
    published = root / "data" / "published"
    found = {
        f"{folder.parent.name}/{folder.name}": {path.name: files.sha256(path) for path in folder.iterdir()}
        for folder in published.glob("*/*")
        if not folder.name.startswith(".")
    }
    atomic.write_text(published / sums.FILE, sums.text(found))
