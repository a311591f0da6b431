"""What the head of a page tells reference managers, search engines and previews."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.utils import new_document

from benchbook.book.pages import around
from benchbook.book.parts import descriptions, opening_box
from benchbook.book.records.references import Reference
from benchbook.book.records.site import Site
from benchbook.errors import BenchbookError
from benchbook.figures import Opening

BOOK = Reference(
    "benchbook", "Benchbook", ("The authors", "Lovelace, Ada"), "2026-01-03", "1.0.0", "", "", "", abstract="A book.",
    keywords=("caching",), related=("A note, https://example.org/n",), figure=False,
)  # fmt: skip
WHERE = Site("https://books/b/", "https://books/code.git", "10.5281/zenodo.12")
TITLE = "Scale &amp; <em>size</em>"
QUESTION = "Does it shrink?"


def page(*content: nodes.Node) -> nodes.document:
    made = new_document("page", get_default_settings())
    made += [nodes.title("", "Scale"), nodes.paragraph("", QUESTION), *content]
    return made


def test_reference_managers_find_title_authors_day_and_address() -> None:
    found = [*around.tags("book/chapters/scale", "Scale", "Why?", "2026-01-02", BOOK, WHERE)]
    assert [content for name, content in found if name == "author"] == ["The authors", "Lovelace, Ada"]
    known = dict(found)
    assert known["title"] == "Scale"
    assert known["publication_date"] == "2026/01/02"
    assert known["doi"] == "10.5281/zenodo.12"
    assert known["fulltext_html_url"] == "https://books/b/book/chapters/scale.html"
    nowhere = around.tags("p", "T", "", "", BOOK, Site())
    assert not any("url" in name or "doi" in name for name, _ in nowhere)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A book with a chapter."""
    for name in ("data/published", "book/chapters"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "_config.yml").write_text("html:\n  baseurl: https://books/b\n")
    (tmp_path / "CITATION.cff").write_text("title: Book\nversion: 1.0.0.dev0\nauthors:\n  - name: A\n")
    (tmp_path / "data" / "published" / "SHA256SUMS").write_text(f"{'0' * 64}  a/k-20260102T030405/run.json\n")
    lesson = {"chapter": "scale", "basis": {"until": "2026-01-01"}}
    (tmp_path / "book" / "chapters" / "lessons.json").write_text(json.dumps([lesson]))
    return tmp_path


def head(root: Path, name: str, title: str = TITLE) -> str:
    app: Any = SimpleNamespace(srcdir=str(root), config=SimpleNamespace(root_doc="book/index"))
    context = {"title": title, "metatags": "<meta>"}
    around.add_tags(app, name, "page.html", context, page())
    return context["metatags"]


def test_a_chapter_has_its_own_and_other_pages_have_none(project: Path) -> None:
    chapter = head(project, "book/chapters/scale", f"{TITLE} &quot;x&quot;")
    assert chapter.startswith("<meta>")
    assert '<meta name="citation_title" content="Scale &amp; size &quot;x&quot;">' in chapter
    assert '<meta name="citation_publication_date" content="2026/01/01">' in chapter
    for other in ("book/index", "book/runs", "figures/fig-a"):
        assert head(project, other) == "<meta>"
    (project / "CITATION.cff").unlink()
    assert head(project, "book/chapters/scale") == "<meta>", "nobody says whose it is"


def test_an_address_ends_in_a_slash_before_anything_is_added_to_it() -> None:
    config = SimpleNamespace(html_baseurl="https://books/b", benchbook_doi="")
    around.slash(SimpleNamespace(), config)  # type: ignore[arg-type]
    assert config.html_baseurl == "https://books/b/"
    config.benchbook_doi = "no DOI"
    with pytest.raises(BenchbookError, match="is no DOI"):
        around.slash(SimpleNamespace(), config)  # type: ignore[arg-type]


def described(doctree: nodes.document, base: str, folder: Path) -> str:
    app: Any = SimpleNamespace(config=SimpleNamespace(html_baseurl=base, html_title="Benchbook"), srcdir=str(folder))
    context = {"title": TITLE, "metatags": ""}
    descriptions.add(app, "book/chapters/scale", "page.html", context, doctree)
    return context["metatags"]


def chapter() -> nodes.document:
    return page(*opening_box.shown(Opening("scale", 'It "shrinks"', (), "fig-a", "", "Nothing").record()))


def test_a_chapter_is_described_by_its_question_and_its_answer(tmp_path: Path) -> None:
    found = described(chapter(), "", tmp_path)
    assert '<meta name="description" content="Does it shrink? It &quot;shrinks&quot;.">' in found
    assert '<meta property="og:title" content="Scale &amp; size">' in found
    assert '<meta property="og:site_name" content="Benchbook">' in found
    assert "og:url" not in found
    assert "og:image" not in found, "a page that is hosted nowhere has no address"


def test_a_hosted_chapter_shows_its_figure_where_there_is_a_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base, known = "https://books/b/", {"id": "fig-a", "alt": "A & B."}
    assert "og:image" not in described(chapter(), base, tmp_path)
    monkeypatch.setattr(descriptions.figure_list, "record", lambda root, identity: known)
    monkeypatch.setattr(descriptions.figure_files, "suffixes", lambda root, known: frozenset({"png", "svg"}))
    found = described(chapter(), base, tmp_path)
    assert 'content="https://books/b/book/chapters/scale.html"' in found
    assert 'content="https://books/b/figures/fig-a.png"' in found
    assert '<meta property="og:image:alt" content="A &amp; B.">' in found
    monkeypatch.setattr(descriptions.figure_files, "suffixes", lambda root, known: frozenset({"svg"}))
    assert 'content="https://books/b/figures/fig-a.svg"' in described(chapter(), base, tmp_path)


def test_any_other_page_is_described_by_its_first_paragraph_cut_between_words(tmp_path: Path) -> None:
    assert descriptions.description(page()) == QUESTION
    assert descriptions.shortened("one two three", 9) == "one two …"
    assert described(new_document("empty", get_default_settings()), "", tmp_path) == ""
