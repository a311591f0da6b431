"""Which commit a run names: that of the code that runs, or none and why; never that of another repository."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from clones import commit
from clones import git as call

import benchbook
from benchbook import provenance
from benchbook.provenance import git
from benchbook.provenance.code import code, committed, dirty


def repository(folder: Path, text: str = "a = 1\n") -> Path:
    """A repository with the parts of a project, its package among them, all committed."""
    for name in ("_config.yml", "notebooks/one.ipynb", "data/claims.csv", "data/published/scale/a-1/run.json"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"{name}\n")
    package = folder / "src" / "benchbook"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(text)
    (folder / ".gitignore").write_text("/.venv/\n")
    call(folder, "init", "--quiet", "-b", "main")
    commit(folder, "one")
    return folder


def run_from(folder: Path, monkeypatch: pytest.MonkeyPatch, package: Path | None = None) -> None:
    """Take a folder for the project, and let the package that runs lie in it, or where it is said to."""
    monkeypatch.setenv("BENCHBOOK_HOME", str(folder))
    monkeypatch.setattr(benchbook, "__file__", str((package or folder / "src" / "benchbook") / "__init__.py"))


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Such a repository, which is the project of this process; git speaks English."""
    monkeypatch.setenv("LC_ALL", "C")
    folder = repository(tmp_path / "clone")
    run_from(folder, monkeypatch)
    return folder


def recorded() -> tuple[object, object, object]:
    """Commit, whether it is changed, and why there is none, as a run that begins now would have them."""
    found = code(say=lambda line: None)
    return found["commit"], found["dirty"], found.get("commit_unknown")


def test_code_that_no_commit_holds_is_told_changed_or_new(tmp_path: Path) -> None:
    with pytest.raises(git.NoCloneError):
        git.clone(tmp_path)
    module = repository(tmp_path, "a = 1\n") / "src" / "benchbook" / "__init__.py"
    here = git.clone(tmp_path)
    (tmp_path / "notes.txt").write_text("no code\n")
    assert dirty(here) is False
    sums = tmp_path / "data" / "published" / "SHA256SUMS"
    sums.touch()
    commit(tmp_path, "no runs")
    sums.write_text("a run that was just published\n")
    assert dirty(here) is False
    (tmp_path / "src" / "two.py").write_text("b = 2\n")
    assert dirty(here) is True
    (tmp_path / "src" / "two.py").unlink()
    module.write_text("a = 2\n")
    assert dirty(here) is True
    assert dirty(here, but=Path("src/benchbook/__init__.py")) is False


