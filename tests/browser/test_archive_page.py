"""The book in one file, opened from a folder: complete, silent towards the network, drawn where one looks."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import attacks
import pytest

from benchbook.bench.record import FILE
from benchbook.book.onefile import archive
from benchbook.book.records import performance_figure

pytestmark = [pytest.mark.browser, pytest.mark.long, pytest.mark.xdist_group("test_archive_page")]

LARGEST = 60_000_000
PAGE = re.compile("(<article[^>]*>).*?(</article>)", re.DOTALL)


@pytest.fixture(scope="module")
def file(built_book: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("archive") / archive.NAME
    path.write_text(archive.of(built_book.root), encoding="utf-8")
    return path


def opened(reader: Any, file: Path, **how: Any) -> Any:
    return reader.open(file.name, address=file.parent.as_uri() + "/", drawn=False, **how)


@pytest.fixture(scope="module")
def visit(lasting_reader: Any, file: Path) -> Iterator[Any]:
    """The file as it is opened once; what a test changes in it stays to the others."""
    visit = opened(lasting_reader, file)
    yield visit
    visit.page.context.close()


@pytest.fixture(scope="module")
def still(lasting_reader: Any, file: Path) -> Iterator[Any]:
    """The same in a browser that runs no scripts."""
    page = opened(lasting_reader, file, scripts=False).page
    yield page
    page.context.close()


def test_it_opens_without_complaint_and_asks_nobody(visit: Any, file: Path) -> None:
    assert visit.complaints == []
    assert {url for url in visit.requests if not url.startswith(("data:", "blob:"))} == {file.as_uri()}
    assert file.stat().st_size < LARGEST
    assert file.read_text("utf-8").count("* plotly.js v") == 1, "plotly.js is in it once"


def test_every_page_and_figure_of_the_book_is_in_it(visit: Any, built_book: Any) -> None:
    page = visit.page
    ids = set(page.locator("article").evaluate_all("all => all.map(each => each.id)"))
    assert {f"page-{name.removesuffix('.html').replace('/', '-')}" for name in built_book.pages} == ids
    shown = "figure.benchbook-figure, p.benchbook-blank"
    figures = set(page.locator(shown).evaluate_all("all => all.map(each => each.id)"))
    own = {Path(name).stem for name in built_book.figures}
    without_page = {performance_figure.ID} if (built_book.root / FILE).is_file() else set()
    assert own | without_page == figures


def test_no_id_stands_twice_and_no_link_is_lost(still: Any) -> None:
    found = Counter(still.locator("[id]").evaluate_all("all => all.map(each => each.id)"))
    assert [name for name, number in found.items() if number > 1] == []
    links = still.locator("a[href^='#']").evaluate_all("all => all.map(each => each.getAttribute('href').slice(1))")
    assert {unquote(name) for name in links} - {*found} == set()


def test_a_figure_is_drawn_when_the_reader_comes_to_it(visit: Any) -> None:
    page = visit.page
    boxes = page.locator(".benchbook-drawing")
    last = boxes.nth(boxes.count() - 1)
    assert last.get_attribute("data-drawn") is None
    page.evaluate("() => { location.hash = [...document.querySelectorAll('figure.benchbook-figure')].at(-1).id; }")
    page.wait_for_function("() => [...document.querySelectorAll('.benchbook-drawing')].at(-1).dataset.drawn === 'yes'")
    assert last.locator("svg.main-svg").count() > 0


def test_a_link_to_a_figure_of_another_page_leads_to_it(visit: Any) -> None:
    page = visit.page
    link = page.locator("#page-book-index a[href^='#fig-']").first
    target = link.get_attribute("href")
    link.click()
    assert page.url.endswith(target)
    page.wait_for_function("id => document.querySelector(id).getBoundingClientRect().top < innerHeight", arg=target)


def test_a_table_is_saved_from_the_file_as_it_lies_beside_the_book(visit: Any, built_book: Any) -> None:
    page = visit.page
    page.context.set_offline(True)
    block = page.locator("#page-book-chapters-sample .benchbook-figure-block").first
    identity = block.locator("figure").get_attribute("id")
    block.get_by_text("Origin, citation, files", exact=True).click()
    with page.expect_download() as download:
        block.get_by_text("table (CSV)", exact=True).click()
    assert download.value.suggested_filename == f"{identity}.csv"
    stored = built_book.folder / "figures" / f"{identity}.csv"
    assert Path(download.value.path()).read_bytes() == stored.read_bytes()
    page.context.set_offline(False)


def test_the_claims_are_filtered_in_it(visit: Any) -> None:
    page = visit.page
    page.select_option("#page-book-verdicts select[name=note]", "note-000")
    assert page.locator("section.benchbook-note:visible").count() == 1


@pytest.mark.parametrize(("scheme", "width"), [("dark", 400), ("light", 1280)])
def test_colours_follow_the_system_then_the_button_and_its_frame_has_no_serious_finding(
    reader: Any, findings: Any, file: Path, scheme: str, width: int
) -> None:
    page = opened(reader, file, scheme=scheme, width=width).page
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    other = "dark" if scheme == "light" else "light"
    for wanted in (other, scheme):
        assert page.evaluate("document.documentElement.dataset.theme") != wanted
        page.get_by_role("button", name=f"{wanted.capitalize()} colours").click()
        assert page.evaluate("document.documentElement.dataset.theme") == wanted
    # The pages themselves are looked at one by one elsewhere; to pass over all that is in them takes long.
    page.evaluate("document.querySelectorAll('article').forEach(page => page.replaceChildren())")
    assert findings(page) == []


def test_no_other_script_runs_in_it(reader: Any, file: Path) -> None:
    frame = PAGE.sub(r"\1\2", file.read_text("utf-8"))  # without the pages in it, which browsers need long for
    attacked = file.with_name("attacked.html")
    attacked.write_text(frame.replace("</article>", f"{attacks.ATTACKS}</article>", 1), "utf-8")
    page = opened(reader, attacked).page
    assert attacks.ran(page) is None
    page.get_by_role("button", name="Dark colours").click()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_without_scripts_it_is_all_there(still: Any, built_book: Any) -> None:
    assert still.locator("article:visible").count() == len(built_book.pages)
    assert still.locator(".pst-js-only:visible").count() == 0
    assert still.locator("figcaption:visible").count() == still.locator("figcaption").count()
