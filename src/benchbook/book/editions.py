"""The book as it is now in, an edition out: which runs, which ledger, which code, and every figure as it then was.

An edition is one folder, ``data/editions/<name>``, that never changes: ``edition.json`` says what it was made from,
``figures.json`` holds the record of each figure. A figure that later books no longer have stays reachable by it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchbook import files, provenance, store
from benchbook.book import figure_records, references
from benchbook.errors import BenchbookError, StoredRunError, suggestion
from benchbook.store import atomic, check_files

FOLDER = Path("data") / "editions"
RECORD = "edition.json"
FIGURES = "figures.json"
_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{0,39}")


def planned(root: Path, name: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The figures and the runs that an edition of this name would freeze; nothing is written.

    Raises BenchbookError when the name is taken or unfit, when the book was not built from published runs alone, and
    when one of these runs is missing or altered: then its hash is named.
    """
    if not _NAME.fullmatch(name):
        raise BenchbookError(
            f"{name!r} is no name for an edition", "use small letters, digits, dots and hyphens, such as 2026.1"
        )
    folder = root / FOLDER / name
    if folder.exists():
        raise BenchbookError(f"the edition {name} exists, and editions never change", "choose another name")
    figures = figure_records.stored(root)
    return figures, _runs(figures)


def create(root: Path, name: str) -> Path:
    """Freeze the book that was last built as an edition; returns its folder. Raises as ``planned``."""
    figures, runs = planned(root, name)
    folder = root / FOLDER / name
    code = provenance.code([])
    record = {
        "schema": 1,
        "name": name,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": str(references.book(root)["version"]),
        "commit": code["commit"],
        "dirty": code["dirty"],
        "ledger_sha256": code["ledger_sha256"],
        "lock_sha256": code["lock_sha256"],
        "notes_sha256": _tree(root / "data" / "notes"),
        "runs": runs,
        "figures": {figure["id"]: figure["data_sha256"] for figure in figures},
    }
    _write(folder, record, figures)
    return folder


def _runs(figures: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The published runs behind the figures, each checked against its own hashes."""
    found = {}
    for figure in figures:
        run = figure["run"]
        if run is None or run["run_id"] in found:
            continue
        if not run["published"]:
            raise BenchbookError(
                f"figure {figure['id']} shows the local run {run['run_id']}",
                "build from published runs first: `benchbook build --edition`",
            )
        entry = store.find_entry(run["run_id"])
        if entry.record is None:
            raise StoredRunError(f"run {entry.id} is damaged: {entry.damage}", "restore it with `git checkout`")
        check_files(entry.folder, entry.record)
        for name, digest in run["files"].items():
            now = files.sha256(entry.folder / name)
            if now != digest:
                raise StoredRunError(
                    f"{name} of run {entry.id} has the SHA-256 {now[:12]}… and not {digest[:12]}…",
                    "restore it with `git checkout`, or build the book again",
                )
        found[run["run_id"]] = {name: run[name] for name in ("run_id", "experiment", "measured", "commit", "files")}
    if not found:
        raise BenchbookError("the book shows no published run", "publish runs, then `benchbook build --edition`")
    return list(found.values())


def _tree(folder: Path) -> dict[str, str]:
    return {path.name: files.sha256(path) for path in sorted(folder.glob("*")) if path.is_file()}


def _write(folder: Path, record: Mapping[str, Any], figures: list[dict[str, Any]]) -> None:
    """The record last: a folder without it is no edition."""
    folder.mkdir(parents=True)
    atomic.write_json(folder / FIGURES, figures)
    atomic.write_json(folder / RECORD, record)


def names(root: Path) -> list[str]:
    """All editions, the oldest first."""
    found = [path.parent for path in (root / FOLDER).glob(f"*/{RECORD}")]
    return [folder.name for folder in sorted(found, key=lambda folder: read(root, folder.name)["created"])]


def read(root: Path, name: str) -> dict[str, Any]:
    """What an edition was made from; raises BenchbookError with the nearest name."""
    path = root / FOLDER / name / RECORD
    if not path.is_file():
        known = [each.parent.name for each in (root / FOLDER).glob(f"*/{RECORD}")]
        raise BenchbookError(f"there is no edition {name!r}{suggestion(name, known)}", "see data/editions")
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def figures(root: Path, name: str) -> list[dict[str, Any]]:
    """The figures of an edition as they then were; raises StoredRunError when one is not the one that was frozen."""
    frozen = read(root, name)["figures"]
    records: list[dict[str, Any]] = json.loads((root / FOLDER / name / FIGURES).read_text("utf-8"))
    for record in records:
        if figure_records.data_sha256(record["data"]) != frozen.get(record["id"]):
            raise StoredRunError(
                f"figure {record['id']} of the edition {name} was changed", "restore it with `git checkout`"
            )
    return records


def problems(root: Path, name: str) -> list[str]:
    """What of an edition is no longer here as it was: one sentence each, with the hash that is missing."""
    record = read(root, name)
    found = []
    for run in record["runs"]:
        folder = root / "data" / "published" / run["experiment"] / run["run_id"]
        for file, digest in run["files"].items():
            path = folder / file
            if not path.is_file():
                found.append(f"{path.relative_to(root)} is missing (SHA-256 {digest[:12]}…)")
            elif files.sha256(path) != digest:
                found.append(f"{path.relative_to(root)} was altered: SHA-256 {digest[:12]}… is expected")
    return found
