"""Links between the book's own pages, without a browser: each leads to a page, and to a heading of it."""

import re
from pathlib import Path

import pytest

BOOK = Path(__file__).parents[2] / "book"
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)\s#]+)(?:#([^)\s]+))?\)")
PAGES = sorted(BOOK.glob("*.md"))


def anchors(page: Path) -> set[str]:
    """What a link can name: a heading as MyST makes its address, and targets of ours."""
    text = page.read_text("utf-8")
    headings = [line.lstrip("# ") for line in text.splitlines() if re.match(r"#{1,3} ", line)]
    own = {re.sub(r"[^\w\s-]", "", each.lower()).strip() for each in headings}
    return {re.sub(r"\s", "-", each) for each in own} | {*re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_each_link_of_a_page_leads_somewhere(page: Path) -> None:
    for target, anchor in LINK.findall(page.read_text("utf-8")):
        there = (page.parent / target).resolve()
        assert there.is_file() or there.suffix == ".ipynb", f"{page.name}: {target} is not there"
        if anchor and there.suffix == ".md":
            assert anchor in anchors(there), f"{page.name}: {target} has no heading {anchor}"
