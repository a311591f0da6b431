"""What Sphinx and MyST-NB need to show Benchbook's figures, verdicts and lessons in the rendered book."""

import json
import shutil
from collections.abc import Callable
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from sphinx.application import Sphinx

from benchbook import __version__
from benchbook.book.pages import (
    around,
    cite,
    data_package,
    explained_words,
    figures,
    lessons,
    multiplicity,
    numbered_pages,
    paper_line,
    performance,
    retests,
    runs,
    search_texts,
    systems,
    verdicts,
)
from benchbook.book.parts import (
    descriptions,
    evidence_folds,
    frames,
    markup,
    names,
    opening_box,
    typography,
    verdict_nodes,
    verdict_table,
    with_scripts,
)
from benchbook.book.parts import nodes as book_nodes
from benchbook.book.parts.directives import beside_chapters, of_files
from benchbook.book.parts.figure_block import FigureAgainDirective, SteadinessDirective, figure_nodes
from benchbook.book.records import site, versions
from benchbook.book.records.figure_list import FIGURES_FILE, is_front
from benchbook.book.records.run_catalogue import RUNS_FILE
from benchbook.figures import LESSON_MIME_TYPE, MIME_TYPE, OPENING_MIME_TYPE, VERDICTS_MIME_TYPE

PLOTLY_MIME_TYPE = "application/vnd.plotly.v1+json"
PLOTLY_FILE = "plotly.min.js"
OPENING_FILE = "opening.js"
READING_FILE = "reading.js"
"""On every page: what the keyboard and paper need."""
SCRIPTS = {
    verdict_nodes.Filters: "verdicts.js",
    explained_words.Explained: "glossary.js",
    with_scripts.DiagnoseForm: "diagnose.js",
    with_scripts.Thumbnail: "thumbnails.js",
}
"""By the kind of node that does something only with its script."""


