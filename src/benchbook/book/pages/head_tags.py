"""What reference managers read in the head of a chapter: title, authors, day, book, address."""

from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from benchbook.book.pages import lessons
from benchbook.book.parts import descriptions
from benchbook.book.records import figure_list, references, site
from benchbook.book.records.references import Reference
from benchbook.book.records.site import Site


def slash(app: Sphinx, config: Any) -> None:
    """Let the book's address end in a slash, as all that is added to it expects; refuse one that is none."""
    config.html_baseurl = site.checked(str(config.html_baseurl or ""), "", str(config.benchbook_doi or "")).address


def add(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    root = Path(app.srcdir)
    if doctree is None or not figure_list.is_chapter(page) or not (root / "CITATION.cff").is_file():
        return
    name, book = page.rpartition("/")[2], references.of_book(root)
    title, text = descriptions.in_words(str(context.get("title", ""))), descriptions.description(doctree)
    own = [each["basis"] for each in lessons.load(root) if each["chapter"] == name and each["basis"]]
    until = str(own[0]["until"]) if own else book.date
    made = [
        f'<meta name="citation_{kind}" content="{escape(content)}">'
        for kind, content in tags(page, title, text, until, book, site.of(root))
    ]
    context["metatags"] = "\n  ".join([str(context.get("metatags", "")).rstrip(), *made]) + "\n"


def tags(page: str, title: str, text: str, day: str, book: Reference, where: Site) -> Iterator[tuple[str, str]]:
    """Name behind "citation_", and content. text: what the chapter asks and answers. day: the last of measuring."""
    yield "title", title
    yield from (("author", name) for name in book.authors)
    yield "publication_date", day.replace("-", "/")
    yield "inbook_title", f"{book.title} (version {book.version})"
    yield "language", "en"
    yield "abstract", text
    if where.doi:
        yield "doi", where.doi
    if where.address:
        yield "fulltext_html_url", f"{where.address}{page}.html"
