"""A body of blocks and a claim in, what its verdict stands on out: visits, processors, checks, treatment (item 20)."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchbook import store
from benchbook.claims import Claim, Ground, Rule, conditions
from benchbook.claims.ground import Quantity
from benchbook.errors import BenchbookError
from benchbook.model import Estimate
from benchbook.numbers import environment, hosts, looks
from benchbook.numbers.answers import Answer, Answers
from benchbook.numbers.estimands import named
from benchbook.numbers.sentences import WANTED_BLOCKS, too_few_blocks
from benchbook.numbers.summary import Summary
from benchbook.statistics import Gate, Movement
from benchbook.statistics.visits import count, worth

DISTURBED_SHARE = 0.20
Pair = tuple[Estimate, Estimate | None]
LEAST_A_VISIT = 2
"""Blocks of a further visit, where no plan names more."""


@dataclass(frozen=True)
class Body:
    """A summary of some blocks, how a claim is answered by it, and what it left out of these blocks.

    left_out: sessions that were, and why. idle: why the claimed cause did not act in any session. unknown:
    why no session says when or where it was measured.
    """

    summary: Summary
    own: Answers
    claim: Claim
    answer: Answer
    confidence: float = 0.95
    left_out: tuple[str, ...] = ()
    idle: str = ""
    unknown: str = ""

    def numbers(self, summary: Summary | None = None) -> Pair:
        """The estimate, and that of an equivalence test where the claim is of no difference: twice the error."""
        of, compute = (summary or self.summary).at(self.confidence), self.answer.estimand.compute
        if self.claim.rule is not Rule.NO_DIFFERENCE:
            return compute(of), None
        return compute(of), compute(of.at(1 - 2 * (1 - self.confidence)))

    def ground(self) -> Ground:
        """What the verdict on the claim stands on."""
        summary, estimand = self.summary, self.answer.estimand
        quantity, run = estimand.quantity, summary.run
        missed = [gate for gate in self._checks() if not gate.passed]
        borne = [gate for gate in missed if quantity.moves and gate.small]
        failed = tuple(gate for gate in missed if gate not in borne)
        visits = count(summary.visits)
        return Ground(
            quantity=quantity,
            visits=visits,
            equal=worth(summary.visits),
            blocks=run.blocks,
            a_visit=max(round(run.blocks / visits), LEAST_A_VISIT, WANTED_BLOCKS - run.blocks),
            each=tuple(self._by_visit()) if quantity.by_visit else (),
            processors=tuple(dict.fromkeys(store.model_of(part.provenance) for part in run.parts)),
            left_out=self.left_out,
            failed=failed,
            sound=self._sound(failed),
            borne=sum(gate.small for gate in borne),
            mechanism=self.idle,
            departure="; ".join(self._departures()),
            few="; ".join(too_few_blocks(run)),
            bounded=estimand.bounded,
            quiet=self._quiet() if quantity.moves else None,
        )

    def _departures(self) -> Iterable[str]:
        """How the run departs from what the claim names, by its chapter and by the ledger of a trial."""
        if self.answer.estimand.departs and (said := self.answer.estimand.departs(self.summary)):
            yield said
        yield from conditions.departures(self.claim.id, self.summary.parameters.model_dump())

    def _quiet(self) -> Movement:
        """How far the machine stood from its quiet level."""
        summary = self.summary
        return summary.once("quiet", lambda: environment.movement(summary.run, device=summary.chapter.device))

    def _by_visit(self) -> Iterable[tuple[Estimate, Estimate]]:
        for visit in range(count(self.summary.visits)):
            with contextlib.suppress(BenchbookError):  # a visit that cannot say has no verdict
                rest = hosts.rest(self.summary, frozenset(np.flatnonzero(self.summary.visits != visit).tolist()))
                wide, narrow = self.numbers(rest)
                yield wide, narrow or wide

    def _checks(self) -> Iterable[Gate]:
        """Sessions as planned, the chapter's own checks, and of what is timed that its baseline equals itself."""
        summary, own, answer = self.summary, self.own, self.answer
        if self.unknown:
            yield Gate("session", False, 0.0, self.unknown)
        if self.left_out:
            yield self._as_planned()
        yield from own.checks(summary, answer)
        if answer.estimand.metric is None:
            return
        if own.gates is not None:
            yield from own.gates(summary, answer)
        else:
            assert own.pair is not None, "the chapter has neither AA nor aa_gates"
            again, first = (named(arm, summary) for arm in own.pair)
            yield summary.aa_gate(again, first, answer.estimand.metric)

    def _as_planned(self) -> Gate:
        """Whether as many sessions passed the treatment check as the planned look was to have (item 20d4)."""
        passed, planned = len(self.summary.run.parts), looks.plans_of(self.summary.run)
        wanted = planned[0].sessions if planned else 0
        reason = f"{passed} of {wanted} planned sessions passed it, and none that does has taken another's place"
        return Gate("treatment check", passed >= wanted, float(passed), reason)

    def _sound(self, failed: Collection[Gate]) -> tuple[Estimate, Estimate] | None:
        """The numbers of the blocks in which no trial failed a check; None where a check is of the whole run.

        None, too, where too few blocks are left, or more than a fifth are taken out. Blocks in which nobody looked are
        no part of that fifth: what sets them apart is the program, not its numbers.
        """
        if not failed or not all(gate.blocks for gate in failed):
            return None
        run = self.summary.run
        blocks = frozenset[int]().union(*(gate.blocks for gate in failed))
        seen = frozenset[int]().union(*(gate.blocks for gate in failed if not gate.unseen))
        if len(seen) > DISTURBED_SHARE * run.blocks or run.blocks - len(blocks) < WANTED_BLOCKS:
            return None
        try:
            wide, narrow = self.numbers(hosts.rest(self.summary, blocks))
        except BenchbookError:  # what is left cannot say
            return None
        return wide, narrow or wide


