"""A tree that may not be written and a clone that lost a part: one message with its fix, and no traceback."""

import shlex
import shutil
import subprocess
from pathlib import Path

import parts_at_work as parts
import pytest

pytestmark = pytest.mark.faults

WRITING = {
    "build": "build --edition",
    "run of a chapter that measures": "run calibration --profile quick",
    "run of a chapter that recomputes": "run cost",
}
READING = {"runs": "runs", "list": "list", "show": "show scale"}
LOST = {
    "_config.yml": "list",
    "data": "runs",
    "notebooks": "list",
    "_toc.yml": "build",
    "book/index.md": "build",
    "notebooks/cost.ipynb": "run cost",
    "data/claims.csv": "run cost",
    "data/notes": "run cost",
}
OFTEN = ("_config.yml", "_toc.yml", "data/claims.csv")
"""Of these: what every test run takes away, the others being found missing in the same ways."""
WRITTEN = ("build", "run of a chapter that measures")
"""What every test run tries on such a tree; the others write in the same ways."""
ROOT = Path(__file__).parents[2]


def complaint(done: subprocess.CompletedProcess[str]) -> tuple[str, str]:
    """The problem and the fix of a command that failed as it should."""
    assert done.returncode in (1, 3), done.stdout + done.stderr
    return parts.complaint(done.stderr)


def called(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def whole(home: Path) -> Path:
    """The project copy with all that a build reads."""
    for name in ("_toc.yml", "pyproject.toml", "CITATION.cff", "requirements.lock"):
        shutil.copyfile(ROOT / name, home / name)
    shutil.copytree(ROOT / "book", home / "book", ignore=shutil.ignore_patterns("chapters"))
    return home


def on_a_read_only_tree(home: Path, arguments: str) -> subprocess.CompletedProcess[str]:
    """A command in a mount namespace of its own, in which the project cannot be written; temporary files can."""
    command = shlex.join([*parts.COMMAND, *shlex.split(arguments)])
    place = shlex.quote(str(home))
    script = f"""
        mount --bind {place} {place} && mount -o remount,ro,bind {place} && mount -t tmpfs tmpfs {place}/tmp || exit 99
        cd {place} && exec {command}
    """
    return called([*parts.isolated("--mount"), "sh", "-c", script], home)


@pytest.mark.parametrize(
    "arguments",
    [pytest.param(said, id=name, marks=() if name in WRITTEN else pytest.mark.long) for name, said in WRITING.items()],
)
def test_a_tree_that_cannot_be_written_is_named_by_what_writes(whole: Path, arguments: str) -> None:
    problem, fix = complaint(on_a_read_only_tree(whole, arguments))
    assert "Read-only file system" in problem or "no run is published" in problem
    assert len(fix) > len("fix: ")


@pytest.mark.parametrize("arguments", READING.values(), ids=READING)
def test_a_tree_that_cannot_be_written_can_be_read(whole: Path, arguments: str) -> None:
    done = on_a_read_only_tree(whole, arguments)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("lost", "arguments"),
    [pytest.param(lost, said, id=lost, marks=() if lost in OFTEN else pytest.mark.long) for lost, said in LOST.items()],
)
def test_a_clone_that_lost_a_part_is_told_which(
    whole: Path, monkeypatch: pytest.MonkeyPatch, lost: str, arguments: str
) -> None:
    monkeypatch.delenv("BENCHBOOK_HOME")
    path = whole / lost
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    problem, fix = complaint(called([*parts.COMMAND, *arguments.split()], whole))
    assert lost.removesuffix(".md") in problem, "and no other clone is taken in its place"
    assert "restore it" in fix or "notebook" in problem


def test_a_folder_above_which_is_no_project_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless the package itself lies in a clone: then that one is meant."""
    monkeypatch.delenv("BENCHBOOK_HOME", raising=False)
    assert called([*parts.COMMAND, "list"], tmp_path).returncode == 0
