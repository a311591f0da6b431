"""Which chapters are made again, and with which parameters."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benchbook.book.chapter_plan import plan
from benchbook.errors import BenchbookError

WriteNotebook = Callable[..., Path]
WriteRun = Callable[..., Path]

Change = Callable[[Path], object]


def append(name: str) -> Change:
    def change(root: Path) -> None:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as file:
            file.write("# changed\n")

    return change


@pytest.mark.parametrize(
    "change",
    [
        append("src/benchbook/code.py"),
        append("data/claims.csv"),
        append("data/claims-amendments.csv"),
        append("data/notes/numbers.csv"),
        append("notebooks/one.ipynb"),
        append("runs/one/r1/run.json"),
        append("data/published/one/r1/run.json"),
        append("data/published/noise_floor/r1/run.json"),
        lambda root: (root / "notebooks/profiles/quick/one.yaml").write_text("size: 3\n"),
    ],
    ids=[
        "package",
        "claims",
        "amendments",
        "notes",
        "notebook",
        "local run",
        "published run",
        "noise floor",
        "parameters",
    ],
)
def test_the_key_changes_with_every_input(small_root: Path, write_notebook: WriteNotebook, change: Change) -> None:
    write_notebook("one", "size = 1")
    (before,) = plan(small_root, edition=False)
    change(small_root)
    (after,) = plan(small_root, edition=False)
    assert before.key != after.key


def test_the_key_does_not_change_by_itself_or_with_another_experiments_run(
    small_root: Path, write_notebook: WriteNotebook, write_run: WriteRun
) -> None:
    write_notebook("one", "size = 1")
    (before,) = plan(small_root, edition=False)
    write_run("two", "r9", "2026-01-01T00:00:00Z")
    assert plan(small_root, edition=False) == [before]


def test_an_edition_shows_the_published_run_that_finished_last(
    small_root: Path, write_notebook: WriteNotebook, write_run: WriteRun
) -> None:
    write_notebook("one", "size = 1")
    write_run("one", "r-a", "2026-03-01T00:00:00Z", size=30)
    write_run("one", "r-b", "2026-02-01T00:00:00Z", size=20)
    write_run("one", "r-c", "2026-04-01T00:00:00Z", published=False, size=40)
    (chapter,) = plan(small_root, edition=True)
    assert chapter.parameters == {"size": 30}
    assert chapter.edition


def test_an_edition_and_an_ordinary_build_have_different_keys(
    small_root: Path, write_notebook: WriteNotebook, write_run: WriteRun
) -> None:
    write_notebook("one", "size = 1")
    write_run("one", "r-a", "2026-03-01T00:00:00Z", size=2)
    assert plan(small_root, edition=True)[0].key != plan(small_root, edition=False)[0].key


def test_an_edition_without_any_published_run_says_what_to_do(small_root: Path, write_notebook: WriteNotebook) -> None:
    write_notebook("one", "size = 1")
    with pytest.raises(BenchbookError, match=r"benchbook run EXPERIMENT.*benchbook publish"):
        plan(small_root, edition=True)


def test_a_chapter_without_a_published_run_keeps_its_place_in_the_edition(
    small_root: Path, write_notebook: WriteNotebook, write_run: WriteRun
) -> None:
    write_notebook("one", "size = 1")
    write_notebook("two", "size = 1")
    write_run("two", "r-a", "2026-03-01T00:00:00Z", size=2)
    first, second = plan(small_root, edition=True)
    assert (first.experiment, first.parameters, first.edition) == ("one", {}, True)
    assert second.parameters == {"size": 2}
    before = first.key
    write_run("one", "r-b", "2026-03-01T00:00:00Z", size=3)
    assert plan(small_root, edition=True)[0].key != before


def test_a_damaged_published_run_is_named(small_root: Path, write_notebook: WriteNotebook, write_run: WriteRun) -> None:
    write_notebook("one", "size = 1")
    write_run("one", "r-a", None)
    with pytest.raises(BenchbookError, match=r"data/published/one/r-a/run.json is damaged"):
        plan(small_root, edition=True)


def test_a_missing_or_malformed_profile_is_named(small_root: Path, write_notebook: WriteNotebook) -> None:
    write_notebook("one", "size = 1", profile="- a\n")
    with pytest.raises(BenchbookError, match=r"quick/one.yaml holds no parameters"):
        plan(small_root, edition=False)
    (small_root / "notebooks/profiles/quick/one.yaml").unlink()
    with pytest.raises(BenchbookError, match=r"no parameter file .*quick/one.yaml"):
        plan(small_root, edition=False)
    assert plan(small_root, edition=False, profile="standard")[0].parameters == {}
