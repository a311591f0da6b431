"""Words of the glossary explained where a section of a page first uses them: a link that shows its meaning.

Only some words, and a few in a section, so that the text stays calm. A word that texts also use in another sense is
explained only where its neighbours show that the glossary's is meant.
"""

import re
from dataclasses import dataclass
from html import escape
from typing import Any

from docutils import nodes
from sphinx.addnodes import glossary
from sphinx.application import Sphinx

from benchbook.book.parts import typography
from benchbook.book.parts.nodes import FOLD, Folded

GLOSSARY = "book/glossary"
PAGES = ("book/chapters/", "book/questions/", "book/trials/", "book/index", "book/advice", "book/verdicts")
"""Whose texts are explained: chapters, and what is read before any of them."""
MOST = 3
"""In one section."""
MOST_CHARACTERS = 170
"""Of a meaning: as many whole sentences as fit, and always the first."""
EVERYDAY = frozenset(
    {
        "experiment", "parameters", "configuration", "plan", "sample", "run", "estimate", "effect", "claim", "verdict",
        "gate", "profile", "edition", "turn", "ledger", "main claim", "look",
    }
)  # fmt: skip
"""Terms that a reader understands, or that texts use in other senses: they stand in the glossary alone."""
_FORMS = {
    "block": r"\bblocks?(?=,?\s(?:in|and|of)\s(?:\d+|one)\svisits?\b)",
    "session": r"(?<=\d\s)sessions\b",
    "visit": r"(?:(?<=\d\s)|(?<=\bone\s)|(?<=\btwo\s))visits?\b",
    "A/A arm": r"\bA/A\b(?:\s(?:arms?|pairs?))?",
    "by construction": r"\bby construction\b",
    "kind of host": r"\bkinds? of host\b",
}
"""What is looked for where that is not the term or its plural."""
_ELSEWHERE = (nodes.reference, nodes.literal, nodes.title, nodes.figure, nodes.table, nodes.FixedTextElement)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True)
class Meaning:
    """One term: what it looks like in a text, its place in the glossary, and what it means, shortened."""

    term: str
    pattern: re.Pattern[str]
    anchor: str
    words: str


class Explained(nodes.Inline, nodes.TextElement):  # type: ignore[misc]
    """A word with its ``meaning`` and the ``address`` of its place in the glossary."""


def meanings(page: nodes.document) -> list[Meaning]:
    """The terms that pages explain, the longest first, as the page of the glossary has them."""
    found = []
    every = (each for part in page.findall(glossary) for each in part.findall(nodes.definition_list_item))
    for item in every:
        words = shortened(" ".join(item[-1].astext().split()))
        found += [
            Meaning(term.astext(), _pattern(term.astext()), term["ids"][0], words)
            for term in item.findall(nodes.term)
            if term.astext() not in EVERYDAY
        ]
    return sorted(found, key=lambda each: len(each.term), reverse=True)


def shortened(definition: str) -> str:
    """As many of its sentences as are short together."""
    first, *others = _SENTENCE.split(definition)
    for each in others:
        if len(first) + 1 + len(each) > MOST_CHARACTERS:
            break
        first = f"{first} {each}"
    return first


def _pattern(term: str) -> re.Pattern[str]:
    """A term in capitals is meant only in capitals; blanks may be such as no line breaks at."""
    form = _FORMS.get(term) or rf"\b{re.escape(term)}s?\b".replace(r"\ ", r"\s")
    return re.compile(form, 0 if term.isupper() else re.IGNORECASE)


def explain(tree: nodes.Element, known: list[Meaning], address: str) -> None:
    """Explain, in place, the first uses in each section of a page. address: of the glossary, from that page."""
    for section in [each for each in tree.findall(nodes.section) if _is_part(each)]:
        left = {each.term: each for each in known}
        for text in [each for each in section.findall(nodes.Text) if _belongs_to(each, section)]:
            if len(known) - len(left) >= MOST:
                break
            _explain_one(text, left, address)


def _explain_one(text: nodes.Text, left: dict[str, Meaning], address: str) -> None:
    """At most one word of a text, the first, which is then no longer left."""
    words = str(text)
    hits = [
        (found.start(), -len(term), found, left[term]) for term in left if (found := left[term].pattern.search(words))
    ]
    if not hits:
        return
    _, _, found, meaning = min(hits, key=lambda hit: hit[:2])
    word = Explained("", found[0], meaning=meaning.words, address=f"{address}#{meaning.anchor}")
    parts = [nodes.Text(words[: found.start()]), word, nodes.Text(words[found.end() :])]
    text.parent.replace(text, [each for each in parts if each.astext()])
    del left[meaning.term]


def _is_part(section: nodes.section) -> bool:
    """A page, or one of its sections; what is below these belongs to them."""
    return isinstance(section.parent, nodes.document) or isinstance(section.parent.parent, nodes.document)


def _belongs_to(text: nodes.Text, section: nodes.section) -> bool:
    """Whether a text is a paragraph's words in this section, and no part of what is shown as data."""
    node, in_paragraph = text.parent, False
    while node is not section:
        if isinstance(node, _ELSEWHERE) or (isinstance(node, Folded) and node.get("kind", FOLD) == FOLD):
            return False
        if isinstance(node, nodes.section) and _is_part(node):
            return False
        in_paragraph = in_paragraph or isinstance(node, nodes.paragraph)
        node = node.parent
    return in_paragraph


def visit_html(writer: Any, node: Explained) -> None:
    """A link, so that it works without the script, which shows the meaning."""
    address, meaning = escape(node["address"]), escape(typography.mended(node["meaning"]))
    writer.body.append(f'<a class="benchbook-term" href="{address}" data-meaning="{meaning}">')


def depart_html(writer: Any, node: Explained) -> None:
    writer.body.append("</a>")


def explain_page(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Explain the words of a page, before its text is mended."""
    if page.startswith(PAGES) and GLOSSARY in app.env.found_docs:
        address = app.builder.get_relative_uri(page, GLOSSARY)
        explain(doctree, meanings(app.env.get_doctree(GLOSSARY)), address)
