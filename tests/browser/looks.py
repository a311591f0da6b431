"""A page that is open, looked at in another light, on paper or on a phone: its medium, colours and size are changed."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

DESK_PX, PHONE_PX = 1280, 400
LETTER_PX = 718
"""Of the page inside of a browser's own margins, letter paper being the wider of the common two."""
HEIGHT_PX = 900

# Drawings follow the page's colours a moment after the page has taken them.
COLOURED = """scheme => {
    const root = document.documentElement;
    const colour = getComputedStyle(root).getPropertyValue("--pst-color-text-base").trim();
    return root.dataset.theme === scheme
        && [...document.querySelectorAll(".benchbook-plot")].every(plot => plot.layout.font.color === colour);
}"""

# What scrolls gets its tab stop a moment after the window has its new size.
REACHED = """() => [...document.querySelectorAll("pre, .cell_output > .output, .pst-scrollable-table-container")]
    .every(box => {
        const scrolls = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight;
        return (box.tabIndex === 0) === scrolls;
    })"""


def take_colours(page: Any, scheme: str) -> None:
    """As the reader's system changes between light and dark."""
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function(COLOURED, arg=scheme)


def take_width(page: Any, width: int) -> None:
    """As a window that is drawn smaller; figures stay as they were drawn, so a phone opens pages with them anew."""
    page.set_viewport_size({"width": width, "height": HEIGHT_PX})
    page.wait_for_function(REACHED)


def to_paper(page: Any) -> None:
    """As the reader prints it."""
    page.emulate_media(media="print")
    page.set_viewport_size({"width": LETTER_PX, "height": HEIGHT_PX})
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")


@contextmanager
def on_paper(page: Any) -> Iterator[None]:
    """The same for a while; then the page is light and at a desk again."""
    to_paper(page)
    yield
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    page.set_viewport_size({"width": DESK_PX, "height": HEIGHT_PX})
    page.wait_for_function(COLOURED, arg="light")
