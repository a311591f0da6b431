"""What Sphinx and MyST-NB need to show Benchbook's figures, verdicts and lessons in the rendered book."""

from __future__ import annotations

import json
import re
import shutil
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from benchbook import __version__
from benchbook.book.pages import (
    cite,
    data_package,
    edition_line,
    evidence,
    explained_words,
    figure_index,
    figures,
    head_tags,
    lessons,
    multiplicity,
    name_parts,
    open_claims,
    own_note,
    paper_line,
    performance,
    rules,
    runs,
    search_texts,
    steadiness,
    systems,
    told,
    verdicts,
)
from benchbook.book.parts import (
    claim_links,
    descriptions,
    evidence_folds,
    figure_again,
    file_buttons,
    frames,
    markup,
    opening_box,
    policy,
    price_form,
    run_parameters,
    thumbnails,
    typography,
)
from benchbook.book.parts import nodes as book_nodes
from benchbook.book.parts.figure_block import figure_nodes
from benchbook.book.parts.verdict_table import VerdictDirective, verdict_table
from benchbook.book.records.figure_list import is_front
from benchbook.figures import LESSON_MIME_TYPE, MIME_TYPE, OPENING_MIME_TYPE, VERDICTS_MIME_TYPE

LOGGER = logging.getLogger(__name__)
PLOTLY_MIME_TYPE = "application/vnd.plotly.v1+json"
PLOTLY_FILE = "plotly.min.js"
OPENING_FILE = "opening.js"
READING_FILE = "reading.js"
"""On every page: what the keyboard and paper need."""
_ICON_SCRIPT = re.compile(r"\s*<script[^>]*/scripts/fontawesome\.js[^>]*></script>")
_UNUSED_SCRIPTS = re.compile(
    r"\s*<script[^>]*[/\"](?:scripts/fontawesome|searchtools|language_data|searchindex)\.js[^>]*></script>"
)


class FigureRenderer:
    """MyST-NB's plug-in: a notebook output in, docutils nodes out; None leaves the output to MyST-NB."""

    mime_priority_overrides: ClassVar[list[tuple[str, str, int | None]]] = [
        ("*", MIME_TYPE, 1),
        ("*", VERDICTS_MIME_TYPE, 1),
        ("*", LESSON_MIME_TYPE, 1),
        ("*", OPENING_MIME_TYPE, 1),
    ]

    @staticmethod
    def handle_mime(renderer: Any, data: Any, inline: bool) -> list[nodes.Node] | None:
        """Render our own types; drop the plotly drawing that travels with a figure.

        A plotly drawing on its own is left to MyST-NB, which warns and thereby fails the build: without a Figure
        record it has neither number, caption, alternative text nor data, and the page would stay blank.
        """
        if inline:
            return None
        if data.mime_type == MIME_TYPE:
            return figure_nodes(renderer.renderer.document, _content(data.content), _root(renderer))
        if data.mime_type == VERDICTS_MIME_TYPE:
            return verdict_table(_content(data.content), _root(renderer))
        if data.mime_type == LESSON_MIME_TYPE:
            return lessons.shown_in_chapter(_content(data.content))
        if data.mime_type == OPENING_MIME_TYPE:
            return opening_box.shown(_content(data.content))
        if data.mime_type == PLOTLY_MIME_TYPE and _is_part_of_a_figure(renderer, data):
            return []
        return None


def _content(content: Any) -> Any:
    return json.loads(content) if isinstance(content, str | bytes) else content


def _is_part_of_a_figure(renderer: Any, data: Any) -> bool:
    _, outputs = renderer.renderer.nb_client.code_cell_outputs(data.cell_index)
    return MIME_TYPE in outputs[data.output_index].get("data", {})


def _root(renderer: Any) -> Path | None:
    environment = renderer.renderer.sphinx_env
    return Path(environment.srcdir) if environment else None


def copy_plotly(app: Sphinx) -> None:
    """Put plotly.js beside the pages once, from the installed plotly package."""
    if app.builder.format == "html":
        static = Path(app.outdir) / "_static"
        static.mkdir(parents=True, exist_ok=True)
        with as_file(files("plotly") / "package_data" / PLOTLY_FILE) as source:
            shutil.copyfile(source, static / PLOTLY_FILE)


def load_plotly_where_needed(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Load plotly.js (several MB) only on pages that have a drawing or make some; on the book's first page, later.

    A chapter that is built alone is the first page too, and has all of its drawings.
    """
    wanted = (book_nodes.Drawing, runs.Comparison, thumbnails.Thumbnail)
    drawn = doctree is not None and any(True for kind in wanted for _ in doctree.findall(kind))
    if drawn and is_front(page, app.config.root_doc):
        app.add_js_file(OPENING_FILE, loading_method="defer", priority=500)
    elif drawn or "benchbook_figure" in context:
        app.add_js_file(PLOTLY_FILE, loading_method="defer", priority=400)
        app.add_js_file("benchbook.js", loading_method="defer", priority=500)


def unname_citation_lists(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Sphinx calls a bibliography a list although its entries are none, which misleads screen readers."""
    if "body" in context:
        context["body"] = context["body"].replace(
            '<div role="list" class="citation-list">', '<div class="citation-list">'
        )


def settle_pages(app: Sphinx, error: Exception | None) -> None:
    """Leave out what the theme loads on every page although no page uses it, let no other script in, mend the HTML.

    Its icons come as a font and again as a script of 1.5 MB; the font draws all of them. The index of the search is for
    a search as one types, which is off; the page of the search loads its own.
    """
    if error is not None or app.builder.format != "html":
        return
    for path in Path(app.outdir).rglob("*.html"):
        text = path.read_text("utf-8")
        for script in policy.foreign(text):
            LOGGER.warning("%s stands among what the page shows, and browsers refuse it", script, location=path.name)
        unused = _ICON_SCRIPT if path.name == "search.html" else _UNUSED_SCRIPTS
        path.write_text(policy.added(markup.mended(unused.sub("", text))), "utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Sphinx's entry point."""
    book_nodes.add_to(app)
    verdicts.add_to(app)
    figures.add_to(app)
    file_buttons.add_to(app)
    figure_index.add_to(app)
    thumbnails.add_to(app)
    runs.add_to(app)
    price_form.add_to(app)
    steadiness.add_to(app)
    systems.add_to(app)
    performance.add_to(app)
    own_note.add_to(app)
    paper_line.add_to(app)
    rules.add_to(app)
    open_claims.add_to(app)
    evidence_folds.add_to(app)
    run_parameters.add_to(app)
    typography.add_to(app)
    claim_links.add_to(app)
    explained_words.add_to(app)
    frames.add_to(app)
    lessons.add_to(app)
    told.add_to(app)
    multiplicity.add_to(app)
    figure_again.add_to(app)
    evidence.add_to(app)
    edition_line.add_to(app)
    data_package.add_to(app)
    search_texts.add_to(app)
    name_parts.add_to(app)
    head_tags.add_to(app)
    cite.add_to(app)
    app.add_directive("benchbook-verdicts", VerdictDirective)
    app.add_js_file(READING_FILE, loading_method="defer", priority=450)
    app.connect("builder-inited", copy_plotly)
    app.connect("html-page-context", load_plotly_where_needed)
    app.connect("html-page-context", unname_citation_lists)
    app.connect("html-page-context", descriptions.add)
    app.connect("build-finished", settle_pages)
    # env_version: of what is stored between builds; it goes up when pages that did not change must be read again.
    return {"version": __version__, "env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
