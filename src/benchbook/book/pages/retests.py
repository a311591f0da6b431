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
    """How many came out again, with the interval of that share, and how many numbers lay where they were expected."""
    found = [each.verdict.retest for each in judged if each.verdict.retest is not None]
    if not found:
        return "No verdict was tested once more yet, in a visit after the protocol was frozen."
    same, within, other = (sum(each.answer is answer for each in found) for answer in Again)
    by_chapter: dict[str, list[bool]] = {}
    for each in judged:
        if each.verdict.retest is not None:
            by_chapter.setdefault(each.judged_by, []).append(each.verdict.retest.answer is Again.SAME)
    low, high = interval([*by_chapter.values()])
    expected = sum(each.as_expected for each in found)
    experiments = "one experiment" if len(by_chapter) == 1 else f"{len(by_chapter)} experiments"
    return (
        f"Of {len(found)} verdicts on what is timed, of {experiments}, that were tested once more in a visit after the "
        f"protocol was frozen, {same} came out again ({100 * same / len(found):.0f} % [{100 * low:.0f}, "
        f"{100 * high:.0f}], allowing for what verdicts of one experiment share), {within} did not, by no more than a "
        f"visit moves a number, and {other} came out differently; these are open again. {expected} of the numbers lie "
        "where 95 % of them were expected."
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
    """The sentence, and folded under it each verdict with its numbers."""
    judged = load(root)[0]
    rows: list[list[Cell]] = []
    for each in judged:
        if (found := each.verdict.retest) is None:
            continue
        rows.append(
            [
                nodes.literal("", each.claim.id),
                outcome_text(str(found.outcome)),
                with_interval(found.before),
                f"{digits(found.low)} to {digits(found.high)}",
                digits(found.now.point),
                str(found.answer),
            ]
        )
    parts: list[nodes.Node] = [nodes.paragraph("", sentence(judged))]
    return [*parts, Folded("", table(HEAD, rows, ["benchbook-runs"]), summary="Verdict by verdict")] if rows else parts
