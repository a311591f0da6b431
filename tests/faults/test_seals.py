"""Stored runs are edited by hand and by flipped bits: `verify` and every build find each, and change nothing."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import sealing
from edits import EDITS, LOCAL, NAME, NEW, OLD, OTHER, SUMS, Edit, given, removed
from typer.testing import CliRunner

from benchbook import files, provenance
from benchbook.book.records import whole_runs
from benchbook.cli.commands import app
from benchbook.errors import StoredRunError
from benchbook.store import remembered, schema

pytestmark = [pytest.mark.faults, pytest.mark.long]
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone with three published runs and one of this machine, and its book, built."""
    root = tmp_path_factory.mktemp("sealed") / "original"
    (root / "data" / "notes").mkdir(parents=True)
    (root / "book").mkdir()
    (root / "_config.yml").write_text("title: Small\nonly_build_toc_files: true\nexecute:\n  execute_notebooks: off\n")
    (root / "_toc.yml").write_text(f"format: jb-book\nroot: book/index\nchapters:\n  - file: book/chapters/{NAME}\n")
    (root / "book" / "index.md").write_text("# Small\n")
    (root / ".gitignore").write_text("/_build/\n/runs/\n/book/chapters/\n")
    (root / ".gitattributes").write_text("data/published/** -text\n")
    shutil.copy(ROOT / "CITATION.cff", root)
    (root / "notebooks").mkdir()
    notebook = json.loads((ROOT / "notebooks" / f"{NAME}.ipynb").read_text())
    kept = next(cell for cell in notebook["cells"] if "parameters" in cell["metadata"].get("tags", []))
    title = {"cell_type": "markdown", "id": "title", "metadata": {}, "source": ["# Small"]}
    (root / "notebooks" / f"{NAME}.ipynb").write_text(json.dumps(notebook | {"cells": [title, kept]}))
    sealing.git(root, "init", "-q")
    for run in (OLD, OTHER):
        digest = json.loads((ROOT / run / "run.json").read_text())["provenance"]["ledger_sha256"]
        ledger = provenance.state(ROOT, "data/claims.csv", digest)
        assert ledger is not None, "the ledger of a published run is in the project's history"
        (root / "data" / "claims.csv").write_bytes(ledger)
        sealing.git(root, "add", ".")
        sealing.git(root, "commit", "-q", "--allow-empty", "-m", "a ledger")
    for path in (ROOT / "data").glob("*.csv"):
        shutil.copy(path, root / "data")
    for source, run in ((OLD, OLD), (OTHER, OTHER), (OLD, NEW), (OLD, LOCAL)):
        shutil.copytree(ROOT / source, root / run)
    for run in (NEW, LOCAL):
        sealing.rewrite(root / run, id=run.name)
    sealing.list_published(root)
    sealing.git(root, "add", ".")
    sealing.git(root, "commit", "-q", "-m", "the runs")
    return root


@pytest.fixture(scope="module")
def built(original: Path) -> Path:
    """The same with its edition built by the command, so that nothing is left to be done."""
    done = build(original)
    assert done.returncode == 0, done.stderr
    return original


@pytest.fixture
def root(original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy to be damaged, taken for the project."""
    copy = shutil.copytree(original, tmp_path / "copy", ignore=shutil.ignore_patterns("_build"))
    monkeypatch.setenv("BENCHBOOK_HOME", str(copy))
    return copy


def build(root: Path) -> subprocess.CompletedProcess[str]:
    """`benchbook build --edition` as a program of its own."""
    command = [sys.executable, "-c", "from benchbook.cli import main; main()", "build", "--edition"]
    environment = {"BENCHBOOK_HOME": str(root), "PYTHONPATH": ":".join(sys.path), "PATH": "/usr/bin:/bin"}
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def content(root: Path) -> dict[str, bytes]:
    """Every file of the runs; not what is remembered of them, which any command may write."""
    every = [path for name in ("data", "runs") for path in (root / name).rglob("*") if path.is_file()]
    found = [path for path in every if path.name != remembered.FILE]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}


def check_is_found(root: Path, run: Path) -> None:
    """Both checks name the run and leave everything as it is."""
    before = content(root)
    checked = CliRunner().invoke(app, ["verify"], prog_name="benchbook")
    assert checked.exit_code == 6, checked.output
    told = [line for line in checked.stdout.splitlines() if line.startswith(f"{run.name} (")]
    assert any("DAMAGED" in line for line in told), checked.output
    with pytest.raises(StoredRunError) as caught:
        whole_runs.check(root, published_only=False)
    assert run.name in caught.value.problem.splitlines()[0]
    assert "git checkout" in caught.value.mend
    assert content(root) == before


def test_the_runs_pass_as_long_as_nobody_edits_them(root: Path) -> None:
    whole_runs.check(root, published_only=False)
    checked = CliRunner().invoke(app, ["verify"], prog_name="benchbook")
    assert checked.exit_code == 0, checked.output
    assert checked.stdout.count("whole (") == 4
    assert checked.stdout.count("as first committed)") == 3


@pytest.mark.parametrize(("run", "edit"), EDITS.values(), ids=EDITS.keys())
def test_an_edit_is_found(root: Path, run: Path, edit: Edit) -> None:
    edit(root)
    check_is_found(root, run)


def flipped(root: Path) -> None:
    """A bit of a table; more of them, also of records: tests/store/test_damage.py."""
    path = root / OLD / schema.SAMPLES
    whole = bytearray(path.read_bytes())
    whole[len(whole) // 2] ^= 1
    path.write_bytes(whole)


def test_a_bit_that_flips_is_found(root: Path) -> None:
    flipped(root)
    check_is_found(root, OLD)


# the command, where the book is there already and nothing to do


def test_a_build_with_nothing_to_do_says_so_while_the_runs_are_whole(built: Path) -> None:
    pages = built / "_build" / "html" / "index.html"
    before = pages.stat().st_mtime_ns
    done = build(built)
    assert done.returncode == 0, done.stderr
    assert pages.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    "edit",
    [flipped, removed(OLD, schema.TRIALS), given(OLD, canary=[]), SUMS["edited, listed and committed"][1]],
    ids=["a bit flipped", "table removed", "canary emptied", "edited, listed and committed"],
)
def test_a_build_with_nothing_to_do_fails_when_a_run_is_damaged(built: Path, tmp_path: Path, edit: Edit) -> None:
    copy = shutil.copytree(built, tmp_path / "copy")
    edit(copy)
    before, pages = content(copy), files.sha256(copy / "_build" / "html" / "index.html")
    done = build(copy)
    assert done.returncode == 6, done.stdout + done.stderr
    assert OLD.name in done.stderr
    assert "fix: restore published runs with `git checkout" in done.stderr
    assert "Traceback" not in done.stderr
    assert "unforeseen" not in done.stderr
    assert content(copy) == before
    assert files.sha256(copy / "_build" / "html" / "index.html") == pages
