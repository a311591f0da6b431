"""What a run holds of each pool: the base of the doubling, the best of a range, and why a cause did not act."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import ClassVar

import numpy as np

from benchbook.chapters.feature_buffers.arms import BAND_PERCENT, DISJOINT, MIX, Parameters, pool_name
from benchbook.measuring.features import metric_words, summary, treatment
from benchbook.measuring.features.summary import REQUESTS
from benchbook.model import Estimate
from benchbook.numbers.metrics import Metric, Metrics
from benchbook.numbers.summary import NotEstimableError
from benchbook.statistics import Gate, intervals, laws
from benchbook.statistics.inputs import checked_grid, checked_visits

P99, MIB, BLOCK_BYTES = "p99_ns", 2**20, 8192
NOTE_HIT_RATIO = 0.44
COMPARABLE = (0.34, 0.54)
"""Beyond these the base is too far from the note's to be compared with it."""
FULL = 0.95
"""A pool is full when the data take so much of it."""
RESAMPLES, SEED = 10_000, 0
RESAMPLED = "bootstrap of blocks, with a minimum in each resample"
Arm = Callable[["Summary"], str]
Words = Callable[["Summary"], str]


def _mib(words: str) -> Metric:
    return Metric(words, "MiB", 1 / MIB)


METRICS: Metrics = {
    **metric_words.METRICS,
    "heap_hit_ratio": Metric("heap hit ratio", "%", 100, format="{:.1f}".format),
    "hit_ratio": Metric("hit ratio of heaps and indexes", "%", 100, format="{:.1f}".format),
    "heap_blocks": Metric("number of heap blocks that the measured requests touched"),
    "in_pool_only_bytes": _mib("data in shared buffers alone"),
    "in_os_cache_only_bytes": _mib("data in the OS page cache alone"),
    "in_both_bytes": _mib("data in both caches"),
    "in_pool_bytes": _mib("data in shared buffers"),
    "cached_bytes": _mib("distinct data in either cache"),
    "pool_bytes": _mib("size of shared buffers"),
    "ram_bytes": _mib("memory that server and page cache may use"),
    "memory_used_bytes": _mib("memory that they used at the end"),
    "killed_processes": Metric("number of processes that the kernel ended for want of memory"),
    "data_in_pool_at_start": Metric("share of the data in shared buffers at the start", "%", 100),
    "data_in_os_cache_at_start": Metric("share of the data in the OS page cache at the start", "%", 100),
    "data_in_os_cache_at_end": Metric("share of the data in the OS page cache at the end", "%", 100),
    "needed_in_pool_at_end": Metric("share of the needed pages in shared buffers at the end", "%", 100),
    "io_reads_per_request": Metric("number of reads that the server asked for per request", format="{:,.2f}".format),
}


