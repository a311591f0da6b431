"""Lines at the heads of pages about runs made here: that there is one, and what it can say."""

from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

from benchbook.book.parts.tables import coded
from benchbook.book.records import own_runs
from benchbook.book.records.figure_list import CHAPTERS
from benchbook.book.records.own_runs import QUICK_DECIDES_NOTHING, Own

CLASS = "bd-header-announcement"
"""The theme's, of the line on every page."""
LOOKS = ["benchbook-aside", "benchbook-own"]
"""Of the line below a chapter's title."""


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
    shown, _ = own_runs.read(Path(app.srcdir))
    config.html_theme_options = {**config.html_theme_options, "announcement": everywhere(shown)}


def of_chapter(shown: str, own: Own) -> str:
    """The line below the title of a chapter of which there is a run made here. shown: kind of book."""
    one = f"run `{own.run_id}` ({own.profile} profile, {own.blocks} blocks, {own.finished[:10]})"
    if not own.published:
        said = f"No run of this chapter is published; this page shows one made on this machine: {one}."
    elif shown == "local":
        said = f"This page shows the run made on this machine: {one}."
    else:
        said = f"Also measured on this machine, and marked as such beside the published numbers: {one}."
    return said if own.decides else f"{said} {QUICK_DECIDES_NOTHING}"


def add_line(app: Sphinx, doctree: nodes.document) -> None:
    """Put the line below the chapter's title."""
    page = app.env.docname
    if not page.startswith(f"{CHAPTERS}/"):
        return
    shown, owns = own_runs.read(Path(app.srcdir))
    own = next((each for each in owns if each.chapter == page.removeprefix(f"{CHAPTERS}/")), None)
    title = next(iter(doctree.findall(nodes.title)), None)
    if own is None or title is None or title.parent is None:
        return
    line = nodes.paragraph("", "", *coded(of_chapter(shown, own)), classes=LOOKS)
    title.parent.insert(title.parent.index(title) + 1, line)
