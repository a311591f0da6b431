"""Docutils nodes that only the book has (drawing, folded part, links), and how they are written as HTML."""

import json
from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from benchbook.figures import contained
from benchbook.figures.theme import HEIGHT_PX

LOGGER = logging.getLogger(__name__)
FOLD = "benchbook-data"
"""Class of a fold that holds tables and lists."""
NOT_DRAWN = "not measured"
"""A link's words where a run has nothing to draw, so that the page has a sentence in the figure's place."""


class Drawing(nodes.General, nodes.Element):  # type: ignore[misc]
    """A plotly drawing: ``plot`` (plotly JSON as text), ``alt``, ``height_px``, ``figure_id``, ``picture``.

    picture: the static drawing for readers without scripts, from the top of the book; "" where there is none.
    """


class Folded(nodes.General, nodes.Element):  # type: ignore[misc]
    """A part that the reader folds open: ``summary``, the line to click on, and ``kind``, its class where not FOLD.

    Works without JavaScript.
    """


class FigureReference(nodes.Inline, nodes.Element):  # type: ignore[misc]
    """A link to the figure ``figure_id``, showing its number.

    Sphinx's own ``numref`` reads the whole target page again for each link, which makes long verdict tables slow.
    """


class ChapterNumber(nodes.Inline, nodes.Element):  # type: ignore[misc]
    """A link to ``chapter`` that shows its number, or its title where the table of contents gives none."""


class SiteLink(nodes.Inline, nodes.Element):  # type: ignore[misc]
    """A link to a file of the rendered book: ``path`` from its top, ``words``, ``download`` (offer to save it)."""


class Html(nodes.General, nodes.Element):  # type: ignore[misc]
    """What is the same on every page: ``html``. Of its words, unlike those of docutils' ``raw``, none are searched."""


def drawing(figure_id: str, plot: dict[str, Any], alt: str, picture: str = "") -> Drawing:
    """The drawing of one figure; its height is fixed beforehand so that the page does not jump when it is drawn."""
    layout = plot.get("layout", {})
    template_height = layout.get("template", {}).get("layout", {}).get("height")
    return Drawing(
        figure_id=figure_id,
        plot=json.dumps(_drawn(contained.drawn(plot)), separators=(",", ":")),
        alt=alt,
        picture=picture,
        height_px=int(layout.get("height") or template_height or HEIGHT_PX),
    )


def _drawn(value: Any) -> Any:
    """A drawing with its numbers to five digits, which no eye tells apart; the table behind it has them whole."""
    if isinstance(value, float):
        return float(f"{value:.5g}")
    if isinstance(value, dict):
        return {name: _drawn(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_drawn(each) for each in value]
    return value


def _script_safe(text: str) -> str:
    # A "</script>" or "<!--" inside a label would end or change the element.
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def visit_drawing_html(writer: Any, node: Drawing) -> None:
    """A box that the page's script draws into; without JavaScript it holds a picture, else the alternative text."""
    alt = escape(node["alt"])
    if node["picture"]:
        still = f'<img src="{_address(writer, node["picture"])}" alt="{alt}">'
    else:
        still = f"<p><em>Drawn with JavaScript; its data are in the folded table below.</em> {alt}</p>"
    writer.body.append(
        f'<div class="benchbook-drawing" data-figure="{escape(node["figure_id"])}" role="img"'
        f' aria-label="{alt}" style="height:{node["height_px"]}px">'
        f'<script type="application/json">{_script_safe(node["plot"])}</script>'
        f"<noscript>{still}</noscript></div>\n"
    )
    raise nodes.SkipNode


def visit_folded_html(writer: Any, node: Folded) -> None:
    kind = node.get("kind", FOLD)
    writer.body.append(f'<details class="{kind}"><summary>{escape(node["summary"])}</summary>\n')


def depart_folded_html(writer: Any, node: Folded) -> None:
    writer.body.append("</details>\n")


def visit_site_link_html(writer: Any, node: SiteLink) -> None:
    """The address is relative to the page, so that the book works from a folder."""
    download = " download" if node["download"] else ""
    writer.body.append(f'<a href="{_address(writer, node["path"])}"{download}>{escape(node["words"])}</a>')
    raise nodes.SkipNode


def _address(writer: Any, path: str) -> str:
    page = writer.builder.current_docname or ""
    return escape("../" * page.count("/") + path)


def visit_html(writer: Any, node: Html) -> None:
    writer.body.append(node["html"])
    raise nodes.SkipNode


def resolve_figure_references(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Put the number and the address of its figure into every FigureReference of a page."""
    for node in list(doctree.findall(FigureReference)):
        figure_id = node["figure_id"]
        target, label = app.env.domains["std"].data["anonlabels"].get(figure_id, ("", ""))
        number = app.env.toc_fignumbers.get(target, {}).get("figure", {}).get(label)
        if not target:
            LOGGER.warning("a verdict refers to the figure id %s, which does not exist", figure_id, location=page)
            node.replace_self(nodes.literal("", figure_id))
            continue
        text = app.config.numfig_format["figure"] % ".".join(map(str, number)) if number else NOT_DRAWN
        address = app.builder.get_relative_uri(page, target)
        uri = f"#{label}" if target == page else f"{address}#{label}"
        node.replace_self(nodes.reference("", text, internal=True, refuri=uri))


def resolve_chapter_numbers(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Put the number and the address of its chapter into every ChapterNumber of a page."""
    for node in list(doctree.findall(ChapterNumber)):
        target = f"book/chapters/{node['chapter']}"
        number = app.env.toc_secnumbers.get(target, {}).get("")
        text = f"chapter\N{NO-BREAK SPACE}{'.'.join(map(str, number))}" if number else app.env.titles[target].astext()
        uri = app.builder.get_relative_uri(page, target)
        node.replace_self(nodes.reference("", text, internal=True, refuri=uri))
