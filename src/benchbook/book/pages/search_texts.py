"""What the search finds and shows: names by their parts too, and excerpts in a book that was opened from a folder.

The search fetches pages for its excerpts, which browsers refuse to a page from a folder; scripts they load from there,
so each page's words lie in a script beside it.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish

FOLDER = "_static/texts"
"""From the top of the rendered book; below it each page under its own name."""
SCRIPT = "excerpts.js"
MOST_CHARACTERS = 20_000
"""Of one section without those below it: tables of hundreds of rows are found by their page."""

Section = tuple[str, str, list[Any]]
"""Its id, its own words, and the sections below it."""


class Words(SearchEnglish):
    """English, whose words include the parts of names with ``_``; what a reader types stays one word."""

    def split(self, input: str) -> list[str]:
        """The words of a text, each name followed by its parts: a page that has pg_prewarm is one on prewarm."""
        return [part for word in super().split(input) for part in dict.fromkeys([word, *word.split("_")]) if part]


def outline(section: nodes.Element) -> Section:
    """A section's words, without those that are data or code. section: of a page that is about to be written."""
    own = " ".join(" ".join(each.astext().split()) for each in _blocks(section))
    below = [outline(each) for each in section.children if isinstance(each, nodes.section)]
    return (next(iter(section["ids"]), ""), own[:MOST_CHARACTERS], below)


def _blocks(node: nodes.Element) -> Iterator[nodes.Element]:
    """What holds words of a section, each once and in order."""
    for each in node.children:
        if isinstance(each, nodes.section | nodes.Invisible | nodes.FixedTextElement | nodes.raw):
            continue
        if isinstance(each, nodes.TextElement):
            yield each
        elif isinstance(each, nodes.Element):
            yield from _blocks(each)


def script(page: str, doctree: nodes.document) -> str:
    """The script that puts the words of a page under its name."""
    made = [outline(each) for each in doctree.children if isinstance(each, nodes.section)]
    text = json.dumps(made, separators=(",", ":"), ensure_ascii=False)
    return f"(window.benchbookTexts ??= {{}})[{json.dumps(page)}] = {text};\n"


def write(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Put a page's words beside the book's other files; load what shows them on the page of the search."""
    if app.builder.format != "html":
        return
    if page == "search":
        app.add_js_file(SCRIPT, priority=400)
    elif doctree is not None:
        path = Path(app.outdir) / FOLDER / f"{page}.js"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(script(page, doctree), "utf-8")
