"""A chapter's answer stands before the parameters of its run."""

from __future__ import annotations

import pytest
from docutils import nodes

from benchbook.book.parts.run_parameters import GIVEN, lower


def cell(words: str, *classes: str) -> nodes.container:
    return nodes.container("", nodes.paragraph("", words), classes=["cell", *classes])


def section(words: str) -> nodes.section:
    return nodes.section("", nodes.title("", words))


@pytest.mark.parametrize(
    ("parts", "order"),
    [
        (("code", "answer", "section", "more"), ["answer", "code", "section", "more"]),
        (("answer", "code"), ["answer", "code"]),
        (("section", "code"), ["section", "code"]),
    ],
)
def test_it_moves_to_the_first_section_below_it(parts: tuple[str, ...], order: list[str]) -> None:
    made = {"code": cell("code", GIVEN), "answer": cell("answer"), "section": section("section"), "more": cell("more")}
    page = nodes.section("", *(made[each] for each in parts))
    lower(page)
    assert [each.astext() for each in page] == order
