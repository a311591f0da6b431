"""Ways to edit stored runs by hand, each with the run that it damages."""

from __future__ import annotations

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


def git(root: Path, *arguments: str) -> None:
    """Git in a folder, as nobody in particular."""
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", root, *who, *arguments], check=True, capture_output=True)


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


def text_edit(run: Path, change: Callable[[str], str]) -> Edit:
    def edit(root: Path) -> None:
        path = root / run / "run.json"
        before = path.read_text()
        path.write_text(change(before))
        assert path.read_text() != before

    return edit


CHANGED: dict[str, Any] = {
    "schema": 1, "id": "e43159d94eac-20270103T000000", "key": "e43159d94ead", "experiment": "scale",
    "measurement_version": 1, "parameters": {}, "profile": "quick", "seed": 8, "blocks": 7, "provenance": {},
    "state": "measuring", "started_at": "2026-11-22T13:14:05+00:00", "finished_at": "2026-11-23T13:14:05+00:00",
    "canary": [], "sessions": [], "files": {}, "duration_s": 1.0, "seal": "0" * 64,
}  # fmt: skip
"""Another value for every field of a record."""


def in_provenance(run: Path, **changes: Any) -> Edit:
    return rewritten(run, lambda record: record["provenance"].update(changes))


def with_one_reading_more(record: dict[str, Any]) -> None:
    record["canary"][0]["hash_p50_ns"] += 1.0


def with_another_hash(record: dict[str, Any]) -> None:
    record["files"][schema.TRIALS]["sha256"] = "0" * 64


def without_engine(root: Path) -> None:
    record = json.loads((root / LOCAL / "run.json").read_text())
    sealing.rewrite(root / LOCAL, provenance=record["provenance"] | {"engine": ""})


RECORDS: dict[str, tuple[Path, Edit]] = {
    **{f"{name} changed": (LOCAL, given(LOCAL, **{name: value})) for name, value in CHANGED.items()},
    **{
        f"{name} removed": (OLD if place % 2 else NEW, rewritten(OLD if place % 2 else NEW, lambda r, n=name: r.pop(n)))
        for place, name in enumerate(each for each in CHANGED if each != "seal")
    },
    "seal removed": (NEW, rewritten(NEW, lambda record: record.pop("seal"))),
    "field added": (LOCAL, given(LOCAL, remark="mine")),
    "processor changed": (OLD, in_provenance(OLD, processor="another")),
    "engine's version changed": (LOCAL, in_provenance(LOCAL, engine_version="0")),
    "settings changed": (NEW, in_provenance(NEW, settings={})),
    "commit changed": (OLD, in_provenance(OLD, commit="0" * 40)),
    "hash of the ledger changed": (LOCAL, in_provenance(LOCAL, ledger_sha256="0" * 64)),
    "canary emptied": (OLD, given(OLD, canary=[])),
    "one reading of the canary changed": (LOCAL, rewritten(LOCAL, with_one_reading_more)),
    "session added": (OLD, rewritten(OLD, lambda record: record["sessions"].append({}))),
    "hash of a table changed": (OLD, rewritten(OLD, with_another_hash)),
    "order of fields changed": (LOCAL, rewritten(LOCAL, lambda r: r.update({"id": r.pop("id")}))),
    "white space added": (LOCAL, text_edit(LOCAL, lambda text: text + "\n")),
    "key doubled": (LOCAL, text_edit(LOCAL, lambda text: text.replace('{\n "', '{\n "seed": 8,\n "', 1))),
    "written in one line": (NEW, text_edit(NEW, lambda text: json.dumps(json.loads(text)))),
    "provenance emptied and sealed again": (LOCAL, resealed(LOCAL, provenance={})),
    "engine emptied and sealed again": (LOCAL, without_engine),
    "no blocks, sealed again": (LOCAL, resealed(LOCAL, blocks=0)),
    "ten million blocks, sealed again": (LOCAL, resealed(LOCAL, blocks=10**7)),
    "blocks without end, sealed again": (LOCAL, resealed(LOCAL, blocks=10**30)),
    "no duration, sealed again": (LOCAL, resealed(LOCAL, duration_s=0)),
    "a duration below 0, sealed again": (LOCAL, resealed(LOCAL, duration_s=-1.0)),
    "finished before it started, sealed again": (LOCAL, resealed(LOCAL, finished_at="2020-01-01T00:00:00+00:00")),
}


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


def rows_swapped(table: pd.DataFrame) -> pd.DataFrame:
    return table.iloc[[1, 0, *range(2, len(table))]]


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
    "rows swapped": (LOCAL, table_changed(LOCAL, rows_swapped)),
    "cell changed": (OLD, table_changed(OLD, cell_changed)),
    "cell of a sealed run changed": (NEW, table_changed(NEW, cell_changed)),
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
            git(root, "commit", "-q", "-a", "-m", "nothing to see here")
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
