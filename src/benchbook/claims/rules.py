"""Judge a claim from its estimate and from what the estimate is based on: the verdict, with its reason."""

from __future__ import annotations

from dataclasses import replace

from benchbook.claims import by_host, checking, planned, reasons, words
from benchbook.claims.ground import Ground
from benchbook.claims.planned import Further, widened_or_none
from benchbook.claims.record import COUNTED, Claim, Rule, Testable
from benchbook.claims.regions import Region, region_of
from benchbook.model import Effect, Estimate, Evidence, Outcome, Verdict
from benchbook.statistics.inputs import SESSIONS
from benchbook.statistics.movement import DATES, SMALL
from benchbook.statistics.multiplicity import one_sided_error

LEAST_SESSIONS = 2
"""A level, a shape, a dispersion or a share of trials is decided by so many sessions that agree."""
_COUNTS = Ground()


def judge(
    claim: Claim,
    effect95: Estimate,
    effect90: Estimate | None = None,
    *,
    ground: Ground = _COUNTS,
    figure_id: str = "",
    working: str = "",
) -> Verdict:
    """The verdict on a claim from its estimand's interval.

    effect95: an Effect for a comparison of two configurations, a plain Estimate for a level of one, exact(value)
    for what was counted or recomputed. Its confidence must be at least 95 %; in a family of claims whose
    intervals shall hold together, the caller gives intervals that are wider accordingly (many_to_one, or Holm).
    effect90: the same at 90 %, needed by no_difference alone. working: how a number was counted, for the reason.
    ground: what the verdict stands on (protocol, items 13a and 20). A cause that did not act, and a run that departs
    from what the claim names, leave the claim open whatever the interval; so do a gate that failed (unless the blocks
    that passed it give the same verdict as all), an interval that decides otherwise once widened by w, and sessions
    that disagree or are too few, where the interval decides at all; fewer than four sessions agree by their intervals,
    four or more by their numbers.
    Where kinds of host lie apart, each is judged by its own numbers: what all of them say is said, and else the claim
    depends on the host. ground.quiet tells whether a verdict about the states that were met holds of a quiet machine.
    trials_needed of an inconclusive verdict is the total number of blocks at which the interval would decide,
    were point and spread to stay, sessions_needed that of further sessions where these are the replicates; None, and
    the reason says so, where no number up to 10,000 (or of 100 sessions) would.
    Claims in prose are not a measurement whatever the number. Raises BenchbookError for an interval that is too
    weak or not finite, or an estimate that is of another kind than the claim.
    """
    if claim.rule is Rule.PROSE:
        return judge_without_data(claim)
    checking.check(claim, effect95, effect90)
    asked = region_of(claim, effect95, bounded=ground.bounded)
    found = words.found_text(claim, asked, effect95, effect90, working)

    def verdict(outcome: Outcome, ending: str = "", needed: int | None = None) -> Verdict:
        counted = claim.rule in COUNTED
        rests_on = "" if counted else reasons.ground_text(ground)
        w = None if counted or ground.quantity.by_session else ground.w
        failed = tuple(gate.name for gate in ground.failed)
        text = f"{found}{ending}."
        evidence = Evidence.RECOMPUTED if claim.rule is Rule.ARITHMETIC else Evidence.MEASURED
        return Verdict(
            claim.id, outcome, text, effect95, needed, figure_id, w, rests_on, failed=failed, evidence=evidence
        )

    if ground.mechanism:
        return verdict(Outcome.MECHANISM, f"; but the mechanism was not reached: {ground.mechanism}")
    if ground.departure:
        open_ = verdict(Outcome.INCONCLUSIVE, f"; but the run departs from the claim: {ground.departure}")
        return replace(open_, departs=ground.departure)
    if claim.rule in COUNTED:
        if ground.failed:
            return verdict(Outcome.ENVIRONMENT, f"{reasons.UNSOUND}{ground.unsound}")
        return verdict(asked.counted(effect95.point))
    if ground.hosts:
        return by_host.judged(verdict(Outcome.HOST), claim, asked, ground)
    outcome = asked.of(effect95, effect90)
    if outcome is Outcome.INCONCLUSIVE:
        more = planned.over_dates(asked, effect95, effect90 or effect95, ground.w, SMALL + ground.borne)
        return _needing(verdict(outcome, more.text), more)
    if stall := _typical_text(asked, effect95, effect90, outcome, words.edges(claim, asked)):
        return verdict(Outcome.INCONCLUSIVE, stall)
    if cause := _unsound(claim, asked, effect95, effect90, ground):
        more = _would_decide(asked, effect95, effect90, outcome, ground)
        return _needing(verdict(Outcome.ENVIRONMENT, f"{reasons.UNSOUND}{cause}{more.text}"), more)
    ending = "; only the direction is as claimed" if outcome is Outcome.DIRECTION_ONLY else ""
    if ground.failed:
        ending += f"; the blocks of all other trials alone give the same verdict ({ground.unsound})"
    quiet = _quiet(asked, effect95, effect90, outcome, ground)
    if quiet is not None:
        ending += "; also on a quiet machine" if quiet else "; of a quiet machine it stays open"
    found_so = replace(verdict(outcome, ending), quiet=quiet)
    by = effect90 if effect90 and outcome is Outcome.REPRODUCED else effect95
    error = one_sided_error(by, asked.changing(by.low, by.high))
    return replace(found_so, error=error, allowed=(1 - by.confidence) / 2)


