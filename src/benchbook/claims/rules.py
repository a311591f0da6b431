"""Judge a claim from its estimate and from what the estimate stands on: the verdict, with its reason (items 19, 20)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from benchbook.claims import checking, planned, reasons
from benchbook.claims.ground import Ground, Quantity
from benchbook.claims.record import COUNTED, Claim, Rule, Testable
from benchbook.claims.regions import Region, region_of
from benchbook.errors import BenchbookError
from benchbook.model import Effect, Estimate, Evidence, Outcome, Verdict
from benchbook.statistics.inputs import VISITS
from benchbook.statistics.multiplicity import one_sided_error
from benchbook.statistics.visits import MOST_VISITS, borne, widened

SETTLED = {Outcome.REPRODUCED, Outcome.DIRECTION_ONLY, Outcome.NO_EFFECT, Outcome.CONTRADICTED}
"""Verdicts that one body of blocks can give."""
LEAST_VISITS = 2
"""A level, a shape, a dispersion or a share of trials is decided by so many visits that agree."""
_COUNTS = Ground()
Pair = tuple[Estimate, Estimate]
"""The 95 % and the 90 % estimate; at a later look the 99 % and the 98 %."""


def judge(
    claim: Claim,
    effect95: Estimate,
    effect90: Estimate | None = None,
    *,
    ground: Ground = _COUNTS,
    figure_id: str = "",
    working: str = "",
) -> Verdict:
    """The verdict on a claim from its estimand's interval, of blocks of one kind of host or of kinds that agree.

    effect95: an Effect for a comparison of two configurations, a plain Estimate for a level of one, exact(value)
    for what was counted or recomputed. Its confidence must be at least 95 %, 99 % from the second look on.
    effect90: the same at 90 % (98 %), needed by no_difference alone. working: how a number was counted, for the reason.
    ground: what the verdict stands on (protocol, items 13a and 20). A cause that did not act, and a run that departs
    from what the claim names, leave the claim open whatever the interval; so do a check that failed (unless the blocks
    that passed it give the same verdict as all), an interval that decides otherwise once visits may have carried it,
    and visits that disagree where each has to say the same.
    Claims in prose are not a measurement whatever the number. Raises BenchbookError for an interval that is too
    weak or not finite, or an estimate that is of another kind than the claim.
    """
    if claim.rule is Rule.PROSE:
        return judge_without_data(claim)
    checking.check(claim, effect95, effect90)
    asked = region_of(claim, effect95, bounded=ground.bounded)
    found = reasons.found_text(claim, asked, effect95, effect90, working)
    pair = effect95, effect90 or effect95

    def verdict(outcome: Outcome, ending: str = "", why: str = "") -> Verdict:
        counted = claim.rule in COUNTED
        return Verdict(
            claim.id, outcome, f"{found}{ending}.", effect95, figure_id,
            "" if counted else reasons.ground_text(ground), why=why, failed=tuple(gate.name for gate in ground.failed),
            evidence=Evidence.RECOMPUTED if claim.rule is Rule.ARITHMETIC else Evidence.MEASURED,
            visits=0 if counted else ground.visits, processors=ground.processors,
            carried=carried(pair, ground)[-1][0] if ground.quantity.moves and not counted else None,
        )  # fmt: skip

    if ground.mechanism:
        ending = f"; but the mechanism was not reached: {ground.mechanism}{_design(ground)}"
        return verdict(Outcome.DESIGN, ending, "the claimed cause did not act here")
    if ground.departure:
        ending = f"; but the run departs from the claim: {ground.departure}"
        return verdict(Outcome.OPEN_CONDITION, ending, "this run departs from the claim")
    if ground.few:
        return verdict(Outcome.INCONCLUSIVE, f"; but it has {ground.few}", "too few blocks so far")
    if claim.rule in COUNTED:
        if ground.failed:
            return verdict(Outcome.CHECK, f"{reasons.UNSOUND}{ground.unsound}", "a check failed")
        return verdict(asked.counted(effect95.point))
    outcome = asked.of(*pair)
    if outcome is Outcome.INCONCLUSIVE:
        return _open(verdict, Outcome.INCONCLUSIVE, "", asked, pair, ground)
    if stall := _typical_text(asked, effect95, effect90, outcome, reasons.edges(claim, asked)):
        return verdict(Outcome.INCONCLUSIVE, stall, "single blocks lie too far out")
    if cause := _failed(claim, asked, outcome, ground):
        return verdict(Outcome.CHECK, f"{reasons.UNSOUND}{cause}", "a check failed")
    if ground.quantity.by_visit:
        if open_ := _by_visit(asked, outcome, ground):
            return verdict(*open_)
    elif ground.quantity.moves and (wide := _differs(asked, outcome, pair, ground)):
        one = ground.visits < LEAST_VISITS
        text = f"; {reasons.carried_text(ground.visits)} {reasons.bounds_text(wide, reasons.edges(claim, asked))}"
        return _open(verdict, Outcome.ONE_VISIT if one else Outcome.INCONCLUSIVE, text, asked, pair, ground)
    ending = "; only the direction is as claimed" if outcome is Outcome.DIRECTION_ONLY else ""
    if ground.failed:
        ending += f"; the blocks of all other trials alone give the same verdict ({ground.unsound})"
    by = pair[1] if outcome is Outcome.REPRODUCED else effect95
    error = one_sided_error(by, asked.changing(by.low, by.high))
    return replace(
        verdict(outcome, ending),
        error=error,
        allowed=(1 - by.confidence) / 2,
        quiet=_quiet(asked, outcome, pair, ground),
    )


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


def _open(
    verdict: Callable[[Outcome, str, str], Verdict],
    outcome: Outcome,
    text: str,
    asked: Region,
    pair: Pair,
    ground: Ground,
) -> Verdict:
    """An open verdict with the visits that would decide it; where no number would, it is not for this design."""
    needed = planned.visits_needed(asked, *pair, ground)
    if needed is None:
        never = f"; no number of visits up to {MOST_VISITS} would decide it{_design(ground)}"
        return verdict(Outcome.DESIGN, f"{text}{never}", "no number of such visits would decide it")
    visits = f"{needed} further visit{'s' * (needed > 1)} of {ground.a_visit} blocks"
    more = f"; {visits} would decide it, were point and spread to stay"
    why = "one visit so far" if outcome is Outcome.ONE_VISIT else "too close to call"
    return replace(verdict(outcome, f"{text}{more}", why), visits_needed=needed)


def _design(ground: Ground) -> str:
    return f"; what would: {ground.design}" if ground.design else ""


def _differs(asked: Region, outcome: Outcome, pair: Pair, ground: Ground) -> Estimate | None:
    """The interval that visits may have carried the number to, where that would give another verdict; else None."""
    for wide, narrow in carried(pair, ground):
        if asked.of(wide, narrow) is not outcome:
            return wide
    return None


def carried(pair: Pair, ground: Ground) -> list[Pair]:
    """The intervals that have to give the same verdict as the pair's own; of a mean that may be below 0 its own."""
    try:
        found = [borne(each, ground.visits, ground.equal or None) for each in pair]
        return [
            (widened(wide, ground.borne), widened(narrow, ground.borne)) for wide, narrow in zip(*found, strict=True)
        ]
    except BenchbookError:  # it has no logarithm: nothing that is timed has such a mean
        return [pair]


