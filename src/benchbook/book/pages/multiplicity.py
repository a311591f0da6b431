"""How many verdicts are expected to be false, and by what (protocol, item 20a); and how many came out again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
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
    from benchbook.statistics import Decided, Multiplicity

_SHOWN = 1e-4
"""Smaller p-values are written as being below it."""
RETESTED = ["claim", "verdict before", "number before", "expected", "one visit more", "came out"]


def of_verdicts(judged: Sequence[Judged]) -> Multiplicity:
    """What may have made verdicts false that an interval with some width decided."""
    from benchbook.statistics import expected_false

    return expected_false(_decided(each) for each in judged if each.verdict.error is not None)


def _decided(judged: Judged) -> Decided:
    """What visits and processors may do is asked of what is timed, which alone has a look, and of a single number."""
    from benchbook.claims import region_of
    from benchbook.statistics import Decided
    from benchbook.statistics.multiplicity import elsewhere_error, moved_error

    claim, verdict = judged.claim, judged.verdict
    assert verdict.error is not None
    look, amended = verdict.look or 1, claim.amended_after_data
    found = Decided(claim.id, claim.family, verdict.error, verdict.allowed or 0.0, look=look, amended=amended)
    estimate = verdict.estimate
    if estimate is None or verdict.look is None:
        return found
    edges = region_of(claim, estimate).changing(estimate.low, estimate.high)
    elsewhere = elsewhere_error(estimate, edges) if len(verdict.processors) == 1 else 0.0
    return replace(found, moved=moved_error(estimate, edges, verdict.visits), elsewhere=elsewhere)


def sentence(found: Multiplicity) -> str:
    """The expected number of false verdicts with its terms, the worst case, and what Holm's adjustment leaves."""
    if not found.decided:
        return "No verdict is based on an interval yet."
    fallen = f"{len(found.fallen)} of them would be open: {', '.join(found.fallen)}"
    return (
        f"{found.decided} verdicts are based on an interval. At the observed distances from their edges, "
        f"{digits(found.expected)} of them are expected to be false. Of these, chance alone makes "
        f"{_written(found.chance)}, what a visit moves a ratio by {_written(found.visits)}, and a second look at "
        f"{found.again} of them at most {_written(found.looks)}; {_written(found.processors)} would be false on "
        f"another processor model, of those measured on a single one. If each were just beyond its edge, chance "
        f"alone would make {digits(found.worst)} false. "
        f"The quantity or the region of {found.amended} was amended after data had been seen; no probability "
        f"belongs to that. With Holm's adjustment within the ledger's families, "
        f"{fallen if found.fallen else 'all of them stand'}."
    )


def multiplicity_nodes(judged: Sequence[Judged]) -> list[nodes.Node]:
    """The sentence, and folded under it each verdict with its error and Holm's p-value."""
    found = of_verdicts(judged)
    parts: list[nodes.Node] = [nodes.paragraph("", sentence(found))]
    if found.decided:
        rows: list[list[Cell]] = [
            [
                nodes.literal("", each.claim.id),
                each.claim.family.replace("/", ": ").replace("_", " "),
                outcome_text(str(each.outcome)),
                _written(found.errors[each.claim.id]),
                _written(found.adjusted[each.claim.id]),
            ]
            for each in judged
            if each.claim.id in found.errors
        ]
        head = ["claim", "family", "verdict", "one-sided error", "p, adjusted in the family"]
        parts.append(Folded("", table(head, rows, ["benchbook-runs"]), summary="Verdict by verdict"))
    return parts


def _written(value: float) -> str:
    return f"below {_SHOWN:g}" if value < _SHOWN else digits(value)


def shown(root: Path) -> list[nodes.Node]:
    """The expected number of false verdicts over the whole book."""
    return multiplicity_nodes(load(root)[0])


def retests_sentence(judged: Sequence[Judged]) -> str:
    """How many came out again in the first visit after the protocol was frozen, with the interval of that share."""
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


def retests(root: Path) -> list[nodes.Node]:
    """The sentence alone."""
    return [nodes.paragraph("", retests_sentence(load(root)[0]))]


def retests_whole(root: Path) -> list[nodes.Node]:
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
    parts: list[nodes.Node] = [nodes.paragraph("", retests_sentence(judged))]
    if rows:
        parts.append(Folded("", table(RETESTED, rows, ["benchbook-runs"]), summary="Verdict by verdict"))
    return parts
