"""An edition freezes what the book shows, and notices when something of it was lost or changed."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from sealing import publish_copy

from benchbook import store
from benchbook.book.records import editions, figure_list, run_facts
from benchbook.errors import BenchbookError, StoredRunError

ROOT = Path(__file__).parents[2]
RUN = max((ROOT / "data" / "published" / "hot_cold_keys").iterdir())


@pytest.fixture
def root(home: Path) -> Path:
    """A project whose book shows one figure of a published run and one computed from the notes."""
    publish_copy(RUN, home)
    for name in ("CITATION.cff", "requirements.lock"):
        shutil.copy(ROOT / name, home)
    shutil.copytree(ROOT / "data" / "notes", home / "data" / "notes", dirs_exist_ok=True)
    facts = run_facts.facts(store.find_entry(RUN.name)).record()
    (home / "book" / "chapters").mkdir(parents=True)
    figure_list.write(home / "book" / "chapters", [figure("fig-a", facts), figure("fig-b", None)])
    return home


def figure(identity: str, run: dict[str, Any] | None) -> dict[str, Any]:
    data = {"columns": ["x"], "data": [[0.1]]}
    return {"id": identity, "run": run, "data": data, "data_sha256": figure_list.data_sha256(data)}


def test_an_edition_names_runs_ledger_lock_commit_and_figures(root: Path) -> None:
    folder = editions.create(root, "2026.1")
    record = json.loads((folder / "edition.json").read_text())
    assert [run["run_id"] for run in record["runs"]] == [RUN.name]
    assert record["runs"][0]["files"].keys() == {"trials.parquet", "samples.parquet"}
    assert set(record["figures"]) == {"fig-a", "fig-b"}
    assert len(record["ledger_sha256"]) == len(record["lock_sha256"]) == 64
    assert editions.names(root) == ["2026.1"]
    assert [each["id"] for each in editions.figures(root, "2026.1")] == ["fig-a", "fig-b"]
    assert editions.problems(root, "2026.1") == []


def test_an_edition_never_changes(root: Path) -> None:
    editions.create(root, "2026.1")
    with pytest.raises(BenchbookError, match="never change"):
        editions.create(root, "2026.1")


@pytest.mark.parametrize("name", ["", "A", "../x", "a b", ".hidden", "x" * 41])
def test_an_unfit_name_is_refused(root: Path, name: str) -> None:
    with pytest.raises(BenchbookError, match="is not a name for an edition"):
        editions.create(root, name)
    assert not (root / "data" / "editions").exists()


def test_a_book_of_local_runs_makes_no_edition(root: Path) -> None:
    path = root / "book" / "chapters" / "figures.json"
    records = json.loads(path.read_text())
    records[0]["run"]["published"] = False
    path.write_text(json.dumps(records))
    with pytest.raises(BenchbookError, match="shows the local run"):
        editions.create(root, "2026.1")


def test_an_altered_run_is_refused_and_its_hash_named(root: Path) -> None:
    samples = root / "data" / "published" / "hot_cold_keys" / RUN.name / "samples.parquet"
    samples.write_bytes(samples.read_bytes()[:-1] + b"x")
    with pytest.raises(StoredRunError, match=r"samples\.parquet"):
        editions.create(root, "2026.1")
    assert not (root / "data" / "editions").exists()


def test_a_missing_run_is_refused(root: Path) -> None:
    shutil.rmtree(root / "data" / "published" / "hot_cold_keys" / RUN.name)
    with pytest.raises(BenchbookError, match="its folder is missing"):
        editions.create(root, "2026.1")


def test_what_is_lost_or_changed_afterwards_is_found(root: Path) -> None:
    folder = editions.create(root, "2026.1")
    run = root / "data" / "published" / "hot_cold_keys" / RUN.name
    (run / "samples.parquet").unlink()
    (run / "trials.parquet").write_bytes(b"x")
    missing, altered = sorted(editions.problems(root, "2026.1"), key=lambda text: "altered" in text)
    assert "samples.parquet is missing (SHA-256" in missing
    assert "trials.parquet was altered" in altered
    figures = json.loads((folder / "figures.json").read_text())
    figures[0]["data"]["data"] = [[0.2]]
    (folder / "figures.json").write_text(json.dumps(figures))
    with pytest.raises(StoredRunError, match=r"fig-a of the edition 2026\.1 was changed"):
        editions.figures(root, "2026.1")


def test_an_edition_seals_every_run_of_a_pool() -> None:
    runs = [each for each in store.catalogue("scale") if each.published]
    assert len(runs) > 1
    first, newest = (run_facts.facts(each).record() for each in runs[-2:])
    sealed = editions._runs([{"id": "fig-a", "run": newest | {"pooled_with": [first]}}])
    assert [each["run_id"] for each in sealed] == [first["run_id"], newest["run_id"]]
    with pytest.raises(BenchbookError, match="local run"):
        editions._runs([{"id": "fig-a", "run": newest | {"pooled_with": [first | {"published": False}]}}])
