"""What pages call claims and chapters: a claim's id leads to its entry, and a chapter's short name is its title."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from benchbook import lab, nofollow
from benchbook.book.parts.nodes import ChapterNumber, FigureReference, SiteLink
from benchbook.book.parts.typography import stands_in

PAGE = "book/verdicts"
"""Where all claims stand, each row with the id that ``anchor`` gives."""
_NAME = re.compile(r"(\bchapter )?\b([a-z]+(?:_[a-z]+)*)\b")
"""A word, and whether it stands after "chapter"."""
_ID = re.compile(r"\b[A-Z]\d{3}\b")
_LEFT_ALONE = (
    nodes.FixedTextElement, nodes.reference, nodes.title, nodes.caption, FigureReference, ChapterNumber, SiteLink,
)  # fmt: skip
"""What is copied, or is or becomes a link, and what stands in lists of contents as well."""


def anchor(claim: str) -> str:
    return f"claim-{claim}"


@cache
def ids(ledger: Path) -> frozenset[str]:
    """The ids of all claims. ledger: the file ``claims.csv``."""
    return frozenset(row["id"] for row in nofollow.rows(ledger))


def link(tree: nodes.Node, known: Iterable[str], address: str) -> None:
    """Make each id of a claim in the texts of a page a link, in place. address: of the page of all claims."""
    wanted = frozenset(known)
    for text in list(tree.findall(nodes.Text)):
        if not wanted.isdisjoint(_ID.findall(text)) and not stands_in(text, _LEFT_ALONE):
            name = text.parent
            if not isinstance(name, nodes.literal):
                _replace(text, list(_split(str(text), wanted, address)))
            elif name.astext() in wanted:  # alone; in a command or a parameter it stays as it is
                _replace(name, [nodes.reference("", "", name.deepcopy(), refuri=f"{address}#{anchor(name.astext())}")])


def _replace(old: nodes.Node, new: list[nodes.Node]) -> None:
    """Links stand in a text only, and a cell of a table is none."""
    bare = not isinstance(old.parent, nodes.TextElement)
    old.parent.replace(old, nodes.inline("", "", *new) if bare else new)


def _split(text: str, wanted: frozenset[str], address: str) -> Iterator[nodes.Node]:
    end = 0
    for match in _ID.finditer(text):
        if match.group() in wanted:
            yield nodes.Text(text[end : match.start()])
            yield nodes.reference("", match.group(), refuri=f"{address}#{anchor(match.group())}")
            end = match.end()
    yield nodes.Text(text[end:])


def link_page(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """The same for a page that is about to be written; the page of all claims has the entries themselves."""
    if page != PAGE and PAGE in app.env.found_docs:
        known = ids(Path(app.srcdir) / "data" / "claims.csv")
        link(doctree, known, app.builder.get_relative_uri(page, PAGE))


def in_words(name: str) -> str:
    """The title of a chapter; of one that is not written yet, its name in words."""
    return str(lab.experiment(name).title) if name in lab.names() else name.replace("_", " ")


def titled(text: str) -> str:
    """A text in which each name of a written chapter is its title, and that of one to come in words.

    A name of one word is one only after "chapter": *cost* alone may be any cost.
    """
    known = set(lab.names())

    def called(match: re.Match[str]) -> str:
        said, name = match[1] or "", match[2]
        if name in known and (said or "_" in name):
            return f"{said}“{in_words(name)}”"
        return f"{said}{in_words(name)}" if said else name

    return _NAME.sub(called, text)
