"""Verdicts without an interval: on a cause that cannot act, and by a note's own raw report (items 13a, 20b)."""

from __future__ import annotations

from dataclasses import dataclass

from benchbook.claims.ground import Quantity
from benchbook.claims.record import Claim, Rule
from benchbook.claims.regions import is_harmless, region
from benchbook.model import Estimate, Evidence, Outcome, Verdict


@dataclass(frozen=True)
class Inert:
    """A cause whose counter is zero in every trial, and why it cannot act on the note's own workload either.

    counted: the zeros, in words. why: from the note's text, its raw reports or the engine's source. control: what the
    positive control shows, an arm in which the same counter moves; "" where none is stored. scope: what must be said
    with the verdict, such as where the cause would act; "" for nothing. Each is a clause that can follow on "and" or
    begin a sentence. refutes: whether the claim is wrong where its cause cannot act; a plan, an advice, or a line of
    the note's own run is not.
    """

    counted: str
    why: str
    control: str
    scope: str = ""
    refutes: bool = True

    @property
    def sentence(self) -> str:
        """All three; without a control, why nothing is decided."""
        if not self.control:
            return f"the mechanism was not reached: {self.counted}. {self.why}, but no positive control is stored"
        return f"{self.why}: {self.counted}; {self.control}{f'. {_capital(self.scope)}' if self.scope else ''}"


@dataclass(frozen=True)
class Reported:
    """What a note's own raw report shows of a claim.

    text: a sentence with its numbers, and the reports they stand in. value: the number to be held against the claim's
    region, in its unit; None where the report's counters alone refute the claim. single: whether it is a number of one
    run against the claim's of another one, which shows another size and refutes nothing.
    """

    text: str
    value: float | None = None
    single: bool = False


def by_construction(claim: Claim, inert: Inert, estimate: Estimate | None, figure_id: str = "") -> Verdict:
    """What is to have an effect is contradicted, what is to do no harm has none, nor has what is not wrong without one.

    Without a control nothing is decided.

    estimate: what was measured beside it, to be shown; it decides nothing.
    """
    outcome = Outcome.CONTRADICTED if inert.refutes and not _harmless(claim) else Outcome.NO_EFFECT
    if not inert.control:
        outcome = Outcome.DESIGN
    evidence = Evidence.CONSTRUCTION if inert.control else Evidence.MEASURED
    text = f"{_capital(inert.sentence)}."
    rests_on = f"{Quantity.COUNTER} that is zero in every trial, where no interval is asked"
    return Verdict(claim.id, outcome, text, estimate, figure_id, rests_on, evidence=evidence)


def by_report(
    claim: Claim, reported: Reported, estimate: Estimate | None, figure_id: str = "", *, bounded: bool = False
) -> Verdict:
    """A number of the report within the claim's region, or not; without one the report's counters decide.

    Counters refute what is to have an effect; what is to do no harm has none.
    estimate: as for ``by_construction``. bounded: as for ``region``.
    """
    outcome = Outcome.NO_EFFECT if is_harmless(claim) else Outcome.CONTRADICTED
    if reported.value is not None:
        value = reported.value
        outcome = region(claim, bounded=bounded).outcome(value, value, value, value)
        if reported.single and outcome is Outcome.CONTRADICTED:
            outcome = Outcome.DIRECTION_ONLY
    text = f"{reported.text.rstrip('.')}."
    rests = "the note's own raw report"
    return Verdict(claim.id, outcome, text, estimate, figure_id, rests, evidence=Evidence.REPORT)


def _harmless(claim: Claim) -> bool:
    return is_harmless(claim) or claim.rule is Rule.NO_DIFFERENCE


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
