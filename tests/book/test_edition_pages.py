"""A figure keeps its address: today's book, each edition, and what later books dropped all have their pages."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from sphinx.application import Sphinx

from benchbook import lab
from benchbook.book.pages.figures import retired
from benchbook.book.parts import figure_files
from benchbook.book.records import editions, figure_list, figure_records
from benchbook.errors import BenchbookError, StoredRunError

ROOT = Path(__file__).parents[2]


def page_of(chapter: str) -> Any:
    """A chapter's page as it is written."""
    module: Any = lab.experiment(chapter)
    return module.page.page


@pytest.fixture
def later(frozen: Path, tmp_path: Path) -> Path:
    """The book after the edition: fig-hot shows other data, fig-cal was dropped, fig-new is new."""
    root = tmp_path / "later"
    shutil.copytree(frozen / "data" / "editions", root / "data" / "editions")
    for name in ("_config.yml", "CITATION.cff"):
        shutil.copy(frozen / name, root)
    records = {each["id"]: each for each in figure_list.stored(frozen)}
    data = {"columns": ["x"], "data": [[7]]}
    today = records["fig-hot"] | {"data": data, "data_sha256": figure_list.data_sha256(data), "caption": "Later."}
    (root / "data" / "published").mkdir()
    shutil.copy(frozen / "data" / "published" / "SHA256SUMS", root / "data" / "published")
    (root / "book" / "chapters").mkdir(parents=True)
    figure_list.write(root / "book" / "chapters", [today, {**today, "id": "fig-new"}, records["fig-not"]])
    return root


def addresses(root: Path) -> set[str]:
    return {f"{each['address']}/{each['id']}" for each in figure_files.of_editions(root)}


def test_every_figure_of_an_edition_has_a_page_below_its_name_and_a_dropped_one_its_former_address_too(
    later: Path, tmp_path: Path
) -> None:
    of_edition = {f"figures/2026.1/{name}" for name in ("fig-hot", "fig-cal", "fig-not")}
    assert addresses(later) == of_edition | {"figures/fig-cal"}
    assert addresses(tmp_path) == set(), "there are no editions"


def test_of_two_editions_the_newer_one_stands_at_the_former_address(later: Path) -> None:
    first, second = (later / "data" / "editions" / name for name in ("2026.1", "2026.2"))
    shutil.copytree(first, second)
    record = json.loads((first / "edition.json").read_text())
    newer = record | {"name": "2026.2", "created": "2099-01-01T00:00:00+00:00"}
    (second / "edition.json").write_text(json.dumps(newer))
    assert editions.names(later) == ["2026.1", "2026.2"]
    (former,) = (each for each in figure_files.of_editions(later) if each["address"] == "figures")
    assert (former["id"], former["edition"]) == ("fig-cal", "2026.2")
    assert {"figures/2026.1/fig-cal", "figures/2026.2/fig-cal"} <= addresses(later)
    assert editions.places(later)["fig-cal"] == ("calibration", "2026.2")


def test_a_figure_of_an_edition_that_was_altered_stops_the_build(later: Path) -> None:
    path = later / "data" / "editions" / "2026.1" / "figures.json"
    path.write_text(path.read_text().replace("Two arms", "Three arms"))
    with pytest.raises(StoredRunError, match=r"figures\.json of the edition 2026\.1 was changed"):
        figure_files.of_editions(later)


def test_the_rendered_book_has_pages_and_files_of_both(later: Path, tmp_path: Path) -> None:
    (later / "index.rst").write_text("Book\n====\n\nText.\n")
    (later / "book" / "chapters" / "cost.rst").write_text(":orphan:\n\nWhat it costs\n=============\n")
    retired = "id,chapter,date\nfig-gone,cost,2026-11-29\nfig-cal,cost,2026-11-29\n"
    (later / "data" / "retired-figures.csv").write_text(retired)
    settings = {
        "extensions": ["benchbook.book.sphinx_extension"],
        "html_theme": "basic",
        "include_patterns": ["index.rst", "book/chapters/cost.rst"],
    }
    out = tmp_path / "html"
    app = Sphinx(later, None, out, tmp_path / "doctrees", "html", confoverrides=settings, status=None, warning=None)
    app.build()
    assert app.statuscode == 0
    former, edition = out / "figures" / "fig-cal.html", out / "figures" / "2026.1" / "fig-cal.html"
    for page in (former, edition):
        text = page.read_text()
        assert "As it was in the edition 2026.1" in text
        assert "Latency by cache" in text
    gone = (out / "figures" / "fig-gone.html").read_text()
    assert '<a class="reference external" href="../book/chapters/cost.html">What it costs</a>' in gone
    assert "Later." in (out / "figures" / "fig-hot.html").read_text()
    assert "Later." not in (out / "figures" / "2026.1" / "fig-hot.html").read_text()
    for suffix in ("csv", "json", "bib", "csl.json", "txt"):
        copies = [out / "figures" / place / f"fig-cal.{suffix}" for place in ("", "2026.1")]
        assert copies[0].read_bytes() == copies[1].read_bytes()
    metadata = json.loads((out / "figures" / "2026.1" / "fig-cal.metadata.json").read_text())
    assert (metadata["id"], metadata["edition"]) == ("fig-cal", "2026.1")
    assert (out / "figures" / "fig-hot.csv").read_text("utf-8-sig") == "x\n7\n"
    assert (out / "figures" / "2026.1" / "fig-hot.csv").read_text("utf-8-sig") == "arm,p99 (ms),n\na,0.3,1\nb,,2\n"


def test_a_retired_figure_is_drawn_no_more_and_was_of_a_chapter_that_is_still_here() -> None:
    drawn = {page.front.figure_id(name) for page in map(page_of, lab.names()) for name in page.figures}
    for identity, chapter in retired(ROOT).items():
        assert identity not in drawn, "an id never comes back for something else"
        assert identity.startswith(page_of(chapter).front.ids)


def test_an_id_that_an_edition_has_in_another_chapter_is_refused_with_both_places(frozen: Path, later: Path) -> None:
    chapters = frozen / "book" / "chapters"
    known = editions.places(later)
    assert figure_records.of_chapters(later, [chapters / "calibration.ipynb"], known)
    elsewhere = shutil.copy(chapters / "calibration.ipynb", later / "cost.ipynb")
    with pytest.raises(BenchbookError, match=r"fig-cal stands for a figure of calibration in the edition 2026\.1, and"):
        figure_records.of_chapters(later, [Path(elsewhere)], known)
