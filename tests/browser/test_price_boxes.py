"""The boxes for one's own prices: they compute at once, say so to screen readers, and are not there without scripts."""

from __future__ import annotations

import re
from typing import Any

import pytest

pytestmark = pytest.mark.browser

COST = "book/chapters/cost.html"
FORM = "form.benchbook-prices"


def opened(reader: Any, **how: Any) -> Any:
    return reader.open(COST, **how).page


def ratios(page: Any) -> list[float]:
    """How much more the second machine gives for the money than the first, with a cold and with a warm cache."""
    said = re.search(r"gives ([\d.]+)(?: to ([\d.]+))? times", page.locator(f"{FORM} [role=status]").inner_text())
    assert said is not None
    return [float(each) for each in said.groups() if each]


def test_the_boxes_begin_with_the_prices_of_the_table_and_say_what_it_says(reader: Any) -> None:
    visit = reader.open(COST)
    page = visit.page
    offers = page.locator("xpath=//form[contains(@class,'benchbook-prices')]/following::table[1]//tbody/tr")
    cells = [offers.nth(row).locator("th, td").all_inner_texts() for row in range(2)]
    numbers = [[float(text.replace(",", "")) for text in row[1:]] for row in cells]
    (_, _, _, _, base), (_, _, _, cold, warm) = numbers
    assert ratios(page) == pytest.approx([cold / base, warm / base], abs=0.02)
    for row, offer in zip(cells, numbers, strict=True):
        assert float(page.get_by_label(f"{row[0]}, USD a month").input_value()) == offer[0]
    assert visit.complaints == []
    assert all(request.startswith((reader.book.address, "data:", "blob:")) for request in visit.requests)


def test_a_typed_price_changes_the_ratio_in_proportion(reader: Any) -> None:
    page = opened(reader)
    before = ratios(page)
    large = page.locator(f"{FORM} input").first
    large.focus()
    price = float(large.input_value())
    page.keyboard.press("Control+A")
    page.keyboard.type(str(2 * price))
    assert ratios(page) == pytest.approx([2 * each for each in before], abs=0.02)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") == "price1"
    assert page.locator(f"{FORM} [role=status]").get_attribute("aria-live") == "polite"


@pytest.mark.parametrize("typed", ["", *(pytest.param(each, marks=pytest.mark.long) for each in ("0", "-3"))])
def test_what_is_no_price_is_said_and_not_computed_with(reader: Any, typed: str) -> None:
    page = opened(reader)
    box = page.locator(f"{FORM} input").first
    box.fill(typed)
    assert page.locator(f"{FORM} [role=status]").inner_text() == "Type a price above 0 in both boxes."
    assert box.get_attribute("aria-invalid") == "true"


@pytest.mark.long
def test_without_scripts_the_table_stands_alone(reader: Any) -> None:
    page = opened(reader, scripts=False)
    assert not page.locator(FORM).is_visible()
    assert page.get_by_text("USD a month", exact=True).first.is_visible()
