"""A page in, its parts out; and what is no page, told with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchbook.errors import BenchbookError
from benchbook.experiments.shape.written import read

FRONT = """---
ids: fig-a-b
figure: main_one
title: A title
numbers: [X1, more]
claims:
  X1: {number: gain, figure: main_one, said: it is so, seen: "{} times"}
---
"""


def page(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "lru" / "page.md"
    path.parent.mkdir()
    path.write_text(text)
    return path


def test_parts_are_paragraphs_of_sentences_a_line_each(tmp_path: Path) -> None:
    found = read(page(tmp_path, FRONT + "\n# one\nFirst.\nSecond.\n\nThird.\n\n\n# two\nFourth.\n"))
    assert found.parts == {"one": (("First.", "Second."), ("Third.",)), "two": (("Fourth.",),)}


def test_a_line_stands_for_the_sentences_of_another_part(tmp_path: Path) -> None:
    found = read(page(tmp_path, FRONT + "# one\nFirst.\nSecond.\n# two\n= one\nThird.\n"))
    assert found.parts["two"] == (("First.", "Second.", "Third."),)


def test_an_indented_part_belongs_to_the_sentence_above(tmp_path: Path) -> None:
    found = read(page(tmp_path, FRONT + "# one\nFirst.\nMore.\n# two\n= one\n  = three\n  End.\n# three\nThird.\n"))
    assert found.parts["two"] == (("First. More. Third. End.",),)
    assert found.taken == {"one", "three"}


def test_so_it_does_in_the_words_of_a_figure(tmp_path: Path) -> None:
    text = "# one\nFirst.\n# figure main_one: What\n= one\nTwo.\n# alt main_one\n= one\n"
    found = read(page(tmp_path, FRONT + text))
    assert (found.figures["main_one"].text, found.figures["main_one"].alt) == ("First.\nTwo.", "First.")
    assert found.taken == {"one"}


def test_an_indented_line_belongs_to_the_sentence_above(tmp_path: Path) -> None:
    found = read(page(tmp_path, FRONT + "# one\nFirst.\n  So second.\nThird.\n"))
    assert found.parts == {"one": (("First. So second.", "Third."),)}


def test_figures_have_a_title_a_caption_and_words_for_those_who_do_not_see_them(tmp_path: Path) -> None:
    found = read(page(tmp_path, FRONT + "# figure main_one: What it shows\nOne.\nTwo.\n# alt main_one\nIn words.\n"))
    figure = found.figures["main_one"]
    assert (figure.title, figure.text, figure.alt) == ("What it shows", "One.\nTwo.", "In words.")
    assert figure.findings == ()
    assert found.front.figure_id("main_one") == "fig-a-b-main-one"
    assert found.front.figure_id("") == ""


def test_what_a_figure_shows_is_the_first_of_several_that_a_run_can_fill(tmp_path: Path) -> None:
    found = read(page(tmp_path, FRONT + "# figure main_one: What\nOne.\n# finding main_one\nMany\nFew\n"))
    assert found.figures["main_one"].findings == ("Many", "Few")


def test_tables_have_a_title(tmp_path: Path) -> None:
    found = read(page(tmp_path, FRONT + "# table all: Every number\nlevels: a, b\n"))
    assert found.tables["all"].title == "Every number"


def test_a_title_by_a_claim_may_be_one_of_three(tmp_path: Path) -> None:
    three = "title: {by: X1, above: A, below: B, open: C}"
    assert read(page(tmp_path, FRONT.replace("title: A title", three))).front.titles == ["A", "B", "C"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "does not begin with settings"),
        ("# one\n", "does not begin with settings"),
        ("---\nids: x\n", "does not begin with settings"),
        ("---\n: :\n---\n", "no YAML"),
        ("---\nids: x\n---\n", "figure: Field required"),
        (FRONT.replace("numbers", "nubmers"), "nubmers: "),
        (FRONT.replace("number: gain", "numbr: gain"), "claims.X1.numb"),
        (FRONT + "words\n", "line 9: words before any heading"),
        (FRONT + "# one two three\n", "line 9: .* heads no part"),
        (FRONT + "# figure main_one\n", "line 9: .* heads no part"),
        (FRONT + "# one: with a title\n", "line 9: .* heads no part"),
        (FRONT + "# headline 002\n", "line 9: .* heads no part"),
        (FRONT + "# one\nA.\n# one\nB.\n", "line 11: there are two parts 'one'"),
        (FRONT + "# one\n= two\n", "'= two' names no part"),
        (FRONT + "# alt other\nA.\n", "'# alt other' is of no figure"),
        (FRONT + "# finding other\nA.\n", "'# finding other' is of no figure"),
    ],
)
def test_what_is_no_page_is_told_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(BenchbookError, match=f"lru/page.md.*{said}"):
        read(page(tmp_path, text))
