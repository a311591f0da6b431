"""How often each verdict occurs in simulated runs with a planted effect, and which verdicts are false."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchbook import statistics
from benchbook.chapters.calibration.arms import Parameters
from benchbook.chapters.calibration.simulation import rows
from benchbook.chapters.calibration.simulation.coverage import Metrics
from benchbook.chapters.calibration.simulation.distributions import Array
from benchbook.chapters.calibration.simulation.worlds import World
from benchbook.claims import Claim, Region, Rule, Testable, judge, region
from benchbook.claims.regions import EQUAL, RECOMMENDED
from benchbook.errors import BenchbookError
from benchbook.model import Outcome
from benchbook.statistics.equivalence import TOST_CONFIDENCE

OUTCOMES = (
    Outcome.REPRODUCED, Outcome.DIRECTION_ONLY, Outcome.CONTRADICTED, Outcome.NO_EFFECT, Outcome.INCONCLUSIVE,
)  # fmt: skip
OPEN = OUTCOMES.index(Outcome.INCONCLUSIVE)
Codes = NDArray[np.int8]
"""Verdicts as places in OUTCOMES, shape (runs,)."""
MARGIN = 0.05
QUOTED = 1.14
"""What a claim of the rule inside quotes here: "14 % slower", with the ledger's usual region: half to double the effect
on the logarithmic scale, and at most a factor of 1.25 to each side."""


def _claim(
    rule: Rule, low: float | None, high: float | None, words: str, margin: float | None = MARGIN, kind: str = ""
) -> Claim:
    return Claim(
        id=f"A/A {rule}", note="000", section="", quote=words, kind=kind, chapter="calibration", experiment="",
        metric="p99_latency_ratio", unit="ratio", estimand="Ratio of the P99 of two configurations", rule=rule,
        low=low, high=high, margin=margin, family="calibration", primary=False, testable=Testable.HERE, portable=True,
        elsewhere="", reading="",
    )  # fmt: skip


CLAIMS = {
    "greater": _claim(Rule.GREATER, 1.0, None, "it is slower"),
    "less": _claim(Rule.LESS, None, 1.0, "it is faster"),
    "inside": _claim(Rule.INSIDE, max(QUOTED / 1.25, QUOTED**0.5), min(QUOTED * 1.25, QUOTED**2), "it is 14 % slower"),
    "no_difference": _claim(Rule.NO_DIFFERENCE, None, None, "it makes no difference"),
    "best": _claim(Rule.GREATER, EQUAL[0], None, "the best setting", None, RECOMMENDED),
}
"""One claim of each rule, with the regions and the margin that most claims of the ledger have, and one that says that a
setting belongs to the best configuration."""


def region_of(rule: str) -> Region:
    """The region of one of the claims."""
    return region(CLAIMS[rule], difference=False)


def effect_name(true_ratio: float) -> str:
    """How metrics name a planted effect, such as plus_2_5 for 2.5 % more, plus_0 for A/A."""
    return f"plus_{100 * (true_ratio - 1):g}".replace(".", "_")


def false_outcomes(asked: Region, true_ratio: float) -> set[Outcome]:
    """The verdicts that say something untrue of a ratio that is exactly ``true_ratio``.

    reproduced says that the ratio lies in the region (beyond the edge and its margin for greater and less); direction
    only, that it lies on the claimed side but not there; contradicted, that it does not lie there. Of a setting that
    belongs to the best, reproduced says that it helps, contradicted that it harms by more than 5 %, and no effect that
    it does neither by more than 5 %. inconclusive says nothing, so it is never false.
    """
    low, high = asked.low, asked.high
    if asked.best:
        lower, upper = EQUAL
        helps, harms = true_ratio > 1, true_ratio < lower
        if asked.rule is Rule.LESS:
            helps, harms = true_ratio < 1, true_ratio > upper
        said = {
            Outcome.REPRODUCED: helps, Outcome.CONTRADICTED: harms, Outcome.NO_EFFECT: lower <= true_ratio <= upper,
        }  # fmt: skip
        return {each for each, true in said.items() if not true}
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
    stalled = rows.stalled(np.log(world.again / world.base))
    for true_ratio in parameters.effects:
        name = effect_name(true_ratio)
        changed = world.again * true_ratio
        wide = rows.ratio(changed, world.base)
        narrow = rows.ratio(changed, world.base, TOST_CONFIDENCE)
        metrics[f"{name}_runs"] = float(len(world.base))
        metrics[f"{name}_above_1"] = float((wide.low > 1).sum())
        metrics[f"{name}_below_1"] = float((wide.high < 1).sum())
        for rule, claim in CLAIMS.items():
            asked = region_of(rule)
            found = agreeing(asked, changed / world.base, stalled, coded(asked, *wide, *narrow))
            _check(claim, world, true_ratio, found)
            counts = np.bincount(found, minlength=len(OUTCOMES))
            metrics |= {
                metric(true_ratio, rule, each): float(count) for each, count in zip(OUTCOMES, counts, strict=True)
            }
    return metrics


def agreeing(asked: Region, ratios: Array, far: NDArray[np.bool_], found: Codes) -> Codes:
    """The verdicts, open where a block lies far out, as if an arm stalled, and the median block says otherwise.

    ratios: shape (runs, blocks). far: the runs with such a block (``rows.stalled``). As ``claims.judge`` does with the
    interval that ``statistics.ratio`` then adds.
    """
    if not far.any():
        return found
    agreed = found.copy()
    typical = coded(asked, *rows.median(ratios[far]), *rows.median(ratios[far], TOST_CONFIDENCE))
    agreed[far] = np.where(typical == found[far], typical, OPEN)
    return agreed


def metric(true_ratio: float, rule: str, outcome: Outcome) -> str:
    """Name of the metric that counts a verdict: as stored runs have it, whatever readers call the verdict now."""
    counted = "no_effect_(within_5_%)" if outcome is Outcome.NO_EFFECT else outcome.name.lower()
    return f"{effect_name(true_ratio)}_{rule}_{counted}"


def coded(asked: Region, low: Array, high: Array, low90: Array, high90: Array) -> Codes:
    """The region's outcomes of many intervals as places in OUTCOMES."""
    lists = [each.tolist() for each in (low, high, low90, high90)]
    return np.array([OUTCOMES.index(asked.outcome(*each)) for each in zip(*lists, strict=True)], dtype=np.int8)


def _check(claim: Claim, world: World, true_ratio: float, found: Codes) -> None:
    above, below = world.again[0] * true_ratio, world.base[0]
    own = judge(claim, statistics.ratio(above, below), statistics.equivalence(above, below)).outcome
    own = Outcome.INCONCLUSIVE if own is Outcome.DESIGN else own  # open too, and no number of blocks would decide it
    if own is not OUTCOMES[found[0]]:
        raise BenchbookError(
            f"the simulated verdict by {claim.rule} is {OUTCOMES[found[0]]}, the book's own is {own}",
            "mend calibration/simulation/decisions.py: the two must be equal",
        )
