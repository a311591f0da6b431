"""What search engines and previews show of a page: its question and answer, or its first paragraph."""

import re
from collections.abc import Iterator
from html import escape, unescape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from benchbook.book.parts import figure_files
from benchbook.book.parts.nodes import FigureReference
from benchbook.book.parts.opening_box import ANSWER, VERDICT
from benchbook.book.records import figure_list

MOST_CHARACTERS = 300
_TAG = re.compile(r"<[^>]+>")


def description(doctree: nodes.document) -> str:
    """In at most 300 characters; "" for a page without a paragraph."""
    answers = [each.astext() for each in doctree.findall(nodes.paragraph) if VERDICT in each["classes"]]
    texts = (" ".join(each.astext().split()) for each in doctree.findall(nodes.paragraph))
    first = next((text for text in texts if len(text) > 1), "")
    return shortened(" ".join([first, *answers[:1]]))


def in_words(title: str) -> str:
    """A page's title as Sphinx hands it to templates, without its tags and with the characters that it stands for."""
    return unescape(_TAG.sub("", title))


def shortened(text: str, most: int = MOST_CHARACTERS) -> str:
    """A text, cut between words where it is longer."""
    return text if len(text) <= most else f"{text[: text.rindex(' ', 0, most)]} …"


def add(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Put the description into the head of a page."""
    if doctree is not None and (text := description(doctree)):
        made = "".join(f"\n  {each}" for each in _tags(app, page, str(context.get("title", "")), text, doctree))
        context["metatags"] = f"{context.get('metatags', '')}{made}\n"


def _tags(app: Sphinx, page: str, title: str, text: str, doctree: nodes.document) -> Iterator[str]:
    yield f'<meta name="description" content="{escape(text)}">'
    properties = {
        "type": "article",
        "title": _TAG.sub("", title),
        "description": text,
        "site_name": app.config.html_title,
    }
    if base := str(app.config.html_baseurl or ""):
        properties["url"] = f"{base}{page}.html"
        picture, alt = _picture(Path(app.srcdir), doctree)
        properties |= {"image": f"{base}{picture}", "image:alt": alt} if picture else {}
    for name, value in properties.items():
        yield f'<meta property="og:{name}" content="{value if name == "title" else escape(value)}">'
    if "image" in properties:
        yield '<meta name="twitter:card" content="summary_large_image">'


def _picture(root: Path, doctree: nodes.document) -> tuple[str, str]:
    """That of the figure that a chapter's answer names, from the top of the book, and its words for who cannot see it.

    Both "" where it was not exported. Few programs show an SVG, so that stands in only where there is no PNG.
    """
    boxes = (each for each in doctree.findall(nodes.container) if ANSWER in each["classes"])
    for reference in (each for box in boxes for each in box.findall(FigureReference)):
        known = figure_list.record(root, reference["figure_id"])
        there = figure_files.suffixes(root, known) if known else frozenset()
        for suffix in ("png", "svg"):
            if known and suffix in there:
                return f"figures/{known['id']}.{suffix}", shortened(str(known.get("alt") or known.get("title") or ""))
    return "", ""
