"""The book by the keyboard alone: past the frame, through a figure and its folds, with the place always visible."""

from typing import Any

import pytest

pytestmark = pytest.mark.browser

CHAPTER = "book/chapters/sample.html"
STOPS = 400
# What has the focus: its words, where it is, and whether the reader can see it.
FOCUS = """() => {
  const here = document.activeElement;
  let opacity = 1;
  for (let each = here; each; each = each.parentElement) opacity *= Number(getComputedStyle(each).opacity);
  return {
    name: (here.getAttribute('aria-label') || here.innerText || '').trim(),
    inside: document.querySelector('article').contains(here),
    modebar: Boolean(here.closest('.modebar')),
    block: [...document.querySelectorAll('.benchbook-figure-block')].indexOf(here.closest('.benchbook-figure-block')),
    seen: here.checkVisibility() && opacity > 0.5,
  };
}"""


def stops(page: Any) -> list[dict[str, Any]]:
    """Everything in the article that the Tab key reaches, from its start on, in order."""
    page.evaluate("document.querySelector('#main-content').setAttribute('tabindex', '-1')")
    page.evaluate("document.querySelector('#main-content').focus()")
    found = []
    for _ in range(STOPS):
        page.keyboard.press("Tab")
        page.wait_for_timeout(20)
        here = page.evaluate(FOCUS)
        if here["inside"]:
            found.append(here)
        elif found:
            return found
    pytest.fail(f"the Tab key does not leave the article after {STOPS} stops")


def test_the_first_stop_leads_past_the_frame_to_the_text(reader: Any) -> None:
    page = reader.open(CHAPTER).page
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUS)["name"] == "Skip to main content"
    page.wait_for_function(
        "() => document.querySelector('.skip-link').getBoundingClientRect().top >= 0"
    )  # it slides in
    page.keyboard.press("Enter")
    page.wait_for_url("**#main-content")  # which a busy browser is told of later
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('main').contains(document.activeElement)")


def test_every_stop_has_a_name_and_is_seen_and_a_figure_is_gone_through_from_its_drawing_on(reader: Any) -> None:
    found = stops(reader.open(CHAPTER).page)
    assert found
    assert [stop for stop in found if not stop["name"] or not stop["seen"]] == []
    of_first = [stop for stop in found if stop["block"] == 0]
    names = [stop["name"] for stop in of_first]
    assert of_first[0]["modebar"]
    wanted = ["Save as SVG", "Save as PNG", "Data behind this figure", "Origin, citation, files"]
    assert [name for name in names if name in wanted] == wanted


def test_folds_and_what_scrolls_in_them_are_reached(reader: Any) -> None:
    page = reader.open(CHAPTER).page
    block = page.locator(".benchbook-figure-block").first
    block.get_by_text("Data behind this figure", exact=True).focus()
    page.keyboard.press("Enter")
    assert block.locator("details table").first.is_visible()
    box = block.locator(".pst-scrollable-table-container").first
    box.evaluate("box => { box.style.maxHeight = '2rem'; }")
    page.evaluate("window.dispatchEvent(new Event('resize'))")
    page.wait_for_function("() => document.querySelector('.pst-scrollable-table-container').ariaLabel")
    assert box.evaluate("box => box.tabIndex") == 0
    page.keyboard.press("Tab")
    assert box.evaluate("box => box === document.activeElement")
    page.keyboard.press("End")
    page.wait_for_function("() => document.querySelector('.pst-scrollable-table-container').scrollTop > 0")


def test_colours_are_switched_and_a_citation_is_copied_by_the_keyboard(reader: Any) -> None:
    page = reader.open(CHAPTER).page
    before = page.evaluate("document.documentElement.dataset.theme")
    for _ in range(2):  # auto, light, dark
        page.locator("button.theme-switch-button:visible").first.focus()
        page.keyboard.press("Enter")
        if page.evaluate("document.documentElement.dataset.theme") != before:
            break
    assert page.evaluate("document.documentElement.dataset.theme") != before
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    block = page.locator(".benchbook-figure-block").first
    origin = block.locator("details", has=page.get_by_text("Origin, citation, files", exact=True))
    origin.locator("summary").first.focus()
    page.keyboard.press("Enter")
    cited = next(each for each in origin.locator("div.highlight").all() if "Benchbook" in each.inner_text())
    button = cited.locator("button.copybtn")
    assert button.get_attribute("aria-label") == "Copy"
    button.focus()
    page.keyboard.press("Enter")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.strip() == cited.locator("pre").inner_text().strip()


def test_a_table_wider_than_the_page_is_reached_named_and_shows_its_bar(reader: Any) -> None:
    page = reader.open(CHAPTER, width=400).page
    page.evaluate(
        """() => {
          const rows = `<tr><th>name</th>${"<td>12345678</td>".repeat(12)}</tr>`.repeat(3);
          const made = `<div class="cell_output"><div class="output"><div><table class="dataframe"><tbody>${rows}`;
          document.querySelector("article").insertAdjacentHTML("afterbegin", made);
          window.dispatchEvent(new Event("resize"));
        }"""
    )
    box = page.locator(".cell_output > .output").first
    # The theme sets the tab stop too, and may come first: the name is ours.
    page.wait_for_function("() => document.querySelector('.cell_output > .output').hasAttribute('aria-label')")
    assert box.get_attribute("aria-label") == "Table that scrolls"
    bar = box.evaluate("box => parseFloat(getComputedStyle(box, '::-webkit-scrollbar').height)")
    assert bar >= 5, "the bar has a size of its own, so that no browser hides it"
    box.evaluate("box => { box.scrollLeft = 300; }")
    edges = box.evaluate(
        "box => [box, box.querySelector('th')].map(each => Math.round(each.getBoundingClientRect().left))"
    )
    assert abs(edges[0] - edges[1]) <= 2, "the row's name stays"
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    assert box.get_attribute("data-goes-on") is not None, "it fades where it goes on"
    box.evaluate("box => { box.scrollLeft = box.scrollWidth; }")
    page.wait_for_function("() => !document.querySelector('.cell_output > .output').hasAttribute('data-goes-on')")
