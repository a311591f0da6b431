"""Put all pages of the rendered book into one HTML file that opens with a double click and works offline.

What the file leaves out: search (a browser finds words in it by itself), the theme's frame, and the pages of single
figures, whose contents stand below each figure anyhow.
"""

import re
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from bs4 import BeautifulSoup, Tag
from filelock import FileLock

from benchbook.book.onefile import inlining
from benchbook.book.onefile.anchors import Links, Page, ids
from benchbook.book.pages import around
from benchbook.book.parts import policy
from benchbook.errors import BenchbookError

NAME = "benchbook.html"
STYLE = "_static/archive.css"
SCRIPT = "_static/archive.js"
_FRAME = ("main-content", "pst-skip-link")
"""Ids of the one file itself."""
_LEFT_OUT = re.compile(
    r"_static/(scripts/|searchtools|language_data|doctools|sphinx_highlight|thumbnails|opening)|^searchindex"
)
"""Scripts of the theme's frame, of search and of the list of figures' small pictures, which the one file has not; and
the one that loads others when a reader comes to the first figure."""

_TEMPLATE = """<!DOCTYPE html>
<html lang="{language}" data-theme="light" data-draw="near">
<head>
<meta charset="utf-8">
{policy}
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
{icon}
<noscript><style>.pst-js-only {{ display: none !important; }}</style></noscript>
<style>
{styles}
</style>
</head>
<body>
<div id="pst-skip-link" class="skip-link d-print-none"><a href="#main-content">Skip to main content</a></div>
<header class="benchbook-archive-head">
<p>{title}</p>
<p class="benchbook-archive-use">All pages in one file. Use your browser's search to find words.</p>
{own}<button type="button" class="benchbook-archive-theme pst-js-only">Dark colours</button>
</header>
<div class="benchbook-archive">
<nav class="benchbook-archive-contents" aria-label="Contents">
{contents}
</nav>
<main id="main-content" class="bd-main"><div class="bd-content"><div class="bd-article-container">
{articles}
</div></div></main>
</div>
{scripts}
</body>
</html>
"""


def of(root: Path) -> str:
    """The book as it was last built here, as one HTML file.

    Raises BenchbookError when no book was built, or when the built one lacks a file that its pages refer to.
    """
    folder = built(root)
    with FileLock(root / "_build" / "book.lock"):
        return compose(folder)


def built(root: Path) -> Path:
    """The folder of the book that was last built here. Raises BenchbookError when none was."""
    folder = root / "_build" / "html"
    if not (folder / "index.html").is_file():
        raise BenchbookError("no book has been built here", "run `benchbook build --edition`, then this again")
    return folder


def compose(folder: Path) -> str:
    """The same for a rendered book anywhere. folder: the one that holds its ``index.html``."""
    # Jupyter Book's index.html only leads to the first page.
    text = inlining.read(folder, "index.html", "the book").decode()
    found = re.search(r'http-equiv="refresh"\s+content="0;\s*url=([^"]+)"', text, re.IGNORECASE)
    first = found[1] if found else "index.html"
    root = parsed(folder, first, "index.html")
    contents = _contents(root, first)
    paths = list(dict.fromkeys([first, *(path for _, entries in contents for path, _ in entries)]))
    read = {first: root} | {path: parsed(folder, path, first) for path in paths if path != first}
    pages = [Page(path, article(read[path], path)) for path in paths]
    links = Links(folder, pages, ids(pages, _FRAME), base(root, first))
    for page in pages:
        links.mend(page)
        page.article["class"] = "bd-article benchbook-archive-page"
    own = [path for path in named(read, "script", "src") if not _LEFT_OUT.search(path)]
    scripts = [f"\n{inlining.script(folder, path)}\n" for path in (SCRIPT, *own)]
    return _TEMPLATE.format(
        policy=policy.of_one_file(scripts),
        language=escape(str((root.html or root).get("lang") or "en")),
        title=escape(title(root)),
        icon=_icon(folder, root, first),
        own=_own(root),
        styles="\n".join(inlining.style(folder, path) for path in [*named(read, "link", "href"), STYLE]),
        contents=_contents_html(contents, {page.path: page.anchor for page in pages}),
        articles="\n".join(page.article.decode() for page in pages),
        scripts="\n".join(f"<script>{each}</script>" for each in scripts),
    )


def parsed(folder: Path, path: str, page: str) -> BeautifulSoup:
    """A page of the rendered book. page: the one that refers to it."""
    return BeautifulSoup(inlining.read(folder, path, page).decode(), "html.parser")


def article(page: BeautifulSoup, path: str) -> Tag:
    """What a page shows, without the theme's frame. Raises BenchbookError where it shows nothing."""
    found = page.select_one("article.bd-article")
    if found is None:
        raise BenchbookError(f"{path} of the rendered book has no article", "build the book again")
    return found


def _own(page: BeautifulSoup) -> str:
    """What stands at the head of each page of a book that shows local runs; "" in an edition."""
    found = page.select_one(f"aside.{around.ANNOUNCEMENT} > div")
    return f'<p class="benchbook-archive-own">{found.decode_contents().strip()}</p>\n' if found else ""


def _contents(root: BeautifulSoup, first: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """Parts of the book, each with the paths and titles of its pages, as the first page lists them at its side."""
    parts: list[tuple[str, list[tuple[str, str]]]] = [("", [])]
    for found in root.select("nav.bd-docs-nav p.caption, nav.bd-docs-nav a.reference.internal[href]"):
        words = found.get_text(" ", strip=True)
        if found.name == "p":
            parts.append((words, []))
        else:
            parts[-1][1].append((inlining.address(first, str(found["href"])), words))
    return [(caption, entries) for caption, entries in parts if entries]


def _contents_html(contents: Iterable[tuple[str, list[tuple[str, str]]]], anchors: dict[str, str]) -> str:
    lines = []
    for caption, entries in contents:
        if caption:
            lines.append(f"<p>{escape(caption)}</p>")
        items = "".join(f'<li><a href="#{anchors[path]}">{escape(words)}</a></li>' for path, words in entries)
        lines.append(f"<ul>{items}</ul>")
    return "\n".join(lines)


def named(pages: dict[str, BeautifulSoup], tag: str, attribute: str) -> list[str]:
    """Paths of the style sheets or scripts that any page loads, in the order in which they are met."""
    rel: dict[str, str] = {"rel": "stylesheet"} if tag == "link" else {}
    found = (
        inlining.address(path, str(each[attribute]))
        for path, page in pages.items()
        for each in page.find_all(tag, attrs={attribute: True, **rel})
    )
    return list(dict.fromkeys(found))


def _icon(folder: Path, root: BeautifulSoup, first: str) -> str:
    """The link to the book's icon, with the icon in it; "" where the book has none."""
    link = root.select_one('link[rel="icon"][href]')
    if link is None:
        return ""
    path = inlining.address(first, str(link["href"]))
    return f'<link rel="icon" href="{inlining.data_uri(path, inlining.read(folder, path, first))}">'


def base(root: BeautifulSoup, first: str) -> str:
    """Where the book is hosted, with a slash at its end; "" where the pages do not say."""
    link = root.select_one('link[rel="canonical"][href]')
    address = str(link["href"]) if link else ""
    return address.removesuffix(first) if address.endswith(first) else ""


def title(root: BeautifulSoup) -> str:
    """The book's own, as its pages show it."""
    named = root.select_one(".logo__title")
    words: Sequence[str] = [each.get_text(strip=True) for each in (named, root.title) if each is not None]
    return next((each for each in words if each), "Benchbook")
