"""What a run of this chapter says of its keys and their pages: which were cached, read, and read again."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Unpack

import numpy as np

from benchbook import statistics
from benchbook.claims import Quantity
from benchbook.experiments.families.features import summary
from benchbook.experiments.families.features.arms import hot_share
from benchbook.experiments.families.features.parameters import PAGE_BYTES
from benchbook.experiments.families.features.treatment import cheap_reads, first_of, same_reads
from benchbook.experiments.hot_cold_keys.arms import BASELINE, BY_CHANCE, DISJOINT, EMPTY, Parameters
from benchbook.experiments.shape.estimands import Estimand, Ground, ratio, share
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.model import Estimate
from benchbook.workloads import zipf_weights

POOL_TIMES_WARMED = 4
"""L010 asks for a pool of at least four times the pages that the warm-up touches."""
POOL_PAGES_PER_MIB = 128
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


disjoint_read, chance_read = same_reads(DISJOINT, BASELINE), same_reads(BY_CHANCE, BASELINE)
_disjoint_slow = first_of(disjoint_read, cheap_reads(DISJOINT, BASELINE))
_chance_slow = first_of(chance_read, cheap_reads(BY_CHANCE, BASELINE))


class Summary(summary.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    @property
    def reading(self) -> list[str]:
        """The configurations that read tables, on this machine's own storage."""
        return [arm for arm in self.plain if arm != EMPTY]

    @property
    def rungs(self) -> list[str]:
        """The shares of warmed keys but one: they have a figure of their own, and stand in the tables of the others."""
        return [hot_share(int(share)) for share in self.parameters.hot_shares_percent if int(share) != 80]

    @property
    def drawn(self) -> list[str]:
        """The configurations that read tables and are drawn everywhere."""
        return [arm for arm in self.reading if arm not in self.rungs]

    def course(self, arm: str) -> dict[int, float]:
        """Hit ratio in % of each counter window of a trial, by the request at which it ends."""
        found = (re.fullmatch(r"hit_ratio_until_(\d+)", column) for column in self.run.trials.columns)
        ends = sorted(int(match.group(1)) for match in found if match)
        names = {end: f"hit_ratio_until_{end}" for end in ends}
        return {end: 100 * self.mean(arm, name) for end, name in names.items() if self.has(arm, name)}


def rereads(summary: Summary, confidence: float) -> Estimate:
    """Share of the blocks read for the first 1,000 disjoint requests that had been read before in the trial."""
    pool_pages = summary.parameters.shared_buffers_mib * POOL_PAGES_PER_MIB
    if pool_pages < POOL_TIMES_WARMED * summary.values(DISJOINT, "warmed_pages").max():
        raise NotEstimableError(
            "the pool is smaller than four times the pages that the warm-up touched: our own setting would cause "
            "re-reads",
            "raise shared_buffers_mib",
        )
    return summary.share(DISJOINT, "reread_share", "note_reads", confidence=confidence)


def spread_of_minimum(summary: Summary, confidence: float) -> Estimate:
    """Factor between the minima of trials with keys by chance."""
    return statistics.geometric_sd(summary.values(BY_CHANCE, "note_min_ns"), confidence=confidence)


def read_again(summary: Summary) -> dict[str, float]:
    """The least share in % of reads in whole trials that must have been repeated, of all trials least and most.

    More blocks were read than were absent.
    """
    reads = summary.values(DISJOINT, "pool_misses_per_request") * summary.values(DISJOINT, "requests")
    absent = summary.values(DISJOINT, "needed_pages") * (1 - summary.values(DISJOINT, "needed_in_pool_at_start"))
    again = 100 * np.maximum(0.0, 1 - absent / reads)
    return {"least": float(again.min()), "most": float(again.max())}


def mib(pages: str) -> Callable[[Summary], float]:
    """How much some pages of the disjoint configuration are, on average over trials."""
    return lambda summary: summary.mean(DISJOINT, pages) * PAGE_BYTES / 2**20


def percent_of(arm: str, metric: str) -> Callable[[Summary], float]:
    """Mean of a share over trials in %, which needs no interval."""
    return lambda summary: 100 * summary.mean(arm, metric)


def likely(share: float, together: int) -> str:
    """How likely so many pages are all cached, were each cached by itself, as a power of ten."""
    return "10" + f"{together * np.log10(share):.0f}".translate(SUPERSCRIPT)


def windows(summary: Summary) -> dict[str, str]:
    """The least and the largest median in ms of successive requests of the baseline."""
    found = summary.window_medians(BASELINE) / 1e6
    return {"least": f"{found.min():.2g}", "most": f"{found.max():.2g}"}


def late(summary: Summary, level_ms: float = 200.0) -> dict[str, int]:
    """How many requests were measured on this machine's own storage, and how many took longer than a level."""
    samples = summary.samples(summary.plain)["latency_ns"]
    return {"requests": len(samples), "late": int((samples > level_ms * 1e6).sum())}


def spread(metric: str, over: str, arm: str = DISJOINT) -> Estimand:
    """Ratio of two quantiles, or of a deviation and a quantile, of the latencies of a trial: how wide they spread."""
    return ratio(
        (arm, metric), (arm, over), quantity=Quantity.DISPERSION, bounded=True, idle=cheap_reads(arm, BASELINE)
    )


def with_fix(metric: str, *, slow: bool = False) -> Estimand:
    """Of the warmed keys over the disjoint ones, the note's mistake. slow: decided by storage like the note's alone."""
    return ratio(BASELINE, DISJOINT, metric, idle=_disjoint_slow if slow else disjoint_read)


def over_minimum(metric: str, *, slow: bool = True) -> Estimand:
    """Of the warmed keys over the fastest of 1,000 disjoint ones, which nobody chose by their pages. slow: as above."""
    return ratio((BASELINE, metric), (BY_CHANCE, "note_min_ns"), idle=_chance_slow if slow else chance_read)


def certified(arm: str, **ground: Unpack[Ground]) -> Estimand:
    return share(arm, "needed_in_pool_at_start", "needed_pages", **ground)


def fifths(summary: Summary) -> list[str]:
    """What share of the requests each Zipf distribution gives to the most requested fifth of the keys."""
    rows, exponents = summary.parameters.rows_per_table, summary.parameters.zipf_exponents
    if not exponents:
        raise NotEstimableError("there is no Zipf configuration", "give zipf_exponents")
    return [f"{zipf_weights(rows, each)[: rows // 5].sum():.0%} under Zipf {each:g}" for each in exponents]


def fastest(summary: Summary, arm: str) -> dict[str, str]:
    """Blocks that the fastest of the first requests read, and which share of them read none."""
    blocks, cached = summary.mean(arm, "note_min_reads"), summary.mean(arm, "note_cached_share")
    return {"blocks": f"{blocks:.3g}", "cached": f"{cached:.2%}"}
