"""A page and files for each figure, at addresses that never change, and the page that lists them all."""

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, cast

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder

from benchbook import nofollow
from benchbook.book.parts import record_nodes, typography, with_scripts
from benchbook.book.parts.directives import Shown, beside_chapters
from benchbook.book.parts.figure_files import FOLDER, contents, exports, of_editions, picture, suffixes, told_once
from benchbook.book.parts.nodes import FigureReference, Folded, SiteLink, drawing
from benchbook.book.parts.tables import data_table
from benchbook.book.records.figure_list import CHAPTERS, FIGURES_FILE, in_chapter, is_chapter, records

MENU = "sbt-sidebar-nav.html"
"""The theme's template."""
GONE = "A figure that is no longer drawn"


def pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """One page per figure, and per figure of an edition, for Sphinx's html-collect-pages."""
    builder, kept = cast(StandaloneHTMLBuilder, app.builder), set[str]()
    for each in _shown(app):
        name = f"{each.get('address', FOLDER)}/{each['id']}"
        kept.add(name)
        builder.current_docname = name
        body = builder.render_partial(_page(app, each))["fragment"]
        yield name, {"title": escape(each["title"]), "body": body, "benchbook_figure": each["id"]}, "page.html"
    for identity, chapter in retired(Path(app.srcdir)).items():
        name = f"{FOLDER}/{identity}"
        if name not in kept and f"{CHAPTERS}/{chapter}" in app.env.found_docs:
            builder.current_docname = name
            yield name, {"title": GONE, "body": builder.render_partial(_gone(app, chapter))["fragment"]}, "page.html"


def without_menu(app: Sphinx, page: str, template: str, context: dict[str, Any], *_: Any) -> None:
    """Leave the book's menu out of these pages: each says the way back, has the search, and is one of hundreds."""
    if page.startswith(f"{FOLDER}/"):
        context["sidebars"] = [each for each in context["sidebars"] if each != MENU]


def retired(root: Path) -> dict[str, str]:
    """Id to chapter of the figures that today's book no longer draws: their addresses lead to where it is told."""
    path = root / "data" / "retired-figures.csv"
    return {row["id"]: row["chapter"] for row in nofollow.rows(path)} if path.is_file() else {}


def _gone(app: Sphinx, chapter: str) -> nodes.section:
    page = f"{CHAPTERS}/{chapter}"
    line = nodes.paragraph("", "", nodes.Text("What it showed is told in the chapter "))
    line += nodes.reference("", app.env.titles[page].astext(), internal=False, refuri=f"../{page}.html")
    line += nodes.Text("; earlier editions have the figure.")
    return nodes.section("", nodes.title("", GONE), line, ids=["gone"])


def _shown(app: Sphinx) -> list[Mapping[str, Any]]:
    """The figures of today, of editions, and what later books dropped; in a preview those of the chapters in it."""
    every = (*records(Path(app.srcdir)), *of_editions(Path(app.srcdir)))
    if not is_chapter(app.config.root_doc):
        return [*every]
    return [each for each in every if each["page"] in app.env.found_docs and "edition" not in each]


def _page(app: Sphinx, each: Mapping[str, Any]) -> nodes.section:
    number = "" if "edition" in each else _number(app, each)
    heading = each.get("finding") or each["title"]
    title, looks = nodes.title("", f"{number}{heading}"), ["benchbook-figure-page"]
    section = nodes.section("", title, ids=[each["id"]], classes=looks)
    if each.get("finding"):
        section += nodes.paragraph("", _ended(each["title"]), classes=["benchbook-drawn"])
    section += drawing(each["id"], each["plot"], each["alt"], picture(Path(app.srcdir), each))
    section += nodes.paragraph("", each["caption"])
    section += record_nodes.source(each, each)
    files = suffixes(Path(app.srcdir), each)
    section += with_scripts.file_buttons(each["id"], files)
    section += _where(each)
    section += record_nodes.record_nodes(each, files)
    folded = Folded(summary="Data behind this figure")
    folded += data_table(each["data"], f"{each.get('address', FOLDER)}/{each['id']}.csv")
    section += folded
    typography.mend(section)  # it is not a page of Sphinx's, which are mended as they are written
    return section


def _ended(title: str) -> str:
    return title if title.endswith("?") else f"{title}."


def _where(each: Mapping[str, Any]) -> nodes.paragraph:
    if "edition" in each:
        text = f"As it was in the edition {each['edition']}, in the chapter “{each['chapter_title']}”."
        return nodes.paragraph("", text, classes=["benchbook-stale"])
    place = "In the chapter " if in_chapter(each) else "On the page "
    line = nodes.paragraph("", "", nodes.Text(place))
    address = f"../{each['page']}.html#{each['id']}"
    line += nodes.reference("", each["chapter_title"], internal=False, refuri=address)
    line += nodes.Text(".")
    return line


def _number(app: Sphinx, each: Mapping[str, Any]) -> str:
    number = app.env.toc_fignumbers.get(each["page"], {}).get("figure", {}).get(each["id"])
    return f"{app.config.numfig_format['figure'] % '.'.join(map(str, number))}: " if number else ""


def write_files(app: Sphinx) -> None:
    """Put each figure's files beside its page, once everything else is built."""
    for each in _shown(app):
        folder = Path(app.outdir) / each.get("address", FOLDER)
        folder.mkdir(exist_ok=True, parents=True)
        for suffix, content in contents(told_once(each)).items():
            (folder / f"{each['id']}.{suffix}").write_text(content, encoding="utf-8", newline="")
        for suffix, path in exports(Path(app.srcdir), each).items():
            (folder / f"{each['id']}.{suffix}").write_bytes(path.read_bytes())
        if "edition" not in each:  # the list of figures shows today's
            script = with_scripts.plot_script(each["id"], each["plot"])
            (folder / f"{each['id']}.{with_scripts.PLOT_SUFFIX}").write_text(script, encoding="utf-8")


def index(known: Iterable[Mapping[str, Any]]) -> list[nodes.Node]:
    """One section per chapter, one entry per figure."""
    parts: list[nodes.Node] = []
    for heading, group in groupby(known, key=lambda record: record["chapter_title"]):
        entries = nodes.bullet_list("", *map(_entry, group), classes=["benchbook-figure-index"])
        title, identity = nodes.title("", heading), nodes.make_id(f"figures {heading}")
        parts.append(nodes.section("", title, entries, ids=[identity]))
    return parts


def _entry(record: Mapping[str, Any]) -> nodes.list_item:
    line = nodes.paragraph()
    line += FigureReference(figure_id=record["id"])
    line += nodes.Text(f": {_ended(record['title'])} ")
    line += SiteLink(path=f"figures/{record['id']}.html", words=record["id"], download=False)
    alt = nodes.paragraph("", record["alt"], classes=["benchbook-alt"])
    shows = [nodes.paragraph("", f"{record['finding']}.")] if record.get("finding") else []
    words = nodes.container("", line, *shows, alt, classes=["benchbook-words"])
    return nodes.list_item("", words, with_scripts.Thumbnail(figure_id=record["id"], title=record["title"]))


class FigureIndexDirective(Shown):
    """``{benchbook-figures}``: the list of all figures of the book as it is built."""

    reads = (beside_chapters(FIGURES_FILE),)

    def shown(self, root: Path) -> list[nodes.Node]:
        found = self.in_order(records(root), itemgetter("page"))
        return index(found) or [nodes.paragraph("", "No chapter of this book has been executed yet.")]
