"""Each decided verdict held against the first visit after the protocol was frozen."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from benchbook import project, store
from benchbook.claims import Claim, protocol, region_of
from benchbook.claims.ground import Quantity
from benchbook.claims.regions import EQUAL
from benchbook.claims.rules import SETTLED
from benchbook.errors import BenchbookError
from benchbook.model import Again, Estimate, Outcome, Retest
from benchbook.numbers import hosts
from benchbook.numbers.answers import Answer, Answered, Answers
from benchbook.numbers.body import body
from benchbook.numbers.looks import begun
from benchbook.numbers.summary import Summary
from benchbook.statistics.visits import FIRST, expected, worth


def retested(
    summary: Summary, own: Answers, claim: Claim, answer: Answer, decide: Callable[[Summary], Answered]
) -> Retest | None:
    """What the first visit after the freeze says of a verdict on what is timed; None where either is missing.

    decide: the verdict of some blocks, by all rules.
    """
    blocks = halves(summary)
    if blocks is None or answer.estimand.quantity is Quantity.COUNTER:
        return None
    every = frozenset(range(summary.run.blocks))
    before, after = (hosts.rest(summary, every - own_blocks) for own_blocks in blocks)
    with contextlib.suppress(BenchbookError):  # one of them has no number
        verdict = decide(before).verdict
        if (conditions := answer.estimand.conditions) is not None:  # the one nearest to the note's, as verdicts take it
            nearest = next(iter(conditions.under(after).values()), answer.estimand.compute)
            answer = answer.but(compute=nearest, conditions=None)
        new = body(after, own, claim, answer, FIRST)
        if new.idle or new.left_out:
            return None
        now, _ = new.numbers()
        models = {store.model_of(part.provenance) for part in after.run.parts}
        told = [(verdict.outcome, verdict.estimate, verdict.visits, worth(before.visits), before.run.blocks)]
        told += [(row.outcome, row.estimate, row.visits, row.visits, row.blocks) for row in verdict.hosts
                 if row.name in models]  # fmt: skip
        for outcome, estimate, visits, equal, count in told:
            if estimate is not None and outcome in SETTLED and visits:
                low, high = expected(estimate, visits, equal, count, after.run.blocks)
                asked = region_of(claim, estimate, bounded=answer.estimand.bounded)
                same = _same(outcome, now, partial(asked.of, effect90=None))
                found = Again.SAME if same else Again.WITHIN if low <= now.point <= high else Again.OTHER
                return Retest(found, outcome, estimate, low, high, now)
    return None


def halves(summary: Summary) -> tuple[frozenset[int], frozenset[int]] | None:
    """The blocks of before the freeze, and those of the first visit that began after it; None where either has none."""

    def find() -> tuple[frozenset[int], frozenset[int]] | None:
        since = protocol.frozen(project.root())
        late = [place for place, part in enumerate(summary.run.parts) if since and begun(part) >= since]
        new = np.isin(store.part_of_blocks(summary.run), late)
        fresh = [visit for visit in np.unique(summary.visits) if new[summary.visits == visit].all()]
        if not fresh or new.all():
            return None
        first = summary.visits == fresh[0]
        return frozenset(np.flatnonzero(~new).tolist()), frozenset(np.flatnonzero(first).tolist())

    return summary.once("halves", find)


def _same(outcome: Outcome, now: Estimate, judged: Callable[[Estimate], Outcome]) -> bool:
    """Whether the number alone, without its interval, lies where the verdict's does."""
    if outcome is Outcome.NO_EFFECT:
        return EQUAL[0] <= now.point <= EQUAL[1]
    return judged(replace(now, low=now.point, high=now.point)) is outcome
