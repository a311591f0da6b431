"""Ids of claims lead to their entries; what is copied, and what is a link already, stays."""

from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.utils import new_document

from benchbook.book.parts import names

KNOWN = frozenset({"C031", "O094"})


def linked(*content: nodes.Node) -> list[str]:
    page = new_document("page", get_default_settings())
    page += [*content]
    before = page.astext()
    names.link(page, KNOWN, "../verdicts.html")
    assert page.astext() == before, "words stay as they are"
    return [each["refuri"] for each in page.findall(nodes.reference)]


def test_each_id_in_a_text_is_a_link() -> None:
    text = nodes.paragraph("", "See C031, O094 and C999; not XC031.")
    assert linked(text) == ["../verdicts.html#claim-C031", "../verdicts.html#claim-O094"]


def test_a_name_is_a_link_where_it_is_an_id_and_a_command_is_none() -> None:
    assert linked(nodes.paragraph("", "", nodes.literal("", "C031"))) == ["../verdicts.html#claim-C031"]
    assert linked(nodes.paragraph("", "", nodes.literal("", "benchbook show C031"))) == []


def test_in_a_cell_of_a_table_a_link_stands_in_a_text() -> None:
    for content in (nodes.Text("C031: 5"), nodes.literal("", "C031")):
        cell = nodes.entry("", content)
        assert linked(cell) == ["../verdicts.html#claim-C031"]
        assert all(isinstance(each.parent, nodes.TextElement) for each in cell.findall(nodes.reference))


def test_titles_blocks_of_code_and_links_stay() -> None:
    there = nodes.reference("", "C031", refuri="there.html")
    assert linked(nodes.title("", "C031"), nodes.literal_block("", "C031"), nodes.paragraph("", "", there)) == [
        "there.html"
    ]
