"""What the theme and MyST-NB write although HTML does not allow it, mended in a page that is finished."""

from __future__ import annotations

import re

_VIEWPORT = re.compile(r'\s*<meta name="viewport"[^>]*>')
_PROMPT = re.compile(r'<p class="(collapsed|expanded) admonition-title">(.*?)</p>', re.DOTALL)
"""A line to click on: a summary holds phrases, and a paragraph is none."""
_NAMED = re.compile(r'<summary aria-label="Toggle hidden content">')
"""A name that takes the place of the words that the line shows."""
_SCOPED = re.compile(r"<style scoped\b[^>]*>.*?</style>\s*", re.DOTALL)
"""What pandas writes beside each of its tables; HTML has no such thing in a text, and the book has its own style."""


def mended(page: str) -> str:
    """The same page with one viewport, the first; with summaries that hold and are named by phrases; without styles.

    page: of the book; what it shows of data is escaped and holds none of these.
    """
    first = _VIEWPORT.search(page)
    if first:
        page = page[: first.end()] + _VIEWPORT.sub("", page[first.end() :])
    page = _PROMPT.sub(r'<span class="\1 admonition-title">\2</span>', page)
    page = _NAMED.sub("<summary>", page)
    return _SCOPED.sub("", page)
