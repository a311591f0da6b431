"""Words of the glossary in a chapter: the first of each in a section, a few at most, and only in the text itself."""

from pathlib import Path

import pytest
from docutils import nodes
from docutils.utils import new_document
from sphinx.addnodes import glossary

from benchbook.book.pages import explained_words
from benchbook.book.pages.explained_words import Explained, Meaning
from benchbook.book.parts.nodes import Folded

SOURCE = (Path(__file__).parents[2] / "book" / "glossary.md").read_text("utf-8")
TERMS = {
    "block": "Every configuration measured once. Engines use the word for other things.",
    "session": "Blocks without a pause.",
    "visit": "Blocks of one state.",
    "trial": "One configuration, measured in a fresh server.",
    "round trip": "A message and its answer.",
    "TOAST": "PostgreSQL's storage for long values.",
    "run": "All trials of a plan.",
    "canary": "A small load.",
}


@pytest.fixture
def known() -> list[Meaning]:
    page = new_document("glossary")
    items = nodes.definition_list()
    for term, words in TERMS.items():
        name = nodes.term("", term, ids=[f"term-{term}"])
        items += nodes.definition_list_item("", name, nodes.definition("", nodes.paragraph("", words)))
    page += glossary("", items)
    return explained_words.meanings(page)


def chapter(*parts: nodes.Node, below: tuple[nodes.Node, ...] = ()) -> nodes.document:
    page = new_document("chapter")
    page += nodes.section("", nodes.title("", "A trial"), *parts, ids=["top"])
    if below:
        page[0] += nodes.section("", nodes.title("", "Below"), *below, ids=["below"])
    return page


def explained(page: nodes.document, known: list[Meaning]) -> list[str]:
    before = page.astext()
    explained_words.explain(page, known, "../glossary.html")
    assert page.astext() == before, "not a letter changes"
    return [each.astext() for each in page.findall(Explained)]


def test_the_first_use_in_each_section_is_explained(known: list[Meaning]) -> None:
    page = chapter(nodes.paragraph("", "Two trials and a trial."), below=(nodes.paragraph("", "Trials again."),))
    assert explained(page, known) == ["trials", "Trials"]
    first = next(iter(page.findall(Explained)))
    assert first["address"] == "../glossary.html#term-trial"
    assert first["meaning"] == TERMS["trial"]


def test_a_section_explains_a_few_words_and_a_text_one(known: list[Meaning]) -> None:
    words = ["A canary and a trial.", "A trial.", "TOAST, not toast.", "A round\u00a0trip."]
    assert explained(chapter(*(nodes.paragraph("", each) for each in words)), known) == ["canary", "trial", "TOAST"]
    assert explained(chapter(nodes.paragraph("", words[-1])), known) == ["round\u00a0trip"]


def test_a_word_in_another_sense_is_left_alone(known: list[Meaning]) -> None:
    assert explained(chapter(nodes.paragraph("", "Reads 30 blocks; toast; we run it in sessions.")), known) == []
    assert explained(chapter(nodes.paragraph("", "Each visit of a page; visits of leaves.")), known) == []
    assert explained(chapter(nodes.paragraph("", "15\u00a0blocks in 4 visits.")), known) == ["blocks"]
    counted = [nodes.paragraph("", "After one visit."), nodes.paragraph("", "In 4 sessions.")]
    assert explained(chapter(*counted), known) == ["visit", "sessions"]


def test_titles_links_code_tables_and_folded_data_are_left_alone(known: list[Meaning]) -> None:
    cell = nodes.entry("", nodes.paragraph("", "A trial."))
    parts = [
        nodes.paragraph("", "", nodes.reference("", "a trial", refuri="x"), nodes.literal("", "trial")),
        nodes.table("", nodes.tgroup("", nodes.tbody("", nodes.row("", cell)))),
        Folded("", nodes.paragraph("", "A trial."), summary="Data"),
    ]
    assert explained(chapter(*parts), known) == []
    opened = Folded("", nodes.paragraph("", "A trial."), summary="Evidence", kind="benchbook-evidence")
    assert explained(chapter(opened), known) == ["trial"]


def test_a_meaning_is_short_and_whole() -> None:
    assert explained_words.shortened("One. Two.") == "One. Two."
    long = "x" * 150 + "."
    assert explained_words.shortened(f"{long} {long}") == long
    assert explained_words.shortened("y" * 300) == "y" * 300


def test_terms_that_are_not_explained_stand_in_the_glossary() -> None:
    for term in (*explained_words.EVERYDAY, *explained_words._FORMS):
        assert f"\n{term}\n  " in SOURCE, term
