"""What stands around a page: tags in its head, the book's state below it, and above it lines on runs made here.

Reference managers read the tags of a chapter; a line on a run made here says what it can say.
"""

from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

from benchbook import __version__
from benchbook.book.pages import lessons
from benchbook.book.parts import descriptions
from benchbook.book.parts.tables import coded
from benchbook.book.records import figure_list, own_runs, references, site, versions
from benchbook.book.records.own_runs import QUICK_DECIDES_NOTHING, Own
from benchbook.book.records.references import Reference
from benchbook.book.records.site import Site

ANNOUNCEMENT = "bd-header-announcement"
"""The theme's, of the line on every page."""
LOOKS = ["benchbook-aside", "benchbook-own"]
"""Of the line below a chapter's title."""


def slash(app: Sphinx, config: Any) -> None:
    """Let the book's address end in a slash, as all that is added to it expects; refuse one that is none."""
    config.html_baseurl = site.checked(str(config.html_baseurl or ""), "", str(config.benchbook_doi or "")).address


def add_tags(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """What reference managers read in the head of a chapter: title, authors, day, book, address."""
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


def state(root: Path) -> str:
    """The state of the published runs, as many digits of it as tell two apart; "" without any."""
    return versions.state(root)[: versions.DIGITS]


def words(root: Path) -> str:
    """The line, in words. root: the book's source folder."""
    until, data = lessons.until(lessons.load(root)), state(root)
    parts = [f"Benchbook {__version__}", f"data {data}" if data else "", f"measured up to {until}" if until else ""]
    return ", ".join(filter(None, parts))


def add_state(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Put it below a page, and beside it where to report an error, if the book has a repository."""
    state = words(Path(app.srcdir))
    repository = str(app.config.html_theme_options.get("repository_url") or "")
    title = descriptions.in_words(str(context.get("title") or ""))
    address = report_address(repository, page, title, state)
    link = f' · <a href="{escape(address)}">Report an error on this page</a>' if address else ""
    context["theme_extra_footer"] = f'<p class="benchbook-edition">{escape(state)}{link}</p>'


def report_address(repository: str, page: str, title: str, state: str) -> str:
    """The form for a new issue, with the page and the state of the book filled in; "" without a repository."""
    parts = urlsplit(repository)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        return ""
    base = repository.rstrip("/").removesuffix(".git")
    subject = f"Error on the page “{title}”" if title else f"Error on the page {page}"
    body = f"Page: {page}\nBook: {state}\n\nWhat is wrong, and how do you know?\n\n"
    if "gitlab" in parts.hostname:
        return f"{base}/-/issues/new?{urlencode({'issue[title]': subject, 'issue[description]': body})}"
    return f"{base}/issues/new?{urlencode({'title': subject, 'body': body})}"


def everywhere(shown: str) -> str:
    """The line on every page as HTML; "" where the book shows published runs."""
    if shown != "local":
        return ""
    return (
        "This book was made on this machine: each chapter shows the run made here, or its published run if there is "
        "none. <code>benchbook build</code> shows the published ones."
    )


def announce(app: Sphinx, config: Config) -> None:
    """Give the theme that line."""
    line = everywhere(own_runs.read(Path(app.srcdir))[0])
    config.html_theme_options = {**config.html_theme_options, "announcement": line}


def own_line(shown: str, own: Own) -> str:
    """The line below the title of a chapter of which there is a run made here. shown: kind of book."""
    one = f"run `{own.run_id}` ({own.profile} profile, {own.blocks} blocks, {own.finished[:10]})"
    if not own.published:
        said = f"No run of this chapter is published; this page shows one made on this machine: {one}."
    elif shown == "local":
        said = f"This page shows the run made on this machine: {one}."
    else:
        said = f"Also measured on this machine, and marked as such beside the published numbers: {one}."
    return said if own.decides else f"{said} {QUICK_DECIDES_NOTHING}"


def add_own_line(app: Sphinx, doctree: nodes.document) -> None:
    """Put the line below the chapter's title."""
    page = app.env.docname
    if not page.startswith(f"{figure_list.CHAPTERS}/"):
        return
    shown, owns = own_runs.read(Path(app.srcdir))
    own = next((each for each in owns if each.chapter == page.removeprefix(f"{figure_list.CHAPTERS}/")), None)
    title = next(iter(doctree.findall(nodes.title)), None)
    if own is None or title is None or title.parent is None:
        return
    line = nodes.paragraph("", "", *coded(own_line(shown, own)), classes=LOOKS)
    title.parent.insert(title.parent.index(title) + 1, line)
