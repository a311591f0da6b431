"""Freeze the book as an edition: which runs, which ledger, which code, and every figure as it then was.

An edition is one folder, ``data/editions/<name>``, that never changes: ``edition.json`` says what it was made from,
``figures.json`` holds the record of each figure. A figure that later books no longer have stays reachable by it.
"""

import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchbook import files, nofollow, provenance, store
from benchbook.book.records import edition_record, figure_list, inputs, references
from benchbook.errors import BenchbookError, StoredRunError, suggestion
from benchbook.provenance import git
from benchbook.store import atomic, check_files
from benchbook.store.schema import RUN

FOLDER = Path("data") / "editions"
_LEVELS, _MOST_BYTES = 4, 256 << 20
"""Of a file of an edition, as ``nofollow.reading`` takes them."""
RECORD = "edition.json"
FIGURES = "figures.json"
FROZEN = (
    "CITATION.cff",
    "LICENSE*",
    "NOTICE",
    "_config.yml",
    "_toc.yml",
    "book/*",
    "book/_static/**/*",
    "book/reports/**/*",
    "codemeta.json",
    "data/*.csv",
    "data/notes/**/*",
    "environment.yml",
    "notebooks/*.ipynb",
    "src/benchbook/chapters/*.md",
    "requirements.lock",
)
"""What an edition freezes by its hashes besides runs and figures."""


def planned(root: Path, name: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The figures and the runs that an edition of this name would freeze; nothing is written.

    Raises BenchbookError when the name is taken or unfit, when the book was not built from published runs alone, and
    when one of these runs is missing or altered: then its hash is named. Raises GitRefusedError in a clone for which
    git does not answer: an edition never changes, and would for ever lack its commit.
    """
    if not re.fullmatch(edition_record.NAME, name):
        raise BenchbookError(
            f"{name!r} is not a name for an edition", "use small letters, digits, dots and hyphens, such as 2026.1"
        )
    folder = root / FOLDER / name
    if folder.exists():
        raise BenchbookError(f"the edition {name} exists, and editions never change", "choose another name")
    with suppress(git.NoCloneError):
        git.clone(root)
    figures = figure_list.stored(root)
    return figures, _runs(figures)


def create(root: Path, name: str) -> Path:
    """Freeze the book that was last built as an edition; returns its folder. Raises as ``planned``."""
    figures, runs = planned(root, name)
    folder = root / FOLDER / name
    code = provenance.code()
    record = {
        "schema": 1,
        "name": name,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": str(references.book(root)["version"]),
        "commit": code["commit"],
        "dirty": code["dirty"],
        "ledger_sha256": code["ledger_sha256"],
        "lock_sha256": code["lock_sha256"],
        "files": inputs.tree(root, FROZEN),
        "runs": runs,
        "figures": {figure["id"]: figure["data_sha256"] for figure in figures},
    }
    atomic.make_folder(folder)
    atomic.write_json(folder / FIGURES, figures)
    # The record last: a folder without it is not an edition.
    atomic.write_json(folder / RECORD, {**record, "figures_sha256": files.sha256(folder / FIGURES)})
    return folder


def _runs(figures: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The published runs behind the figures, each checked against its own hashes."""
    found: dict[str, dict[str, Any]] = {}
    for figure, run in ((each, run) for each in figures for run in figure_list.behind(each)):
        if run["run_id"] not in found:
            found[run["run_id"]] = _sealed(figure["id"], run)
    if not found:
        raise BenchbookError("the book shows no published run", "publish runs, then `benchbook build --edition`")
    return list(found.values())


def _sealed(figure_id: str, run: Mapping[str, Any]) -> dict[str, Any]:
    """One run as an edition names it."""
    if not run["published"]:
        raise BenchbookError(
            f"figure {figure_id} shows the local run {run['run_id']}",
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
    return {
        **{name: run[name] for name in ("run_id", "experiment", "measured", "commit", "files")},
        "ledger_sha256": entry.record["provenance"].get("ledger_sha256"),
        "record_sha256": files.sha256(entry.folder / RUN),
    }


def names(root: Path) -> list[str]:
    """All editions, the oldest first."""
    found = [path.parent for path in (root / FOLDER).glob(f"*/{RECORD}")]
    return [folder.name for folder in sorted(found, key=lambda folder: read(root, folder.name)["created"])]


def read(root: Path, name: str) -> dict[str, Any]:
    """What an edition was made from; raises BenchbookError with the nearest name, StoredRunError for a damaged one."""
    path = root / FOLDER / name / RECORD
    if not re.fullmatch(edition_record.NAME, name) or not path.is_file():
        known = [each.parent.name for each in (root / FOLDER).glob(f"*/{RECORD}")]
        raise BenchbookError(f"there is no edition {name!r}{suggestion(name, known)}", "see data/editions")
    return edition_record.parse(nofollow.content(path, levels=_LEVELS), name)


def figures(root: Path, name: str) -> list[dict[str, Any]]:
    """The figures of an edition as they then were; raises StoredRunError when one is not the one that was frozen."""
    record = read(root, name)
    frozen, path = record["figures"], root / FOLDER / name / FIGURES
    mend = "restore it with `git checkout`"
    try:
        records: list[dict[str, Any]] = json.loads(nofollow.words(path, _MOST_BYTES, _LEVELS))
        now = {record["id"]: figure_list.data_sha256(record["data"]) for record in records}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoredRunError(f"{FIGURES} of the edition {name} cannot be read ({error})", mend) from error
    for identity in sorted(now.keys() | frozen.keys()):
        if now.get(identity) != frozen.get(identity):
            raise StoredRunError(f"figure {identity} of the edition {name} was changed", mend)
    if files.sha256(path) != record["figures_sha256"]:
        raise StoredRunError(f"{FIGURES} of the edition {name} was changed", mend)
    return records


def places(root: Path) -> dict[str, tuple[str, str]]:
    """Figure id to the chapter that it stood in and the edition that has it there; of several the newest."""
    return {each["id"]: (each["chapter"], name) for name in names(root) for each in figures(root, name)}


def problems(root: Path, name: str) -> list[str]:
    """What of an edition is no longer here as it was: one sentence each, with the hash that is missing.

    Of notebooks, ledger and the like an older state counts too, if the project's history has it; a run never changes.
    Raises GitRefusedError where an older state is wanted and git does not answer.
    """
    record = read(root, name)
    found = []
    for run in record["runs"]:
        folder = root / "data" / "published" / run["experiment"] / run["run_id"]
        for file, digest in {RUN: run["record_sha256"], **run["files"]}.items():
            path = folder / file
            if not path.is_file():
                found.append(f"{path.relative_to(root)} is missing (SHA-256 {digest[:12]}…)")
            elif files.sha256(path) != digest:
                found.append(f"{path.relative_to(root)} was altered: SHA-256 {digest[:12]}… is expected")
    for file, digest in record["files"].items():
        if provenance.state(root, file, digest) is None:
            found.append(f"{file} is not here as it was frozen (SHA-256 {digest[:12]}…)")
    return found
