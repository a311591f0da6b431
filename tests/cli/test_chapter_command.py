"""``chapter new``: three files and a line of the contents, by which a chapter begins as another one."""

import ast
from pathlib import Path
from typing import Any

import pytest

from benchbook.pages import page

CONTENTS = "chapters:\n  - file: book/chapters/turns\n  - file: book/chapters/cost\n"


@pytest.fixture
def clone(home: Path) -> Path:
    """A project with a place for chapters, and a contents with two of them."""
    (home / "src" / "benchbook" / "chapters").mkdir(parents=True)
    (home / "_toc.yml").write_text(CONTENTS)
    return home


def test_a_chapter_begins_as_another_one(clone: Path, benchbook: Any) -> None:
    benchbook("chapter", "new", "my_turns", "--from", "turns", code=0)
    chapters = clone / "src" / "benchbook" / "chapters"
    begun = page.read(chapters / "my_turns.md")
    assert (begun.front.subject, begun.front.version, begun.front.leads) == ("My turns", 1, False)
    assert begun.front.ids == "fig-my-turns"
    ast.parse((chapters / "my_turns.py").read_text())
    notebook = (clone / "notebooks" / "my_turns.ipynb").read_text()
    assert 'lab.experiment(\\"my_turns\\")' in notebook
    assert "# My turns" in notebook
    assert (clone / "_toc.yml").read_text() == CONTENTS.replace("turns\n", "turns\n  - file: book/chapters/my_turns\n")


@pytest.mark.parametrize(
    ("name", "source", "said"),
    [
        ("turns", "filter_shards", "cannot be called 'turns'"),
        ("My-Turns", "turns", "cannot be called 'My-Turns'"),
        ("my_turns", "lru", "answers claims of its own"),
        ("my_turns", "cost", "measures nothing"),
        ("my_turns", "nothing", "is none of this book"),
    ],
)
def test_what_cannot_be_one_is_refused_before_anything_is_written(
    clone: Path, benchbook: Any, name: str, source: str, said: str
) -> None:
    assert said in benchbook("chapter", "new", name, "--from", source, code=1).stderr
    assert not list((clone / "src").rglob("*.*"))
    assert (clone / "_toc.yml").read_text() == CONTENTS


def test_outside_of_a_clone_a_trial_is_named(home: Path, benchbook: Any) -> None:
    assert "benchbook trial new" in benchbook("chapter", "new", "my_turns", "--from", "turns").stderr


def test_notebooks_are_written_anew_where_they_differ(home: Path, benchbook: Any) -> None:
    path = home / "notebooks" / "turns.ipynb"
    before = path.read_text()
    path.write_text(before.replace("Taking turns", "Taking"))
    assert benchbook("chapter", "notebooks", "turns", "cost").stdout.splitlines() == [str(path)]
    assert path.read_text() == before
    assert benchbook("chapter", "notebooks", "turns").stdout == ""
