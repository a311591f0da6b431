"""The catalogue of runs: what each row says, and the pages made of it."""

import json
import shutil
from pathlib import Path

import pytest
import sealing
from docutils import nodes

from benchbook.book.pages import runs
from benchbook.book.records import run_catalogue

ROOT = Path(__file__).parents[2]
RUNS = sorted((ROOT / "data" / "published" / "hot_cold_keys").iterdir())


@pytest.fixture
def with_runs(home: Path) -> Path:
    """A project with one published run, one damaged one and an unfinished one."""
    published = home / "data" / "published" / "hot_cold_keys" / RUNS[-1].name
    sealing.publish_copy(RUNS[-1], home)
    local = home / "runs" / "hot_cold_keys"
    shutil.copytree(RUNS[-1], local / "0000-20260101T000000")
    (local / "0000-20260101T000000" / "run.json").write_text("{")
    record = json.loads((published / "run.json").read_text())
    folder = local / "1111-20260101T000000"
    folder.mkdir()
    sealing.store(folder, record | {"id": folder.name, "state": "measuring"})
    return home


def test_every_run_has_a_row_and_a_damaged_one_is_called_so(with_runs: Path) -> None:
    rows = {row["id"]: row for row in run_catalogue.rows(published_only=False)}
    assert {identity: row["state"] for identity, row in rows.items()} == {
        RUNS[-1].name: "complete",
        "0000-20260101T000000": "damaged",
        "1111-20260101T000000": "unfinished",
    }
    (published,) = run_catalogue.rows(published_only=True)
    assert published["id"] == RUNS[-1].name
    assert published.keys() == rows[RUNS[-1].name].keys()
    table = runs.catalogue_table([*rows.values()])
    assert len(list(table.findall(nodes.row))) == 1 + len(rows)
    assert "damaged, local" in table.astext()


def test_the_status_says_which_run_a_chapter_shows_and_what_changed_since() -> None:
    run = {"run_id": "r-1", "profile": "quick", "measured": "2026-01-02T03:04:05+00:00", "stale": ["It changed."]}
    run["pooled_with"] = [{"run_id": "r-0", "profile": "quick"}]
    figures = [
        {"chapter": "one", "chapter_title": "One", "page": "book/chapters/one", "run": run},
        {"chapter": "sums", "chapter_title": "Sums", "page": "book/chapters/sums", "run": None},
        {"chapter": "performance", "chapter_title": "Speed", "page": "book/performance", "run": None},
    ]
    text = runs.status_table(figures).astext()
    for part in (
        "One",
        "r-1",
        "r-0",
        "pooled with it",
        "2026-01-02 03:04",
        "It changed.",
        "Sums",
        "computed from the notes",
    ):
        assert part in text
    assert "Speed" not in text