class FigureRenderer:
    """MyST-NB's plug-in: a notebook output in, docutils nodes out; None leaves the output to MyST-NB."""

    mime_priority_overrides: ClassVar[list[tuple[str, str, int | None]]] = [
        ("*", kind, 1) for kind in (MIME_TYPE, VERDICTS_MIME_TYPE, LESSON_MIME_TYPE, OPENING_MIME_TYPE)
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
            return verdict_table.verdict_table(_content(data.content), _root(renderer))
        if data.mime_type == LESSON_MIME_TYPE:
            return lessons.shown_in_chapter(_content(data.content))
        if data.mime_type == OPENING_MIME_TYPE:
            return opening_box.shown(_content(data.content))
        if data.mime_type == PLOTLY_MIME_TYPE:
            _, outputs = renderer.renderer.nb_client.code_cell_outputs(data.cell_index)
            if MIME_TYPE in outputs[data.output_index].get("data", {}):
                return []
        return None


def _content(content: Any) -> Any:
    return json.loads(content) if isinstance(content, str | bytes) else content


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


def _has(doctree: nodes.document | None, *kinds: type[nodes.Element]) -> bool:
    return doctree is not None and any(True for kind in kinds for _ in doctree.findall(kind))


def load_scripts(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Load each script only on pages that have what it is for."""
    for kind, script in SCRIPTS.items():
        if _has(doctree, kind):
            app.add_js_file(script, loading_method="defer", priority=600)


def load_plotly_where_needed(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Load plotly.js (several MB) only on pages that have a drawing or make some; on the book's first page, later.

    A chapter that is built alone is the first page too, and has all of its drawings.
    """
    drawn = _has(doctree, book_nodes.Drawing, with_scripts.Thumbnail)
    if drawn and is_front(page, app.config.root_doc):
        app.add_js_file(OPENING_FILE, loading_method="defer", priority=500)
    elif drawn or "benchbook_figure" in context:
        app.add_js_file(PLOTLY_FILE, loading_method="defer", priority=400)
        app.add_js_file("benchbook.js", loading_method="defer", priority=500)


def finish(app: Sphinx, error: Exception | None) -> None:
    """What stands beside the pages, once all of them are written; then what they hold too much is left out."""
    if error is None and app.builder.format == "html":
        for write in (verdicts.write_files, figures.write_files, data_package.write, cite.write):
            write(app)
        markup.settle_pages(Path(app.outdir))
        markup.lighten_sources(Path(app.outdir))


DIRECTIVES = {
    "cite": of_files(cite.shown, "CITATION.cff"),
    "every-claim": verdicts.VerdictPageDirective,
    "diagnose": of_files(with_scripts.diagnose_form),
    "evidence": of_files(runs.evidence, beside_chapters(FIGURES_FILE)),
    "figure": FigureAgainDirective,
    "figures": figures.FigureIndexDirective,
    "lesson": lessons.LessonDirective,
    "lessons": lessons.LessonsDirective,
    "multiplicity": of_files(multiplicity.shown, *verdicts.READS),
    "open-claims": of_files(verdicts.shown_open, *verdicts.READS),
    "paper": of_files(paper_line.shown),
    "performance": performance.PerformanceDirective,
    "retested": of_files(retests.shown, *verdicts.READS),
    "retests": of_files(retests.shown_whole, *verdicts.READS),
    "rules": of_files(verdict_table.rules, verdict_table.AMENDMENTS.as_posix()),
    "runs": of_files(runs.shown, beside_chapters(RUNS_FILE)),
    "status": runs.StatusDirective,
    "steadiness": SteadinessDirective,
    "systems": of_files(systems.shown, systems.FILE.as_posix()),
    "versions": of_files(cite.states, versions.FILE.as_posix()),
}
"""By their names without ``benchbook-``; of those that need files alone, what shows them, and which files."""
NODES: dict[type[nodes.Element], tuple[Callable[[Any, Any], None], Callable[[Any, Any], None] | None]] = {
    book_nodes.Drawing: (book_nodes.visit_drawing_html, None),
    book_nodes.Folded: (book_nodes.visit_folded_html, book_nodes.depart_folded_html),
    book_nodes.Html: (book_nodes.visit_html, None),
    book_nodes.SiteLink: (book_nodes.visit_site_link_html, None),
    explained_words.Explained: (explained_words.visit_html, explained_words.depart_html),
    with_scripts.Thumbnail: (with_scripts.visit_thumbnail_html, None),
    verdict_nodes.Filters: (verdict_nodes.visit_filters_html, None),
    verdict_nodes.Strip: (verdict_nodes.visit_strip_html, None),
}
"""How each is written as HTML, the only form in which the book is built: others are made of the pages."""
HANDLERS = (
    ("config-inited", around.announce),
    ("config-inited", around.slash),
    ("builder-inited", copy_plotly),
    ("source-read", numbered_pages.read),
    ("doctree-read", around.add_own_line),
    ("env-updated", typography.mend_contents),
    ("doctree-resolved", evidence_folds.fold_page),
    ("doctree-resolved", explained_words.explain_page),
    ("doctree-resolved", book_nodes.resolve_figure_references),
    ("doctree-resolved", book_nodes.resolve_chapter_numbers),
    ("doctree-resolved", lambda app, doctree, page: evidence_folds.lower(doctree)),
    ("doctree-resolved", lambda app, doctree, page: typography.mend(doctree)),
    ("doctree-resolved", names.link_page),
    ("doctree-resolved", frames.mend_page),
    ("html-collect-pages", figures.pages),
    ("html-page-context", figures.without_menu),
    ("html-page-context", load_scripts),
    ("html-page-context", around.add_state),
    ("html-page-context", search_texts.write),
    ("html-page-context", around.add_tags),
    ("html-page-context", load_plotly_where_needed),
    ("html-page-context", descriptions.add),
    ("build-finished", finish),
)
"""What is done at which of Sphinx's events, in this order: words are folded and explained before they are mended, and
only on the pages that are written: the stored ones stay as they are."""


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_config_value(site.DOI, "", "html")
    app.add_search_language(search_texts.Words)
    app.add_role("sure", numbered_pages.SureRole())
    app.add_role("chapter", numbered_pages.ChapterRole())
    app.add_js_file(READING_FILE, loading_method="defer", priority=450)
    for name, directive in DIRECTIVES.items():
        app.add_directive(f"benchbook-{name}", directive)
    for node, visitors in NODES.items():
        app.add_node(node, html=visitors)
    for event, handler in HANDLERS:
        app.connect(event, handler)
    # env_version: of what is stored between builds; it goes up when pages that did not change must be read again.
    return {"version": __version__, "env_version": 2, "parallel_read_safe": True, "parallel_write_safe": True}
