"""Finished pages: what HTML does not allow is mended, what no page uses is left out, and no other script is let in."""

import json
import re
import shutil
from pathlib import Path

from sphinx.util import logging

from benchbook.book.parts import policy

LOGGER = logging.getLogger(__name__)

_VIEWPORT = re.compile(r'\s*<meta name="viewport"[^>]*>')
_PROMPT = re.compile(r'<p class="(collapsed|expanded) admonition-title">(.*?)</p>', re.DOTALL)
"""A line to click on: a summary holds phrases, and a paragraph is none."""
_NAMED = re.compile(r'<summary aria-label="Toggle hidden content">')
"""A name that takes the place of the words that the line shows."""
_ARROW = re.compile(r'<summary>(?=<span class="toctree-toggle")')
"""The arrow that unfolds a question's experiments in the menu, which the theme leaves without a name."""
_CITATIONS = '<div role="list" class="citation-list">'
"""Sphinx calls a bibliography a list although its entries are none, which misleads screen readers."""
_SCOPED = re.compile(r"<style scoped\b[^>]*>.*?</style>\s*", re.DOTALL)
"""What pandas writes beside each of its tables; HTML has no such thing in a text, and the book has its own style."""
_UNLOADED = ("**/*.map", "scripts/fontawesome.js*", "vendor/**/*.ttf")
"""Files of the theme that no page loads: for who mends it, and its icons again; every browser takes the woff2."""
_LANGUAGES = "locales"
"""Its words in other languages, which Sphinx takes from the package."""
_ICON_SCRIPT = re.compile(r"\s*<script[^>]*/scripts/fontawesome\.js[^>]*></script>")
_UNUSED_SCRIPTS = re.compile(
    r"\s*<script[^>]*[/\"](?:scripts/fontawesome|searchtools|language_data|searchindex)\.js[^>]*></script>"
)
_OWN = "application/vnd.benchbook."
"""What begins the names of outputs that only pages of the book can show."""


def mended(page: str) -> str:
    """The same page with one viewport, the first; with summaries that hold and are named by phrases; without styles.

    page: of the book; what it shows of data is escaped and holds none of these.
    """
    if first := _VIEWPORT.search(page):
        page = page[: first.end()] + _VIEWPORT.sub("", page[first.end() :])
    page = _PROMPT.sub(r'<span class="\1 admonition-title">\2</span>', page)
    page = _NAMED.sub("<summary>", page)
    page = page.replace(_CITATIONS, _CITATIONS.replace(' role="list"', ""))
    page = _ARROW.sub('<summary aria-label="Experiments">', page)
    return _SCOPED.sub("", page)


def settle_pages(folder: Path) -> None:
    """Leave out what the theme brings although no page uses it, let no other script in, mend the HTML.

    Its icons come as a font and again as a script of 1.5 MB; the font draws all of them. The index of the search is for
    a search as one types, which is off; the page of the search loads its own. folder: of the rendered book.
    """
    static = folder / "_static"
    for path in {path for pattern in _UNLOADED for path in static.glob(pattern)}:
        path.unlink()
    shutil.rmtree(static / _LANGUAGES, ignore_errors=True)
    for path in folder.rglob("*.html"):
        text = path.read_text("utf-8")
        for script in policy.foreign(text):
            LOGGER.warning("%s stands among what the page shows, and browsers refuse it", script, location=path.name)
        unused = _ICON_SCRIPT if path.name == "search.html" else _UNUSED_SCRIPTS
        path.write_text(policy.added(mended(unused.sub("", text))), "utf-8")


def lighten_sources(folder: Path) -> None:
    """Leave such outputs out of the notebooks that readers save: each is also a drawing, a table or text."""
    for path in (folder / "_sources").rglob("*.ipynb"):
        text = path.read_text("utf-8")
        if _OWN not in text:  # none, or written by an earlier build
            continue
        notebook = json.loads(text)
        for cell in notebook["cells"]:
            for output in cell.get("outputs", ()):
                if "data" in output:
                    output["data"] = {kind: each for kind, each in output["data"].items() if not kind.startswith(_OWN)}
        path.write_text(json.dumps(notebook, separators=(",", ":"), ensure_ascii=False), "utf-8")
