"""Each claim's number computed once, and put with what it stands on to the rules of the ledger (protocol, item 20)."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import replace
from functools import partial

from benchbook import store
from benchbook.claims import Claim, Rule, Testable, chapter_claims, designs, judge, judge_without_data
from benchbook.claims.evidence import by_construction, by_report
from benchbook.claims.ground import Quantity
from benchbook.claims.rules import SETTLED
from benchbook.claims.together import Alone, by_condition, by_host
from benchbook.durations import duration
from benchbook.errors import BenchbookError
from benchbook.model import Again, Estimate, Outcome, Retest, Verdict
from benchbook.numbers import analysis, hosts, looks, retest
from benchbook.numbers.analysis import Analysis, Summarized
from benchbook.numbers.answers import Answer, Answered, Answers
from benchbook.numbers.body import body
from benchbook.numbers.estimands import Conditions
from benchbook.numbers.summary import NotEstimableError, NotRunError, Summary
from benchbook.statistics.visits import FIRST, LATER, count


def answered(summary: Summarized) -> tuple[Answered, ...]:
    """Every claim of the summary's chapter, in the ledger's order; found when they are first asked for."""

    def find() -> tuple[Answered, ...]:
        chapter = summary.chapter
        own = chapter.answers
        if not own.given:
            return ()
        by_claim = own.by_claim()
        if isinstance(summary, Analysis):
            one = partial(analysis.answer, summary, own)
        else:
            one = partial(_answer, summary, own)
        return tuple(one(claim, by_claim.get(claim.id)) for claim in chapter_claims(chapter.name).values())

    return summary.once("answered", find)


def verdicts(summary: Summarized) -> list[Verdict]:
    """Those of these claims, in their order."""
    return [each.verdict for each in answered(summary)]


def estimated(summary: Summarized, claim_id: str) -> Estimate:
    """The number behind a claim; raises NotEstimableError where this run has none."""
    found = next(each for each in answered(summary) if each.claim_id == claim_id)
    if found.estimate is None:
        raise NotEstimableError(found.problem, "see the chapter")
    return found.estimate


def _answer(summary: Summary, own: Answers, claim: Claim, answer: Answer | None) -> Answered:
    """A claim that is decided by reading is answered from data/notes, whatever the run holds."""
    if claim.testable is Testable.BY_READING and answer is not None:
        return analysis.answer(summary, own, claim, answer)
    if claim.rule is Rule.PROSE or claim.testable is not Testable.HERE or answer is None:
        return Answered(claim.id, answer, None, "", judge_without_data(claim))
    if without := _without_interval(summary, claim, answer):
        return without
    found = _at_looks(summary, own, claim, answer)
    again = retest.retested(summary, own, claim, answer, partial(_at_looks, own=own, claim=claim, answer=answer))
    found = replace(found, verdict=_retested(found.verdict, again))
    untestable = own.untestable(summary, answer) if own.untestable else ""
    if untestable := untestable or designs.not_testable(claim.id):
        found = replace(found, verdict=Verdict(claim.id, Outcome.NOT_TESTABLE, untestable))
    return replace(found, verdict=_costed(summary, found.verdict))


def _at_looks(summary: Summary, own: Answers, claim: Claim, answer: Answer) -> Answered:
    """The answer of all blocks; at 99 % where the planned look had left the claim open and it was looked at again.

    Counts do not come closer to an edge by chance of when one looks, and have one look.
    """
    every, at = looks.of(summary.run), partial(_on_hosts, own=own, claim=claim, answer=answer)
    one_look = len(every) < 2 or answer.estimand.quantity is Quantity.COUNTER
    if one_look or _decided(at(_until(summary, every[0]), confidence=FIRST).verdict):
        found, look = at(summary, confidence=FIRST), 1
    else:
        found, look = at(summary, confidence=LATER), len(every)
        if _decided(found.verdict):
            earlier = (at(_until(summary, sessions), confidence=LATER).verdict for sessions in every[1:-1])
            look = next((number for number, each in enumerate(earlier, start=2) if _decided(each)), look)
    return replace(found, verdict=_fell(found.verdict, look, len(every), answer))


def _until(summary: Summary, sessions: int) -> Summary:
    """The summary of the blocks of the first so many sessions."""
    parts = summary.run.parts
    if sessions >= len(parts):
        return summary
    last = sum(part.blocks for part in parts[:sessions])
    return hosts.rest(summary, frozenset(range(last, summary.run.blocks)))


def _fell(verdict: Verdict, look: int, looks_in_all: int, answer: Answer) -> Verdict:
    if not _decided(verdict) or answer.estimand.quantity is Quantity.COUNTER:
        return verdict
    which = "at the planned look" if look == 1 else f"at look {look} of {looks_in_all}, with 99 %"
    rests_on = f"{verdict.rests_on}; it fell {which}" if verdict.rests_on else ""
    return replace(verdict, look=look, rests_on=rests_on)


def _decided(verdict: Verdict) -> bool:
    return verdict.outcome in SETTLED or verdict.outcome in (Outcome.HOST, Outcome.CONDITION)


def _on_hosts(summary: Summary, own: Answers, claim: Claim, answer: Answer, confidence: float) -> Answered:
    """The answer of all blocks, or where kinds of host lie apart what each kind says by itself (item 20d2)."""
    conditions = answer.estimand.conditions
    one = partial(_under, conditions=conditions) if conditions is not None else _by_rule
    whole = one(summary, own, claim, answer, confidence)
    if whole.estimate is None or answer.estimand.quantity is Quantity.COUNTER:
        return whole
    summary = body(summary, own, claim, answer, confidence).summary  # a session that was left out is of no host
    kinds = hosts.kinds(summary)
    if len(kinds) < 2 or whole.verdict.outcome is Outcome.CONDITION:
        return whole
    alone, found = [], {}
    for kind in kinds:
        with suppress(BenchbookError):  # this kind has too little for the number
            each = one(hosts.on_kind(summary, kind), own, claim, answer, confidence)
            alone.append(Alone(kind.name, kind.told, each.verdict, len(kind.blocks)))
            if each.verdict.estimate is not None:
                found[kind] = each.verdict.estimate
    apart = hosts.lie_apart(summary, found, answer.estimand.compute)
    together = by_host(whole.verdict, claim, alone, apart=apart, bounded=answer.estimand.bounded)
    return replace(whole, verdict=together)


def _under(
    summary: Summary, own: Answers, claim: Claim, answer: Answer, confidence: float, *, conditions: Conditions
) -> Answered:
    """The answer under each condition that the claim leaves out and its note allows, and the verdict of all of them.

    Where the conditions may make the claim depend on them, their intervals hold together (Bonferroni).
    """
    under = conditions.under(summary)
    if not under:  # none that the note allows was measured, and the estimand says how the run departs
        return _by_rule(summary, own, claim, answer.but(conditions=None), confidence)
    own_confidence = 1 - (1 - confidence) / len(under) if conditions.named else confidence
    alone = {
        name: _by_rule(summary, own, claim, answer.but(compute=compute, conditions=None), own_confidence)
        for name, compute in under.items()
    }
    first = next(iter(alone.values()))
    given = {name: each.verdict for name, each in alone.items()}
    verdict = by_condition(
        claim, conditions.left_out, given, named=conditions.named, blocks=summary.run.blocks,
        bounded=answer.estimand.bounded,
    )  # fmt: skip
    return replace(first, answer=answer, verdict=verdict)


def _by_rule(summary: Summary, own: Answers, claim: Claim, answer: Answer, confidence: float) -> Answered:
    """The answer of one body of blocks by the rules for it."""
    estimand, design, found = answer.estimand, designs.of(claim.id), None
    try:
        found = body(summary, own, claim, answer, confidence)
        estimate, narrow = found.numbers()
        working = estimand.working(found.summary) if estimand.working else ""
        ground = replace(found.ground(), design=design)
        verdict = judge(claim, estimate, narrow, ground=ground, figure_id=answer.figure, working=working)
        return Answered(claim.id, answer, estimate, "", verdict)
    except BenchbookError as error:
        problem = error.problem
        reason = f"The estimand cannot be computed from this run: {problem}."
        if isinstance(error, NotEstimableError):
            reason = f"This run has no number: {problem} ({error.mend})."
        outcome, why = Outcome.INCONCLUSIVE, "this run has no number for it"
        if isinstance(error, NotRunError):
            outcome = Outcome.NOT_YET_RUN
        if found and found.idle:
            outcome, why = Outcome.DESIGN, "the claimed cause did not act here"
            reason = f"The mechanism was not reached: {found.idle}. {reason}"
        return Answered(
            claim.id, answer, None, problem, Verdict(claim.id, outcome, reason, None, answer.figure, why=why)
        )


def _without_interval(summary: Summary, claim: Claim, answer: Answer) -> Answered | None:
    """The verdict of a cause that cannot act, or of what the note's own report shows; None where neither decides."""
    estimand = answer.estimand
    inert = estimand.inert(summary) if estimand.inert else None
    report = estimand.report() if estimand.report and inert is None else None
    if inert is None and report is None:
        return None
    estimate, problem = None, ""
    try:  # what was measured stands beside it
        estimate = estimand.compute(summary)
    except BenchbookError as error:
        problem = error.problem
    if inert is not None:
        verdict = by_construction(claim, inert, estimate, answer.figure)
    else:
        assert report is not None
        verdict = by_report(claim, report, estimate, answer.figure, bounded=estimand.bounded)
    return Answered(claim.id, answer, estimate, problem, verdict)


def _retested(verdict: Verdict, again: Retest | None) -> Verdict:
    """A verdict that came out differently in a visit after the protocol was frozen is open again."""
    if again is None or again.answer is not Again.OTHER or not _decided(verdict):
        return replace(verdict, retest=again)
    said = f"{verdict.reason.rstrip('.')}; but one visit more {again.answer}: {again.now.point:.3g} where it was"
    reason = f"{said} expected between {again.low:.3g} and {again.high:.3g}."
    return replace(verdict, outcome=Outcome.INCONCLUSIVE, reason=reason, retest=again, why=f"it {again.answer}")


def _costed(summary: Summary, verdict: Verdict) -> Verdict:
    """The same with how long it would take to measure what would decide an open claim, as far as that is known."""
    run = summary.run
    if not verdict.visits_needed or "duration_s" not in run.trials:
        return verdict
    visits = count(summary.visits)
    blocks = verdict.visits_needed * math.ceil(run.blocks / visits)
    took = duration(blocks * store.measuring_s(run.trials) / run.blocks)
    return replace(verdict, reason=f"{verdict.reason.rstrip('.')} (about {took} of measuring).")
