"""Ways to edit stored runs by hand, each with the run that it damages."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import sealing

from benchbook.store import schema, sums

PUBLISHED = Path("data") / "published"
NAME = "sqlite_fairness"
OLD = PUBLISHED / NAME / "e43159d94eac-20261122T131404"
"""Published, of schema 1: SHA256SUMS is its only seal."""
NEW = PUBLISHED / NAME / "e43159d94eac-20270101T000000"
"""Published, of today's schema."""
OTHER = PUBLISHED / "calibration" / "7357b0f7e8eb-20261122T161706"
LOCAL = Path("runs") / NAME / "e43159d94eac-20270102T000000"
"""Of this machine alone, of today's schema."""

Edit = Callable[[Path], object]


# edits of records


def rewritten(run: Path, change: Callable[[dict[str, Any]], object]) -> Edit:
    """A record changed by somebody who writes it as Benchbook does."""

    def edit(root: Path) -> None:
        path = root / run / "run.json"
        record = json.loads(path.read_text())
        change(record)
        path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n")

    return edit


def given(run: Path, **changes: Any) -> Edit:
    return rewritten(run, lambda record: record.update(changes))


def resealed(run: Path, **changes: Any) -> Edit:
    """A record changed by somebody who knows of the seal, to what no run can be."""
    return lambda root: sealing.rewrite(root / run, **changes)


def in_provenance(run: Path, **changes: Any) -> Edit:
    return rewritten(run, lambda record: record["provenance"].update(changes))


def with_another_hash(record: dict[str, Any]) -> None:
    record["files"][schema.TRIALS]["sha256"] = "0" * 64


RECORDS: dict[str, tuple[Path, Edit]] = {
    "profile changed": (LOCAL, given(LOCAL, profile="quick")),
    "seed removed": (OLD, rewritten(OLD, lambda record: record.pop("seed"))),
    "state changed": (NEW, given(NEW, state="measuring")),
    "seal removed": (NEW, rewritten(NEW, lambda record: record.pop("seal"))),
    "schema changed": (NEW, given(NEW, schema=1)),
    "hash of a table changed": (OLD, rewritten(OLD, with_another_hash)),
    "provenance emptied and sealed again": (LOCAL, resealed(LOCAL, provenance={})),
}
"""That a seal is over every field, and what no sealed record can say: tests/store/test_run_seals.py."""


# edits of tables and folders


def truncated(root: Path) -> None:
    path = root / LOCAL / schema.SAMPLES
    path.write_bytes(path.read_bytes()[:-7])


def removed(run: Path, name: str) -> Edit:
    return lambda root: (root / run / name).unlink()


def table_changed(run: Path, change: Callable[[pd.DataFrame], pd.DataFrame]) -> Edit:
    """A table changed, and its size and hash in the record, by somebody who does not know of the seal."""

    def edit(root: Path) -> None:
        path = root / run / schema.TRIALS
        change(pd.read_parquet(path)).to_parquet(path, index=False)
        given(run, files=sealing.hashes(root / run))(root)

    return edit


def cell_changed(table: pd.DataFrame) -> pd.DataFrame:
    table.loc[0, "duration_s"] += 1.0
    return table


def swap(one: Path, other: Path) -> None:
    first, second = one.read_bytes(), other.read_bytes()
    assert first != second
    one.write_bytes(second)
    other.write_bytes(first)


def tables_exchanged(root: Path) -> None:
    for name in (schema.TRIALS, schema.SAMPLES):
        swap(root / OLD / name, root / OTHER / name)


def records_exchanged(root: Path) -> None:
    swap(root / OLD / schema.RUN, root / NEW / schema.RUN)


def moved(run: Path, target: Path) -> Edit:
    def edit(root: Path) -> None:
        (root / target).parent.mkdir(parents=True, exist_ok=True)
        (root / run).rename(root / target)

    return edit


