"""Ids and links of the book's pages for one file: no id twice, no link to a lost page."""

import posixpath
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString

from benchbook.book.onefile import inlining
from benchbook.book.parts.with_scripts import row_html

TAKEN_ALONG = (".csv", ".json", ".bib", ".txt")
"""Files that a link may lead to inside the one file; drawings are made by the page's own buttons instead."""
_REFERRING = ("for", "headers", "aria-controls", "aria-describedby", "aria-labelledby", "aria-owns")

Ids = Mapping[str, Mapping[str, str]]
"""Path of a page to its ids, each with the id that it has in the one file."""


@dataclass(frozen=True)
class Page:
    """One page: its path from the book's top folder, and what it says, without the frame around it."""

    path: str
    article: Tag

    @property
    def anchor(self) -> str:
        """The id of the page as a whole."""
        return "page-" + posixpath.splitext(self.path)[0].replace("/", "-")


def ids(pages: Iterable[Page], reserved: Iterable[str] = ()) -> Ids:
    """Every id of every page as it will be: the first page that uses one keeps it, so links to figures stay short."""
    pages = list(pages)
    taken = {*reserved, *(page.anchor for page in pages)}
    found: dict[str, dict[str, str]] = {}
    for page in pages:
        names: dict[str, str] = {}
        for tag in page.article.find_all(id=True):
            old = str(tag["id"])
            if old in names:
                continue
            names[old] = old if old not in taken else f"{page.anchor}--{old}"
            taken.add(names[old])
        found[page.path] = names
    return found


class Links:
    """Where each link leads in the one file. folder: the rendered book. base: where the book is hosted, or ""."""

    def __init__(self, folder: Path, pages: Sequence[Page], known: Ids, base: str) -> None:
        self._folder = folder
        self._anchors = {page.path: page.anchor for page in pages}
        self._ids = known
        self._base = base
        self._figures = {
            str(figure["id"]): known[page.path][str(figure["id"])]
            for page in pages
            for figure in page.article.select("figure.benchbook-figure[id]")
        }

    def mend(self, page: Page) -> None:
        """Rewrite a page in place. Raises BenchbookError when it shows a picture that the book does not hold."""
        for line in page.article.select("p.benchbook-files"):
            _keep_tables(line)
        for link in page.article.select("p.benchbook-whole a"):
            link.unwrap()  # the line of the figure's files has it
        for part in page.article.select(".benchbook-take"):
            part.decompose()
        for drawing in page.article.select(".benchbook-drawing[data-figure]"):
            row = BeautifulSoup(row_html(str(drawing["data-figure"])).strip(), "html.parser")
            (drawing.find_parent("figure") or drawing).insert_after(row)
        for thumbnail in page.article.select(".benchbook-thumbnail"):
            thumbnail.decompose()  # the drawing itself is in the file
        for picture in page.article.select("noscript img"):
            picture.replace_with(str(picture.get("alt") or ""))  # the file would hold every drawing twice
        for picture in page.article.find_all("img"):
            source = str(picture.get("src") or "")
            if not source.startswith("data:"):
                path = inlining.address(page.path, source)
                picture["src"] = inlining.data_uri(path, inlining.read(self._folder, path, page.path))
        for link in page.article.find_all("a", href=True):
            self._lead(page, link)
        names = self._ids[page.path]
        for tag in page.article.find_all(True):
            _rename(tag, names)
        page.article["id"] = page.anchor

    def _lead(self, page: Page, link: Tag) -> None:
        href = str(link["href"])
        if inlining.is_elsewhere(href):
            return
        path, fragment = inlining.address(page.path, href), urlsplit(href).fragment
        if inside := self._inside(path, fragment):
            link["href"] = f"#{inside}"
            del link["download"]
        elif path.endswith(TAKEN_ALONG):
            link["href"] = inlining.data_uri(path, inlining.read(self._folder, path, page.path))
            link["download"] = posixpath.basename(path)
        elif self._base:
            link["href"] = self._base + path + (f"#{fragment}" if fragment else "")
            del link["download"]
        else:
            link.name = "span"
            for name in ("href", "download"):
                del link[name]

    def _inside(self, path: str, fragment: str) -> str:
        """The id in the one file; "" for what it does not hold."""
        if path in self._anchors:
            return self._ids[path].get(fragment, self._anchors[path])
        folder, name = posixpath.split(path)
        return self._figures.get(name.removesuffix(".html"), "") if folder == "figures" else ""


def _keep_tables(line: Tag) -> None:
    """Of the links to files, those that the one file takes along, after the words before them."""
    kept = [link for link in line.find_all("a", href=True) if str(link["href"]).endswith(TAKEN_ALONG)]
    words = next((str(each) for each in line.contents if isinstance(each, NavigableString)), "")
    line.clear()
    if kept and words.strip(" ·"):
        line.append(words)
    for place, link in enumerate(kept):
        if place:
            line.append(" · ")
        line.append(link)


def _rename(tag: Tag, names: Mapping[str, str]) -> None:
    if tag.get("id"):
        tag["id"] = names[str(tag["id"])]
    for name in _REFERRING:
        if value := tag.get(name):
            words = value.split() if isinstance(value, str) else list(value)
            tag[name] = " ".join(names.get(word, word) for word in words)