class Summary(summary.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS: ClassVar[Metrics] = METRICS

    @property
    def base(self) -> int:
        """Of the pools whose double was measured too, that whose heap hit ratio lies nearest to the note's 0.44."""

        def find() -> int:
            ratios = {
                each: self.mean(pool_name(DISJOINT, each), "heap_hit_ratio")
                for each in self.parameters.doubled_percents
                if self.has(pool_name(DISJOINT, each), "heap_hit_ratio")
            }
            if not ratios:
                raise NotEstimableError("no pool was measured together with its double", "measure again")
            return min(ratios, key=lambda each: abs(ratios[each] - NOTE_HIT_RATIO))

        return self.once("base", find)

    def sweep(self, keys: str) -> list[int]:
        """The pools of a mix of keys in % of the memory, from small to large."""
        return sorted(self.parameters.pools_percent) if keys == DISJOINT else [*self.parameters.mix_percents]

    @property
    def swept(self) -> list[str]:
        """The configurations of both sweeps, in the order of the figures."""
        return [pool_name(keys, each) for keys in (DISJOINT, MIX) for each in self.sweep(keys)]

    @property
    def ram_bytes(self) -> float:
        """What server and page cache may use together."""
        return float(self.run.provenance["ram_bytes"])

    @property
    def unbounded(self) -> int:
        """Trials whose memory nothing bounded."""
        trials = self.run.trials
        if "memory" not in trials:
            return len(trials)
        return int((~trials["memory"].fillna("").str.startswith("bounded")).sum())

    def killed(self, arms: Iterable[str]) -> Gate:
        """Whether the memory was enough for the server's processes in every trial of these configurations."""
        rows = self.of(arms)
        lost = int(rows["killed_processes"].fillna(0).gt(0).sum()) if "killed_processes" in rows else 0
        return Gate("enough memory", lost == 0, float(lost), f"the kernel ended processes in {lost} trials")

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        p = self.parameters
        found = {
            f"{p.measured_requests:,} measured requests per trial instead of {REQUESTS:,}": (
                p.measured_requests < REQUESTS
            ),
            "memory that nothing bounds": self.unbounded > 0,
            "data that fits into the memory": self.ram_bytes >= self.data_bytes,
            "reads past the OS page cache": bool(self.run.provenance.get("direct_io")),
        }
        said = [text for text, departs in found.items() if departs]
        return said + super(summary.Summary, self).departures()


def base(keys: str, times: int = 1) -> Arm:
    """The configuration of a mix of keys whose pool is the base of the doubling, or so many times that pool."""
    return lambda summary: pool_name(keys, times * summary.base)


def at(keys: str, times: int = 1) -> Arm:
    """The configuration with the largest pool whose double was measured, or so many times that pool."""
    return lambda summary: pool_name(keys, times * summary.parameters.base_percent)


def of_mix(place: int) -> Arm:
    """The 80/20 configuration with the smallest pool (0) or the largest (-1)."""
    return lambda summary: pool_name(MIX, summary.sweep(MIX)[place])


def in_band(summary: Summary) -> list[int]:
    """The sizes of the 80/20 configurations that lie in the note's band."""
    low, high = BAND_PERCENT
    found = [each for each in summary.sweep(MIX) if low <= each <= high]
    if not found:
        raise NotEstimableError(f"no pool of {low} to {high} % of the memory was measured", "give mix_pools_percent")
    return found


def best_of_band(summary: Summary) -> Estimate:
    """Lowest P99 of the note's band over the lowest of the sweep, each minimum found anew in every resample."""
    inside, every = in_band(summary), summary.sweep(MIX)
    grid = np.stack([summary.values(pool_name(MIX, each), P99) for each in every], axis=1)
    picked = np.array([each in inside for each in every])
    return summary.estimated(best_over_best, grid, picked)


def best_over_best(values: np.ndarray, picked: np.ndarray, *, confidence: float, visits: np.ndarray) -> Estimate:
    """Lowest geometric mean among the picked settings over the lowest of all, with an interval from resampled blocks.

    values: one per trial, shape (blocks, settings), > 0. picked: bool, shape (settings,). visits: of each block; from
    four on their means are resampled. The percentiles are moved out as far as a Student interval of as many blocks is
    wider than a normal one without the correction of the variance (Hesterberg 2015, expanded percentile interval).
    """
    rows = np.log(checked_grid(values, names=("blocks", "settings")))
    labels = checked_visits(visits, len(rows))
    if labels is not None:
        rows = np.stack([intervals.visit_means(column, labels) for column in rows.T], axis=1)
    n = len(rows)
    if n < 2:
        raise NotEstimableError("one block cannot be resampled", "measure more blocks")

    def reached(means: np.ndarray) -> np.ndarray:
        return np.asarray(means[..., picked].min(axis=-1) - means.min(axis=-1))

    drawn = np.random.default_rng(SEED).integers(0, n, (RESAMPLES, n))
    tail = laws.normal_below(-intervals.critical(n, confidence) * math.sqrt(n / (n - 1)))
    ends = np.quantile(reached(rows[drawn].mean(axis=1)), [tail, 1 - tail])
    point, low, high = (float(np.exp(each)) for each in (reached(rows.mean(axis=0)), *ends))
    return Estimate(point, min(point, low), max(point, high), n, RESAMPLED, confidence)


def same_reads(more: Arm, less: Arm) -> Words:
    """Why two pools did the same work: one missed hardly more blocks than the other."""
    return lambda summary: treatment.same_reads(more(summary), less(summary))(summary)


def not_full(summary: Summary) -> str:
    """Why the base pool left out nothing: it had room left in one trial."""
    arm = base(DISJOINT)(summary)
    used = summary.values(arm, "in_pool_bytes") / summary.values(arm, "pool_bytes")
    if used.min() >= FULL:
        return ""
    return f"in one block the data took {used.min():.0%} of the base pool, so a larger one had nothing to add"


def every(*reasons: Words) -> Words:
    """All of them, joined; "" where none holds."""
    return lambda summary: "; ".join(filter(None, (why(summary) for why in reasons)))


def far_from_note(summary: Summary) -> str:
    """That the base's heap hit ratio is too far from the note's to be compared."""
    ratio = summary.mean(base(DISJOINT)(summary), "heap_hit_ratio")
    low, high = COMPARABLE
    if low <= ratio <= high:
        return ""
    return (
        f"the base's heap hit ratio is {ratio:.2f}, too far from the note's {NOTE_HIT_RATIO:g} to be compared "
        f"({low:g} to {high:g})"
    )


def free_memory(summary: Summary) -> str:
    """That nothing bounded the memory, so that a larger pool took nothing from the page cache."""
    free = summary.unbounded
    return f"memory was not bounded in {free} of {len(summary.run.trials)} trials" if free else ""


def no_page_cache(summary: Summary) -> str:
    """That reads went past the OS page cache."""
    return "reads went past the OS page cache" if summary.run.provenance.get("direct_io") else ""


def data_fits(summary: Summary) -> str:
    """That the data are no larger than the memory."""
    if summary.ram_bytes < summary.data_bytes:
        return ""
    share = summary.data_bytes / summary.ram_bytes
    return f"the data take {share:.0%} of the memory, and the claim asks for more than all of it"


def large_enough(summary: Summary) -> str:
    """That the base pool holds all pages that the 80/20 requests need."""
    arm = base(MIX)(summary)
    needed = summary.values(arm, "needed_pages") * BLOCK_BYTES
    pool = summary.values(arm, "pool_bytes")
    if (pool < needed).all():
        return ""
    return f"the base pool of {pool.max() / MIB:,.0f} MiB holds all {needed.min() / MIB:,.0f} MiB that are needed"
