"""Docutils nodes of the verdict page: a note's strip of outcomes, and the form that filters the tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from docutils import nodes

from benchbook.book.parts import typography
from benchbook.book.records.pool_words import many

if TYPE_CHECKING:  # the parts bring the ledger with them
    from benchbook.book.records.basis import Part

Count = tuple[str, str, str, int]
Option = tuple[str, str | list[tuple[str, str]]]
"""A token and its text, or the name of a group and its tokens with their texts."""
ANY_OPEN = "outcome-open"
"""The class of a row whose claim is open, whatever the reason."""


class Strip(nodes.General, nodes.Element):  # type: ignore[misc]
    """How many claims came out each way: ``bars``, ``note`` ("" for all), ``main`` (they alone), ``text`` in words.

    A bar is of what is decided one way: the words for it, and its counts. A count is what decides ("" while nobody
    has), the outcome, its words, and the number.
    """


class Filters(nodes.General, nodes.Element):  # type: ignore[misc]
    """The form above the tables: ``choices``, (name, label, options) per field. Hidden without JavaScript."""


def token(kind: str, value: str) -> str:
    """The class that marks a row of the table, such as "outcome-direction-only"; the form's values are the same."""
    return f"{kind}-" + "-".join("".join(c if c.isalnum() or c == "_" else " " for c in value.lower()).split())


def strip(bars: Sequence[tuple[str, Sequence[Part]]], note: str, text: str, *, main: bool = False) -> Strip:
    """The strip of one note, or of all notes where ``note`` is "". text: the same numbers as a sentence."""
    counted = [
        (words, [(str(part.basis or ""), str(part.outcome), part.words, part.number) for part in parts])
        for words, parts in bars
    ]
    return Strip(bars=counted, note=note, text=text, main=main)


def is_open(outcome: str) -> bool:
    return outcome.startswith("open: ")


def by_outcome(outcomes: Iterable[str]) -> list[Option]:
    """The options of outcomes, in their order; those that are open together in a group, which begins with them all."""
    found = [*outcomes]
    options: list[Option] = [(token("outcome", each), each) for each in found if not is_open(each)]
    if group := [(token("outcome", each), each) for each in found if is_open(each)]:
        place = next(n for n, each in enumerate(found) if is_open(each))
        options.insert(place, ("Open", [(ANY_OPEN, "open, for any reason"), *group]))
    return options


def filters(choices: Sequence[tuple[str, str, Sequence[Option]]]) -> Filters:
    return Filters(choices=[(name, label, list(options)) for name, label, options in choices])


def visit_strip_html(writer: Any, node: Strip) -> None:
    """Bars on one scale, whose parts are as long as their numbers, each between its name and its numbers in words."""
    note = token("note", node["note"]) if node["note"] else ""
    main = token("main", "yes") if node["main"] else ""
    longest = max((_number(counts) for _, counts in node["bars"]), default=0)
    of = f'data-note="{escape(note)}" data-main="{main}"'
    rows = [_row(words, counts, longest, of) for words, counts in node["bars"]]
    writer.body.append(f'<div class="benchbook-strip">{"".join(rows)}</div>\n')
    raise nodes.SkipNode


def _row(words: str, counts: Sequence[Count], longest: int, of: str) -> str:
    """One bar. of: the attributes that say whose claims they are."""
    words = typography.mended(words)
    bar, legend = [], []
    for basis, outcome, said, number in counts:
        mark, way = token("outcome", outcome), token("basis", basis) if basis else ""
        marks = f"{mark} {way}".rstrip()
        bar.append(f'<span class="{marks}" style="flex-grow: {number}"></span>')
        shown = f"<span>{number}&nbsp;{escape(said)}</span>"
        legend.append(
            f'<li data-outcome="{mark}" data-basis="{way}"><span class="benchbook-swatch {marks}"></span>{shown}</li>'
        )
    number = _number(counts)
    told = ", ".join(f"{each} {said}" for _, _, said, each in counts)
    label = escape(f"{many(number, 'claim')} {words}: {told}")
    return (
        f'<p class="benchbook-way">{number} {escape(words)}</p>'
        f'<div class="benchbook-bar" role="img" aria-label="{label}" style="width: {100 * number / longest:.1f}%">'
        f'{"".join(bar)}</div><ul class="benchbook-legend" {of}>{"".join(legend)}</ul>'
    )


def _number(counts: Sequence[Count]) -> int:
    return sum(number for *_, number in counts)


def visit_filters_html(writer: Any, node: Filters) -> None:
    """A select per field; the page's script shows the form, because without the script it could do nothing."""
    fields = [
        f'<label><span>{escape(label)}</span><select name="{escape(name)}"><option value="">all</option>'
        f"{''.join(_option(*each) for each in options)}</select></label>"
        for name, label, options in node["choices"]
    ]
    writer.body.append(
        '<form class="benchbook-filters" hidden aria-label="Filter the claims">'
        f'{"".join(fields)}<button type="reset">Show all</button>'
        '<p role="status" aria-live="polite"></p></form>\n'
    )
    raise nodes.SkipNode


def _option(name: str, given: str | list[tuple[str, str]]) -> str:
    if isinstance(given, str):
        return f'<option value="{escape(name)}">{escape(given)}</option>'
    return f'<optgroup label="{escape(name)}">{"".join(_option(*each) for each in given)}</optgroup>'
