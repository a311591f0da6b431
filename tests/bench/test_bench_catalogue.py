"""The catalogue's part: runs written by the store itself, counted before anything is timed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchbook import store
from benchbook.bench import catalogue
from benchbook.errors import BenchbookError


def test_the_runs_are_complete_and_can_be_read(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = catalogue.home(tmp_path / "made", 3)
    monkeypatch.setenv("BENCHBOOK_HOME", str(made))
    entries = store.catalogue()
    assert len(entries) == len({entry.id for entry in entries}) == 3
    assert all(len(store.read_run(entry.folder, published=False).trials) == 1 for entry in entries)


def test_a_missing_run_stops_the_comparison(home: Path, tmp_path: Path) -> None:
    made = catalogue.home(tmp_path / "made", 2)
    shutil.rmtree(next((made / "runs" / catalogue.EXPERIMENT).iterdir()))
    with pytest.raises(BenchbookError, match="lists 1 of 2 runs"):
        catalogue._check(made, 2)
