"""Which chapters are made again, and with which parameters."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchbook.book.assembly.chapter_plan import Shown, plan
from benchbook.errors import BenchbookError

WriteNotebook = Callable[..., Path]
WriteRun = Callable[..., Path]
Known = Callable[..., None]
PUBLISHED, EDITION, LOCAL = Shown(), Shown(edition=True), Shown(local=True)

Change = Callable[[Path], object]


def append(name: str) -> Change:
    def change(root: Path) -> None:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as file:
            file.write("# changed\n")

    return change


def replaced(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new) + "\n")


@pytest.mark.parametrize(
    "change",
    [
        append("data/claims.csv"),
        append("data/claims-amendments.csv"),
        append("data/experiments.csv"),
        append("data/notes/numbers.csv"),
        append("notebooks/one.ipynb"),
        append("data/published/noise_floor/r1/run.json"),
        lambda root: replaced(root / "one.profiles.yaml", "size: 2", "size: 3"),
    ],
    ids=["claims", "amendments", "experiments", "notes", "notebook", "noise floor", "parameters"],
)
def test_the_key_changes_with_every_input(small_root: Path, write_notebook: WriteNotebook, change: Change) -> None:
    write_notebook("one", "size = 1")
    (before,) = plan(small_root, PUBLISHED)
    change(small_root)
    (after,) = plan(small_root, PUBLISHED)
    assert before.key != after.key


@pytest.mark.parametrize("published", [True, False])
def test_the_key_changes_with_every_run(
    small_root: Path, write_notebook: WriteNotebook, write_run: WriteRun, published: bool
) -> None:
    write_notebook("one", "size = 1")
    (before,) = plan(small_root, LOCAL)
    write_run("one", "r-a", "2026-01-01T00:00:00Z", published=published)
    assert plan(small_root, LOCAL)[0].key != before.key


def test_the_key_does_not_change_by_itself_or_with_another_experiments_run(
    small_root: Path, write_notebook: WriteNotebook, write_run: WriteRun
) -> None:
    write_notebook("one", "size = 1")
    (before,) = plan(small_root, PUBLISHED)
    write_run("scale", "r9", "2026-01-01T00:00:00Z")
    assert plan(small_root, PUBLISHED) == [before]


@pytest.mark.parametrize("shown", [PUBLISHED, EDITION])
def test_a_chapter_shows_the_published_run_that_finished_last_whatever_was_measured_here(
    small_root: Path, write_notebook: WriteNotebook, write_run: WriteRun, known: Known, shown: Shown
) -> None:
    known("one")
    write_notebook("one", "size = 1")
    write_run("one", "r-a", "2026-03-01T00:00:00Z", size=30)
    write_run("one", "r-b", "2026-02-01T00:00:00Z", size=20)
    write_run("one", "r-c", "2026-04-01T00:00:00Z", published=False, size=2, profile="quick")
    (chapter,) = plan(small_root, shown)
    assert chapter.parameters == {"size": 30}
    assert chapter.published


def test_a_published_chapter_is_one_and_the_same_with_and_without_runs_made_here(
    small_root: Path, write_notebook: WriteNotebook, write_run: WriteRun, known: Known
) -> None:
    known("one")
    write_notebook("one", "size = 1")
    write_run("one", "r-a", "2026-03-01T00:00:00Z", size=30)
    edition = plan(small_root, EDITION)
    write_run("one", "r-c", "2026-04-01T00:00:00Z", published=False, size=2, profile="quick")
    assert plan(small_root, EDITION) == plan(small_root, PUBLISHED) == edition


def test_a_book_of_local_runs_shows_what_was_measured_here_and_the_published_run_where_nothing_was(
    small_root: Path, write_notebook: WriteNotebook, write_run: WriteRun, known: Known
) -> None:
    known("one", "two")
    for name in ("one", "two"):
        write_notebook(name, "size = 1")
        write_run(name, "r-a", "2026-03-01T00:00:00Z", size=30)
    write_run("one", "r-b", "2026-02-01T00:00:00Z", published=False, size=2, profile="quick")
    first, second = plan(small_root, LOCAL)
    assert (first.parameters, first.published) == ({"size": 2}, False)
    assert (second.parameters, second.published) == ({"size": 30}, True)
    assert [chapter.published for chapter in plan(small_root, Shown(local=True, profile="standard"))] == [True, True]


def test_a_chapter_of_which_nothing_is_published_shows_the_run_made_here(
    small_root: Path, write_notebook: WriteNotebook, write_run: WriteRun, known: Known
) -> None:
    known("one")
    write_notebook("one", "size = 1")
    write_run("one", "r-a", "2026-03-01T00:00:00Z", size=30, version=0)
    write_run("one", "r-b", "2026-02-01T00:00:00Z", published=False, size=2, profile="quick")
    (chapter,) = plan(small_root, PUBLISHED)
    assert (chapter.parameters, chapter.published) == ({"size": 2}, False), "a run of an older version does not count"
    assert plan(small_root, EDITION)[0].parameters == {}


def test_a_quick_run_is_shown_only_while_it_is_alone(
    small_root: Path, write_notebook: WriteNotebook, write_run: WriteRun, known: Known
) -> None:
    known("one")
    write_notebook("one", "size = 1")
    write_run("one", "r-b", "2026-03-01T00:00:00Z", size=2, profile="quick")
    assert plan(small_root, EDITION)[0].parameters == {"size": 2}
    write_run("one", "r-a", "2026-02-01T00:00:00Z", size=30)
    assert plan(small_root, EDITION)[0].parameters == {"size": 30}


def test_an_edition_without_any_published_run_says_what_to_do(small_root: Path, write_notebook: WriteNotebook) -> None:
    write_notebook("one", "size = 1")
    with pytest.raises(BenchbookError, match=r"benchbook run EXPERIMENT.*benchbook publish"):
        plan(small_root, EDITION)


def test_a_chapter_without_a_published_run_keeps_its_place_in_the_edition(
    small_root: Path, write_notebook: WriteNotebook, write_run: WriteRun, known: Known
) -> None:
    known("one", "two")
    write_notebook("one", "size = 1")
    write_notebook("two", "size = 1")
    write_run("two", "r-a", "2026-03-01T00:00:00Z", size=2)
    first, second = plan(small_root, EDITION)
    assert (first.experiment, first.parameters, first.published) == ("one", {}, True)
    assert second.parameters == {"size": 2}
    before = first.key
    write_run("one", "r-b", "2026-03-01T00:00:00Z", size=3)
    assert plan(small_root, EDITION)[0].key != before


@pytest.mark.parametrize("shown", [PUBLISHED, EDITION, LOCAL])
def test_a_damaged_published_run_is_named(
    small_root: Path, write_notebook: WriteNotebook, write_run: WriteRun, shown: Shown
) -> None:
    write_notebook("one", "size = 1")
    write_run("one", "r-a", None)
    with pytest.raises(BenchbookError, match=r"data/published/one/r-a/run.json is damaged"):
        plan(small_root, shown)
