"""Docutils nodes of the verdict page: a note's strip of outcomes, and the form that filters the tables."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.application import Sphinx

if TYPE_CHECKING:  # the parts bring the ledger with them
    from benchbook.book.records.basis import Part


class Strip(nodes.General, nodes.Element):  # type: ignore[misc]
    """How many claims came out each way: ``counts``, ``note`` ("" for all), ``main`` (they alone), ``text`` in words.

    A count is what decides ("" while nobody has), the outcome, its words, and the number.
    """


class Filters(nodes.General, nodes.Element):  # type: ignore[misc]
    """The form above the tables: ``choices``, (name, label, [(token, text)]) per field. Hidden without JavaScript."""


def token(kind: str, value: str) -> str:
    """The class that marks a row of the table, such as "outcome-direction-only"; the form's values are the same."""
    return f"{kind}-" + "-".join("".join(c if c.isalnum() or c == "_" else " " for c in value.lower()).split())


def strip(parts: Sequence[Part], note: str, text: str, *, main: bool = False) -> Strip:
    """The strip of one note, or of all notes where ``note`` is "". text: the same numbers as a sentence."""
    counts = [(str(part.basis or ""), str(part.outcome), part.words, part.number) for part in parts]
    return Strip(counts=counts, note=note, text=text, main=main)


def filters(choices: Sequence[tuple[str, str, Sequence[tuple[str, str]]]]) -> Filters:
    """The form, one field per choice."""
    return Filters(choices=[(name, label, list(options)) for name, label, options in choices])


def visit_strip_html(writer: Any, node: Strip) -> None:
    """A bar whose parts are as long as their numbers, and the numbers in words under it."""
    bar, legend = [], []
    note = token("note", node["note"]) if node["note"] else ""
    main = token("main", "yes") if node["main"] else ""
    for basis, outcome, said, number in node["counts"]:
        mark, way = token("outcome", outcome), token("basis", basis) if basis else ""
        marks = f"{mark} {way}".rstrip()
        bar.append(f'<span class="{marks}" style="flex-grow: {number}"></span>')
        words = f"<span>{number}&nbsp;{escape(said)}</span>"
        legend.append(
            f'<li data-outcome="{mark}" data-basis="{way}"><span class="benchbook-swatch {marks}"></span>{words}</li>'
        )
    label = escape(node["text"])
    writer.body.append(
        f'<div class="benchbook-strip"><div class="benchbook-bar" role="img" aria-label="{label}">{"".join(bar)}</div>'
        f'<ul class="benchbook-legend" data-note="{escape(note)}" data-main="{main}">{"".join(legend)}</ul></div>\n'
    )
    raise nodes.SkipNode


def visit_strip_other(writer: Any, node: Strip) -> None:
    """Builders without colours get the sentence."""
    nodes.paragraph("", node["text"]).walkabout(writer)
    raise nodes.SkipNode


def visit_filters_html(writer: Any, node: Filters) -> None:
    """A select per field; the page's script shows the form, because without the script it could do nothing."""
    fields = []
    for name, label, options in node["choices"]:
        shown = [f'<option value="{escape(value)}">{escape(text)}</option>' for value, text in options]
        fields.append(
            f'<label><span>{escape(label)}</span><select name="{escape(name)}"><option value="">all</option>'
            f"{''.join(shown)}</select></label>"
        )
    writer.body.append(
        '<form class="benchbook-filters" hidden aria-label="Filter the claims">'
        f'{"".join(fields)}<button type="reset">Show all</button>'
        '<p role="status" aria-live="polite"></p></form>\n'
    )
    raise nodes.SkipNode


def _skip(writer: Any, node: Filters) -> None:
    raise nodes.SkipNode


def add_to(app: Sphinx) -> None:
    """Make the nodes known to every builder."""
    text: Any = (visit_strip_other, None)
    none: Any = (_skip, None)
    app.add_node(Strip, html=(visit_strip_html, None), latex=text, text=text, man=text, texinfo=text)
    app.add_node(Filters, html=(visit_filters_html, None), latex=none, text=none, man=none, texinfo=none)
