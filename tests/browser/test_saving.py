"""The buttons below a figure: a file from the page itself, without a network, by pointer and by keyboard."""

import struct
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser

CHAPTER = "book/chapters/sample.html"


def saved(page: Any, row: Any, words: str, *, by_keyboard: bool = False) -> tuple[str, bytes]:
    button = row.get_by_role("button", name=words)
    with page.expect_download() as download:
        if by_keyboard:
            button.focus()
            page.keyboard.press("Enter")
        else:
            button.click()
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def first(page: Any) -> tuple[str, Any]:
    block = page.locator(".benchbook-figure-block").first
    return block.locator("figure").get_attribute("id"), block.locator(".benchbook-take")


def test_a_figure_is_saved_without_a_network_and_uploaded_nowhere(reader: Any) -> None:
    page = reader.open(CHAPTER).page
    page.context.set_offline(True)
    identity, row = first(page)
    for by_keyboard in (False, True):
        name, svg = saved(page, row, "Save as SVG", by_keyboard=by_keyboard)
        assert name == f"{identity}.svg"
        assert svg.lstrip().startswith(b"<svg")
        assert b'width="800"' in svg
        name, png = saved(page, row, "Save as PNG", by_keyboard=by_keyboard)
        assert name == f"{identity}.png"
        assert png.startswith(b"\x89PNG\r\n")
        assert struct.unpack(">I", png[16:20]) == (1600,)
        assert row.locator("[role=status]").inner_text() == f"{identity}.png is saved."
    tools = page.locator(".modebar-btn").evaluate_all("all => all.map(each => each.getAttribute('data-title'))")
    assert tools
    assert not [words for words in tools if "share" in words.lower() or "cloud" in words.lower()]
    page.evaluate("() => { Plotly.downloadImage = () => Promise.reject(new Error('no canvas')); }")
    row.get_by_role("button", name="Save as PNG").click()
    assert row.locator("[role=status]").inner_text() == "This browser could not draw it: no canvas"


def test_a_saved_figure_has_dark_text_on_white_also_from_a_dark_page_on_a_phone(reader: Any) -> None:
    pages = (reader.open(CHAPTER).page, reader.open(CHAPTER, scheme="dark", width=400).page)
    light, dark = (saved(page, first(page)[1], "Save as SVG")[1].decode() for page in pages)
    for text in (light, dark):
        assert "rgb(31, 35, 40)" in text
        assert "rgb(255, 255, 255)" in text
    assert light.count("<text") == dark.count("<text")


@pytest.mark.long
def test_a_page_of_one_figure_has_the_buttons_too_and_none_is_shown_without_scripts(reader: Any) -> None:
    dead = reader.open(CHAPTER, scripts=False).page
    assert dead.locator(".benchbook-take").count() > 0
    assert dead.locator(".benchbook-take:visible").count() == 0
    identity, _ = first(dead)
    page = reader.open(f"figures/{identity}.html").page
    name, svg = saved(page, page.locator(".benchbook-take"), "Save as SVG")
    assert name == f"{identity}.svg"
    assert svg.lstrip().startswith(b"<svg")
