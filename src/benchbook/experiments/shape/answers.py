"""All about a claim in one place: how its number is computed, the figure that shows it, and the words of its lesson."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from benchbook.experiments.shape.estimands import Estimand
from benchbook.model import Estimate, Verdict


@dataclass(frozen=True)
class Answer:
    """One claim's.

    figure: id of the one that shows it, or "". said: what the note says, after "that"; "" where the lesson does not
    tell of the claim. seen: what is measured, with {} where the number stands. factor: to the unit of ``seen``, 100 for
    a share in %. lead: whether it belongs on the opening page. brief: what is measured there, in fewer words; "" where
    the words of the note say enough, None for the same words. row: what is divided by what, in the figure of the
    chapter's claims; a colon sets apart what both are numbers of. cause: what would act, named where it
    did not. beside: what else the run measured without which the number misleads, as a clause that follows it wherever
    the claim is told.

    The lesson tells of the claims in the order in which their answers are given.
    """

    claim: str
    estimand: Estimand
    figure: str = ""
    said: str = ""
    seen: str = ""
    factor: float = 1.0
    lead: bool = False
    brief: str | None = None
    row: str = ""
    cause: str = ""
    beside: Callable[[Any], str] | None = None

    def told(self, summary: Any) -> Answer:
        """The same with the words that a run gives beside its number; on the opening page only their first clause."""
        if self.beside is None:
            return self
        more = self.beside(summary).replace("{", "{{").replace("}", "}}")
        brief = f"{self.brief}; {more.partition(';')[0]}" if self.brief else self.brief
        return replace(self, seen=f"{self.seen}; {more}", brief=brief)

    def but(self, **changed: Any) -> Answer:
        """The same with another estimand, such as one that departs from what the claim names."""
        return replace(self, estimand=replace(self.estimand, **changed))


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