def test_a_clone_records_its_commit_and_a_linked_worktree_its_own(
    clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert recorded() == (call(clone, "rev-parse", "HEAD"), False, None)
    linked = tmp_path / "linked"
    call(clone, "worktree", "add", "--quiet", "-b", "other", str(linked))
    call(linked, "commit", "--quiet", "--allow-empty", "-m", "two")
    run_from(linked, monkeypatch)
    assert recorded() == (call(linked, "rev-parse", "HEAD"), False, None)
    assert recorded()[0] != call(clone, "rev-parse", "HEAD")
    assert provenance.introduced(linked, "data/published").committed("data/published/scale")


def test_an_archive_in_another_repository_names_none_of_its_commits(
    clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = clone / "archive"
    archive.mkdir()
    for name in ("_config.yml", "notebooks", "data", "src"):
        (shutil.copytree if (clone / name).is_dir() else shutil.copy)(clone / name, archive / name)
    commit(clone, "somebody keeps it there")
    run_from(archive, monkeypatch)
    assert recorded() == (None, None, "the folder of the project is not a git clone")
    assert provenance.introduced(archive, "data/published").unknown == "this is not a git clone"
    assert not provenance.introduced(archive, "data/published").committed("data/published/scale")
    assert not provenance.whole_history(archive)
    (archive / ".git").mkdir()  # no repository, so that git goes on to the one around it
    assert recorded() == (None, None, "the folder of the project is not a git clone")
    assert str(clone) in provenance.introduced(archive, "data/published").unknown


@pytest.mark.parametrize("variables", [("GIT_DIR",), ("GIT_DIR", "GIT_WORK_TREE"), ("GIT_CEILING_DIRECTORIES",)])
def test_variables_of_the_caller_lead_to_no_other_repository(
    clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variables: tuple[str, ...]
) -> None:
    other = repository(tmp_path / "other", "b = 2\n")
    (clone / "data" / "published" / "scale" / "a-1" / "run.json").write_text("altered\n")
    commit(clone, "two")
    own = call(clone, "rev-parse", "HEAD")
    values = {
        "GIT_DIR": str(other / ".git"), "GIT_WORK_TREE": str(other),
        "GIT_CEILING_DIRECTORIES": f"{clone.parent}:{clone}",
    }  # fmt: skip
    for name in variables:
        monkeypatch.setenv(name, values[name])
    assert recorded() == (own, False, None)
    altered = ["data/published/scale/a-1/run.json"]
    assert provenance.introduced(clone, "data/published").altered("data/published/scale/a-1") == altered
    assert [*provenance.states(clone, "src/benchbook/__init__.py")] == [b"a = 1\n"] * 2


def test_a_package_of_another_clone_or_an_installed_copy_is_not_that_of_the_commit(
    clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = repository(tmp_path / "other")
    installed = clone / ".venv" / "lib" / "benchbook"
    shutil.copytree(clone / "src" / "benchbook", installed)
    for package in (other / "src" / "benchbook", installed):
        run_from(clone, monkeypatch, package)
        said: list[str] = []
        found = code(say=said.append)
        assert (found["commit"], found["dirty"]) == (None, None)
        assert found["commit_unknown"] == "the code that ran is not that of the clone"
        assert len(said) == 1
        assert str(package) in said[0]
        assert "make setup" in said[0]


def test_what_git_refuses_is_told_in_its_words_and_is_no_missing_clone(clone: Path) -> None:
    (clone / "data" / "claims.csv").write_text("changed\n")
    (clone / ".git" / "config").write_text("[core\n")
    said: list[str] = []
    found = code(say=said.append)
    assert (found["commit"], found["dirty"], found["commit_unknown"]) == (None, None, "git refused to answer")
    assert "fatal: bad config line 1" in said[0]
    assert str(clone) not in str(found)
    known = provenance.introduced(clone, "data/published")
    assert known.refusal is not None
    assert "fatal: bad config line 1" in known.unknown
    with pytest.raises(git.GitRefusedError, match="bad config line 1"):
        provenance.state(clone, "data/claims.csv", "0" * 64)
    assert not provenance.whole_history(clone)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another account")
def test_a_clone_of_another_owner_is_told_with_the_way_to_trust_it(
    clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SUDO_UID", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    for path in (clone, *clone.rglob("*")):
        os.chown(path, 65534, 65534, follow_symlinks=False)
    if subprocess.run(["git", "status"], cwd=clone, capture_output=True, check=False).returncode == 0:
        pytest.skip("the system's configuration of git trusts every owner")
    said: list[str] = []
    assert code(say=said.append)["commit_unknown"] == "git refused to answer"
    assert "dubious ownership" in said[0]
    way = f"git config --global --add safe.directory {clone}"
    assert said[0].endswith(way)
    assert "dubious ownership" in provenance.introduced(clone, "data/published").unknown
    subprocess.run(way.split(), check=True)
    assert recorded() == (call(clone, "rev-parse", "HEAD"), False, None)


def test_a_clone_without_git_is_one_of_which_git_says_nothing(
    clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert recorded() == (None, None, "git refused to answer")
    refusal = provenance.introduced(clone, "data/published").refusal
    assert "git is not installed" in refusal.problem
    assert "apt-get install git" in refusal.mend


def test_before_the_first_commit_there_is_none(clone: Path) -> None:
    shutil.rmtree(clone / ".git")
    call(clone, "init", "--quiet")
    call(clone, "add", ".")
    assert recorded() == (None, None, "nothing is committed yet")
    assert committed(clone).dirty is None


def test_no_program_that_a_clone_names_is_started(clone: Path, tmp_path: Path) -> None:
    mark = tmp_path / "started"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
    program.chmod(0o755)
    hooks = clone / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    shutil.copy(program, hooks / "post-index-change")
    call(clone, "config", "core.fsmonitor", str(program))
    call(clone, "config", "filter.own.clean", str(program))
    (clone / ".git" / "info").mkdir(exist_ok=True)
    (clone / ".git" / "info" / "attributes").write_text("* filter=own\n")
    module = clone / "src" / "benchbook" / "__init__.py"
    os.utime(module, (1, 1))  # so that its content has to be looked at
    assert recorded() == (call(clone, "rev-parse", "HEAD"), False, None)
    provenance.introduced(clone, "data/published")
    assert [*provenance.states(clone, "data/claims.csv")]
    assert not mark.exists()
    call(clone, "status")
    assert mark.exists(), "git alone would have started it"
