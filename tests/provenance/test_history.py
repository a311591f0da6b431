"""Files that never change are compared with the commit that brought them; a commit that nobody has is listed."""

import json
from pathlib import Path

import pytest
from clones import commit, git

from benchbook import project
from benchbook.provenance import absent, introduced
from benchbook.provenance.git import GitRefusedError, NoCloneError
from benchbook.provenance.git import clone as asked


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone with two folders of two files each."""
    root = tmp_path / "clone"
    for name in ("runs/a/x", "runs/a/y", "runs/b/x", "runs/b/y"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    git(tmp_path, "init", "-q", "-b", "main", "clone")
    commit(root, "first")
    return root


def test_what_is_as_it_was_is_told(clone: Path) -> None:
    found = introduced(clone, "runs")
    assert found.unknown == ""
    assert found.altered("runs/a") == found.altered("runs/b") == []
    assert found.committed("runs/a")


def test_what_was_altered_is_named_also_when_that_was_committed(clone: Path) -> None:
    (clone / "runs" / "a" / "x").write_text("other")
    assert introduced(clone, "runs").altered("runs/a") == ["runs/a/x"]
    commit(clone, "later")
    assert introduced(clone, "runs").altered("runs/a") == ["runs/a/x"]
    assert introduced(clone, "runs").altered("runs/b") == []
    git(clone, "rm", "-q", "runs/a/x")
    git(clone, "commit", "-q", "-m", "away")
    (clone / "runs" / "a").mkdir(exist_ok=True)
    (clone / "runs" / "a" / "x").write_text("other")
    commit(clone, "and back")
    assert introduced(clone, "runs").altered("runs/a") == ["runs/a/x"], "the first commit counts"


def test_what_a_branch_brought_and_its_merge_altered_is_named(clone: Path) -> None:
    git(clone, "checkout", "-q", "-b", "branch")
    (clone / "runs" / "c").mkdir()
    (clone / "runs" / "c" / "x").write_text("measured")
    commit(clone, "brought")
    git(clone, "checkout", "-q", "main")
    git(clone, "merge", "-q", "--no-ff", "--no-commit", "branch")
    (clone / "runs" / "c" / "x").write_text("altered")
    commit(clone, "merged")
    assert introduced(clone, "runs").altered("runs/c") == ["runs/c/x"]


def test_what_is_not_committed_yet_is_not_altered(clone: Path) -> None:
    (clone / "runs" / "c").mkdir()
    (clone / "runs" / "c" / "x").write_text("new")
    found = introduced(clone, "runs")
    assert found.altered("runs/c") == []
    assert not found.committed("runs/c")


def test_without_the_whole_history_nothing_is_known(clone: Path, tmp_path: Path) -> None:
    (clone / "runs" / "a" / "x").write_text("other")
    commit(clone, "later")
    git(tmp_path, "clone", "-q", "--depth", "1", clone.as_uri(), "shallow")
    found = introduced(tmp_path / "shallow", "runs")
    assert "not its whole history" in found.unknown
    assert found.altered("runs/a") == []
    assert not found.committed("runs/a")


def test_a_partial_clone_is_told_as_that_and_its_own_mend_helps(clone: Path, tmp_path: Path) -> None:
    (clone / "runs" / "a" / "x").write_text("other")
    commit(clone, "later")
    git(clone, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--filter=blob:none", clone.as_uri(), "partial")
    with pytest.raises(GitRefusedError, match="is a partial clone") as told:
        asked(tmp_path / "partial").content("HEAD~1:runs/a/x")
    _, *command = told.value.mend.partition(",")[0].split()
    git(tmp_path / "partial", *command)
    assert asked(tmp_path / "partial").content("HEAD~1:runs/a/x") is not None


def test_outside_of_a_clone_nothing_is_known_even_with_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "archive" / "runs").mkdir(parents=True)
    assert introduced(tmp_path / "archive", "runs").unknown == "this is not a git clone"
    monkeypatch.setenv("PATH", str(tmp_path))
    found = introduced(tmp_path / "archive", "runs")
    assert found.unknown == "this is not a git clone"
    assert found.refusal is None


def test_a_clone_without_commits_knows_nothing(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "empty")
    (tmp_path / "empty" / "runs").mkdir()
    assert introduced(tmp_path / "empty", "runs").unknown == "nothing is committed yet"


def test_each_commit_that_a_run_names_is_in_the_history_or_listed_as_absent() -> None:
    try:
        here = asked(project.root())
    except NoCloneError:
        pytest.skip("this copy has no history to look into")
    if not here.whole():
        pytest.skip("this clone has not its whole history")
    records = (json.loads(path.read_text()) for path in project.published().glob("*/*/run.json"))
    named = {record["provenance"]["commit"] for record in records}
    held = {commit for commit in named if here.content(f"{commit}^{{commit}}") is not None}
    assert named
    assert {commit for commit in named if absent(commit)} == named - held
