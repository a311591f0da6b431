"""A chapter's answer as a box at the top of its page."""

from collections.abc import Mapping
from typing import Any

from docutils import nodes

from benchbook.book.parts.nodes import FigureReference, SiteLink
from benchbook.book.parts.tables import coded
from benchbook.figures.lesson import ADVICE, CLAIMED, SURE, heading, sentence

Record = Mapping[str, Any]
ANSWER, VERDICT = "benchbook-answer", "benchbook-verdict"
"""Classes of the box, and of the sentence that it begins with."""


def shown(opening: Record) -> list[nodes.Node]:
    """The claim, the verdict, its numbers in a list, how sure, what to do, and the command that measures them again."""
    parts: list[nodes.Node] = _named(CLAIMED, opening["claimed"])
    parts.append(nodes.paragraph("", f"{opening['title']}.", classes=[VERDICT]))
    if opening["numbers"]:
        parts.append(nodes.bullet_list("", *(nodes.list_item("", _number(each)) for each in opening["numbers"])))
    parts += [*_named(SURE, opening["sure"]), *_named(ADVICE, opening["advice"])]
    parts.append(_again(opening))
    if opening["quick"]:
        parts.append(nodes.paragraph("", "", nodes.Text("A first look: "), classes=["benchbook-again"]))
        parts[-1] += [nodes.literal("", opening["quick_command"]), nodes.Text(f". {opening['quick']}")]
    return [nodes.container("", *parts, classes=[ANSWER])]


def _named(words: str, text: str) -> list[nodes.Node]:
    if not text:
        return []
    return [nodes.paragraph("", "", nodes.strong("", f"{words}:"), nodes.Text(" "), *coded(text))]


def _number(number: Record) -> nodes.paragraph:
    if "text" in number:
        return nodes.paragraph("", number["text"])
    said, seen = sentence(number)
    line = nodes.paragraph("", "", nodes.emphasis("", f"{said}."), nodes.Text(" "))
    line += [nodes.strong("", heading(number["outcome"])), nodes.Text(f"{seen.removesuffix('.')} (")]
    path = f"book/verdicts.html#claim-{number['claim_id']}"
    line += [SiteLink(path=path, words=f"claim {number['claim_id']}", download=False), nodes.Text(").")]
    return line


def _again(opening: Record) -> nodes.paragraph:
    line = nodes.paragraph("", "", FigureReference(figure_id=opening["figure_id"]), classes=["benchbook-again"])
    line += nodes.Text(" shows it. ")
    if opening["command"]:
        line += [nodes.Text("Measure it again: "), nodes.literal("", opening["command"])]
        line += nodes.Text(f" ({opening['cost']}).")
    else:
        line += nodes.Text(f"{opening['cost']}.")
    return line
