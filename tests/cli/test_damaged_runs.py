"""Commands that show runs and figures when a run is damaged, or when the book is older than what it shows."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sealing

from benchbook.book.assembly import chapter_plan
from benchbook.book.records import figure_list
from benchbook.provenance import closure
from benchbook.store import schema

NAME = "scale"
FIGURE: dict[str, Any] = {
    "id": "fig-small", "page": f"book/chapters/{NAME}", "chapter": NAME, "chapter_title": "Scale", "title": "Small",
    "source": "", "date": "2026-01-02", "caption": "Small.", "run_id": "a-1", "plot": {"data": [], "layout": {}},
    "data": {"columns": ["n", "ms"], "data": [[1, 0.5]]}, "data_sha256": "0" * 64,
    "run": {"experiment": NAME, "run_id": "a-1", "published": True, "profile": "standard", "pooled_with": []},
    "citations": {"text": "The authors (2026). Small.\n"},
}  # fmt: skip
COMMANDS = [("data", "fig-small"), ("cite", "fig-small"), ("figure", "fig-small", "--out", "-", "--format", "json")]
OLDER = "this is of an older build: runs, notebook or code of its chapter changed since"
ROOT = Path(__file__).parents[2]


@pytest.fixture
def run(home: Path) -> Path:
    """A published run and the book that shows a figure of it; returns the run's folder."""
    folder = sealing.write_run(home, NAME, "a-1", published=True)
    (home / "CITATION.cff").write_bytes((ROOT / "CITATION.cff").read_bytes())
    chapters = home / "book" / "chapters"
    chapters.mkdir(parents=True)
    (chapters / figure_list.FIGURES_FILE).write_text(json.dumps([FIGURE]))
    basis = chapter_plan.basis(home, NAME, published=True)
    (chapters / f"{NAME}.key.json").write_text(json.dumps({"basis": basis, "published": True}))
    return folder


def cut(folder: Path) -> None:
    path = folder / schema.SAMPLES
    path.write_bytes(path.read_bytes()[:-1])


def edit(folder: Path) -> None:
    path = folder / schema.RUN
    path.write_text(path.read_text().replace('"seed": 1', '"seed": 2'))


DAMAGE = pytest.mark.parametrize("damage", [cut, edit])


@DAMAGE
def test_the_list_calls_a_damaged_run_so_and_says_why(
    run: Path, home: Path, benchbook: Any, damage: Callable[[Path], None]
) -> None:
    local = sealing.write_run(home, NAME, "b-1")
    assert "damaged" not in benchbook("runs").stdout
    damage(run)
    damage(local)
    result = benchbook("runs", code=0)
    assert re.search(r"^a-1 .* damaged, published", result.stdout, re.MULTILINE)
    assert re.search(r"^b-1 +\S+ +damaged", result.stdout, re.MULTILINE)
    why = [line for line in result.stdout.splitlines() if " is damaged: " in line]
    assert {line.split()[0] for line in why} == {"a-1", "b-1"}
    assert all(len(line.partition("is damaged: ")[2]) > 20 for line in why)


@DAMAGE
def test_a_figure_of_a_damaged_run_is_refused(run: Path, benchbook: Any, damage: Callable[[Path], None]) -> None:
    for command in COMMANDS:
        fine = benchbook(*command)
        assert (fine.exit_code, fine.stderr) == (0, "")
        assert fine.stdout
    damage(run)
    for command in COMMANDS:
        result = benchbook(*command)
        assert (result.exit_code, result.stdout) == (6, "")
        assert "the figure fig-small shows a run that is not as measured, a-1" in result.stderr
        assert "git checkout" in result.stderr


def another_run(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sealing.write_run(home, NAME, "a-2", published=True)


def another_notebook(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (home / "notebooks" / f"{NAME}.ipynb").open("a") as file:
        file.write("\n")


def another_code(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = closure.installed
    changed = {"lab.py": b"VALUE = 1\n"}
    monkeypatch.setattr(closure, "installed", lambda path: changed.get(path) or installed(path))


def another_run_sealed_again(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sealing.rewrite(home / "data" / "published" / NAME / "a-1", seed=2)
    sealing.list_published(home)


@pytest.mark.parametrize("change", [another_run, another_notebook, another_code, another_run_sealed_again])
def test_an_answer_from_an_older_build_says_so_beside_its_output(
    run: Path, home: Path, benchbook: Any, monkeypatch: pytest.MonkeyPatch, change: Any
) -> None:
    every = [benchbook(*command, code=0) for command in COMMANDS]
    change(home, monkeypatch)
    for command, before in zip(COMMANDS, every, strict=True):
        after = benchbook(*command, code=0)
        assert after.stdout == before.stdout
        assert before.stderr == ""
        assert len(after.stderr.splitlines()) == 1
        assert after.stderr.startswith(OLDER)


def test_what_changed_elsewhere_does_not_make_a_figure_older(run: Path, home: Path, benchbook: Any) -> None:
    sealing.write_run(home, "io_cliff", "c-1", published=True)
    sealing.write_run(home, NAME, "b-1")
    assert benchbook("data", "fig-small").stderr == ""


def test_verify_says_when_published_runs_cannot_be_compared_with_commits(run: Path, benchbook: Any) -> None:
    said = "not compared with the commits that added the published runs: this is not a git clone"
    assert said in benchbook("verify").stderr
