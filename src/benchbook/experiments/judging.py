"""Claims of a chapter in, their verdicts out: an estimand's interval, and what it stands on, are put to the rules."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, Protocol, TypeVar

from benchbook import store
from benchbook.claims import Claim, Ground, Quantity, Rule, Testable, chapter_claims, judge, judge_without_data
from benchbook.errors import BenchbookError
from benchbook.experiments import environment
from benchbook.experiments.per_block import NotEstimableError
from benchbook.experiments.sentences import too_few_blocks
from benchbook.model import Estimate, Outcome, Run, Verdict
from benchbook.statistics import STILL, Gate, Movement
from benchbook.statistics.equivalence import TOST_CONFIDENCE


class HasRun(Protocol):
    """A chapter's summary, of which judging asks its run."""

    @property
    def run(self) -> Run:
        """The run that it summarizes."""


S = TypeVar("S", bound=HasRun)


@dataclass(frozen=True)
class Estimand(Generic[S]):
    """How a claim's number is computed, and what its verdict stands on.

    compute: summary and confidence to the interval. quantity: its kind. arms: the configurations whose trials it uses.
    metric: the one whose A/A pair must agree; None where nothing is timed. bounded: it lies on its side of 1 by
    definition. idle: why the claimed cause did not act in this run, or "" (protocol, item 13a). departs: what the
    claim names and this run does not have, as far as that could carry the verdict, or "". working: how a number was
    counted, for the verdict's reason.
    """

    compute: Callable[[S, float], Estimate]
    quantity: Quantity
    figure_id: str = ""
    arms: frozenset[str] = frozenset()
    metric: str | None = None
    bounded: bool = False
    idle: Callable[[S], str] | None = None
    departs: Callable[[S], str] | None = None
    working: Callable[[S], str] | None = None


E = TypeVar("E", bound=Estimand)  # type: ignore[type-arg]  # of whatever summary


@dataclass(frozen=True)
class _Judged(Generic[S]):
    """A summary with what all claims on it ask of its run, found when the first one asks. The rest is Judging's."""

    summary: S
    summarize: Callable[[Run], S]
    device: bool

    @cached_property
    def movement(self) -> Movement:
        """How far the machine could have carried a comparison."""
        return environment.movement(self.summary.run, device=self.device)

    @cached_property
    def sessions(self) -> list[S]:
        """The summary of each measuring session that has one; none for a run of a single session."""
        run = self.summary.run
        found = []
        for place in range(len(run.parts)) if len(run.parts) > 1 else ():
            with contextlib.suppress(BenchbookError):  # a session that cannot be summarized has no verdict
                found.append(self.summarize(store.part(run, place)))
        return found


@dataclass(frozen=True)
class Judging(Generic[S, E]):
    """One chapter's way of judging.

    summarize: a run to its summary, for the sessions of a pooled run. gates: what must hold for an estimand to count,
    A/A pair included. device: whether its trials read from or write to the disk, so that the canary's reads bear on it
    too. instead: a verdict that stands whatever the run holds, or None.
    """

    chapter: str
    summarize: Callable[[Run], S]
    estimands: Mapping[str, E]
    gates: Callable[[S, Claim, E], Iterable[Gate]]
    device: bool
    instead: Callable[[S, Claim, E], Verdict | None] = lambda summary, claim, estimand: None

    def verdicts(self, summary: S) -> list[Verdict]:
        """A verdict on every claim of the chapter, in the ledger's order."""
        judged = _Judged(summary, self.summarize, self.device)
        return [self._verdict(judged, claim) for claim in chapter_claims(self.chapter).values()]

    def _verdict(self, judged: _Judged[S], claim: Claim) -> Verdict:
        if claim.rule is Rule.PROSE or claim.testable is not Testable.HERE:
            return judge_without_data(claim)
        estimand, summary = self.estimands[claim.id], judged.summary
        settled = self.instead(summary, claim, estimand)
        if settled is not None:
            return settled
        try:
            effect95, effect90 = _both(estimand, summary, claim)
            ground = self._ground(judged, claim, estimand)
            working = estimand.working(summary) if estimand.working else ""
        except NotEstimableError as error:
            reason = f"This run cannot say: {error.problem} ({error.mend})."
            return Verdict(claim.id, Outcome.INCONCLUSIVE, reason, figure_id=estimand.figure_id)
        except BenchbookError as error:
            reason = f"The estimand cannot be computed from this run: {error.problem}."
            return Verdict(claim.id, Outcome.INCONCLUSIVE, reason, figure_id=estimand.figure_id)
        return judge(claim, effect95, effect90, ground=ground, figure_id=estimand.figure_id, working=working)

    def _ground(self, judged: _Judged[S], claim: Claim, estimand: E) -> Ground:
        summary, quantity = judged.summary, estimand.quantity
        gates = self.gates(summary, claim, estimand)
        departures = [estimand.departs(summary)] if estimand.departs else []
        return Ground(
            quantity=quantity,
            movement=judged.movement if quantity.moves else STILL,
            sessions=tuple(_by_session(estimand, judged.sessions, claim)) if quantity.by_session else (),
            void=tuple(f"{gate.name}: {gate.reason}" for gate in gates if not gate.passed),
            mechanism=estimand.idle(summary) if estimand.idle else "",
            departure="; ".join(each for each in [*too_few_blocks(summary.run), *departures] if each),
            bounded=estimand.bounded,
        )


def _by_session(estimand: Estimand[S], sessions: Iterable[S], claim: Claim) -> Iterable[tuple[Estimate, Estimate]]:
    for summary in sessions:
        with contextlib.suppress(BenchbookError):  # a session that cannot say has no verdict
            effect95, effect90 = _both(estimand, summary, claim)
            yield effect95, effect90 or effect95


def _both(estimand: Estimand[S], summary: S, claim: Claim) -> tuple[Estimate, Estimate | None]:
    effect95 = estimand.compute(summary, 0.95)
    return effect95, estimand.compute(summary, TOST_CONFIDENCE) if claim.rule is Rule.NO_DIFFERENCE else None
