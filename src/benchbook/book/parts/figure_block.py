"""A figure's block on a page: the numbered figure, buttons, data and origin below it; and drawn again on others."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives

from benchbook.book.parts import figure_files, own_marks, record_nodes, with_scripts
from benchbook.book.parts import nodes as book_nodes
from benchbook.book.parts.directives import Shown, beside_chapters
from benchbook.book.parts.tables import coded, data_table
from benchbook.book.records import figure_list
from benchbook.book.records.figure_list import FIGURES_FILE

WARNING = "Absolute times and throughputs are this machine's on the days of measuring; "
CARRY_OVER = "only ratios carry over"
LEVELS = "benchbook-levels"
HEIGHT_PX = 260
"""Of the drawing, which is smaller than the figure itself."""
MARGIN, FONT = {"t": 8}, {"size": 12}
"""In pixels: what the drawing lacks in height is not left empty above it, and its axes' titles are not cut."""
_REASON = "book/methods.html#blocks"
_UNIT = re.compile(r"\((?:ns|µs|ms|s|min)\b|\bTPS\b|per second|a second")
_RELATIVE = re.compile(r"ratio|share|over|speed-up|times|/ ", re.IGNORECASE)


def figure_nodes(document: nodes.document, record: dict[str, Any], root: Path | None = None) -> list[nodes.Node]:
    """A figure record as a numbered figure, buttons that save it, its data and origin, folded, and where it is from.

    One that shows nothing is a paragraph that says why, without a number: an empty drawing says no more.
    root: the book's source folder, where what stands behind the figure is looked up.
    """
    if record.get("blank"):
        named = {"ids": [record["id"]], "names": [record["id"]], "classes": ["benchbook-blank"]}
        why = nodes.paragraph("", "", *coded(record["alt"]), **named)
        document.note_explicit_target(why, why)
        return [why]
    known = figure_list.record(root, record["id"]) if root else None
    own = own_marks.of_chapter(root, known["chapter"]) if known else None
    plot, here, line = own_marks.over(record, own)
    figure = nodes.figure(ids=[record["id"]], names=[record["id"]], classes=["benchbook-figure"])
    picture = figure_files.picture(root, known) if root and known and not here else ""
    figure += book_nodes.drawing(record["id"], plot, f"{record['alt']} {here}".rstrip(), picture)
    figure += nodes.caption("", record["caption"])
    document.note_explicit_target(figure, figure)
    folded = book_nodes.Folded(summary="Data behind this figure")
    folded += data_table(record["data"], f"{figure_files.FOLDER}/{record['id']}.csv" if known else "")
    source = record_nodes.source(record, known)
    suffixes = figure_files.suffixes(root, known) if root and known else frozenset()
    origin = record_nodes.record_nodes(known, suffixes, whole=False) if known else []
    buttons = with_scripts.file_buttons(record["id"], suffixes)
    measured = bool(known["run"] if known else record["run_id"])
    levels = warning(document, record, measured=measured)
    said = record_nodes.said_once(document, origin)
    stale, folds = ([each for each in said if isinstance(each, book_nodes.Folded) is fold] for fold in (False, True))
    below = [source, *line, *levels, *stale, *buttons, folded, *folds]
    return [nodes.container("", *headed(record), figure, *below, classes=["benchbook-figure-block"])]


def absolute(record: Mapping[str, Any]) -> bool:
    """Whether a figure's table has a column of times or throughputs, by its heading."""
    headings = map(str, record["data"]["columns"])
    return any(_UNIT.search(each) and not _RELATIVE.search(each) for each in headings)


def warning(document: nodes.document, record: Mapping[str, Any], *, measured: bool) -> list[nodes.Node]:
    """The line below the first such figure of a page; nothing below any other. measured: whether a run is behind it."""
    said = any(LEVELS in each["classes"] for each in document.findall(nodes.paragraph))
    if said or not measured or not absolute(record):
        return []
    line = nodes.paragraph("", WARNING, classes=[LEVELS])
    line += book_nodes.SiteLink(path=_REASON, words=CARRY_OVER, download=False)
    line += nodes.Text(".")
    return [line]


def headed(record: Mapping[str, Any]) -> list[nodes.Node]:
    """What the figure shows of this run, and below it in smaller letters what is drawn; nothing where it says nothing.

    In words above the drawing and not in it, so that they wrap, are found, and have no button over them.
    """
    if not record.get("finding"):
        return []
    return [
        nodes.paragraph("", f"{record['finding']}.", classes=["benchbook-finding"]),
        nodes.paragraph("", record["title"], classes=["benchbook-drawn"]),
    ]


class SteadinessDirective(Shown):
    """``{benchbook-steadiness}``: how far the machine moved in the blocks of the runs that the book shows."""

    reads = (beside_chapters(FIGURES_FILE),)

    def shown(self, root: Path) -> list[nodes.Node]:
        from benchbook.book.records.steadiness_figure import ID  # brings plotly, which few pages need

        found = figure_list.record(root, ID)
        if found is None:
            return [nodes.paragraph("", "No run of this book took canary readings.")]
        return figure_nodes(self.state.document, found, root)


def drawn_again(record: Mapping[str, Any], picture: str = "", *, whole: bool = False) -> list[nodes.Node]:
    """A figure of a chapter on another page, with a link to the figure itself, which has its id and its data there.

    picture: the static drawing, from the top of the book. whole: as high as it is there, below what it shows.
    """
    caption = nodes.paragraph("", "", book_nodes.FigureReference(figure_id=record["id"]), classes=["benchbook-again"])
    caption += nodes.Text(f": {record['caption']}")
    layout = record["plot"]["layout"]
    margin, font = layout.get("margin", {}) | MARGIN, layout.get("font", {}) | FONT
    smaller = layout | {"height": HEIGHT_PX, "margin": margin, "font": font}
    shown = record["plot"] | {"layout": layout if whole else smaller}
    plot = book_nodes.drawing(record["id"], shown, record["alt"], picture)
    said = nodes.paragraph("", "", nodes.strong("", record["finding"])) if whole and record["finding"] else None
    return [nodes.container("", *filter(None, (said, plot, caption)), classes=["benchbook-figure-block"])]


class FigureAgainDirective(Shown):
    """``{benchbook-figure} fig-id``: a figure of a chapter on a page that is none; one line while there is no run.

    ``:whole:`` draws it as high as in its chapter, below its finding.
    """

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {"whole": directives.flag}
    reads = (beside_chapters(FIGURES_FILE),)

    def shown(self, root: Path) -> list[nodes.Node]:
        found = figure_list.record(root, self.arguments[0])
        if found is None:
            words = "The chapter of this figure has no run to show yet."
            return [nodes.paragraph("", words, classes=["benchbook-aside"])]
        return drawn_again(found, figure_files.picture(root, found), whole="whole" in self.options)
