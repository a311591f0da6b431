"""Words from data in sentences and drawings: shown as they are, whatever they look like."""

import pytest
from markdown_it import MarkdownIt
from myst_parser.config.main import MdParserConfig
from myst_parser.mdit_to_docutils.base import DocutilsRenderer
from myst_parser.parsers.mdit import create_md_parser

from benchbook.figures import Lesson, Opening, Prose, contained

PLANTED = (
    "<script>window.planted = 1</script>",
    "<img src=x onerror='window.planted = 1'>",
    "<!-- hidden -->",
    "<https://example.org/>",
    "![x](https://example.org/a.png)",
    "[x]\n\n[x]: https://example.org/",
    "{download}`../../etc/passwd`",
    "{{ ''.__class__ }}",
    "```{raw} html\n<b onclick=x>\n```",
    "~~~{include} /etc/passwd\n~~~",
    ":::{raw} html\n<b>\n:::",
)
REFUSED_ANYWAY = ("[x](javascript:planted)", "\\{{ x }}", "{.class}\nparagraph", "\\[x](https://example.org/)")
"""What Markdown itself makes nothing of; escaping it must not make something of it."""
FORBIDDEN = {
    "html_block", "html_inline", "link_open", "image", "myst_role", "fence",
    "colon_fence", "attrs_block", "substitution_inline", "substitution_block",
}  # fmt: skip


def kinds(text: str) -> set[str]:
    """What a page of this book would make of a text in Markdown."""
    extensions = {"attrs_block", "colon_fence", "deflist", "substitution"}
    parser: MarkdownIt = create_md_parser(MdParserConfig(enable_extensions=extensions), DocutilsRenderer)
    tokens = parser.parse(text)
    return {each.type for token in tokens for each in (token, *(token.children or ()))}


@pytest.mark.parametrize("planted", [*PLANTED, *REFUSED_ANYWAY])
def test_in_a_sentence_they_are_only_read(planted: str) -> None:
    assert bool(kinds(planted) & FORBIDDEN) == (planted in PLANTED), "as it stands it would do something"
    shown = Prose(f"The profile is {planted}.\n\n{planted}")._repr_mimebundle_()
    found = kinds(shown["text/markdown"])
    assert not found & FORBIDDEN, found
    assert planted in shown["text/plain"], "in a terminal they are as they were"


def test_what_sentences_are_made_of_stays() -> None:
    text = "**Bold** and *slanted*: 2.1 [1.9, 2.3], `n_tables=10`.\n\n- a < b, <5 ms\n\n| a | b |\n|---|---|\n| 1 | 2 |"
    assert contained.markdown(text) == text
    assert {"strong_open", "em_open", "code_inline", "bullet_list_open", "table_open"} <= kinds(text)


def test_what_a_chapter_answers_and_teaches_is_contained_too() -> None:
    opening = Opening("one", PLANTED[0], (PLANTED[1],), "fig-a", "make it", "a minute", advice=PLANTED[5])
    lesson = Lesson("one", PLANTED[0], "fig-a", (), (PLANTED[1],), PLANTED[5])
    for shown in (opening, lesson):
        assert not kinds(shown._repr_mimebundle_()["text/markdown"]) & FORBIDDEN


def test_in_a_drawing_only_plain_tags_are_tags() -> None:
    texts = ["<b>a</b><br>2<sup>3</sup>", "%{x}<extra></extra>", "a < b, <5ms", 1.5, None]
    assert contained.drawn({"data": [{"text": texts}]}) == {"data": [{"text": texts}]}
    for planted in ("<a href='https://example.org'>x</a>", "<b onclick=x>", "<SCRIPT>", "<br/onload=x>", "</a>"):
        [shown] = contained.drawn([planted])
        assert shown.startswith("&lt;")
        assert "<" not in shown.replace("</b>", "")
