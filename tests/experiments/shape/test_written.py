"""A page in, its parts out; and what is no page, told with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchbook.errors import BenchbookError
from benchbook.pages.page import read

FRONT = """---
subject: S
question: Q?
ids: fig-a-b
figure: main_one
title: A title
numbers: [X1, more]
claims:
  X1: {number: gain, figure: main_one, said: it is so, seen: "{} times"}
---
"""


def page(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "lru.md"
    path.write_text(text)
    return path


def part(name: str, *lines: str, kind: str = "say") -> str:
    return "\n".join([f":::{{{kind}}} {name}", *lines, ":::", "", ""])


def figure(name: str, *lines: str, **options: str) -> str:
    return part(name, "---", *(f"{key}: {text}" for key, text in options.items()), "---", *lines, kind="figure")


def test_parts_are_paragraphs_of_sentences_a_line_each(tmp_path: Path) -> None:
    text = part("one", "First.", "Second.", "", "Third.", "", "") + part("two", "Fourth.", kind="part")
    found = read(page(tmp_path, FRONT + text))
    assert found.parts == {"one": (("First.", "Second."), ("Third.",)), "two": (("Fourth.",),)}


def test_its_blocks_stand_in_reading_order(tmp_path: Path) -> None:
    text = "\n## A heading\n\nWords {of} it.\n\n" + part("one", "First.") + ":::{verdicts}\n:::\n" + "The end.\n"
    found = read(page(tmp_path, FRONT + text)).blocks
    assert [(each.kind, each.name, each.text) for each in found] == [
        ("markdown", "", "## A heading\n\nWords {of} it."),
        ("say", "one", "First."),
        ("verdicts", "", ""),
        ("markdown", "", "The end."),
    ]
    assert [each.line for each in found] == [12, 16, 20, 22]


def test_a_line_stands_for_the_sentences_of_another_part(tmp_path: Path) -> None:
    found = read(page(tmp_path, FRONT + part("one", "First.", "Second.") + part("two", "= one", "Third.")))
    assert found.parts["two"] == (("First.", "Second.", "Third."),)


def test_an_indented_part_belongs_to_the_sentence_above(tmp_path: Path) -> None:
    text = part("one", "First.", "More.") + part("two", "= one", "  = three", "  End.") + part("three", "Third.")
    found = read(page(tmp_path, FRONT + text))
    assert found.parts["two"] == (("First. More. Third. End.",),)
    assert found.taken == {"one", "three"}


def test_so_it_does_in_the_words_of_a_figure(tmp_path: Path) -> None:
    text = part("one", "First.") + figure("main_one", "= one", "Two.", title="What", alt="= one")
    found = read(page(tmp_path, FRONT + text))
    assert (found.figures["main_one"].text, found.figures["main_one"].alt) == ("First.\nTwo.", "First.")
    assert found.taken == {"one"}


def test_an_indented_line_belongs_to_the_sentence_above(tmp_path: Path) -> None:
    found = read(page(tmp_path, FRONT + part("one", "First.", "  So second.", "Third.")))
    assert found.parts == {"one": (("First. So second.", "Third."),)}


def test_figures_have_a_title_a_caption_and_words_for_those_who_do_not_see_them(tmp_path: Path) -> None:
    text = figure("main_one", "One.", "Two.", title='"What: it shows"', alt="In words.")
    found = read(page(tmp_path, FRONT + text))
    shown = found.figures["main_one"]
    assert (shown.title, shown.text, shown.alt) == ("What: it shows", "One.\nTwo.", "In words.")
    assert shown.findings == ()
    assert found.front.figure_id("main_one") == "fig-a-b-main-one"
    assert found.front.figure_id("") == ""


def test_a_figure_that_has_its_words_elsewhere_only_stands_there(tmp_path: Path) -> None:
    found = read(page(tmp_path, FRONT + part("main_one", kind="figure")))
    assert not found.figures
    assert [(each.kind, each.name) for each in found.blocks] == [("figure", "main_one")]


def test_what_a_figure_shows_is_the_first_of_several_that_a_run_can_fill(tmp_path: Path) -> None:
    text = figure("main_one", "One.", title="What", finding="[Many, Few]")
    assert read(page(tmp_path, FRONT + text)).figures["main_one"].findings == ("Many", "Few")


def test_tables_have_a_title(tmp_path: Path) -> None:
    text = part("all", "---", "title: Every number", "fold: All of them", "---", "levels: a, b", kind="table")
    found = read(page(tmp_path, FRONT + text))
    assert found.tables["all"].title == "Every number"
    assert found.tables["all"].text == "levels: a, b"
    assert found.blocks[0].options.fold == "All of them"


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
        ("---\nsubject: S\nids: x\n---\n", "question: Field required"),
        (FRONT.replace("numbers", "nubmers"), "nubmers: "),
        (FRONT.replace("number: gain", "numbr: gain"), "claims.X1.numb"),
        (FRONT + ":::{one}\n:::\n", "line 11: '{one}' begins no part"),
        (FRONT + ":::{say}\n:::\n", "line 11: '{say}' begins no part"),
        (FRONT + ":::{say} one two\n:::\n", "line 11: .* begins no part"),
        (FRONT + ":::{verdicts} one\n:::\n", "line 11: .* begins no part"),
        (FRONT + part("one", "---", "tilte: A", "---", "B."), "line 11: tilte: "),
        (FRONT + figure("main_one", "A.", alt="B."), "line 11: 'main_one' has words and no title"),
        (FRONT + part("one", "A.") + part("one", "B.", kind="part"), "line 15: there are two of {part} one"),
        (FRONT + part("one", "= two"), "'= two' names no part"),
    ],
)
def test_what_is_no_page_is_told_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(BenchbookError, match=f"lru.md.*{said}"):
        read(page(tmp_path, text))
