"""How the book is cited on its own page and in the files beside it."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from docutils import nodes
from pybtex.database import parse_string
from shown import text

from benchbook.book.pages import cite
from benchbook.book.parts.nodes import SiteLink
from benchbook.book.records import references, versions

ROOT = Path(__file__).parents[2]


def test_the_page_names_version_date_and_state_of_the_data(cited: Path) -> None:
    shown = text(cite.shown(cited))
    book = references.of_book(cited)
    for part in (book.version, book.date, versions.state(cited), book.abstract, "@misc"):
        assert part in shown
    assert "doi" not in shown.lower()
    assert [link["path"] for part in cite.shown(cited) for link in part.findall(SiteLink)] == [
        "book/benchbook.bib", "book/benchbook.csl.json",
    ]  # fmt: skip


def test_a_doi_and_addresses_are_shown_once_the_settings_have_them(cited: Path) -> None:
    (cited / "_config.yml").write_text(
        "html:\n  baseurl: https://example.org/b\nrepository:\n  url: https://example.org/c\n"
        "sphinx:\n  config:\n    benchbook_doi: 10.5281/zenodo.12\n"
    )
    links = [link["refuri"] for part in cite.shown(cited) for link in part.findall(nodes.reference)]
    assert links == ["https://doi.org/10.5281/zenodo.12", "https://example.org/b/", "https://example.org/c"]
    assert "https://doi.org/10.5281/zenodo.12" in cite.shown(cited)[0].astext()


def test_each_released_version_has_its_state_of_the_data(cited: Path) -> None:
    known = versions.released(cited)
    shown = text(cite.states(cited))
    assert all(each.version in shown and each.data_sha256 in shown for each in known.values())
    (cited / versions.FILE).unlink()
    assert "No version" in text(cite.states(cited))


def test_the_files_beside_the_page_are_the_references(cited: Path, tmp_path: Path) -> None:
    (tmp_path / "book").mkdir()
    app: Any = SimpleNamespace(env=SimpleNamespace(found_docs={cite.PAGE}), srcdir=str(cited), outdir=str(tmp_path))
    cite.write(app)
    (item,) = json.loads((tmp_path / "book" / "benchbook.csl.json").read_text())
    assert item["title"] == references.of_book(cited).title
    assert parse_string((tmp_path / "book" / "benchbook.bib").read_text(), "bibtex").entries["benchbook"]
