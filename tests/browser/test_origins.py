"""What stands behind a figure: its origin, its page and files, in a real browser."""

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser


def test_the_origin_of_a_figure_unfolds_with_its_command_citation_and_files(reader: Any) -> None:
    name = next(name for name in reader.book.chapters if "hot_cold" in name)
    page = reader.open(name).page
    block = page.locator(".benchbook-figure-block").first
    origin = block.locator("details", has=page.get_by_text("Origin, citation, files", exact=True))
    assert not origin.get_by_text("Cite it:").is_visible()
    origin.locator("summary").first.click()
    text = origin.inner_text()
    identity = block.locator("p.benchbook-source code").first.inner_text()
    for part in ("benchbook run hot_cold_keys", "Cite it:", "BibTeX", identity):
        assert part in text
    with page.expect_download() as download:
        origin.get_by_text("table (CSV)").click()
    written = Path(download.value.path()).read_text("utf-8")
    assert written == (reader.book.folder / "figures" / f"{identity}.csv").read_text("utf-8")
    assert written.count("\n") > 1


def test_every_figure_has_a_page_of_its_own_that_leads_back_to_where_it_stands(reader: Any) -> None:
    first, *_, last = reader.book.figures
    for name in (first, last):
        path = reader.book.folder / name
        visit = reader.open(name)
        assert visit.complaints == []
        assert visit.page.locator(".benchbook-drawing[data-drawn]").count() == 1
        back = visit.page.locator(f"a[href*='book/'][href$='#{path.stem}']").first.get_attribute("href")
        assert (path.parent / back.split("#")[0]).resolve().is_file()
        assert visit.page.locator(".bd-sidebar-primary .search-button-field").is_visible()
        assert visit.page.locator("nav.bd-docs-nav").count() == 0, "hundreds of pages need no menu of the whole book"
        for suffix in ("csv", "json", "metadata.json", "bib", "csl.json"):
            assert path.with_suffix(f".{suffix}").stat().st_size > 0


def test_the_intervals_of_a_figure_are_named_on_its_page_and_in_its_record(built_book: Any) -> None:
    folder = built_book.folder / "figures"
    named = {
        record["id"]: record["interval"]
        for path in folder.glob("fig-*.metadata.json")
        if (record := json.loads(path.read_text("utf-8")))["interval"]
    }
    assert len(named) > 10
    for identity, interval in named.items():
        drawn = (folder / f"{identity}.html").read_text("utf-8")
        told = re.sub(r"<script.*?</script>|<[^>]+>", "", drawn, flags=re.DOTALL)
        assert interval in html.unescape(told).replace("\u00a0", " "), identity
