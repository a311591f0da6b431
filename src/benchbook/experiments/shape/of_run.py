"""What all claims of a chapter ask of its run: how the machine moved, its parts, its hosts, what more of it costs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property, partial

from benchbook import store
from benchbook.claims import Claim, Rule
from benchbook.claims.ground import Host
from benchbook.durations import duration
from benchbook.experiments import environment
from benchbook.experiments.sentences import WANTED_BLOCKS
from benchbook.experiments.session_widening import Canaries
from benchbook.experiments.shape import hosts
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.estimands import Estimand
from benchbook.experiments.shape.summary import Summary
from benchbook.model import Estimate, Outcome, Verdict
from benchbook.statistics import Gate, Movement
from benchbook.statistics.equivalence import TOST_CONFIDENCE
from benchbook.statistics.gates import DISTURBED_SHARE
from benchbook.statistics.inputs import SESSIONS


@dataclass(frozen=True)
class OfRun:
    """A summary with what all claims ask of its run, found when the first one asks."""

    summary: Summary

    @cached_property
    def movement(self) -> Movement:
        """How far the machine could have carried a comparison, whichever it is."""
        return environment.movement(self.summary.run, device=self.summary.chapter.device)

    def moved(self, estimand: Estimand) -> Movement:
        """How far it could have carried this one, over the states that it was met in if there are sessions enough."""
        names = estimand.names(self.summary)
        turns, alike = self.summary.took_turns(names), self.summary.alike(names)
        return self.canaries.movement(self.movement, turns=turns, alike=alike)

    def hosts(self, claim: Claim, answer: Answer, failed: Collection[Gate]) -> tuple[Host, ...]:
        """The number on each kind of host, where these lie apart; none where a check failed of the whole run.

        Blocks with trials that failed one are set aside; not those at which nobody looked so closely, which are mostly
        all that an early kind of host has.
        """
        if not all(gate.blocks for gate in failed):
            return ()
        aside = frozenset[int]().union(*(gate.blocks for gate in failed if not gate.unseen))

        def compute(left_out: frozenset[int]) -> tuple[Estimate, Estimate]:
            rest = hosts.rest(self.summary, left_out | aside)
            effect95, effect90 = numbers(rest, claim, answer)
            return effect95, effect90 or effect95

        return hosts.apart(self.summary, compute, partial(hosts.points, self.summary, answer.estimand.compute))

    @cached_property
    def block_s(self) -> float | None:
        """How long a block took, in s; None where trials do not say."""
        run = self.summary.run
        return store.measuring_s(run.trials) / run.blocks if "duration_s" in run.trials else None

    @cached_property
    def canaries(self) -> Canaries:
        """The canary of the run's blocks."""
        return Canaries(self.summary.run, self.summary.chapter.device)

    def without(self, failed: Collection[Gate]) -> Summary | None:
        """The summary of the blocks that passed; None where too few are left, or more than a fifth are taken out.

        Blocks in which nobody looked are no part of that fifth: what sets them apart is the program, not its numbers.
        """
        run = self.summary.run
        blocks = frozenset[int]().union(*(gate.blocks for gate in failed))
        seen = frozenset[int]().union(*(gate.blocks for gate in failed if not gate.unseen))
        if len(seen) > DISTURBED_SHARE * run.blocks or run.blocks - len(blocks) < WANTED_BLOCKS:
            return None

        return hosts.rest(self.summary, blocks)


def costed(judged: OfRun, verdict: Verdict) -> Verdict:
    """The same with how long it would take to measure what would decide an open claim, as far as that has a number."""
    run, sessions = judged.summary.run, int(judged.summary.sessions.max()) + 1
    blocks: float | None = None
    if verdict.sessions_needed:
        blocks = verdict.sessions_needed * run.blocks / sessions
    elif verdict.trials_needed:
        blocks = verdict.trials_needed - run.blocks
    elif verdict.outcome is Outcome.ENVIRONMENT and not verdict.failed and verdict.w and sessions < SESSIONS:
        blocks = (SESSIONS - sessions) * run.blocks / sessions
    if blocks is None or blocks <= 0 or judged.block_s is None:
        return verdict
    took = duration(blocks * judged.block_s)
    return replace(verdict, reason=f"{verdict.reason.rstrip('.')} (about {took} of measuring).")


def numbers(summary: Summary, claim: Claim, answer: Answer) -> tuple[Estimate, Estimate | None]:
    """The number at 95 %, and at the confidence of an equivalence test where the claim is of no difference."""
    compute = answer.estimand.compute
    return compute(summary), compute(summary.at(TOST_CONFIDENCE)) if claim.rule is Rule.NO_DIFFERENCE else None
