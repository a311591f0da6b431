"""A mark in a notebook folds what follows it, and a mark that folds nothing is told."""

import pytest
from docutils import nodes

from benchbook.book.parts.evidence_folds import EVIDENCE, GIVEN, fold, lower
from benchbook.book.parts.nodes import Folded


def mark(text: str) -> nodes.raw:
    return nodes.raw("", f"<!-- {text} -->\n", format="html")


def section(*parts: nodes.Node) -> nodes.section:
    return nodes.section("", nodes.title("", "Latency"), *parts)


def words(*said: str) -> list[nodes.paragraph]:
    return [nodes.paragraph("", each) for each in said]


def shape(tree: nodes.Element) -> list[str]:
    return [
        f"{part['summary']}: {', '.join(each.astext() for each in part)}" if isinstance(part, Folded) else part.astext()
        for part in tree
    ]


@pytest.mark.parametrize(
    ("below", "shown"),
    [
        (words("third"), ["All of it: second, third"]),
        ([mark("end of fold"), *words("third")], ["All of it: second", "third"]),
        ([mark("fold: More"), *words("third")], ["All of it: second", "More: third"]),
        ([section(*words("third"))], ["All of it: second", "Latency\n\nthird"]),
    ],
    ids=["end of the section", "end of fold", "next mark", "next heading"],
)
def test_what_follows_a_mark_is_folded_up_to(below: list[nodes.Node], shown: list[str]) -> None:
    tree = section(*words("first"), mark("fold: All of it"), *words("second"), *below)
    assert fold(tree) == []
    assert shape(tree) == ["Latency", "first", *shown]
    assert tree[2]["kind"] == EVIDENCE


@pytest.mark.parametrize("text", ["fold:", "fold the rest", "end fold"])
def test_a_mark_that_is_written_wrongly_is_told_and_hides_nothing(text: str) -> None:
    tree = section(mark(text), *words("second"))
    assert "is neither" in fold(tree)[0]
    assert shape(tree) == ["Latency", "second"]


def test_a_mark_with_nothing_below_it_is_told() -> None:
    tree = section(*words("first"), mark("fold: All of it"))
    assert "nothing stands under" in fold(tree)[0]


def test_other_raw_html_stays() -> None:
    tree = section(nodes.raw("", "<details>", format="html"), mark("a comment"))
    assert fold(tree) == []
    assert len(tree) == 3


def cell(words: str, *classes: str) -> nodes.container:
    return nodes.container("", nodes.paragraph("", words), classes=["cell", *classes])


@pytest.mark.parametrize(
    ("parts", "order"),
    [
        (("code", "answer", "section", "more"), ["answer", "code", "section", "more"]),
        (("answer", "code"), ["answer", "code"]),
        (("section", "code"), ["section", "code"]),
    ],
)
def test_parameters_move_to_the_first_section_below_them(parts: tuple[str, ...], order: list[str]) -> None:
    made = {
        "code": cell("code", GIVEN),
        "answer": cell("answer"),
        "section": nodes.section("", nodes.title("", "section")),
        "more": cell("more"),
    }
    page = nodes.section("", *(made[each] for each in parts))
    lower(page)
    assert [each.astext() for each in page] == order
