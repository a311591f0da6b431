"""What commands say and do where git refuses to answer, or would answer for another repository."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import sealing
from sealing import committed

from benchbook import provenance, verification
from benchbook.book.records import editions, figure_list, run_facts, whole_runs
from benchbook.errors import BenchbookError
from benchbook.store import find_entry

ROOT = Path(__file__).parents[2]
RUN = min((ROOT / "data" / "published" / "lru").iterdir())
REFUSED = "fatal: bad config line 1"
COMPARED = "as first committed"


@pytest.fixture
def project(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a published run, planned against the ledger that is there; no clone yet."""
    monkeypatch.setenv("LC_ALL", "C")
    digest = json.loads((RUN / "run.json").read_text())["provenance"]["ledger_sha256"]
    ledger = provenance.state(ROOT, "data/claims.csv", digest)
    assert ledger is not None, "the ledger of a published run is in the project's history"
    (home / "data" / "claims.csv").write_bytes(ledger)
    sealing.publish_copy(RUN, home)
    return home


def refuse(root: Path) -> None:
    (root / ".git" / "config").write_text("[core\n")


def test_a_clone_that_git_answers_for_is_compared(project: Path, benchbook: Any) -> None:
    committed(project)
    assert COMPARED in benchbook("verify", code=0).stdout


def test_verify_fails_with_gits_words_where_it_refuses(project: Path, benchbook: Any) -> None:
    committed(project)
    refuse(project)
    result = benchbook("verify", code=6)
    assert COMPARED not in result.stdout
    assert "whole (" in result.stdout, "the run itself is checked all the same"
    said = result.stderr.splitlines()
    assert said[0].startswith("not compared with the commits that added the published runs: git says nothing of ")
    assert [line.split(":")[0] for line in said[1:]] == ["error", "fix"]
    assert all(REFUSED in line for line in said[:2])


def test_outside_of_a_clone_an_older_ledger_is_no_damage(project: Path, benchbook: Any) -> None:
    with (project / "data" / "claims.csv").open("a") as file:
        file.write("\n")
    assert "not the ledger that it was planned against" in benchbook("verify", code=0).stdout
    committed(project)
    verification.known_ledgers.cache_clear()
    assert "a ledger that was never committed here" in benchbook("verify", code=6).stdout


def test_a_build_says_that_it_cannot_compare_and_goes_on(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    committed(project)
    whole_runs.check(project, published_only=True)
    assert capsys.readouterr().err == ""
    refuse(project)
    whole_runs.check(project, published_only=True)
    assert REFUSED in capsys.readouterr().err


def test_an_edition_is_refused_before_anything_is_written(project: Path) -> None:
    for name in ("CITATION.cff", "requirements.lock"):
        shutil.copy(ROOT / name, project)
    facts = run_facts.facts(find_entry(RUN.name)).record()
    data = {"columns": ["x"], "data": [[0.1]]}
    (project / "book" / "chapters").mkdir(parents=True)
    record = {"id": "fig-a", "run": facts, "data": data, "data_sha256": figure_list.data_sha256(data)}
    figure_list.write(project / "book" / "chapters", [record])
    committed(project)
    refuse(project)
    with pytest.raises(BenchbookError, match=REFUSED):
        editions.create(project, "2026.1")
    assert not (project / "data" / "editions").exists()


def test_a_run_without_a_commit_is_published_with_a_remark(home: Path, benchbook: Any) -> None:
    folder = shutil.copytree(RUN, home / "runs" / "lru" / RUN.name)
    origin = json.loads((folder / "run.json").read_text())["provenance"]
    unknown = {"commit": None, "dirty": None, "commit_unknown": "git refused to answer"}
    sealing.rewrite(folder, provenance=origin | unknown)
    sealing.list_published(home)
    assert "remark: It names no commit (git refused to answer)" in benchbook("publish", RUN.name, code=0).stderr
