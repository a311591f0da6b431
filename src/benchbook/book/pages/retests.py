"""Every verdict on what is timed, held against the first visit after the protocol was frozen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes

from benchbook.book.pages.verdicts import load
from benchbook.book.parts.nodes import Folded
from benchbook.book.parts.tables import Cell, table
from benchbook.book.parts.verdict_table import outcome_text
from benchbook.figures import with_interval
from benchbook.figures.prose import digits
from benchbook.model import Again

if TYPE_CHECKING:  # only this page needs the statistics, and only while it is written
    from benchbook.book.records.judged import Judged

HEAD = ["claim", "verdict before", "number before", "expected", "one visit more", "came out"]


def sentence(judged: Sequence[Judged]) -> str:
    """How many came out again, with the interval of that share, and how many numbers lay where they were expected."""
    from benchbook.statistics import wilson

    found = [each.verdict.retest for each in judged if each.verdict.retest is not None]
    if not found:
        return "No verdict was tested once more yet, in a visit after the protocol was frozen."
    same, within, other = (sum(each.answer is answer for each in found) for answer in Again)
    share = wilson(same, len(found))
    expected = sum(each.as_expected for each in found)
    return (
        f"Of {len(found)} verdicts on what is timed that were tested once more, in a visit after the protocol was "
        f"frozen, {same} came out again ({100 * share.point:.0f} % [{100 * share.low:.0f}, {100 * share.high:.0f}]), "
        f"{within} did not, by no more than a visit moves a number, and {other} came out differently; these are open "
        f"again. {expected} of the numbers lie where 95 % of them were expected."
    )


def shown(root: Path) -> list[nodes.Node]:
    """The sentence alone."""
    return [nodes.paragraph("", sentence(load(root)[0]))]


def shown_whole(root: Path) -> list[nodes.Node]:
    """The sentence, and folded under it each verdict with its numbers."""
    judged = load(root)[0]
    rows: list[list[Cell]] = [
        [
            nodes.literal("", each.claim.id),
            outcome_text(str(found.outcome)),
            with_interval(found.before),
            f"{digits(found.low)} to {digits(found.high)}",
            digits(found.now.point),
            str(found.answer),
        ]
        for each in judged
        if (found := each.verdict.retest) is not None
    ]
    parts: list[nodes.Node] = [nodes.paragraph("", sentence(judged))]
    return [*parts, Folded("", table(HEAD, rows, ["benchbook-runs"]), summary="Verdict by verdict")] if rows else parts