def _quiet(asked: Region, outcome: Outcome, pair: Pair, ground: Ground) -> bool | None:
    """Whether a quiet machine would say the same; None where that is not asked."""
    if ground.quiet is None or not ground.quantity.moves:
        return None
    try:
        wide, narrow = (widened(each, ground.quiet.w) for each in pair)
    except BenchbookError:
        return None
    return asked.of(wide, narrow) is outcome


def _by_visit(asked: Region, outcome: Outcome, ground: Ground) -> tuple[Outcome, str, str] | None:
    """What leaves open a number of which each visit has to say the same; None where all do.

    Two at least say it by their intervals, and the number of each other visit lies where theirs do: an interval of few
    blocks decides next to nothing, so that else a short visit more would undo a verdict. Of a dispersion and a share of
    trials the pooled interval decides, and each visit's number has to lie where it does: that of three trials that all
    agree still reaches from 0.44 to 1. So it is from four visits on.
    """
    if ground.visits < LEAST_VISITS:
        return (
            Outcome.ONE_VISIT,
            f"; but {ground.quantity} needs two visits that agree, and this is one",
            "one visit so far",
        )
    by_number = ground.quantity in (Quantity.DISPERSION, Quantity.SHARE_OF_TRIALS) or len(ground.each) >= VISITS
    numbers = [asked.of(*(replace(wide, low=wide.point, high=wide.point),) * 2) for wide, _ in ground.each]
    alone = [asked.of(*each) for each in ground.each]
    enough = len(numbers) if by_number else alone.count(outcome)
    if enough >= LEAST_VISITS and all(each is outcome for each in numbers):
        return None
    listed = ", ".join(numbers if by_number else alone) or "nothing"
    text = f"; but {ground.quantity} needs visits that agree, and these say: {listed}"
    return Outcome.INCONCLUSIVE, text, "its visits do not agree, or are too short to"


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


def _failed(claim: Claim, asked: Region, outcome: Outcome, ground: Ground) -> str:
    """What the failed checks leave open; "" where none failed, or the blocks without such trials say the same."""
    if not ground.failed or ground.sound is None:
        return ground.unsound
    pairs = [ground.sound, *(carried(ground.sound, ground) if ground.quantity.moves else ())]
    if off := next((pair for pair in pairs if asked.of(*pair) is not outcome), None):
        alone = reasons.bounds_text(off[0], reasons.edges(claim, asked))
        return f"{ground.unsound}; the other blocks alone give {alone}, which is not the same verdict"
    return ""
