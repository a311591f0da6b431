"""Evidence that a chapter folds: drawn when it is opened, opened by a link to it, and printed."""

from typing import Any

import pytest
from looks import on_paper

pytestmark = pytest.mark.browser

SAMPLE = "book/chapters/sample.html"
FOLD = "details.benchbook-evidence"
FIGURE = "#fig-sample-quantiles"
DRAWN = f"() => document.querySelector('{FIGURE} .benchbook-drawing').dataset.drawn === 'yes'"


def folded(reader: Any, address: str = SAMPLE, **how: Any) -> Any:
    return reader.open(address, unfolded=False, **how).page


def test_a_folded_figure_is_drawn_in_full_width_when_a_reader_opens_it(reader: Any) -> None:
    page = folded(reader)
    assert page.locator(FOLD).count() == 1
    assert not page.locator(FIGURE).is_visible()
    assert not page.evaluate(DRAWN)
    page.get_by_text("All quantiles", exact=True).click()
    page.wait_for_function(DRAWN)
    widths = [page.locator(f"{each} .benchbook-plot").first.bounding_box()["width"] for each in (FIGURE, "figure")]
    assert widths[0] == pytest.approx(widths[1], abs=2)


def test_a_link_to_a_folded_figure_opens_it(reader: Any) -> None:
    page = folded(reader, SAMPLE + FIGURE)
    page.wait_for_function(DRAWN)
    assert page.locator(FIGURE).is_visible()
    again = folded(reader)
    again.evaluate(f"location.hash = '{FIGURE}'")
    again.wait_for_function(DRAWN)
    assert again.locator(FIGURE).is_visible()


@pytest.mark.long
def test_paper_shows_what_was_folded_and_the_screen_folds_it_again(reader: Any) -> None:
    page = folded(reader)
    with on_paper(page):
        page.wait_for_function(DRAWN)
        assert page.locator(FIGURE).is_visible()
    assert not page.locator(FIGURE).is_visible()


def test_a_fold_opens_without_scripts(reader: Any) -> None:
    page = folded(reader, scripts=False)
    page.get_by_text("All quantiles", exact=True).click()
    assert page.locator(f"{FIGURE} figcaption").is_visible()