def _quiet(
    asked: Region, effect95: Estimate, effect90: Estimate | None, outcome: Outcome, ground: Ground
) -> bool | None:
    """Whether a quiet machine would say the same; None where the verdict is not about the states that were met."""
    if ground.quiet is None or not ground.quantity.moves:
        return None
    wide, narrow = (widened_or_none(each, ground.quiet.w) for each in (effect95, effect90 or effect95))
    return wide is not None and narrow is not None and asked.of(wide, narrow) is outcome


def judge_without_data(claim: Claim) -> Verdict:
    """The verdict on a claim for which nothing was measured: not a measurement, not testable here, or not yet run."""
    if claim.rule is Rule.PROSE:
        reason = "This is a recommendation or an opinion, which no measurement decides; the chapter discusses it."
        return Verdict(claim.id, Outcome.NOT_A_MEASUREMENT, reason)
    if claim.testable is Testable.ELSEWHERE:
        return Verdict(claim.id, Outcome.NOT_TESTABLE, f"This needs {claim.elsewhere.rstrip('.')}.")
    if claim.testable is Testable.BY_READING:
        return Verdict(
            claim.id, Outcome.NOT_YET_RUN, "This will be decided by reading the sources, which is not done yet."
        )
    return Verdict(claim.id, Outcome.NOT_YET_RUN, "No stored run answers this yet.")


def _typical_text(
    asked: Region, effect95: Estimate, effect90: Estimate | None, outcome: Outcome, edges: list[float]
) -> str:
    """Why the interval of the mean is not enough where an arm stalled in some blocks; "" where it is."""
    effects = [each for each in (effect95, effect90 or effect95) if isinstance(each, Effect) and each.typical]
    if len(effects) < 2:
        return ""
    (wide, narrow) = (replace(each, low=each.typical[0], high=each.typical[1]) for each in effects if each.typical)
    if asked.of(wide, narrow) is outcome:
        return ""
    return (
        "; but some blocks are such outliers that this interval may not hold, and that of the median block, "
        f"{reasons.bounds_text(wide, edges)}, does not agree"
    )


def _unsound(claim: Claim, asked: Region, effect95: Estimate, effect90: Estimate | None, ground: Ground) -> str:
    """Why what the interval decides is not decided on this machine; "" where it is."""
    outcome = asked.of(effect95, effect90)
    if cause := _failed(claim, asked, outcome, ground):
        return cause
    if ground.quantity.by_session:
        if len(ground.sessions) < LEAST_SESSIONS:
            return f"{ground.quantity} needs two sessions that agree, and only one was measured"
        seen = _by_session(asked, ground)
        if any(each is not outcome for each in seen):
            return f"{ground.quantity} needs two sessions that agree, and these say: {', '.join(seen)}"
        return ""
    wide, narrow = widened_or_none(effect95, ground.w), widened_or_none(effect90 or effect95, ground.w)
    if wide is None or narrow is None:
        return f"an interval that reaches below 0 cannot be widened by w = {ground.w:.2g}"
    if asked.of(wide, narrow) is outcome:
        return ""
    edges = words.edges(claim, asked)
    return f"w = {ground.w:.2g} widens it to {reasons.bounds_text(wide, edges)}, which does not give the same verdict"


def _would_decide(
    asked: Region, effect95: Estimate, effect90: Estimate | None, outcome: Outcome, ground: Ground
) -> Further:
    """What would decide a claim that the machine's movement alone leaves open; nothing where something else does."""
    if ground.failed or ground.quantity.by_session or not ground.w:
        return Further(None, sessions=False, text="")
    least = SMALL + ground.borne
    wide, narrow = (widened_or_none(each, min(ground.w, least)) for each in (effect95, effect90 or effect95))
    if ground.w > least and wide is not None and narrow is not None and asked.of(wide, narrow) is outcome:
        dates = f"{SESSIONS} sessions on {DATES} dates"
        text = f"; with {dates} w is {least:.1g}, which would decide it if point and spread stay the same"
        return Further(None, sessions=False, text=text)
    return planned.over_dates(asked, effect95, effect90 or effect95, ground.w, least)


def _needing(verdict: Verdict, more: Further) -> Verdict:
    """The same with what would decide it."""
    if more.sessions:
        return replace(verdict, sessions_needed=more.needed)
    return replace(verdict, trials_needed=more.needed)


def _by_session(asked: Region, ground: Ground) -> list[Outcome]:
    """What each session says: by its interval, and where the sessions are so many that they are replicates, its number.

    An interval of three trials decides next to nothing, so that with the intervals more sessions would decide less.
    """
    if len(ground.sessions) < SESSIONS:
        return [asked.of(wide, narrow) for wide, narrow in ground.sessions]
    points = [replace(wide, low=wide.point, high=wide.point) for wide, _ in ground.sessions]
    return [asked.of(each, each) for each in points]


def _failed(claim: Claim, asked: Region, outcome: Outcome, ground: Ground) -> str:
    """What the failed checks leave open; "" where none failed, or the blocks without such trials say the same."""
    if not ground.failed or ground.sound is None:
        return ground.unsound
    for w in {0.0, ground.w}:
        wide, narrow = (widened_or_none(each, w) for each in ground.sound)
        if wide is None or narrow is None or asked.of(wide, narrow) is not outcome:
            alone = reasons.bounds_text(wide or ground.sound[0], words.edges(claim, asked))
            return f"{ground.unsound}; the other blocks alone give {alone}, which is not the same verdict"
    return ""