def body(summary: Summary, own: Answers, claim: Claim, answer: Answer, confidence: float) -> Body:
    """The blocks that may answer a claim: without sessions that fail its treatment check, each by itself (item 20d4).

    One that cannot say by itself stays, and all are asked together where none can. A session of which nobody knows the
    processor, or whose clock went back, answers nothing that is timed. Raises BenchbookError where all together cannot
    say whether the cause acted.
    """
    estimand = answer.estimand
    make = partial(Body, own=own, claim=claim, answer=answer, confidence=confidence)
    unsound = {} if estimand.quantity is Quantity.COUNTER else _unknown(summary)
    unknown = next(iter(unsound.values()), "")
    if estimand.idle is None and not unsound:
        return make(summary)
    said = {place: _idle(part, answer) for place, part in hosts.parts(summary).items() if place not in unsound}
    if all(each is None for each in said.values()):
        return make(summary, idle=estimand.idle(summary) if estimand.idle else "", unknown=unknown)
    off = unsound | {place: why for place, why in said.items() if why}
    if len(off) == len(summary.run.parts):
        return make(summary, idle=next(filter(None, said.values()), ""), unknown=unknown)
    if not off:
        return make(summary)
    aside = frozenset(np.flatnonzero(np.isin(store.part_of_blocks(summary.run), [*off])).tolist())
    left_out = tuple(f"session {summary.run.parts[place].id} ({off[place]})" for place in sorted(off))
    return make(hosts.rest(summary, aside), left_out=left_out)


def _idle(summary: Summary, answer: Answer) -> str | None:
    """Why the claimed cause did not act in a session; "" where it did, None where its trials cannot say."""
    with contextlib.suppress(BenchbookError):
        return answer.estimand.idle(summary) if answer.estimand.idle else ""
    return None


def _unknown(summary: Summary) -> dict[int, str]:
    """Sessions that answer nothing that is timed, by their place, and why."""

    def find() -> dict[int, str]:
        found = dict.fromkeys(store.clocks_back(summary.run), "its clock went back")
        for place, part in enumerate(summary.run.parts):
            if not store.model_known(part.provenance):
                found[place] = "its processor's model and stepping were not recorded"
        return dict(sorted(found.items()))

    return summary.once("unknown", find)
