"""How often each verdict occurs in simulated runs with a planted effect, and which verdicts are false."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchbook import statistics
from benchbook.claims import Claim, Region, Rule, Testable, judge, region
from benchbook.claims.regions import EQUAL, RECOMMENDED
from benchbook.errors import BenchbookError
from benchbook.measuring.simulation.coverage import Ends
from benchbook.measuring.simulation.parameters import Parameters
from benchbook.measuring.simulation.worlds import Metrics, World
from benchbook.model import Outcome
from benchbook.statistics.effects import TOST_CONFIDENCE, stalled
from benchbook.statistics.inputs import Rows

OUTCOMES = (
    Outcome.REPRODUCED, Outcome.DIRECTION_ONLY, Outcome.CONTRADICTED, Outcome.NO_EFFECT, Outcome.INCONCLUSIVE,
)  # fmt: skip
OPEN = OUTCOMES.index(Outcome.INCONCLUSIVE)
QUOTED = 1.14
"""What a claim of the rule inside quotes here: "14 % slower", with the ledger's usual region: half to double the effect
on the logarithmic scale, and at most a factor of 1.25 to each side."""


def _claim(
    rule: Rule, low: float | None, high: float | None, words: str, margin: float | None = 0.05, kind: str = ""
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


def metric(true_ratio: float, rule: str, outcome: Outcome) -> str:
    """Name of the metric that counts a verdict: as stored runs have it, whatever readers call the verdict now."""
    name = "no_effect_(within_5_%)" if outcome is Outcome.NO_EFFECT else outcome.name.lower()
    return f"{effect_name(true_ratio)}_{rule}_{name}"


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
        said = zip(OUTCOMES[:4], (helps, True, harms, lower <= true_ratio <= upper), strict=True)
        return {each for each, true in said if not true}
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

    The effect multiplies the A/A arm. A verdict is open where a block lies far out, as if an arm stalled, and the
    median block says otherwise. Raises BenchbookError when ``claims.judge`` says otherwise of the first run.
    """
    metrics: Metrics = {}
    far = np.asarray(stalled(np.log(np.asarray(world.again / world.base))))
    for true_ratio in parameters.effects:
        name, changed = effect_name(true_ratio), (world.again * true_ratio).view(Rows)
        wide = Ends.of(statistics.ratio(changed, world.base))
        both = (*wide, *Ends.of(statistics.equivalence(changed, world.base)))
        medians: tuple[NDArray[np.float64], ...] = ()
        if far.any():
            for confidence in (0.95, TOST_CONFIDENCE):
                found = statistics.median_ratio(changed[far], world.base[far], confidence=confidence)
                medians = (*medians, *Ends.of(found))
        metrics[f"{name}_runs"] = float(len(world.base))
        metrics[f"{name}_above_1"] = float((wide.low > 1).sum())
        metrics[f"{name}_below_1"] = float((wide.high < 1).sum())
        for rule, claim in CLAIMS.items():
            codes = _coded(rule, *both)
            if medians:
                codes[far] = np.where(_coded(rule, *medians) == codes[far], codes[far], OPEN)
            _check(claim, world, true_ratio, OUTCOMES[codes[0]])
            counts = np.bincount(codes, minlength=len(OUTCOMES))
            metrics |= {metric(true_ratio, rule, each): float(counts[place]) for place, each in enumerate(OUTCOMES)}
    return metrics


def _coded(rule: str, *ends: NDArray[np.float64]) -> NDArray[np.int8]:
    """The outcomes of many intervals, at 95 % and at 90 %, as places in OUTCOMES."""
    asked = region_of(rule)
    every = zip(*(each.tolist() for each in ends), strict=True)
    return np.array([OUTCOMES.index(asked.outcome(*each)) for each in every], dtype=np.int8)


def _check(claim: Claim, world: World, true_ratio: float, found: Outcome) -> None:
    above, below = world.again[0] * true_ratio, world.base[0]
    own = judge(claim, statistics.ratio(above, below), statistics.equivalence(above, below)).outcome
    own = Outcome.INCONCLUSIVE if own is Outcome.DESIGN else own  # open too, and no number of blocks would decide it
    if own is not found:
        raise BenchbookError(
            f"the simulated verdict by {claim.rule} is {found}, the book's own is {own}",
            "mend simulation/decisions.py: the two must be equal",
        )
