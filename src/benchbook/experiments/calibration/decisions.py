"""Simulated runs with a planted effect go in; how often each verdict comes out, and which of them are false."""

from __future__ import annotations

from collections import Counter

import numpy as np

from benchbook import statistics
from benchbook.claims import Claim, Region, Rule, Testable, judge, region
from benchbook.errors import BenchbookError
from benchbook.experiments.calibration import rows
from benchbook.experiments.calibration.coverage import Metrics
from benchbook.experiments.calibration.families import Array
from benchbook.experiments.calibration.parameters import Parameters
from benchbook.experiments.calibration.worlds import World
from benchbook.model import Outcome
from benchbook.statistics.equivalence import TOST_CONFIDENCE

_CHECKED = 1
OUTCOMES = (Outcome.REPRODUCED, Outcome.DIRECTION_ONLY, Outcome.CONTRADICTED, Outcome.INCONCLUSIVE)
MARGIN = 0.05
QUOTED = 1.29
"""What a claim of the rule inside quotes here: "29 % faster", with the ledger's usual factor of 1.25 around it."""


def _claim(rule: Rule, low: float | None, high: float | None, words: str) -> Claim:
    return Claim(
        id=f"A/A {rule}", note="000", section="", quote=words, kind="", chapter="calibration", experiment="",
        metric="p99_latency_ratio", unit="ratio", estimand="Ratio of the P99 of two configurations", rule=rule,
        low=low, high=high, margin=MARGIN, family="calibration", primary=False, testable=Testable.HERE, portable=True,
        elsewhere="", reading="",
    )  # fmt: skip


CLAIMS = {
    "greater": _claim(Rule.GREATER, 1.0, None, "it is slower"),
    "less": _claim(Rule.LESS, None, 1.0, "it is faster"),
    "inside": _claim(Rule.INSIDE, QUOTED / 1.25, QUOTED * 1.25, "it is 29 % slower"),
    "no_difference": _claim(Rule.NO_DIFFERENCE, None, None, "it makes no difference"),
}
"""One claim of each rule, with the regions and the margin that most claims of the ledger have."""


def region_of(rule: str) -> Region:
    """The region of one of the claims."""
    return region(CLAIMS[rule], difference=False)


def effect_name(true_ratio: float) -> str:
    """How metrics name a planted effect, such as plus_2_5 for 2.5 % more, plus_0 for A/A."""
    return f"plus_{100 * (true_ratio - 1):g}".replace(".", "_")


def false_outcomes(asked: Region, true_ratio: float) -> set[Outcome]:
    """The verdicts that say something untrue of a ratio that is exactly ``true_ratio``.

    reproduced says that the ratio lies in the region (beyond the edge and its margin for greater and less); direction
    only, that it lies on the claimed side but not there; contradicted, that it does not lie there. inconclusive says
    nothing, so it is never false.
    """
    low, high = asked.low, asked.high
    if asked.rule is Rule.GREATER and low is not None and asked.bound is not None:
        meant, side = true_ratio > asked.bound, true_ratio > low
    elif asked.rule is Rule.LESS and high is not None and asked.bound is not None:
        meant, side = true_ratio < asked.bound, true_ratio < high
    elif low is not None and high is not None:
        meant = low <= true_ratio <= high
        side = (true_ratio > 1) if asked.side > 0 else (true_ratio < 1)
    else:
        raise BenchbookError(f"a claim of the rule {asked.rule} has no region to be true in", "give its edges")
    if meant:
        return {Outcome.DIRECTION_ONLY, Outcome.CONTRADICTED}
    return {Outcome.REPRODUCED} if side else {Outcome.REPRODUCED, Outcome.DIRECTION_ONLY}


def measured(parameters: Parameters, world: World) -> Metrics:
    """Metrics of one batch of a cell: per planted effect, how often the interval excludes 1, and each verdict's count.

    The effect multiplies the A/A arm. Raises BenchbookError when ``claims.judge`` says otherwise than the count.
    """
    metrics: Metrics = {}
    for true_ratio in parameters.effects:
        name = effect_name(true_ratio)
        changed = world.again * true_ratio
        wide = rows.ratio(changed, world.base)
        narrow = rows.ratio(changed, world.base, TOST_CONFIDENCE)
        metrics[f"{name}_runs"] = float(len(world.base))
        metrics[f"{name}_above_1"] = float((wide.low > 1).sum())
        metrics[f"{name}_below_1"] = float((wide.high < 1).sum())
        intervals = [each.tolist() for each in (wide.low, wide.high, narrow.low, narrow.high)]
        for rule, claim in CLAIMS.items():
            asked = region_of(rule)
            outcomes = agreeing(asked, changed / world.base, [asked.outcome(*e) for e in zip(*intervals, strict=True)])
            _check(claim, world, true_ratio, outcomes)
            counts = Counter(outcomes)
            metrics |= {f"{name}_{rule}_{_words(outcome)}": float(counts[outcome]) for outcome in OUTCOMES}
    return metrics


def agreeing(asked: Region, ratios: Array, outcomes: list[Outcome]) -> list[Outcome]:
    """The outcomes, open where a block lies far out, as if an arm stalled, and the median block says otherwise.

    ratios: shape (runs, blocks). As ``claims.judge`` does with the interval that ``statistics.ratio`` then adds.
    """
    far = np.flatnonzero(rows.stalled(np.log(ratios)))
    if not far.size:
        return outcomes
    ends = [each.tolist() for c in (0.95, TOST_CONFIDENCE) for each in rows.median(ratios[far], c)]
    found = list(outcomes)
    for run, *typical in zip(far.tolist(), *ends, strict=True):
        if asked.outcome(*typical) is not found[run]:
            found[run] = Outcome.INCONCLUSIVE
    return found


def metric(true_ratio: float, rule: str, outcome: Outcome) -> str:
    """Name of the metric that counts a verdict."""
    return f"{effect_name(true_ratio)}_{rule}_{_words(outcome)}"


def _words(outcome: Outcome) -> str:
    return str(outcome).replace(" ", "_")


def _check(claim: Claim, world: World, true_ratio: float, outcomes: list[Outcome]) -> None:
    for run in range(min(_CHECKED, len(outcomes))):
        above, below = world.again[run] * true_ratio, world.base[run]
        own = judge(claim, statistics.ratio(above, below), statistics.equivalence(above, below)).outcome
        if own is not outcomes[run]:
            raise BenchbookError(
                f"the simulated verdict by {claim.rule} is {outcomes[run]}, the book's own is {own}",
                "mend calibration/decisions.py: the two must be equal",
            )
