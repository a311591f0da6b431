"""Every verdict on what is timed, held against the first visit after the protocol was frozen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
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
    """How many verdicts came out again, with the interval of that share."""
    by_chapter: dict[str, list[Again]] = {}
    for each in judged:
        if each.verdict.retest is not None:
            by_chapter.setdefault(each.judged_by, []).append(each.verdict.retest.answer)
    found = [answer for answers in by_chapter.values() for answer in answers]
    if not found:
        return "No verdict was tested once more yet, in a visit after the rules were frozen."
    same, within, other = (found.count(answer) for answer in Again)
    low, high = interval([[answer is Again.SAME for answer in answers] for answers in by_chapter.values()])
    experiments = "one experiment" if len(by_chapter) == 1 else f"{len(by_chapter)} experiments"
    return (
        f"Tested once more after the rules were frozen: of {len(found)} verdicts on what is timed, from {experiments}, "
        f"{same} came out again ({100 * same / len(found):.0f} % [{100 * low:.0f}, {100 * high:.0f}]), "
        f"{within or 'none'} moved no further than a visit moves a number, and {other or 'none'} came out differently."
    )


def interval(again: Sequence[Sequence[bool]]) -> tuple[float, float]:
    """The 95 % interval of a share where what comes from one experiment may agree; again: a row for each of them.

    Wilson's, with as many trials as would vary as much by chance alone as the experiments do: at most all of them.
    Source: Kish 1965 (design effect), Dean and Pagano 2015.
    """
    from statsmodels.stats.proportion import proportion_confint

    counts, same = np.array([len(each) for each in again]), np.array([sum(each) for each in again])
    total, number = int(counts.sum()), len(again)
    share = float(same.sum() / total)
    between = number / max(1, number - 1) * float(((same - share * counts) ** 2).sum()) / total**2
    effective = min(total, share * (1 - share) / between) if between > 0 else total
    low, high = proportion_confint(share * effective, effective, method="wilson")
    return float(low), float(high)


def shown(root: Path) -> list[nodes.Node]:
    """The sentence alone."""
    return [nodes.paragraph("", sentence(load(root)[0]))]


def shown_whole(root: Path) -> list[nodes.Node]:
    """The sentence, where the numbers were expected, and folded under it each verdict with its numbers."""
    judged = load(root)[0]
    found = [(each.claim.id, each.verdict.retest) for each in judged if each.verdict.retest is not None]
    if not found:
        return [nodes.paragraph("", sentence(judged))]
    rows: list[list[Cell]] = [
        [
            nodes.literal("", claim),
            outcome_text(str(each.outcome)),
            with_interval(each.before),
            f"{digits(each.low)} to {digits(each.high)}",
            digits(each.now.point),
            str(each.answer),
        ]
        for claim, each in found
    ]
    more = (
        f" {sum(each.as_expected for _, each in found)} of these numbers lie where 95 % of them were expected. The "
        "interval allows for what verdicts of one experiment share. What comes out differently is open again."
    )
    folded = Folded("", table(HEAD, rows, ["benchbook-runs"]), summary="Verdict by verdict")
    return [nodes.paragraph("", sentence(judged) + more), folded]
