"""A claim's number as it is recomputed from the notes: the value, how it comes about, the figure, the verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from benchbook import statistics
from benchbook.claims import Claim, Rule, chapter_claims, judge, judge_without_data
from benchbook.experiments import notes
from benchbook.model import Verdict


@dataclass(frozen=True)
class Working:
    """A recomputed number with the sum behind it, in words for the verdict's reason."""

    value: float
    text: str


@dataclass(frozen=True)
class Estimand:
    """How one claim is decided without measuring. compute: from data/notes alone, each time anew."""

    compute: Callable[[], Working]
    figure_id: str = ""


def read(name: str) -> Estimand:
    """A fact that was read in a note's repository, with the place."""

    def compute() -> Working:
        found = notes.table("readings").set_index("id").loc[name]
        return Working(notes.reading(name), f"{found['source']} ({found['working']})")

    return Estimand(compute)


def quotient(top: Callable[[], float], bottom: Callable[[], float], figure_id: str) -> Estimand:
    """One number of a note over another."""

    def compute() -> Working:
        above, below = top(), bottom()
        return Working(above / below, f"{above:,.10g} / {below:,.10g}")

    return Estimand(compute, figure_id)


def cell(name: str, column: str, /, **where: object) -> Callable[[], float]:
    """A number of a table, read when it is asked for."""
    return lambda: notes.number(name, column, **where)


def changes_again(name: str, **where: object) -> list[tuple[str, float, float]]:
    """Metric, printed change and recomputed change, both in percent, of the rows of a table of changes."""
    found = notes.table(name)
    for key, value in where.items():
        found = found[found[key] == value]
    again = 100 * (found["after"] / found["before"] - 1)
    return list(zip(found["metric"], found["change_percent"].astype(float), again.astype(float), strict=True))


def verdicts(chapter: str, estimands: Mapping[str, Estimand], open_claims: Mapping[str, str]) -> list[Verdict]:
    """A verdict on every claim of the chapter, in the ledger's order.

    open_claims: what would decide a claim that cannot be recomputed, by its id; it is added to the reason.
    """
    return [_verdict(claim, estimands, open_claims) for claim in chapter_claims(chapter).values()]


def _verdict(claim: Claim, estimands: Mapping[str, Estimand], open_claims: Mapping[str, str]) -> Verdict:
    if claim.rule is Rule.PROSE or claim.id not in estimands:
        verdict = judge_without_data(claim)
        if claim.id not in open_claims:
            return verdict
        return Verdict(claim.id, verdict.outcome, f"{verdict.reason.rstrip('.')}: {open_claims[claim.id]}.")
    estimand = estimands[claim.id]
    found = estimand.compute()
    return judge(claim, statistics.exact(found.value), working=found.text, figure_id=estimand.figure_id)
