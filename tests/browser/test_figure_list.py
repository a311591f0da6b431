"""The list of all figures in a real browser: small pictures that come when they are near, and move nothing."""

import re
from typing import Any

import pytest

pytestmark = pytest.mark.browser

PAGE = "book/figures.html"
DRAWN = "box => box.dataset.drawn && box.querySelector('img').naturalWidth > 0"
PLACES = """[...document.querySelectorAll('.benchbook-figure-index > li')].map(
    entry => { const r = entry.getBoundingClientRect(); return [r.top + scrollY, r.height].map(Math.round); })"""


def is_drawn(page: Any, place: int) -> bool:
    box = page.locator(".benchbook-thumbnail").nth(place)
    page.wait_for_function(DRAWN, arg=box.element_handle(), timeout=60_000)
    return str(box.locator("img").get_attribute("src")).startswith("data:image/svg+xml")


@pytest.mark.parametrize("from_a_folder", [False, pytest.param(True, marks=pytest.mark.long)])
def test_pictures_come_when_they_are_near_and_move_nothing(reader: Any, from_a_folder: bool) -> None:
    root = reader.book.folder.as_uri() + "/" if from_a_folder else reader.book.address
    visit = reader.open(PAGE, address=root)
    page = visit.page
    boxes = page.locator(".benchbook-thumbnail")
    last = boxes.count() - 1
    before = page.evaluate(PLACES)
    assert is_drawn(page, 0)
    assert boxes.nth(last).get_attribute("data-drawn") is None, "the last one is far away"
    boxes.nth(last).scroll_into_view_if_needed()
    assert is_drawn(page, last)
    assert page.evaluate(PLACES) == before
    if from_a_folder:  # of a server a browser that stays also asks for an icon, which the book has not
        assert visit.complaints == []
    assert [address for address in visit.requests if not address.startswith(("data:", "blob:", root))] == []


def test_every_figure_of_the_book_is_in_the_list_once_with_a_page(reader: Any) -> None:
    page = reader.open(PAGE).page
    listed = page.locator(".benchbook-thumbnail").evaluate_all("all => all.map(box => box.dataset.figure)")
    folder = reader.book.folder / "figures"
    assert sorted(listed) == sorted(path.name.removesuffix(".plot.js") for path in folder.glob("*.plot.js"))
    assert len(set(listed)) == len(listed)
    for identity in listed:
        assert (folder / f"{identity}.html").is_file()


@pytest.mark.long
def test_pictures_follow_the_theme(reader: Any) -> None:
    page = reader.open(PAGE).page
    assert is_drawn(page, 0)
    image = page.locator(".benchbook-thumbnail img").first
    light = image.get_attribute("src")
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.wait_for_function("() => document.querySelector('.benchbook-thumbnail').dataset.drawn === 'dark'")
    assert image.get_attribute("src") != light


@pytest.mark.long
def test_without_scripts_the_words_take_the_room(reader: Any) -> None:
    page = reader.open(PAGE, scripts=False).page
    entry = page.locator(".benchbook-figure-index > li").first
    assert not entry.locator(".benchbook-thumbnail").is_visible()
    words, whole = (each.bounding_box()["width"] for each in (entry.locator(".benchbook-words"), entry))
    assert words == pytest.approx(whole, abs=1)
    assert re.match(r"Figure \d+\.\d+: ", entry.inner_text())
    assert len(entry.locator(".benchbook-alt").inner_text()) > 40


@pytest.mark.long
def test_a_picture_that_does_not_come_leaves_no_empty_frame(reader: Any) -> None:
    visit = reader.open("book/index.html")
    visit.page.route("**/*.plot.js", lambda route: route.abort())
    visit.page.goto(reader.book.address + PAGE)
    visit.page.wait_for_function("() => document.querySelector('.benchbook-thumbnail').hidden")
    assert not visit.page.locator(".benchbook-thumbnail").first.is_visible()
