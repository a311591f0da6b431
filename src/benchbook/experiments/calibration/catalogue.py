"""Every interval that is tried, under the name that its metrics have: what it is, what it promises, what became of it.

An interval of the book is one that a chapter may show; a wrong way is one that is often seen and that no chapter uses.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

TARGET_LOW, TARGET_HIGH = 0.93, 0.97
"""Where the measured coverage of a 95 % interval must lie for runs of six blocks or more (protocol, item 22)."""
SMALLEST = 6
"""Fewest blocks of a run in the published edition."""
LIMIT = 5.0
"""At most so many per cent of the verdicts on A/A data may be false."""


@dataclass(frozen=True)
class Tried:
    """One interval. nominal: the coverage that it promises. used: whether chapters show it.

    remark: how a coverage outside the target comes about, and what the book does about it; of an interval in use.
    """

    name: str
    label: str
    remark: str = ""
    nominal: float = 0.95
    used: bool = True

    @property
    def target(self) -> tuple[float, float]:
        """The coverage that is accepted: 93 to 97 % of a 95 % interval, as far to each side of another promise."""
        slack = self.nominal - (0.95 - TARGET_LOW), self.nominal + (TARGET_HIGH - 0.95)
        return round(slack[0], 4), round(slack[1], 4)


_SKEWED = (
    "One disturbed trial in ten pulls the mean of the logarithms to one side; runs that happen to have none miss the "
    "true value. Show the median beside it, and compare configurations within blocks."
)
_WIDE = (
    "Differences with a few extreme outliers make Student's interval wider than necessary: it errs on the safe side."
)
_STEPS = "An order-statistic interval can end only at a trial, so its coverage changes in steps and stays above 95 %."
_PICKED = "The pair is chosen on the same blocks that measure it, so its interval is wide enough for all pairs at once"

EFFECTS = (
    Tried("ratio", "ratio within blocks", _WIDE),
    Tried("ratio_unblocked", "ratio without blocks", _WIDE),
    Tried("difference", "difference within blocks", _WIDE),
    Tried(
        "shares_difference", "difference of hit ratios",
        "A disturbed trial changes a hit ratio near 1 less than a lower one, so the differences are skewed. Look at "
        "the individual trials before you believe a small difference.",
    ),
    Tried("equivalence", "90 % interval of equivalence", _WIDE, nominal=0.90),
    Tried(
        "many_to_one", "all ratios to a baseline at once",
        "Bonferroni's intervals share the baseline's trials, so together they cover a little more than required; if "
        "one setting has skewed trials, less.",
    ),
)  # fmt: skip
ESTIMATES = (
    Tried("geometric_mean", "P99 (geometric mean)", _SKEWED),
    Tried("throughput", "throughput (geometric mean)", _SKEWED),
    Tried("arithmetic_mean", "P99 (arithmetic mean)", _SKEWED),
    Tried("median", "P99 (median)", _STEPS),
    Tried("share", "hit ratio", _SKEWED),
    Tried(
        "share_few_misses", "hit ratio (hardly any misses)",
        "The mean logit of a few counted misses is nearly, but not exactly, the logit of the mean hit ratio, even with "
        "half a count added to both. For more precision, count the misses of all trials together.",
    ),
    Tried(
        "geometric_sd", "geometric standard deviation",
        "The chi-square interval holds only for normal logarithms; heavy tails make it too narrow, and more trials do "
        "not help.",
    ),
)  # fmt: skip
SHAPES = (
    Tried("dip", "mid-range dip", _WIDE),
    Tried(
        "cliff_location", "place of a cliff",
        "A set of settings covers more often than required if the cliff stands out from the noise.",
    ),
    Tried(
        "cliff_drop", "size of a cliff",
        f"{_PICKED}. If one pair stands out, this is more than necessary: it errs on the safe side.",
    ),
    Tried(
        "cliff_flat", "size of a cliff where there is none",
        f"{_PICKED}, and a little wider than necessary if trials have outliers.",
    ),
)  # fmt: skip
WITHIN = (
    Tried("wilson", "share of one trial"),
    Tried(
        "stationary", "mean of one trial's seconds",
        "With strong autocorrelation, a short trial has too few independent stretches to estimate its own spread. "
        "Shown only as “within this trial”, never as a result.",
    ),
)  # fmt: skip

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
    Tried("alone_median", "median ratio, one arm stalls", _STEPS),
)

ALL = {each.name: each for each in (*EFFECTS, *ESTIMATES, *SHAPES, *WITHIN, *WRONG, *WRONG_WITHIN, *ALONE)}
"""Every interval by name."""
