"""A word of the glossary shows its meaning to the pointer, the keyboard and a finger, and is a link without scripts."""

from typing import Any

import pytest

pytestmark = pytest.mark.browser

PAGE = "book/chapters/io_cliff.html"
WORD = "article a.benchbook-term"
MEANING = "[role=tooltip]"


def said(page: Any, word: Any) -> bool:
    """Whether the meaning of a word is shown and belongs to it."""
    box = page.locator(MEANING)
    if not box.is_visible():
        return False
    assert word.get_attribute("aria-describedby") == box.get_attribute("id")
    assert box.inner_text() == word.get_attribute("data-meaning")
    return True


def test_the_pointer_and_the_keyboard_show_a_meaning_and_escape_puts_it_away(reader: Any) -> None:
    visit = reader.open(PAGE, drawn=False)
    page = visit.page
    word = page.locator(f"{WORD}:visible").first
    word.scroll_into_view_if_needed()
    assert not said(page, word)
    word.hover()
    assert said(page, word)
    box = page.locator(MEANING).bounding_box()
    assert 0 <= box["x"] <= box["x"] + box["width"] <= 1280
    page.locator(MEANING).hover()
    page.wait_for_timeout(400)
    assert said(page, word), "it stays under the pointer"
    page.keyboard.press("Escape")
    assert not said(page, word)
    assert word.get_attribute("aria-describedby") is None
    page.mouse.move(1, 1)
    word.focus()
    assert said(page, word)
    page.keyboard.press("Escape")
    assert not said(page, word)
    word.blur()
    word.focus()
    page.keyboard.press("Tab")
    assert not said(page, word)
    assert visit.complaints == []


def test_the_first_touch_shows_a_meaning_and_the_second_follows_the_link(browser: Any, built_book: Any) -> None:
    context = browser.new_context(viewport={"width": 400, "height": 900}, has_touch=True)
    page = context.new_page()
    page.goto(built_book.address + PAGE)
    word = page.locator(f"{WORD}:visible").first
    word.tap()
    assert said(page, word)
    assert page.url.endswith("io_cliff.html")
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    word.tap()
    page.wait_for_url("**/book/glossary.html#term-*")
    context.close()


def test_without_scripts_a_word_leads_to_its_place_in_the_glossary(reader: Any) -> None:
    page = reader.open(PAGE, scripts=False).page
    word = page.locator(f"{WORD}:visible").first
    assert page.locator(MEANING).count() == 0
    place = word.get_attribute("href").partition("#")[2]
    word.click()
    page.wait_for_url("**/book/glossary.html#term-*")
    assert page.locator(f"dt[id='{place}']").count() == 1


@pytest.mark.long
def test_a_shown_meaning_has_no_problem_of_accessibility(reader: Any, findings: Any) -> None:
    page = reader.open(PAGE, drawn=False).page
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.locator(f"{WORD}:visible").first.focus()
        found = [each for each in findings(page) if "benchbook-term" in each or "benchbook-meaning" in each]
        assert found == [], scheme
