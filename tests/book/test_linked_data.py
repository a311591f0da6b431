"""What programs that collect articles and data read in the head of a page."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.utils import new_document

from benchbook.book.pages import head_tags
from benchbook.book.parts import linked_data
from benchbook.book.records.references import Reference
from benchbook.book.records.site import Site
from benchbook.errors import BenchbookError

BOOK = Reference(
    "benchbook", "Benchbook", ("The authors", "Lovelace, Ada"), "2026-01-03", "1.0.0", "", "", "", abstract="A book.",
    keywords=("caching",), related=("A note, https://example.org/n",), figure=False,
)  # fmt: skip
WHERE = Site("https://books/b/", "https://books/code.git", "10.5281/zenodo.12")
FIGURE: dict[str, Any] = {
    "id": "fig-a", "title": "Latency", "caption": "By keys.", "data_sha256": "0" * 64, "page": "book/chapters/scale",
    "data": {"columns": ["key", "P99 (ms)"], "data": []}, "suffixes": {"csv", "json", "metadata.json", "svg"},
    "run": {"engine": "SQLite 3", "pool": {"started": "2026-01-01T00:00:00", "finished": "2026-01-02T00:00:00"}},
}  # fmt: skip


def test_a_chapter_is_a_report_with_the_data_of_its_figures() -> None:
    notes = ["https://example.org/n"]
    found = linked_data.chapter(
        "book/chapters/scale", "Scale", "Why?", "2026-01-02", BOOK, WHERE, [FIGURE], notes=notes
    )
    assert (found["@context"], found["@type"], found["headline"]) == ("https://schema.org", "Report", "Scale")
    assert found["url"] == "https://books/b/book/chapters/scale.html"
    assert (found["dateModified"], found["version"], found["citation"]) == ("2026-01-02", "1.0.0", notes)
    assert [each["@type"] for each in found["creator"]] == ["Organization", "Person"]
    assert found["isPartOf"]["identifier"] == "https://doi.org/10.5281/zenodo.12"
    (data,) = found["hasPart"]
    assert data["@type"] == "Dataset"
    assert data["temporalCoverage"] == "2026-01-01/2026-01-02"
    assert {each["contentUrl"]: each["encodingFormat"] for each in data["distribution"]} == {
        "https://books/b/figures/fig-a.csv": "text/csv",
        "https://books/b/figures/fig-a.metadata.json": "application/json",
        "https://books/b/figures/fig-a.svg": "image/svg+xml",
    }


def test_without_an_address_nothing_has_one() -> None:
    whole = linked_data.whole(BOOK, Site(), files=[("Claims", "book/claims.csv", "text/csv")])
    chapter = linked_data.chapter("book/chapters/scale", "Scale", "", "", BOOK, Site(), [FIGURE | {"run": None}])
    text = json.dumps([whole, chapter])
    for name in ("url", "@id", "distribution", "contentUrl", "isBasedOn"):
        assert f'"{name}"' not in text
    assert chapter["dateModified"] == BOOK.date, "nothing was measured for it"
    assert "doi.org" not in text
    assert not any("url" in name or "doi" in name for name, _ in linked_data.tags("p", "T", "", "", BOOK, Site()))


def test_the_book_names_its_code_its_data_and_what_it_cites() -> None:
    found = linked_data.whole(BOOK, WHERE, files=[("Claims", "book/claims.csv", "text/csv")])
    assert found["distribution"][0]["contentUrl"] == "https://books/b/book/claims.csv"
    assert found["isBasedOn"]["codeRepository"] == "https://books/code.git"
    assert found["citation"] == ["A note, https://example.org/n"]


def test_reference_managers_find_title_authors_day_and_address() -> None:
    found = [*linked_data.tags("book/chapters/scale", "Scale", "Why?", "2026-01-02", BOOK, WHERE)]
    assert [content for name, content in found if name == "citation_author"] == ["The authors", "Lovelace, Ada"]
    known = dict(found)
    assert known["citation_title"] == "Scale"
    assert known["citation_publication_date"] == "2026/01/02"
    assert known["citation_doi"] == "10.5281/zenodo.12"
    assert known["citation_fulltext_html_url"] == "https://books/b/book/chapters/scale.html"
    assert linked_data.meta("a", 'say "so" <b>') == '<meta name="a" content="say &quot;so&quot; &lt;b&gt;">'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A book with a chapter that judges a claim of a note, and a figure in it."""
    for name in ("data/notes", "data/published", "book/chapters"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "_config.yml").write_text("html:\n  baseurl: https://books/b\n")
    (tmp_path / "CITATION.cff").write_text(
        "title: Book\nversion: 1.0.0.dev0\nauthors:\n  - name: A\n"
        "references:\n  - {type: report, title: Note, url: 'https://example.org/n'}\n"
    )
    (tmp_path / "data" / "published" / "SHA256SUMS").write_text(f"{'0' * 64}  a/k-20260102T030405/run.json\n")
    (tmp_path / "data" / "notes" / "documents.csv").write_text("note,title\n000,Note\n001,Other\n")
    (tmp_path / "data" / "claims.csv").write_text("id,note,chapter\nL001,000,scale\nL002,001,cost\n")
    figure = {name: value for name, value in FIGURE.items() if name != "suffixes"}
    (tmp_path / "book" / "chapters" / "figures.json").write_text(json.dumps([figure]))
    lesson = {"chapter": "scale", "basis": {"until": "2026-01-01"}}
    (tmp_path / "book" / "chapters" / "lessons.json").write_text(json.dumps([lesson]))
    return tmp_path


