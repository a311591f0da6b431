"""A page in, its parts out; and what is no page, told with file and line."""

from pathlib import Path
from typing import Any

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


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (part("one", "First.", "Second.", "", "Third.", "", ""), {"one": (("First.", "Second."), ("Third.",))}),
        (part("one", "First.", "  So second.", "Third."), {"one": (("First. So second.", "Third."),)}),
        (part("one", "First.", "Second.") + part("two", "= one", "Third.", kind="part"),
         {"one": (("First.", "Second."),), "two": (("First.", "Second.", "Third."),)}),
    ],
)  # fmt: skip
def test_parts_are_paragraphs_of_sentences_a_line_each(tmp_path: Path, text: str, parts: dict[str, Any]) -> None:
    assert read(page(tmp_path, FRONT + text)).parts == parts


def test_its_blocks_stand_in_reading_order(tmp_path: Path) -> None:
    text = "\n## A heading\n\nWords {of} it.\n\n" + part("one", "First.") + ":::{verdicts}\n:::\n" + "The end.\n"
    found = read(page(tmp_path, FRONT + text + part("main_one", kind="figure")))
    assert [(each.kind, each.name, each.text, each.line) for each in found.blocks] == [
        ("markdown", "", "## A heading\n\nWords {of} it.", 12),
        ("say", "one", "First.", 16),
        ("verdicts", "", "", 20),
        ("markdown", "", "The end.", 22),
        ("figure", "main_one", "", 23),
    ]
    assert not found.figures, "it has its words elsewhere, and only stands there"


def test_a_part_that_is_taken_belongs_to_the_sentence_above(tmp_path: Path) -> None:
    text = part("one", "First.", "More.") + part("two", "= one", "  = three", "  End.") + part("three", "Third.")
    text += figure("main_one", "= three", "Two.", title='"What: it shows"', alt="= three", finding="[Many, Few]")
    found = read(page(tmp_path, FRONT + text))
    assert found.parts["two"] == (("First. More. Third. End.",),)
    assert found.taken == {"one", "three"}
    shown = found.figures["main_one"]
    assert (shown.title, shown.text, shown.alt) == ("What: it shows", "Third.\nTwo.", "Third.")
    assert shown.findings == ("Many", "Few")
    assert (found.front.figure_id("main_one"), found.front.figure_id("")) == ("fig-a-b-main-one", "")


def test_tables_have_a_title_and_a_title_by_a_claim_may_be_one_of_three(tmp_path: Path) -> None:
    three = FRONT.replace("title: A title", "title: {by: X1, above: A, below: B, open: C}")
    text = part("all", "---", "title: Every number", "fold: All of them", "---", "levels: a, b", kind="table")
    found = read(page(tmp_path, three + text))
    assert (found.tables["all"].title, found.tables["all"].text) == ("Every number", "levels: a, b")
    assert found.blocks[0].options.fold == "All of them"
    assert found.front.titles == ["A", "B", "C"]


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
        (FRONT + "It takes {{ time }} ms.\n", "line 11: names of numbers are not filled here"),
        (FRONT + "## A heading\n\n{% if time %}It takes long.{% endif %}\n", "line 13: names of numbers"),
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
