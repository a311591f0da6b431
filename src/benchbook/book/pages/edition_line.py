"""Below each page its state: version of the book, data, last day of measuring; and where to report an error."""

from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from docutils import nodes
from sphinx.application import Sphinx

from benchbook import __version__
from benchbook.book.pages import lessons
from benchbook.book.parts import descriptions
from benchbook.book.records import versions


def state(root: Path) -> str:
    """The state of the published runs, as many digits of it as tell two apart; "" without any."""
    return versions.state(root)[: versions.DIGITS]


def words(root: Path) -> str:
    """The line, in words. root: the book's source folder."""
    until, data = lessons.until(lessons.load(root)), state(root)
    parts = [f"Benchbook {__version__}", f"data {data}" if data else "", f"measured up to {until}" if until else ""]
    return ", ".join(filter(None, parts))


def add(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Put it below a page, and beside it where to report an error, if the book has a repository."""
    state = words(Path(app.srcdir))
    repository = str(app.config.html_theme_options.get("repository_url") or "")
    title = descriptions.in_words(str(context.get("title") or ""))
    address = report_address(repository, page, title, state)
    link = f' · <a href="{escape(address)}">Report an error on this page</a>' if address else ""
    context["theme_extra_footer"] = f'<p class="benchbook-edition">{escape(state)}{link}</p>'


def report_address(repository: str, page: str, title: str, state: str) -> str:
    """The form for a new issue, with the page and the state of the book filled in; "" without a repository.

    repository: its address, as in _config.yml. page: as in the table of contents. title: of the page, in words.
    state: version and data, in words.
    """
    parts = urlsplit(repository)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        return ""
    base = repository.rstrip("/").removesuffix(".git")
    subject = f"Error on the page “{title}”" if title else f"Error on the page {page}"
    body = f"Page: {page}\nBook: {state}\n\nWhat is wrong, and how do you know?\n\n"
    if "gitlab" in parts.hostname:
        return f"{base}/-/issues/new?{urlencode({'issue[title]': subject, 'issue[description]': body})}"
    return f"{base}/issues/new?{urlencode({'title': subject, 'body': body})}"
