"""Linked data and citation tags in the heads of pages: of the book on its first, of each chapter and each figure."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx

from benchbook import nofollow
from benchbook.book.pages import lessons, verdict_files
from benchbook.book.parts import descriptions, figure_files, linked_data
from benchbook.book.records import figure_list, references, site

_NOTES = Path("data") / "notes" / "documents.csv"


def slash(app: Sphinx, config: Any) -> None:
    """Let the book's address end in a slash, as all that is added to it expects; refuse one that is none."""
    config.html_baseurl = site.checked(str(config.html_baseurl or ""), "", str(config.benchbook_doi or "")).address


def add(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    root = Path(app.srcdir)
    if not (root / "CITATION.cff").is_file():
        return
    made = [*_of_page(app, root, page, context, doctree)]
    if made:
        context["metatags"] = "\n  ".join([str(context.get("metatags", "")).rstrip(), *made]) + "\n"


def _of_page(
    app: Sphinx, root: Path, page: str, context: Mapping[str, Any], doctree: nodes.document | None
) -> list[str]:
    book, where = references.of_book(root), site.of(root)
    if "benchbook_figure" in context:
        found = figure_list.record(root, str(context["benchbook_figure"]))
        if found is None or page != f"{figure_files.FOLDER}/{found['id']}":  # of an edition
            return []
        data = linked_data.dataset(_with_files(root, found), book, where)
        return [linked_data.script({"@context": linked_data.CONTEXT, **data})]
    if doctree is None:
        return []
    if figure_list.is_front(page, app.config.root_doc):
        return [linked_data.script(linked_data.whole(book, where, files=_DATA))]
    if not figure_list.is_chapter(page):
        return []
    name = page.rpartition("/")[2]
    title = descriptions.in_words(str(context.get("title", "")))
    text = descriptions.description(doctree)
    own = [each["basis"] for each in lessons.load(root) if each["chapter"] == name and each["basis"]]
    until = str(own[0]["until"]) if own else ""
    figures = [_with_files(root, each) for each in figure_list.records(root) if each["page"] == page]
    data = linked_data.chapter(page, title, text, until, book, where, figures, notes=_examined(root, name))
    tags = linked_data.tags(page, title, text, until or book.date, book, where)
    return [*(linked_data.meta(*each) for each in tags), linked_data.script(data)]


_DATA = (
    ("Every claim with its verdict and its number", verdict_files.CSV, "text/csv"),
    ("The same as Parquet", verdict_files.PARQUET, "application/vnd.apache.parquet"),
    ("The same as JSON", verdict_files.JSON, "application/json"),
    ("What each table and each column is", verdict_files.PACKAGE, "application/json"),
)


def _with_files(root: Path, figure: Mapping[str, Any]) -> dict[str, Any]:
    return {**figure, "suffixes": figure_files.suffixes(root, figure)}


def _examined(root: Path, chapter: str) -> list[str]:
    """Addresses of the notes whose claims a chapter judges, as CITATION.cff has them."""
    return [
        address for note, address in _addresses(root).items() if note in _notes(root / "data" / "claims.csv", chapter)
    ]


@cache
def _addresses(root: Path) -> dict[str, str]:
    """Number of a note to its address, by its title."""
    if not (root / _NOTES).is_file():
        return {}
    whole = yaml.safe_load((root / "CITATION.cff").read_text("utf-8"))
    known = {str(each["title"]): str(each["url"]) for each in whole.get("references", ()) if each.get("url")}
    rows = nofollow.rows(root / _NOTES, nofollow.RUN)
    return {row["note"]: known[row["title"]] for row in rows if row["title"] in known}


@cache
def _notes(ledger: Path, chapter: str) -> frozenset[str]:
    if not ledger.is_file():
        return frozenset()
    return frozenset(row["note"] for row in nofollow.rows(ledger) if row.get("chapter") == chapter)
