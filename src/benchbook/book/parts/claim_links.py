"""A claim's id leads to its entry, wherever a page names it."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from benchbook import nofollow
from benchbook.book.parts.nodes import ChapterNumber, FigureReference, SiteLink
from benchbook.book.parts.typography import stands_in

PAGE = "book/verdicts"
"""Where all claims stand, each row with the id that ``anchor`` gives."""
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