def head(root: Path, page: str, **context: Any) -> str:
    app: Any = SimpleNamespace(srcdir=str(root), config=SimpleNamespace(root_doc="book/index"))
    doctree = new_document("page", get_default_settings())
    doctree += [nodes.title("", "Scale"), nodes.paragraph("", "Does it?")]
    shown: dict[str, Any] = {"title": "Scale &amp; <em>size</em>", "metatags": "<meta>"} | context
    head_tags.add(app, page, "page.html", shown, None if "benchbook_figure" in context else doctree)
    return str(shown["metatags"])


def linked(text: str) -> Any:
    return json.loads(text.partition('<script type="application/ld+json">')[2].partition("</script>")[0])


def test_chapter_figure_and_first_page_have_theirs_and_others_nothing(project: Path) -> None:
    chapter = head(project, "book/chapters/scale")
    assert chapter.startswith("<meta>")
    assert '<meta name="citation_title" content="Scale &amp; size">' in chapter
    assert '<meta name="citation_publication_date" content="2026/01/01">' in chapter
    found = linked(chapter)
    assert (found["name"], found["abstract"], found["citation"]) == (
        "Scale & size",
        "Does it?",
        ["https://example.org/n"],
    )
    assert found["hasPart"][0]["name"].startswith("Latency")
    assert linked(head(project, "book/index"))["distribution"][0]["contentUrl"] == "https://books/b/book/claims.csv"
    figure = linked(head(project, "figures/fig-a", benchbook_figure="fig-a"))
    assert figure["@type"] == "Dataset"
    assert figure["url"] == "https://books/b/figures/fig-a.html"
    for page, context in (("book/runs", {}), ("figures/2026.1/fig-a", {"benchbook_figure": "fig-a"})):
        assert head(project, page, **context) == "<meta>"
    (project / "CITATION.cff").unlink()
    assert head(project, "book/chapters/scale") == "<meta>", "nobody says whose it is"


def test_an_address_ends_in_a_slash_before_anything_is_added_to_it() -> None:
    config = SimpleNamespace(html_baseurl="https://books/b", benchbook_doi="")
    head_tags.slash(SimpleNamespace(), config)  # type: ignore[arg-type]
    assert config.html_baseurl == "https://books/b/"
    config.benchbook_doi = "no DOI"
    with pytest.raises(BenchbookError, match="is no DOI"):
        head_tags.slash(SimpleNamespace(), config)  # type: ignore[arg-type]
