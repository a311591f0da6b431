"""All about a claim in one place: how its number is computed, the figure that shows it, and the words of its lesson."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from benchbook.model import Estimate, Verdict
from benchbook.numbers.estimands import Arm, Estimand
from benchbook.numbers.keeping import Keeping

if TYPE_CHECKING:
    from benchbook.statistics import Gate


@dataclass(frozen=True)
class Answer:
    """One claim's.

    figure: id of the one that shows it, or "". said: what the note says, after "that"; "" where the lesson does not
    tell of the claim. seen: what is measured, with {} where the number stands. factor: to the unit of ``seen``, 100 for
    a share in %. row: what is divided by what, in the figure of the
    chapter's claims; a colon sets apart what both are numbers of. cause: what would act, named where it
    did not. beside: what else the run measured without which the number misleads, as a clause that follows it wherever
    the claim is told; "" of a run that cannot fill it.

    The lesson tells of the claims in the order in which their answers are given.
    """

    claim: str
    estimand: Estimand
    figure: str = ""
    said: str = ""
    seen: str = ""
    factor: float = 1.0
    row: str = ""
    cause: str = ""
    beside: Callable[[Any], str] | None = None

    def told(self, summary: Keeping) -> Answer:
        """The same with the words that a run gives beside its number, where it can fill them."""
        more = self.beside(summary).replace("{", "{{").replace("}", "}}") if self.beside else ""
        return replace(self, seen=f"{self.seen}; {more}") if more else self

    def but(self, **changed: Any) -> Answer:
        """The same with another estimand, such as one that departs from what the claim names."""
        return replace(self, estimand=replace(self.estimand, **changed))


Checks = Callable[[Any, Answer], "Iterable[Gate]"]
"""A summary and an answer to the checks that its claim stands on."""


def _no_checks(summary: Keeping, answer: Answer) -> Iterable[Gate]:
    return ()


@dataclass(frozen=True)
class Answers:
    """The answers to a chapter's claims, and what its module says of all of them, under the names given here.

    checks (``checks``): the chapter's own. pair (``AA``): the baseline's second and first configuration, which must
    equal each other where a time is compared; gates (``aa_gates``) where the pair depends on the claim. untestable
    (``untestable``): why a claim is not testable in a run, or "". would_decide (``OPEN``): by claim that cannot be
    recomputed, what would decide it. Two more names of the module become part of the answers given: ``departs``, how a
    run departs from what claims name, or "", and ``REPORTS``, by claim what a note's own report shows of it.
    """

    given: tuple[Answer, ...] = ()
    checks: Checks = _no_checks
    pair: tuple[Arm, Arm] | None = None
    gates: Checks | None = None
    untestable: Callable[[Any, Answer], str] | None = None
    would_decide: Mapping[str, str] = field(default_factory=dict)

    def by_claim(self) -> dict[str, Answer]:
        """The answer to each claim."""
        return {each.claim: each for each in self.given}


@dataclass(frozen=True)
class Answered:
    """A claim as this run answers it. answer: None for a claim that nothing measured can decide.

    estimate: the number at 95 %; None where there is none, and ``problem`` says why.
    """

    claim_id: str
    answer: Answer | None
    estimate: Estimate | None
    problem: str
    verdict: Verdict