ELSEWHERE = Path("runs") / "scale" / LOCAL.name
RENAMED = LOCAL.with_name("e43159d94eac-20270105T000000")
ADDED = PUBLISHED / NAME / "e43159d94eac-20270106T000000"

TABLES: dict[str, tuple[Path, Edit]] = {
    "table truncated": (LOCAL, truncated),
    "table removed": (LOCAL, removed(LOCAL, schema.TRIALS)),
    "published table removed": (OLD, removed(OLD, schema.SAMPLES)),
    "cell changed": (OLD, table_changed(OLD, cell_changed)),
    "cell of a sealed run changed": (NEW, table_changed(NEW, cell_changed)),
    "cell of a run of this machine changed": (LOCAL, table_changed(LOCAL, cell_changed)),
    "tables exchanged between runs": (OLD, tables_exchanged),
    "records exchanged between runs": (OLD, records_exchanged),
    "moved to another experiment": (ELSEWHERE, moved(LOCAL, ELSEWHERE)),
    "moved to another id": (RENAMED, moved(LOCAL, RENAMED)),
    "published run moved to another id": (OLD, moved(OLD, ADDED)),
    "published run removed": (NEW, lambda root: shutil.rmtree(root / NEW)),
    "file added": (OLD, lambda root: (root / OLD / "notes.txt").write_text("mine")),
    "published run added": (ADDED, lambda root: shutil.copytree(root / OLD, root / ADDED)),
}


# edits of SHA256SUMS


def lines(change: Callable[[list[str]], list[str]]) -> Edit:
    def edit(root: Path) -> None:
        path = root / PUBLISHED / sums.FILE
        before = path.read_text().splitlines(keepends=True)
        path.write_text("".join(change(before)))
        assert path.read_text() != "".join(before)

    return edit


def listed_anew(edit: Edit, *, commit: bool = False) -> Edit:
    """An edit by somebody who lets SHA256SUMS list the new bytes, and may commit both."""

    def both(root: Path) -> None:
        edit(root)
        sealing.list_published(root)
        if commit:
            sealing.git(root, "commit", "-q", "-a", "-m", "nothing to see here")
            assert not subprocess.run(
                ["git", "-C", root, "status", "--porcelain"], capture_output=True, check=True
            ).stdout

    return both


SUMS: dict[str, tuple[Path, Edit]] = {
    "line removed": (OLD, lines(lambda each: [line for line in each if f"{OLD.name}/trials" not in line])),
    "lines of a run removed": (NEW, lines(lambda each: [line for line in each if NEW.name not in line])),
    "line edited": (
        OLD, lines(lambda each: ["0" * 64 + line[64:] if f"{OLD.name}/samples" in line else line for line in each])
    ),
    "line added": (
        OLD, lines(lambda each: sorted([*each, f"{'0' * 64}  {NAME}/{OLD.name}/a\n"], key=lambda line: line[66:]))
    ),
    "line malformed": (OTHER, lines(lambda each: [each[0].upper(), *each[1:]])),
    "lines out of order": (OTHER, lines(lambda each: each[::-1])),
    "all removed": (OLD, lambda root: (root / PUBLISHED / sums.FILE).unlink()),
    "edited and listed": (NEW, listed_anew(given(NEW, profile="quick"))),
    "edited, sealed and listed": (NEW, listed_anew(resealed(NEW, profile="quick"))),
    "edited, listed and committed": (OLD, listed_anew(in_provenance(OLD, processor="another"), commit=True)),
    "edited, sealed, listed and committed": (NEW, listed_anew(resealed(NEW, profile="quick"), commit=True)),
    "table edited, listed and committed": (OLD, listed_anew(table_changed(OLD, cell_changed), commit=True)),
}  # fmt: skip

EDITS = {
    f"{kind}: {name}": edit
    for kind, edits in {"record": RECORDS, "files": TABLES, "SHA256SUMS": SUMS}.items()
    for name, edit in edits.items()
}
