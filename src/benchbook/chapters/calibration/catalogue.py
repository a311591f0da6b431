"""Every interval that is tried, under the name that its metrics have: what it is, and what it promises.

An interval of the book is one that a chapter may show; a wrong way is one that is often seen and that no chapter uses.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from benchbook.model import Estimate

TARGET_LOW, TARGET_HIGH = 0.93, 0.97
"""Where the measured coverage of a 95 % interval must lie for runs of six blocks or more (protocol, item 22)."""
SMALLEST = 6
"""Fewest blocks of a run in the published edition."""
LIMIT = 5.0
"""At most so many per cent of the verdicts on A/A data may be false."""


class Tried(NamedTuple):
    """One interval. nominal: the coverage that it promises. used: whether chapters show it.

    reason: how a coverage outside the target comes about, by the name that page.md has for it; of an interval in use.
    """

    name: str
    label: str
    reason: str = ""
    nominal: float = 0.95
    used: bool = True

    @property
    def target(self) -> tuple[float, float]:
        """The coverage that is accepted: 93 to 97 % of a 95 % interval, as far to each side of another promise."""
        return round(self.nominal - (0.95 - TARGET_LOW), 4), round(self.nominal + (TARGET_HIGH - 0.95), 4)

    def finding(self, coverage: Estimate) -> str:
        """Whether a coverage lies in its target: "as promised", "too seldom", "too often", or "undecided".

        Undecided: the simulation interval reaches over an edge of the target; more repetitions would tell.
        """
        low, high = self.target
        if coverage.high < low:
            return "too seldom"
        if coverage.low > high:
            return "too often"
        return "as promised" if low <= coverage.low and coverage.high <= high else "undecided"


EFFECTS = (
    Tried("ratio", "ratio within blocks", "wide"),
    Tried("ratio_unblocked", "ratio without blocks", "wide"),
    Tried("difference", "difference within blocks", "wide"),
    Tried("shares_difference", "difference of hit ratios", "near one"),
    Tried("equivalence", "90 % interval of equivalence", "wide", nominal=0.90),
    Tried("many_to_one", "all ratios to a baseline at once", "baseline shared"),
)
ESTIMATES = (
    Tried("geometric_mean", "P99 (geometric mean)", "skewed"),
    Tried("throughput", "throughput (geometric mean)", "skewed"),
    Tried("arithmetic_mean", "P99 (arithmetic mean)", "skewed"),
    Tried("median", "P99 (median)", "steps"),
    Tried("share", "hit ratio", "skewed"),
    Tried("share_few_misses", "hit ratio (hardly any misses)", "few counted"),
    Tried("geometric_sd", "geometric standard deviation", "heavy tails"),
)
SHAPES = (
    Tried("dip", "mid-range dip", "wide"),
    Tried("cliff_location", "place of a cliff", "a set"),
    Tried("cliff_drop", "size of a cliff", "picked"),
    Tried("cliff_flat", "size of a cliff where there is none", "picked from noise"),
)
WITHIN = (Tried("wilson", "share of one trial"), Tried("stationary", "mean of one trial's seconds", "autocorrelated"))

_wrong = partial(Tried, used=False)
WRONG = (
    # requests, or seconds, are counted as if each were a run of its own
    _wrong("pooled_requests", "P99 of all requests pooled"),
    _wrong("pooled_seconds", "mean of all seconds pooled"),
    # resamples of few blocks spread less than the blocks do
    _wrong("bca", "ratio by BCa bootstrap of the blocks"),
    _wrong("percentile", "ratio by percentile bootstrap of the blocks"),
    # the blocks are left in the error, or all spreads are taken for equal
    _wrong("dunnett", "all ratios at once by Dunnett's test"),
    _wrong("dunnett_centred", "all ratios by Dunnett's test, blocks taken out"),
)
WRONG_WITHIN = (_wrong("independent_seconds", "mean of one trial's seconds (taken as independent)"),)
ALONE = (
    # runs that happen to hold no stall miss the mean over all blocks; no few blocks can know it
    _wrong("alone_ratio", "mean ratio, one arm stalls"),
    # a sign flip takes the logarithms to be spread evenly to both sides, and here they are not
    _wrong("alone_flips", "mean ratio by sign flips, one arm stalls"),
    Tried("alone_median", "median ratio, one arm stalls", "steps"),
)

ALL = {each.name: each for each in (*EFFECTS, *ESTIMATES, *SHAPES, *WITHIN, *WRONG, *WRONG_WITHIN, *ALONE)}
"""Every interval by name."""
BY_FIGURE = {
    "effects": EFFECTS, "estimates": ESTIMATES, "shapes": SHAPES, "wrong_ways": WRONG,
    "within": (*WITHIN, *WRONG_WITHIN), "alone_mean": ALONE[:2], "alone_median": ALONE[2:],
}  # fmt: skip
"""The intervals of each figure of coverage; those of one arm that stalls by what they are about."""
