"""What a run holds of each pool: which is the base of the doubling, whether memory was bounded, the best of a range."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import numpy as np
import scipy

from benchbook.experiments.families.features import metric_words, summary
from benchbook.experiments.families.features.summary import REQUESTS
from benchbook.experiments.feature_buffers.arms import BAND_PERCENT, DISJOINT, MIX, Parameters, percent_of, pool_name
from benchbook.experiments.feature_buffers.setting import NOTE_SHARE
from benchbook.experiments.shape.metrics import Metric, Metrics
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.figures.numbers import with_interval
from benchbook.model import Estimate
from benchbook.statistics import Gate, intervals
from benchbook.statistics.inputs import checked_grid, checked_sessions

P99, MIB = "p99_ns", 2**20
NOTE_HIT_RATIO = 0.44
NOTE_BEFORE = 8 / 64, 16 / 64
"""The note takes its present pool for 8 to 16 GB, of 64 GB of memory."""
ALIKE = 1.02
"""Amounts of cached data within 2 % are told as the same."""
RESAMPLES, SEED = 10_000, 0
RESAMPLED = "bootstrap of blocks, with a minimum in each resample"
Arm = Callable[["Summary"], str]


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
    "blocks_per_request": metric_words.METRICS["blocks_per_request"],
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

    def used(self, arm: str) -> float:
        """Share in % of a pool that the data take at the end."""
        return 100 * self.mean(arm, "in_pool_bytes") / self.mean(arm, "pool_bytes")

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


def base(keys: str) -> Arm:
    """The configuration of a mix of keys whose pool is the base of the doubling."""
    return lambda summary: pool_name(keys, summary.base)


def doubled(keys: str) -> Arm:
    """The same with twice that pool."""
    return lambda summary: pool_name(keys, 2 * summary.base)


def at(keys: str, times: int = 1) -> Arm:
    """The configuration with the largest pool whose double was measured, or so many times that pool."""
    return lambda summary: pool_name(keys, times * summary.parameters.base_percent)


def band(summary: Summary) -> list[str]:
    """The 80/20 configurations whose pool lies in the note's band."""
    low, high = BAND_PERCENT
    found = [pool_name(MIX, each) for each in summary.sweep(MIX) if low <= each <= high]
    if not found:
        raise NotEstimableError(f"no pool of {low} to {high} % of the memory was measured", "give mix_pools_percent")
    return found


def smallest_mix(summary: Summary) -> str:
    """The 80/20 configuration with the smallest pool."""
    return pool_name(MIX, summary.sweep(MIX)[0])


def largest_mix(summary: Summary) -> str:
    """The 80/20 configuration with the largest pool."""
    return pool_name(MIX, summary.sweep(MIX)[-1])


def best_of_band(summary: Summary, confidence: float) -> Estimate:
    """Lowest P99 of the note's band over the lowest of the sweep, each minimum found anew in every resample."""
    inside = band(summary)
    every = [pool_name(MIX, each) for each in summary.sweep(MIX)]
    grid = np.stack([summary.values(arm, P99) for arm in every], axis=1)
    picked = np.array([arm in inside for arm in every])
    return best_over_best(grid, picked, confidence=confidence, sessions=summary.sessions)


def best_over_best(values: np.ndarray, picked: np.ndarray, *, confidence: float, sessions: np.ndarray) -> Estimate:
    """Lowest geometric mean among the picked settings over the lowest of all, with an interval from resampled blocks.

    values: one per trial, shape (blocks, settings), > 0. picked: bool, shape (settings,). sessions: of each block; from
    four on their means are resampled. The percentiles are moved out as far as a Student interval of as many blocks is
    wider than a normal one without the correction of the variance (Hesterberg 2015, expanded percentile interval).
    """
    rows = np.log(checked_grid(values, names=("blocks", "settings")))
    labels = checked_sessions(sessions, len(rows))
    if labels is not None:
        rows = np.stack([intervals.session_means(column, labels) for column in rows.T], axis=1)
    n = len(rows)
    if n < 2:
        raise NotEstimableError("one block cannot be resampled", "measure more blocks")

    def reached(means: np.ndarray) -> np.ndarray:
        return np.asarray(means[..., picked].min(axis=-1) - means.min(axis=-1))

    drawn = np.random.default_rng(SEED).integers(0, n, (RESAMPLES, n))
    tail = float(scipy.stats.norm.cdf(-intervals.critical(n, confidence) * math.sqrt(n / (n - 1))))
    ends = np.quantile(reached(rows[drawn].mean(axis=1)), [tail, 1 - tail])
    point, low, high = (float(np.exp(each)) for each in (reached(rows.mean(axis=0)), *ends))
    return Estimate(point, min(point, low), max(point, high), n, RESAMPLED, confidence)


def hit(summary: Summary, size: int) -> Estimate:
    """The heap hit ratio under 80/20 with a pool of so many percent of the memory."""
    return summary.share(pool_name(MIX, size), "heap_hit_ratio", "heap_blocks")


def hits(summary: Summary, sizes: Iterable[int]) -> list[dict[str, Any]]:
    """The same of several pools."""
    return [{"percent": each, "hits": with_interval(hit(summary, each), 100)} for each in sizes]


def in_band(summary: Summary) -> list[int]:
    """The sizes in the note's band."""
    return [percent_of(summary.configurations[arm].settings) for arm in band(summary)]


def noted(summary: Summary) -> dict[str, Any]:
    """The heap hit ratios of the pools nearest to the note's own step."""
    low, high = (100 * share for share in NOTE_BEFORE)
    before = [each for each in summary.sweep(MIX) if low - 1 <= each <= high]
    after = min(summary.sweep(MIX), key=lambda each: abs(each - 100 * NOTE_SHARE))
    if not before or after in before:
        raise NotEstimableError("no pool of the note's size was measured", "give mix_pools_percent")
    return {"before": hits(summary, before), "after": hits(summary, [after])[0]}


def cached(summary: Summary) -> dict[str, Any]:
    """The sizes that cache least and most of the data, whether all cache as much, and which holds most of it twice."""
    found = {each: summary.mean(pool_name(DISJOINT, each), "cached_bytes") for each in summary.sweep(DISJOINT)}
    least, most = (end(found, key=lambda each: found[each]) for end in (min, max))
    twice = {each: summary.mean(pool_name(DISJOINT, each), "in_both_bytes") / MIB for each in found}
    worst = max(twice, key=lambda each: twice[each])
    alike = found[most] < ALIKE * found[least]
    return {"least": least, "most": most, "alike": alike, "worst": worst, "worst_mib": twice[worst]}


def tails(end: Callable[..., int]) -> Callable[[Summary], dict[str, Any]]:
    """The size with the lowest or highest tail under 80/20. end: min or max."""

    def found(summary: Summary) -> dict[str, Any]:
        ms = {each: summary.latency(pool_name(MIX, each), summary.tail).point for each in summary.sweep(MIX)}
        size = end(ms, key=lambda each: ms[each])
        return {"percent": size, "ms": f"{ms[size]:.3g}"}

    return found
