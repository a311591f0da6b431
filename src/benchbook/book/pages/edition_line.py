"""Below each page what it is a page of: version of the book, state of its data, and last day of measuring."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from benchbook import __version__
from benchbook.book.pages import lessons
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
    """Put it below a page."""
    context["theme_extra_footer"] = f'<p class="benchbook-edition">{escape(words(Path(app.srcdir)))}</p>'


def add_to(app: Sphinx) -> None:
    """Below every page."""
    app.connect("html-page-context", add)
