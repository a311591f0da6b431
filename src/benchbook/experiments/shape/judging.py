"""Each claim's number computed once, and put with what it stands on to the rules of the ledger."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import partial

from benchbook.claims import Claim, Ground, Rule, Testable, chapter_claims, conditions, judge, judge_without_data
from benchbook.claims.evidence import by_construction, by_report
from benchbook.errors import BenchbookError
from benchbook.experiments.sentences import too_few_blocks
from benchbook.experiments.shape import analysis, hosts
from benchbook.experiments.shape.analysis import Analysis, Summarized
from benchbook.experiments.shape.answers import Answer, Answered, Answers
from benchbook.experiments.shape.estimands import Conditions, named
from benchbook.experiments.shape.of_run import OfRun, costed, numbers
from benchbook.experiments.shape.summary import NotEstimableError, NotRunError, Summary
from benchbook.model import Estimate, Outcome, Verdict
from benchbook.statistics import STILL, Gate, Movement


def answered(summary: Summarized) -> tuple[Answered, ...]:
    """Every claim of the summary's chapter, in the ledger's order; found when they are first asked for."""

    def find() -> tuple[Answered, ...]:
        chapter = summary.chapter
        own = chapter.answers
        if not own.given:
            return ()
        by_claim = own.by_claim()
        one = (
            partial(analysis.answer, summary, own)
            if isinstance(summary, Analysis)
            else partial(_answer, OfRun(summary), own)
        )
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


def _answer(judged: OfRun, own: Answers, claim: Claim, answer: Answer | None) -> Answered:
    """A claim that is decided by reading is answered from data/notes, whatever the run holds."""
    if claim.testable is Testable.BY_READING and answer is not None:
        return analysis.answer(judged.summary, own, claim, answer)
    if claim.rule is Rule.PROSE or claim.testable is not Testable.HERE or answer is None:
        return Answered(claim.id, answer, None, "", judge_without_data(claim))
    summary, estimand = judged.summary, answer.estimand
    if without := _without_interval(summary, claim, answer):
        return without
    if estimand.conditions is not None:
        return _under(judged, own, claim, answer, estimand.conditions)
    estimate: Estimate | None = None
    try:
        estimate, effect90 = numbers(summary, claim, answer)
        ground = _ground(judged, own, claim, answer, estimate)
        working = estimand.working(summary) if estimand.working else ""
        verdict = judge(claim, estimate, effect90, ground=ground, figure_id=answer.figure, working=working)
        verdict = costed(judged, verdict)
        problem = ""
    except BenchbookError as error:
        problem = error.problem
        reason = f"The estimand cannot be computed from this run: {problem}."
        if isinstance(error, NotEstimableError):
            reason = f"This run has no number: {problem} ({error.mend})."
        outcome, idle = Outcome.INCONCLUSIVE, _idle(summary, answer)
        if isinstance(error, NotRunError):
            outcome = Outcome.NOT_YET_RUN
        if idle:
            outcome, reason = Outcome.MECHANISM, f"The mechanism was not reached: {idle}. {reason}"
        verdict = Verdict(claim.id, outcome, reason, figure_id=answer.figure)
    untestable = own.untestable(summary, answer) if own.untestable else ""
    if untestable:
        verdict = Verdict(claim.id, Outcome.NOT_TESTABLE, untestable)
    return Answered(claim.id, answer, estimate, problem, verdict)


def _under(judged: OfRun, own: Answers, claim: Claim, answer: Answer, left: Conditions) -> Answered:
    """The answer under each condition that the claim leaves out, and the verdict of all of them."""
    alone = {
        name: _answer(judged, own, claim, answer.but(compute=compute, conditions=None))
        for name, compute in left.under(judged.summary).items()
    }
    first = next(iter(alone.values()))
    given = {name: each.verdict for name, each in alone.items()}
    run, sessions = judged.summary.run, len({*judged.summary.sessions.tolist()})
    verdict = conditions.judged(
        claim, left.left_out, given, blocks=run.blocks, sessions=sessions, bounded=answer.estimand.bounded
    )
    return replace(first, answer=answer, verdict=verdict)


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


def _ground(judged: OfRun, own: Answers, claim: Claim, answer: Answer, estimate: Estimate) -> Ground:
    summary, estimand = judged.summary, answer.estimand
    quantity = estimand.quantity
    missed = tuple(gate for gate in _checks(summary, own, answer) if not gate.passed)
    borne = tuple(gate for gate in missed if quantity.moves and gate.small)
    failed = tuple(gate for gate in missed if gate not in borne)
    departures = [*too_few_blocks(summary.run), estimand.departs(summary) if estimand.departs else ""]
    return Ground(
        quantity=quantity,
        movement=_bearing(judged.moved(estimand), borne) if quantity.moves else STILL,
        sessions=tuple(_by_session(judged, claim, answer)) if quantity.by_session else (),
        failed=failed,
        sound=_sound(judged, claim, answer, failed),
        mechanism=estimand.idle(summary) if estimand.idle else "",
        departure="; ".join(each for each in departures if each),
        bounded=estimand.bounded,
        hosts=judged.hosts(claim, answer, failed) if quantity.moves else (),
        borne=sum(gate.small for gate in borne),
        quiet=judged.canaries.quiet(estimate, _bearing(judged.movement, borne)) if quantity.moves else None,
    )


def _bearing(movement: Movement, borne: Collection[Gate]) -> Movement:
    """The machine's movement and what checks were missed by that a comparison can bear."""
    for gate in borne:
        movement = Movement(movement.w + gate.small, f"{movement.reason}; {gate.name}: {gate.reason}")
    return movement


def _idle(summary: Summary, answer: Answer) -> str:
    """Why the claimed cause did not act in a run without a number; "" where it did, or nobody can say."""
    with contextlib.suppress(BenchbookError):
        return answer.estimand.idle(summary) if answer.estimand.idle else ""
    return ""


def _sound(judged: OfRun, claim: Claim, answer: Answer, failed: Collection[Gate]) -> tuple[Estimate, Estimate] | None:
    """The numbers of the blocks in which no trial failed a check; None where a check is of the whole run."""
    if not failed or not all(gate.blocks for gate in failed):
        return None
    rest = judged.without(failed)
    if rest is None:
        return None
    try:
        effect95, effect90 = numbers(rest, claim, answer)
    except BenchbookError:  # what is left cannot say
        return None
    return effect95, effect90 or effect95


def _checks(summary: Summary, own: Answers, answer: Answer) -> Iterable[Gate]:
    """The chapter's own checks, and of what is timed that its baseline equals itself."""
    yield from own.checks(summary, answer)
    if answer.estimand.metric is None:
        return
    if own.gates is not None:
        yield from own.gates(summary, answer)
    else:
        assert own.pair is not None, "numbers.py has neither AA nor aa_gates"
        again, first = (named(arm, summary) for arm in own.pair)
        yield summary.aa_gate(again, first, answer.estimand.metric)


def _by_session(judged: OfRun, claim: Claim, answer: Answer) -> Iterable[tuple[Estimate, Estimate]]:
    for summary in hosts.parts(judged.summary).values():
        with contextlib.suppress(BenchbookError):  # a session that cannot say has no verdict
            effect95, effect90 = numbers(summary, claim, answer)
            yield effect95, effect90 or effect95
