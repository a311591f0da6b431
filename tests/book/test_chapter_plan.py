"""Which chapters are made again, and with which parameters."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from benchbook.book.assembly.chapter_plan import Shown, plan
from benchbook.errors import BenchbookError

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


@pytest.fixture
def root(small_root: Path, write_notebook: Any) -> Path:
    """A project with one chapter, of the experiment "one"."""
    write_notebook("one", "size = 1")
    return small_root


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
def test_the_key_changes_with_every_input(root: Path, change: Change) -> None:
    (before,) = plan(root, PUBLISHED)
    change(root)
    (after,) = plan(root, PUBLISHED)
    assert before.key != after.key


@pytest.mark.parametrize("published", [True, False])
def test_the_key_changes_with_every_run(root: Path, write_run: Any, published: bool) -> None:
    (before,) = plan(root, LOCAL)
    write_run("one", "r-a", "2026-01-01T00:00:00Z", published=published)
    assert plan(root, LOCAL)[0].key != before.key


def test_the_key_does_not_change_by_itself_or_with_another_experiments_run(root: Path, write_run: Any) -> None:
    (before,) = plan(root, PUBLISHED)
    write_run("scale", "r9", "2026-01-01T00:00:00Z")
    assert plan(root, PUBLISHED) == [before]


@dataclass(frozen=True)
class Stored:
    """A run of the month, which is quick where it is of size 2."""

    month: int
    size: int
    published: bool = True
    version: int = 1


MARCH, FEBRUARY, QUICK = Stored(3, 30), Stored(2, 20), Stored(3, 2)
HERE, LATER_HERE = Stored(2, 2, published=False), Stored(4, 2, published=False)


@pytest.mark.parametrize(
    ("shown", "stored", "size", "published"),
    [
        pytest.param(PUBLISHED, [MARCH, FEBRUARY, LATER_HERE], 30, True, id="the published one that finished last"),
        pytest.param(EDITION, [MARCH, FEBRUARY, LATER_HERE], 30, True, id="and in an edition"),
        pytest.param(LOCAL, [MARCH, HERE], 2, False, id="what was measured here"),
        pytest.param(LOCAL, [MARCH], 30, True, id="the published one where nothing was measured here"),
        pytest.param(Shown(local=True, profile="standard"), [MARCH, HERE], 30, True, id="and nothing of a profile"),
        pytest.param(PUBLISHED, [Stored(3, 30, version=0), HERE], 2, False, id="none of an older version"),
        pytest.param(EDITION, [Stored(3, 30, version=0), HERE], None, True, id="and nothing in an edition"),
        pytest.param(EDITION, [QUICK], 2, True, id="a quick one while it is alone"),
        pytest.param(EDITION, [QUICK, FEBRUARY], 20, True, id="and no quick one beside another"),
    ],
)
def test_a_chapter_shows(
    root: Path, write_run: Any, known: Any,
    shown: Shown, stored: list[Stored], size: int | None, published: bool,
) -> None:  # fmt: skip
    known("one")
    for number, run in enumerate(stored):
        write_run(
            "one", f"r-{number}", f"2026-{run.month:02}-01T00:00:00Z", published=run.published, size=run.size,
            profile="quick" if run.size == 2 else "standard", version=run.version,
        )  # fmt: skip
    (chapter,) = plan(root, shown)
    assert (chapter.parameters, chapter.published) == ({"size": size} if size else {}, published)


def test_a_published_chapter_is_one_and_the_same_with_and_without_runs_made_here(
    root: Path, write_run: Any, known: Any
) -> None:
    known("one")
    write_run("one", "r-a", "2026-03-01T00:00:00Z", size=30)
    edition = plan(root, EDITION)
    write_run("one", "r-c", "2026-04-01T00:00:00Z", published=False, size=2, profile="quick")
    assert plan(root, EDITION) == plan(root, PUBLISHED) == edition


def test_an_edition_without_any_published_run_says_what_to_do(root: Path) -> None:
    with pytest.raises(BenchbookError, match=r"benchbook run EXPERIMENT.*benchbook publish"):
        plan(root, EDITION)


def test_a_chapter_without_a_published_run_keeps_its_place_in_the_edition(
    root: Path, write_notebook: Any, write_run: Any, known: Any
) -> None:
    known("one", "two")
    write_notebook("two", "size = 1")
    write_run("two", "r-a", "2026-03-01T00:00:00Z", size=2)
    first, second = plan(root, EDITION)
    assert (first.experiment, first.parameters, first.published) == ("one", {}, True)
    assert second.parameters == {"size": 2}
    before = first.key
    write_run("one", "r-b", "2026-03-01T00:00:00Z", size=3)
    assert plan(root, EDITION)[0].key != before


@pytest.mark.parametrize("shown", [PUBLISHED, EDITION, LOCAL])
def test_a_damaged_published_run_is_named(root: Path, write_run: Any, shown: Shown) -> None:
    write_run("one", "r-a", None)
    with pytest.raises(BenchbookError, match=r"data/published/one/r-a/run.json is damaged"):
        plan(root, shown)
