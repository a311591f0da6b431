"""What a build refuses to show, in one message; and what it makes of a figure whose runs are no longer whole."""

from pathlib import Path

import pytest
import sealing

from benchbook.book.records import whole_runs
from benchbook.errors import StoredRunError
from benchbook.store import schema

CHAPTER = "book/chapters/scale"


def run(name: str, *, published: bool, experiment: str = "scale") -> dict[str, object]:
    """The facts of a run, as far as they name it."""
    return {"experiment": experiment, "run_id": name, "published": published}


def figure(*runs: dict[str, object], page: str = CHAPTER) -> dict[str, object]:
    """A figure of the last of these runs, the others pooled with it."""
    return {"id": "fig-a", "page": page, "run": runs[-1] | {"pooled_with": [*runs[:-1]]} if runs else None}


def cut(folder: Path) -> None:
    path = folder / schema.SAMPLES
    path.write_bytes(path.read_bytes()[:-1])


def problem(root: Path, *, published_only: bool) -> str:
    with pytest.raises(StoredRunError) as caught:
        whole_runs.check(root, published_only=published_only)
    return caught.value.problem


def test_all_damaged_runs_are_named_in_one_message_that_holds_no_folder_of_the_machine(small_root: Path) -> None:
    folders = [sealing.write_run(small_root, "scale", f"a{n}-1", published=n < 6) for n in range(8)]
    whole_runs.check(small_root, published_only=False)
    for folder in folders:
        cut(folder)
    found = problem(small_root, published_only=False)
    assert "8 runs" in found.splitlines()[0]
    assert all(folder.name in found.splitlines()[0] for folder in folders)
    assert str(small_root) not in found
    assert len(found.splitlines()) == 7
    published = problem(small_root, published_only=True)
    assert "6 runs" in published, "an edition takes no notice of what was measured here"
    assert "a6-1" not in published


def test_of_a_run_that_was_published_from_here_only_the_published_copy_is_shown(small_root: Path) -> None:
    folder = sealing.write_run(small_root, "scale", "a-1")
    sealing.publish_copy(folder, small_root)
    cut(folder)
    whole_runs.check(small_root, published_only=False)


def test_a_run_that_is_still_being_measured_is_no_damaged_one(small_root: Path) -> None:
    sealing.write_run(small_root, "scale", "a-1", state="measuring")
    whole_runs.check(small_root, published_only=False)


def test_a_figure_is_refused_when_a_run_behind_it_is_damaged_also_a_pooled_one(small_root: Path) -> None:
    first = sealing.write_run(small_root, "scale", "a-1", published=True)
    second = sealing.write_run(small_root, "scale", "a-2", published=True)
    other = sealing.write_run(small_root, "io_cliff", "b-1", published=True)
    shown = figure(*(run(each.name, published=True) for each in (first, second)))
    cut(other)
    whole_runs.check_behind(small_root, shown, [])
    cut(first)
    with pytest.raises(StoredRunError, match="the figure fig-a shows a run that is not as measured, a-1"):
        whole_runs.check_behind(small_root, shown, [])


def test_a_figure_of_the_book_itself_shows_the_runs_of_all_figures(small_root: Path) -> None:
    damaged = sealing.write_run(small_root, "scale", "a-1")
    cut(damaged)
    own, others = figure(page="book/threats"), [figure(run(damaged.name, published=False)), figure()]
    whole_runs.check_behind(small_root, own, [figure()])
    with pytest.raises(StoredRunError, match="a-1"):
        whole_runs.check_behind(small_root, own, others)


def test_a_figure_computed_from_the_notes_has_no_run_and_one_whose_run_is_gone_is_not_damaged(small_root: Path) -> None:
    whole_runs.check_behind(small_root, figure(), [])
    whole_runs.check_behind(small_root, figure(run("a-9", published=False)), [])
