"""Every interval that is tried, under the name that its metrics have: what it is, what it promises, what became of it.

An interval of the book is one that a chapter may show; a wrong way is one that is often seen and that no chapter uses.
"""

from __future__ import annotations

from dataclasses import dataclass

TARGET_LOW, TARGET_HIGH = 0.93, 0.97
"""Where the measured coverage of a 95 % interval must lie for runs of six blocks or more (protocol, item 22)."""
SMALLEST = 6
"""Fewest blocks of a run in the published edition."""


@dataclass(frozen=True)
class Tried:
    """One interval. nominal: the coverage that it promises. used: whether chapters show it.

    source: the function of the book, or the wrong way in words. remark: how a coverage outside the target comes about,
    and what the book does about it.
    """

    name: str
    label: str
    source: str
    nominal: float = 0.95
    used: bool = True
    remark: str = ""

    @property
    def target(self) -> tuple[float, float]:
        """The coverage that is accepted: 93 to 97 % of a 95 % interval, as far to each side of another promise."""
        slack = self.nominal - (0.95 - TARGET_LOW), self.nominal + (TARGET_HIGH - 0.95)
        return round(slack[0], 4), round(slack[1], 4)


_SKEWED = (
    "One disturbed trial in ten pulls the mean of the logarithms to one side; runs that happen to have none miss it. "
    "Show the median beside it, and compare configurations within blocks."
)
_WIDE = "Differences with a few far outliers make Student's interval wider than it need be: it errs on the safe side."
_STEPS = "An order-statistic interval can only end at a trial, so its coverage moves in steps and stays above 95 %."

EFFECTS = (
    Tried("ratio", "ratio within blocks", "statistics.ratio", remark=_WIDE),
    Tried(
        "ratio_unblocked", "ratio without blocks", "statistics.ratio_unblocked",
        remark=_WIDE,
    ),
    Tried("difference", "difference within blocks", "statistics.difference", remark=_WIDE),
    Tried(
        "shares_difference", "difference of hit ratios", "statistics.shares_difference",
        remark="A disturbed trial moves a hit ratio near 1 less than a lower one, so the differences lean to one side. "
        "Look at the trials one by one before a small difference is believed.",
    ),
    Tried("equivalence", "90 % interval of equivalence", "statistics.equivalence", nominal=0.90, remark=_WIDE),
    Tried(
        "many_to_one", "all ratios to a baseline at once", "statistics.many_to_one",
        remark="Bonferroni's intervals share the baseline's trials, so together they cover a little more than asked; "
        "with a setting whose trials lean to one side, less.",
    ),
)  # fmt: skip
ESTIMATES = (
    Tried("geometric_mean", "P99 (geometric mean)", "statistics.geometric_mean", remark=_SKEWED),
    Tried("throughput", "throughput (geometric mean)", "statistics.geometric_mean", remark=_SKEWED),
    Tried("arithmetic_mean", "P99 (arithmetic mean)", "statistics.arithmetic_mean", remark=_SKEWED),
    Tried("median", "P99 (median)", "statistics.median", remark=_STEPS),
    Tried("share", "hit ratio", "statistics.share", remark=_SKEWED),
    Tried(
        "share_few_misses", "hit ratio (hardly any misses)", "statistics.share",
        remark="The mean logit of a few counted misses is nearly, not quite, the logit of the mean hit ratio, even "
        "with half a count added to both. Count the misses of all trials together where more is asked.",
    ),
    Tried(
        "geometric_sd", "geometric standard deviation", "statistics.geometric_sd",
        remark="The chi-square interval holds for normal logarithms only; heavy tails make it too narrow, "
        "and more trials do not mend that.",
    ),
)  # fmt: skip
SHAPES = (
    Tried("dip", "mid-range dip", "statistics.dip", remark=_WIDE),
    Tried(
        "cliff_location", "place of a cliff", "statistics.cliff",
        remark="A set of settings covers more often than asked where the cliff stands out from the noise.",
    ),
    Tried(
        "cliff_drop", "size of a cliff", "statistics.cliff",
        remark="The pair is picked on the same blocks that measure it, so its interval is wide enough for all pairs at "
        "once. Where one pair stands out, that is more than was needed: it errs on the safe side.",
    ),
    Tried(
        "cliff_flat", "size of a cliff where there is none", "statistics.cliff",
        remark="The pair is picked on the same blocks that measure it, so its interval is wide enough for all pairs at "
        "once, and a little wider than need be where trials have outliers.",
    ),
)  # fmt: skip
WITHIN = (
    Tried("wilson", "share of one trial", "statistics.wilson"),
    Tried(
        "stationary", "mean of one trial's seconds", "statistics.stationary_mean",
        remark="With a strong autocorrelation a short trial holds too few independent stretches to tell its own "
        "spread. Shown only as “within this trial”, never as a result.",
    ),
)  # fmt: skip
WRONG = (
    Tried(
        "pooled_requests", "P99 of all requests pooled", "order statistics of all requests", used=False,
        remark="It counts requests as if each were a run of its own.",
    ),
    Tried(
        "pooled_seconds", "mean of all seconds pooled", "Student t on the seconds of all trials", used=False,
        remark="It counts seconds as if each were a run of its own.",
    ),
    Tried(
        "bca", "ratio by BCa bootstrap of the blocks", "scipy.stats.bootstrap(method='BCa')", used=False,
        remark="Resamples of few blocks spread less than the blocks do.",
    ),
    Tried(
        "percentile", "ratio by percentile bootstrap of the blocks", "scipy.stats.bootstrap(method='percentile')",
        used=False, remark="Resamples of few blocks spread less than the blocks do.",
    ),
    Tried(
        "dunnett", "all ratios at once by Dunnett's test", "scipy.stats.dunnett on logarithms", used=False,
        remark="It leaves the blocks in the error and takes all spreads for equal.",
    ),
    Tried(
        "dunnett_centred", "all ratios by Dunnett's test, blocks taken out",
        "scipy.stats.dunnett on centred logarithms",
        used=False, remark="It takes all spreads for equal.",
    ),
)  # fmt: skip
WRONG_WITHIN = (
    Tried(
        "independent_seconds", "mean of one trial's seconds (taken as independent)", "Student t on seconds", used=False,
        remark="Successive seconds repeat each other.",
    ),
)  # fmt: skip

ALONE = (
    Tried(
        "alone_ratio", "mean ratio, one arm stalls", "statistics.ratio", used=False,
        remark="Runs that happen to hold no stall miss the mean over all blocks; no few blocks can know it.",
    ),
    Tried(
        "alone_flips", "mean ratio by sign flips, one arm stalls", "order statistics of subset means", used=False,
        remark="A sign flip takes the logarithms to be spread evenly to both sides, and here they are not.",
    ),
    Tried("alone_median", "median ratio, one arm stalls", "statistics.median_ratio", remark=_STEPS),
)  # fmt: skip

ALL = {each.name: each for each in (*EFFECTS, *ESTIMATES, *SHAPES, *WITHIN, *WRONG, *WRONG_WITHIN, *ALONE)}
"""Every interval by name."""
