"""Figures in a real browser: in light and dark, folded, without scripts; all are looked at with their pages."""

from pathlib import Path
from typing import Any

import pytest
from figures_of_a_page import SEEN, problems_of_their_data
from looks import on_paper
from representatives import is_long

pytestmark = pytest.mark.browser

SAMPLE = "book/chapters/sample.html"
"""What all figures have in common is looked at on the smallest page with some."""
WITHOUT_SCRIPTS = (
    f"() => {{ {SEEN}"
    """ return [...document.querySelectorAll('.benchbook-figure-block')].map(block => {
  const box = block.querySelector('.benchbook-drawing');
  return { role: box.getAttribute('role'), described: box.getAttribute('aria-label'), shown: box.innerText,
           caption: seen(block.querySelector('figcaption')) };
}); }"""
)


def test_figures_follow_the_theme_button_and_the_width_of_the_column_without_reloading(reader: Any) -> None:
    page = reader.open(SAMPLE).page
    colour = "getComputedStyle(document.querySelector('.benchbook-drawing .xtick text')).fill"
    grid = "getComputedStyle(document.querySelector('.benchbook-drawing .gridlayer path')).stroke"
    before = page.evaluate(colour), page.evaluate(grid)
    page.evaluate("document.documentElement.dataset.reloaded = 'no'")
    button = page.locator("button.theme-switch-button:visible").first
    for _ in range(2):  # auto, light, dark
        button.click()
        if page.evaluate("document.documentElement.dataset.theme") == "dark":
            break
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.wait_for_function(f"() => {colour} !== {before[0]!r}")
    assert page.evaluate(grid) != before[1]
    widths = "box => [box.querySelector('svg.main-svg').getBoundingClientRect().width, box.clientWidth]"
    drawn, place = page.locator(".benchbook-drawing").first.evaluate(widths)
    assert drawn <= place + 1
    page.evaluate("document.querySelector('article').style.width = '70%'")
    page.wait_for_function(
        f"width => {{ const [drawn, place] = ({widths})(document.querySelector('.benchbook-drawing'));"
        " return place < width - 50 && drawn <= place + 1; }",
        arg=place,
    )
    assert page.evaluate("document.documentElement.dataset.reloaded") == "no"


def test_without_scripts_captions_tables_and_alternative_texts_remain(reader: Any) -> None:
    book = reader.book
    chapters = [name for name in book.chapters if book.whole or not is_long(Path(name).stem)]
    assert chapters
    for name in chapters:
        page = reader.open(name, scripts=False).page
        blocks = page.evaluate(WITHOUT_SCRIPTS)
        assert blocks, name
        for block in blocks:
            assert block["role"] == "img"
            assert block["described"] in block["shown"]
            assert block["caption"]
        assert list(problems_of_their_data(page)) == []
        page.context.close()


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
