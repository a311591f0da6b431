"""Figure records in, a page and files of its own for each figure out, at addresses that never change."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder

from benchbook.book import file_buttons, record_nodes, thumbnails, typography
from benchbook.book.figure_records import CHAPTERS, FIGURES_FILE, in_chapter
from benchbook.book.nodes import Folded, drawing
from benchbook.book.references import SUFFIXES
from benchbook.book.tables import cell_text, data_table

FOLDER = "figures"
MADE_ELSEWHERE = ("svg", "png", "pdf")
"""Suffixes of the drawings that need a browser; they are made at publishing, and taken over when they exist."""


def records(root: Path) -> tuple[dict[str, Any], ...]:
    """The records beside the executed chapters; none where the chapters were not executed by Benchbook."""
    path = root / CHAPTERS / FIGURES_FILE
    return _read(path, path.stat().st_mtime_ns) if path.is_file() else ()


@cache
def _read(path: Path, _moment: int) -> tuple[dict[str, Any], ...]:
    return tuple(json.loads(path.read_text("utf-8")))


def record(root: Path, identity: str) -> dict[str, Any] | None:
    """The record of one figure, if there is one."""
    return next((each for each in records(root) if each["id"] == identity), None)


def exports(root: Path, each: Mapping[str, Any]) -> dict[str, Path]:
    """Suffix to file of the exported drawings of a figure as it is today; a drawing of other data does not count."""
    folder = root / "data" / "figures"
    note = folder / f"{each['id']}.sha256"
    if not note.is_file() or note.read_text("utf-8").split()[:1] != [each["data_sha256"]]:
        return {}
    return {suffix: path for suffix in MADE_ELSEWHERE if (path := folder / f"{each['id']}.{suffix}").is_file()}


def suffixes(root: Path, each: Mapping[str, Any]) -> frozenset[str]:
    """Suffixes of all files that a figure has in the rendered book."""
    return frozenset({"csv", "json", "metadata.json", *SUFFIXES.values(), *exports(root, each)})


def of_editions(root: Path) -> tuple[dict[str, Any], ...]:
    """The figures of every edition as they then were, the newest edition first.

    Each has ``edition`` and ``address``, the folder of its page: one below that of today's figures. A figure that
    today's book no longer has also keeps its former address, where its newest edition stands.
    """
    if not (root / "data" / "editions").is_dir():
        return ()
    from benchbook.book import editions  # few builds need it, and it brings the stored runs with it

    today = {each["id"] for each in records(root)}
    found: list[dict[str, Any]] = []
    for name in reversed(editions.names(root)):
        for each in editions.figures(root, name):
            found.append({**each, "edition": name, "address": f"{FOLDER}/{name}"})
            if each["id"] not in today:
                today.add(each["id"])
                found.append({**each, "edition": name, "address": FOLDER})
    return tuple(found)


def pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """One page per figure, and per figure of an edition, for Sphinx's html-collect-pages."""
    builder = cast(StandaloneHTMLBuilder, app.builder)
    for each in (*records(Path(app.srcdir)), *of_editions(Path(app.srcdir))):
        name = f"{each.get('address', FOLDER)}/{each['id']}"
        builder.current_docname = name
        body = builder.render_partial(_page(app, each))["fragment"]
        yield name, {"title": each["title"], "body": body, "benchbook_figure": each["id"]}, "page.html"


def _page(app: Sphinx, each: Mapping[str, Any]) -> nodes.section:
    number = "" if "edition" in each else _number(app, each)
    section = nodes.section("", nodes.title("", f"{number}{each['title']}"), ids=[each["id"]])
    section += drawing(each["id"], each["plot"], each["alt"])
    section += nodes.paragraph("", each["caption"])
    files = suffixes(Path(app.srcdir), each)
    section += file_buttons.file_buttons(each["id"], files)
    section += _where(each)
    section += record_nodes.record_nodes(each, files)
    folded = Folded(summary="Data behind this figure")
    folded += data_table(each["data"])
    section += folded
    typography.mend(section)  # it is no page of Sphinx's, which are mended as they are written
    return section


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


def write_files(app: Sphinx, error: Exception | None) -> None:
    """Put each figure's files beside its page, once everything else is built."""
    if error is not None or app.builder.format != "html":
        return
    for each in (*records(Path(app.srcdir)), *of_editions(Path(app.srcdir))):
        folder = Path(app.outdir) / each.get("address", FOLDER)
        folder.mkdir(exist_ok=True, parents=True)
        for suffix, content in contents(each).items():
            (folder / f"{each['id']}.{suffix}").write_text(content, encoding="utf-8", newline="")
        for suffix, path in exports(Path(app.srcdir), each).items():
            (folder / f"{each['id']}.{suffix}").write_bytes(path.read_bytes())
        if "edition" not in each:  # the list of figures shows today's
            script = thumbnails.plot_script(each["id"], each["plot"])
            (folder / f"{each['id']}.{thumbnails.SUFFIX}").write_text(script, encoding="utf-8")


def contents(each: Mapping[str, Any]) -> dict[str, str]:
    """Suffix to text of the files that every figure has: table, drawing as plotly JSON, record, citations."""
    metadata = {name: value for name, value in each.items() if name not in ("plot", "data", "citations")}
    return {
        "csv": csv_text(each["data"]),
        "json": json.dumps(each["plot"], separators=(",", ":")),
        "metadata.json": json.dumps(metadata, indent=1, ensure_ascii=False) + "\n",
        **{SUFFIXES[form]: text for form, text in each["citations"].items()},
    }


def csv_text(data: Mapping[str, Any]) -> str:
    """A figure's table as CSV, numbers with all their digits, missing values empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(data["columns"])
    writer.writerows([_exact(value) for value in row] for row in data["data"])
    return out.getvalue()


def _exact(value: Any) -> str:
    return repr(value) if isinstance(value, float) else cell_text(value)


def add_to(app: Sphinx) -> None:
    """Register the pages and the files."""
    app.connect("html-collect-pages", pages)
    app.connect("build-finished", write_files)
