"""The page with every claim in a real browser: filtered with a script, complete without, readable on a phone."""

import re
from typing import Any

import pytest
from looks import take_colours, take_width

pytestmark = pytest.mark.browser

PAGE = "book/verdicts.html"
ROWS = "section.benchbook-note tbody > tr"
CLAIMS = 441


def shown(page: Any) -> int:
    return int(page.evaluate(f"[...document.querySelectorAll('{ROWS}')].filter(r => r.checkVisibility()).length"))


def status(page: Any) -> str:
    return str(page.inner_text("form.benchbook-filters [role=status]"))


def test_filters_narrow_the_tables_together_and_say_how_many_are_left_and_paper_has_them_all(reader: Any) -> None:
    page = reader.open(PAGE).page
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert shown(page) == CLAIMS
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert status(page) == f"{CLAIMS} claims"
    assert shown(page) == 0, "the tables are folded at first"
    page.select_option("select[name=note]", "note-000")
    of_note = page.locator(f"{ROWS}.note-000").count()
    assert (shown(page), status(page)) == (of_note, f"{of_note} of {CLAIMS} claims")
    assert page.locator("section.benchbook-note:visible").count() == 1
    page.select_option("select[name=outcome]", "outcome-not-a-measurement")
    both = page.locator(f"{ROWS}.note-000.outcome-not-a-measurement").count()
    assert 0 < both < of_note
    assert shown(page) == both
    page.click("form.benchbook-filters button[type=reset]")
    page.wait_for_function(f"() => document.querySelector('form [role=status]').textContent === '{CLAIMS} claims'")
    assert page.locator("section.benchbook-note:visible").count() == 5
    page.select_option("select[name=note]", "note-004")
    page.select_option("select[name=chapter]", "chapter-hot_cold_keys")
    assert (shown(page), status(page)) == (0, f"0 of {CLAIMS} claims")


def test_the_address_keeps_the_choice(reader: Any) -> None:
    page = reader.open(PAGE).page
    page.select_option("select[name=kind]", "kind-causal")
    left = status(page)
    visit = reader.open(page.url.removeprefix(reader.book.address))
    assert status(visit.page) == left
    assert visit.complaints == []
    assert status(reader.open(f"{PAGE}?kind=kind-nonsense&other=1").page) == f"{CLAIMS} claims"


@pytest.mark.long
def test_a_number_of_a_strip_shows_its_claims_by_the_keyboard(reader: Any) -> None:
    page = reader.open(PAGE).page
    button = page.locator("section#note-000 .benchbook-legend button").first
    number = int(button.inner_text().split()[0])
    button.focus()
    page.keyboard.press("Enter")
    assert shown(page) == number
    assert page.input_value("select[name=note]") == "note-000"


@pytest.mark.long
def test_a_judged_row_leads_to_its_figure(reader: Any) -> None:
    page = reader.open(f"{PAGE}?chapter=chapter-hot_cold_keys").page
    link = page.locator(f"{ROWS}:visible a[href*='#fig-']").first
    assert link.inner_text().startswith("Figure ")
    link.click()
    page.wait_for_url("**/chapters/hot_cold_keys.html#fig-*")
    target = page.url.partition("#")[2]
    assert page.locator(f"figure#{target}").count() == 1


def test_a_link_to_one_claim_opens_its_table(reader: Any) -> None:
    page = reader.open(f"{PAGE}#claim-L012").page
    row = page.locator("tr#claim-L012")
    assert row.is_visible()
    assert page.locator("section.benchbook-note > details[open]").count() == 1
    hidden = reader.open(f"{PAGE}?note=note-004#claim-L012").page
    assert hidden.locator("tr#claim-L012").is_visible(), "the address of a claim goes before a filter"


def test_without_scripts_the_tables_are_complete_and_no_dead_form_is_shown(reader: Any) -> None:
    page = reader.open(PAGE, scripts=False).page
    assert not page.locator("form.benchbook-filters").is_visible()
    for fold in page.locator("section.benchbook-note > details > summary").all():
        fold.click()
    assert shown(page) == CLAIMS == page.locator(ROWS).count()


def test_open_tables_stay_on_a_phones_screen(reader: Any) -> None:
    page = reader.open(PAGE, width=400).page
    page.evaluate("document.querySelectorAll('main details').forEach(d => { d.open = true; })")
    assert shown(page) == CLAIMS
    for scheme in ("light", "dark"):
        take_colours(page, scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= 400
        sides = page.evaluate(
            f"Math.max(...[...document.querySelectorAll('{ROWS} *')].map(e => e.getBoundingClientRect().right))"
        )
        assert sides <= 400


@pytest.mark.long
def test_open_tables_stay_in_the_column_of_the_text(reader: Any) -> None:
    page = reader.open(PAGE).page
    page.evaluate("document.querySelectorAll('main details').forEach(d => { d.open = true; })")
    for width in (700, 1000, 1200, 1600):
        take_width(page, width)
        column = page.locator("article").first.bounding_box()
        for table in page.locator("table.benchbook-verdicts").all():
            box = table.bounding_box()
            assert box["x"] + box["width"] <= column["x"] + column["width"] + 1, width
            assert table.evaluate("t => t.scrollWidth <= t.clientWidth + 1"), "no cell reaches over the table's edge"


@pytest.mark.long
def test_every_part_of_a_strip_is_drawn_and_named(reader: Any) -> None:
    page = reader.open(PAGE).page
    for strip in page.locator(".benchbook-strip").all():
        parts = strip.locator(".benchbook-bar > span")
        assert parts.count() == strip.locator("li").count()
        for part in parts.all():
            assert part.bounding_box()["width"] >= 3
            drawn = part.evaluate("e => getComputedStyle(e).backgroundImage + getComputedStyle(e).backgroundColor")
            assert drawn != "nonergba(0, 0, 0, 0)"
        for bar in strip.locator("[role=img]").all():
            assert re.match(r"\d+ claims? \w.*: \d", bar.get_attribute("aria-label"))
