"""What search engines and previews show of a page."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.utils import new_document

from benchbook.book.parts import descriptions, opening_box
from benchbook.figures import Opening

QUESTION = "Does it shrink?"


def page(*content: nodes.Node) -> nodes.document:
    made = new_document("page", get_default_settings())
    made += [nodes.title("", "Scale"), nodes.paragraph("", QUESTION), *content]
    return made


def head(doctree: nodes.document, base: str, folder: Path) -> str:
    app: Any = SimpleNamespace(config=SimpleNamespace(html_baseurl=base, html_title="Benchbook"), srcdir=str(folder))
    context: dict[str, Any] = {"title": "Scale &amp; <em>size</em>", "metatags": ""}
    descriptions.add(app, "book/chapters/scale", "page.html", context, doctree)
    return str(context["metatags"])


def chapter() -> nodes.document:
    return page(*opening_box.shown(Opening("scale", 'It "shrinks"', (), "fig-a", "", "Nothing").record()))


def test_a_chapter_is_described_by_its_question_and_its_answer(tmp_path: Path) -> None:
    found = head(chapter(), "", tmp_path)
    assert '<meta name="description" content="Does it shrink? It &quot;shrinks&quot;.">' in found
    assert '<meta property="og:title" content="Scale &amp; size">' in found
    assert '<meta property="og:site_name" content="Benchbook">' in found
    assert "og:url" not in found
    assert "og:image" not in found, "a page that is hosted nowhere has no address"


def test_a_hosted_chapter_shows_its_figure_where_there_is_a_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base, known = "https://books/b/", {"id": "fig-a", "alt": "A & B."}
    assert "og:image" not in head(chapter(), base, tmp_path)
    monkeypatch.setattr(descriptions.figure_list, "record", lambda root, identity: known)
    monkeypatch.setattr(descriptions.figure_files, "suffixes", lambda root, known: frozenset({"png", "svg"}))
    found = head(chapter(), base, tmp_path)
    assert 'content="https://books/b/book/chapters/scale.html"' in found
    assert 'content="https://books/b/figures/fig-a.png"' in found
    assert '<meta property="og:image:alt" content="A &amp; B.">' in found
    monkeypatch.setattr(descriptions.figure_files, "suffixes", lambda root, known: frozenset({"svg"}))
    assert 'content="https://books/b/figures/fig-a.svg"' in head(chapter(), base, tmp_path)


def test_any_other_page_is_described_by_its_first_paragraph_cut_between_words(tmp_path: Path) -> None:
    assert descriptions.description(page()) == QUESTION
    assert descriptions.shortened("one two three", 9) == "one two …"
    assert head(new_document("empty", get_default_settings()), "", tmp_path) == ""
