"""How often stored runs are read to be compared does not depend on how many there are."""

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import sealing

from benchbook.book.assembly import comparing
from benchbook.store import schema
from benchbook.store import tables as stored_tables

ROOT = Path(__file__).parents[2]
PUBLISHED, MADE_HERE = sorted((ROOT / "data" / "published" / "lru").iterdir())[:2]
"""Two runs of one plan."""


@pytest.fixture
def own(home: Path) -> Any:
    """Let this machine have made so many runs of the plan that is published."""
    sealing.publish_copy(PUBLISHED, home)

    def made(count: int) -> None:
        record = json.loads((MADE_HERE / schema.RUN).read_text())
        for day in range(1, count + 1):
            folder = home / "runs" / "lru" / f"{record['key']}-202701{day:02}T000000"
            if not folder.is_dir():
                shutil.copytree(MADE_HERE, folder)
                moment = f"2027-01-{day:02}T00:00:00+00:00"
                sealing.rewrite(folder, id=folder.name, started_at=moment, finished_at=moment)

    return made


def counted(home: Path) -> tuple[Counter[str], Counter[str]]:
    """How often one comparison reads each record and each run's tables."""
    records: Counter[str] = Counter()
    tables: Counter[str] = Counter()
    parsed, read = schema._parsed, stored_tables.read

    def parse(path: Path, *more: Any) -> Any:
        records[path.parent.name] += 1
        return parsed(path, *more)

    def read_table(path: Path, *more: Any) -> Any:
        tables[path.parent.name] += 1
        return read(path, *more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "_parsed", parse)
        patch.setattr(stored_tables, "read", read_table)
        [compared] = comparing.of_runs(home)
    assert compared.numbers
    return records, tables


def test_each_record_and_table_is_read_as_often_with_many_runs_as_with_few(home: Path, own: Any) -> None:
    own(2)
    few = counted(home)
    own(6)
    for before, after in zip(few, counted(home), strict=True):
        assert len(after) == len(before) + 4
        assert {*before.values()} >= {*after.values()}, "one is read more often"
