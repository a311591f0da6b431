"""How often stored runs are read to be compared does not depend on how many there are."""

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import sealing

from benchbook import store
from benchbook.book.assembly import comparing
from benchbook.numbers import environment
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


def counted(home: Path) -> tuple[Counter[str], Counter[str], int, int]:
    """Reads of each record and of each run's tables, walks over all runs, and pools taken apart, by one comparison."""
    records: Counter[str] = Counter()
    tables: Counter[str] = Counter()
    walks: list[int] = []
    taken: list[str] = []
    parsed, read, walked, parts = schema._parsed, stored_tables.read, environment._records, environment.parts

    def parse(path: Path, *more: Any) -> Any:
        records[path.parent.name] += 1
        return parsed(path, *more)

    def read_table(path: Path, *more: Any) -> Any:
        tables[path.parent.name] += 1
        return read(path, *more)

    def walk(*, local: bool) -> Any:
        walks.append(1)
        return walked(local=local)

    def take(run: Any) -> Any:
        taken.append(run.id)
        return parts(run)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "_parsed", parse)
        patch.setattr(stored_tables, "read", read_table)
        patch.setattr(environment, "_records", walk)
        patch.setattr(environment, "parts", take)
        patch.setattr(store, "parts", take)
        [compared] = comparing.of_runs(home)
    assert compared.numbers
    return records, tables, len(walks), len(taken)


def test_each_record_and_table_is_read_as_often_with_many_runs_as_with_few(home: Path, own: Any) -> None:
    own(2)
    few = counted(home)
    own(6)
    many = counted(home)
    for place, what in enumerate(("a record", "a run's tables")):
        before, after = few[place], many[place]
        assert len(after) == len(before) + 4, what
        assert {*before.values()} >= {*after.values()}, f"{what} is read more often"
    assert many[2] == few[2], "all runs are walked over as often"
    assert many[3] == few[3], "pools are taken apart as often"


def test_a_pool_of_many_parts_is_taken_apart_in_one_pass(own: Any, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own(6)
    folders = sorted((home / "runs" / "lru").iterdir())
    pool = store.pooled([store.read_run(each, published=False) for each in folders])
    looked: list[int] = []
    isin = pd.Series.isin
    monkeypatch.setattr(pd.Series, "isin", lambda self, values: looked.append(len(self)) or isin(self, values))
    parts = store.parts(pool)
    assert [each.id for each in parts] == [each.name for each in folders]
    assert sum(len(each.samples) for each in parts) == len(pool.samples)
    assert sum(looked) <= len(pool.samples) + len(pool.trials), "no table is searched again for each part"
