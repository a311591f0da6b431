"""What reference managers read in the head of a page."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.utils import new_document

from benchbook.book.pages import around
from benchbook.book.records.references import Reference
from benchbook.book.records.site import Site
from benchbook.errors import BenchbookError

BOOK = Reference(
    "benchbook", "Benchbook", ("The authors", "Lovelace, Ada"), "2026-01-03", "1.0.0", "", "", "", abstract="A book.",
    keywords=("caching",), related=("A note, https://example.org/n",), figure=False,
)  # fmt: skip
WHERE = Site("https://books/b/", "https://books/code.git", "10.5281/zenodo.12")


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


def head(root: Path, page: str, **context: Any) -> str:
    app: Any = SimpleNamespace(srcdir=str(root), config=SimpleNamespace(root_doc="book/index"))
    doctree = new_document("page", get_default_settings())
    doctree += [nodes.title("", "Scale"), nodes.paragraph("", "Does it?")]
    shown: dict[str, Any] = {"title": "Scale &amp; <em>size</em>", "metatags": "<meta>"} | context
    around.add_tags(app, page, "page.html", shown, doctree)
    return str(shown["metatags"])


def test_a_chapter_has_its_own_and_other_pages_have_none(project: Path) -> None:
    chapter = head(project, "book/chapters/scale", title="Scale &amp; <em>size</em> &quot;x&quot;")
    assert chapter.startswith("<meta>")
    assert '<meta name="citation_title" content="Scale &amp; size &quot;x&quot;">' in chapter
    assert '<meta name="citation_publication_date" content="2026/01/01">' in chapter
    for page in ("book/index", "book/runs", "figures/fig-a"):
        assert head(project, page) == "<meta>"
    (project / "CITATION.cff").unlink()
    assert head(project, "book/chapters/scale") == "<meta>", "nobody says whose it is"


def test_an_address_ends_in_a_slash_before_anything_is_added_to_it() -> None:
    config = SimpleNamespace(html_baseurl="https://books/b", benchbook_doi="")
    around.slash(SimpleNamespace(), config)  # type: ignore[arg-type]
    assert config.html_baseurl == "https://books/b/"
    config.benchbook_doi = "no DOI"
    with pytest.raises(BenchbookError, match="is no DOI"):
        around.slash(SimpleNamespace(), config)  # type: ignore[arg-type]
