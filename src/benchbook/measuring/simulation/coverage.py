"""How often each interval of the book covers in simulated runs with known truths, and how wide it is.

And intervals over visits that agree by luck, or differ: over means, over blocks, and the wider of both.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchbook import statistics
from benchbook.claims.rules import LEAST_VISITS
from benchbook.measuring.simulation.parameters import Parameters
from benchbook.measuring.simulation.visits import DESIGNS, SIDES, Mask, numbers
from benchbook.measuring.simulation.worlds import UNEQUAL, Array, Metrics, Truths, World, seconds
from benchbook.model import Effect, Estimate
from benchbook.statistics import AA_CONFIDENCE
from benchbook.statistics.estimates import MEDIAN_TRIALS
from benchbook.statistics.inputs import VISITS, Rows
from benchbook.statistics.intervals import Interval, student
from benchbook.statistics.visits import FIRST, SMALL

LINEAR = ("difference", "shares_difference", "arithmetic_mean", "share", "share_few_misses")
"""Intervals whose width is not that of the logarithms."""
WAYS = ("means", "blocks", "wider")
"""What is taken for the replicate."""
LEVEL_DESIGNS = {name: blocks for name, blocks in DESIGNS.items() if len(blocks) > 1 and len({*blocks}) == 1}
"""Visits that a level may be decided from."""
LUCKY = 0.5
"""Means of visits agree by luck where their interval is so much as wide as that of blocks, or less."""


class Ends(NamedTuple):
    """Low and high ends of intervals: shape (runs,), or (runs, comparisons) where all must cover."""

    low: Array
    high: Array

    @classmethod
    def of(cls, *found: Estimate) -> Ends:
        """Of an interval of ``Rows``, or of several that must hold together."""
        low, high = (np.stack([np.asarray(getattr(each, end)) for each in found], axis=-1) for end in cls._fields)
        return cls(low, high) if len(found) > 1 else cls(low[..., 0], high[..., 0])

    @classmethod
    def of_each(cls, found: Iterable[Estimate]) -> Ends:
        """Of one interval for each run."""
        low, high = np.array([(each.low, each.high) for each in found]).T
        return cls(low, high)

    def cover(self, truth: float | Array) -> NDArray[np.bool_]:
        """Whether each interval holds the truth; one that is missing (NaN) does not."""
        found: NDArray[np.bool_] = np.asarray((self.low <= truth) & (truth <= self.high))
        return found


def counted(name: str, ends: Ends, truth: float | Array, *, logs: bool = True) -> Metrics:
    """Metrics of one interval: runs, runs covered (all comparisons at once), mean width of those that are there."""
    covered = ends.cover(truth)
    together = np.asarray(covered.reshape(len(covered), -1).all(axis=1))
    width = np.log(ends.high / ends.low) if logs else ends.high - ends.low
    there = np.isfinite(width)
    return {
        f"{name}_runs": float(len(together)),
        f"{name}_covered": float(together.sum()),
        f"{name}_width": float(width[there].mean()) if there.any() else None,
    }


def tried(p: Parameters, w: World, true: Truths) -> Metrics:
    """For each interval the runs, how many covered, and the mean width; the median has none for few trials."""
    c, (hits, fewer, most) = p.page_requests, w.hits
    baseline, *others = np.moveaxis(w.sweep, 1, 0)
    unequal = np.ones(p.settings - 1)
    unequal[-1] = math.exp((UNEQUAL - 1) * true.throughput_log_mean)
    all_at_once = statistics.many_to_one(baseline, {str(place): each for place, each in enumerate(others)})
    found = {
        "ratio": (1.0, statistics.ratio(w.again, w.base)),
        "ratio_unblocked": (1.0, statistics.ratio_unblocked(w.again, w.elsewhere)),
        "difference": (0.0, statistics.difference(w.again, w.base)),
        "shares_difference": (true.shares_difference, statistics.shares_difference(hits, fewer, c)),
        "equivalence": (1.0, statistics.equivalence(w.again, w.base)),
        "geometric_mean": (math.exp(true.log_mean), statistics.geometric_mean(w.base)),
        "throughput": (math.exp(true.throughput_log_mean), statistics.geometric_mean(w.throughput)),
        "arithmetic_mean": (true.mean, statistics.arithmetic_mean(w.base)),
        "share": (true.share, statistics.share(hits, c)),
        "share_few_misses": (true.share_few_misses, statistics.share(most, c)),
        "geometric_sd": (math.exp(true.log_sd), statistics.geometric_sd(w.base)),
        "dip": (1.0, statistics.dip(*(w.flat[:, place] for place in range(3)))),
    }
    if w.base.shape[1] >= MEDIAN_TRIALS:
        found["median"] = true.median, statistics.median(w.base)
    metrics = counted("many_to_one", Ends.of(*all_at_once.values()), unequal)
    for name, (truth, estimate) in found.items():
        metrics |= counted(name, Ends.of(estimate), truth, logs=name not in LINEAR)
    return metrics


def within(p: Parameters, length: int, generator: np.random.Generator) -> Metrics:
    """Metrics of one batch of single trials of so many seconds, level 1: what is shown as "within this trial"."""
    series = seconds(p, (p.slow_repetitions, length), generator)
    hits, place = np.unique(generator.binomial(p.page_requests, p.hit_ratio, p.repetitions), return_inverse=True)
    wilson = Ends.of_each(statistics.wilson(int(each), p.page_requests) for each in hits)
    independent = seconds(p, (p.repetitions, length), generator).view(Rows)
    stationary = Ends.of_each(
        statistics.stationary_mean(one, resamples=p.resamples, seed=int(generator.integers(2**31))) for one in series
    )
    return {
        **counted("wilson", Ends(wilson.low[place], wilson.high[place]), p.hit_ratio, logs=False),
        **counted("stationary", stationary, 1.0, logs=False),
        **counted("independent_seconds", Ends.of(statistics.arithmetic_mean(independent)), 1.0, logs=False),
    }


def cliffs(p: Parameters, flat: Array, generator: np.random.Generator) -> Metrics:
    """Metrics of one batch: a cliff's place, its size, and its size where there is none.

    flat: throughput without any cliff, shape (runs, settings, blocks); the first slow_repetitions are used. The place
    covers when the planted pair is in the set; the size, when the interval holds the true ratio of the pair it names.
    """
    some = np.asarray(flat[: p.slow_repetitions])
    last, steep = p.settings // 2 - 1, some.copy()
    steep[:, last + 1 :] *= 1 - p.cliff_percent / 100
    found = [_cliff(p, values, generator) for values in steep]
    level = [_cliff(p, values, generator) for values in some]
    truths = np.array([1 - p.cliff_percent / 100 if place == last else 1.0 for place, _, _ in found])
    return {
        "cliff_location_runs": float(len(found)),
        "cliff_location_covered": float(sum(last in places for _, places, _ in found)),
        "cliff_location_width": float(np.mean([len(places) for _, places, _ in found])),
        **counted("cliff_drop", Ends.of_each(drop for _, _, drop in found), truths),
        **counted("cliff_flat", Ends.of_each(drop for _, _, drop in level), 1.0),
    }


def _cliff(p: Parameters, values: Array, generator: np.random.Generator) -> tuple[int, set[int], Effect]:
    """Index of the pair that is found, indices of its set, and its drop; values: shape (settings, blocks)."""
    settings, seed = np.arange(1.0, p.settings + 1), int(generator.integers(2**31))
    found = statistics.cliff(values.T, settings, resamples=p.resamples, seed=seed)
    return int(found.pair[0]) - 1, {int(pair[0]) - 1 for pair, _ in found.locations}, found.drop


def luck(p: Parameters, visit_sd: float, generator: np.random.Generator) -> Metrics:
    """Metrics of one batch of runs whose visits differ so much, by design; the A/A pair's visits do too.

    The log ratio of a block is the visit's own plus noise of its two trials.
    """
    shape = p.visit_repetitions, max(p.luck_visits), max(p.luck_blocks)
    own = visit_sd * generator.standard_normal((*shape[:2], 1))
    whole = own + math.sqrt(2) * p.luck_trial_sd * generator.standard_normal(shape)
    metrics: Metrics = {"luck_runs": float(len(whole))}
    for visits, blocks in product(p.luck_visits, p.luck_blocks):
        logs, name = whole[:, :visits, :blocks], f"visits_{visits}x{blocks}"
        usual, strict = by_replicate(logs, 0.95), by_replicate(logs, AA_CONFIDENCE)
        means, alone = (usual[way].high - usual[way].low for way in ("means", "blocks"))
        lucky = means <= LUCKY * alone
        metrics[f"{name}_lucky"] = float(lucky.sum())
        for way in WAYS:
            covered, wide = usual[way].cover(0.0), Ends(strict[way].low - SMALL, strict[way].high + SMALL)
            counts = {"covered": covered, "lucky_covered": covered & lucky, "alarms": ~wide.cover(0.0)}
            metrics |= {f"{name}_{way}_{count}": float(each.sum()) for count, each in counts.items()}
    return metrics


def by_replicate(logs: Array, confidence: float) -> dict[str, Ends]:
    """Intervals of the mean logarithm by what is taken for the replicate; logs: shape (runs, visits, blocks)."""
    blocks, labels = logs.reshape(len(logs), -1), np.repeat(range(logs.shape[1]), logs.shape[2])
    means, alone = student(logs.mean(axis=-1), confidence), student(blocks, confidence)
    wider = student(blocks, confidence, visits=labels)
    return dict(zip(WAYS, map(_ends, (means, alone, wider)), strict=True))


def _ends(found: Interval) -> Ends:
    return Ends(np.asarray(found.low), np.asarray(found.high))


def levels(p: Parameters, level_sd: float, generator: np.random.Generator) -> Metrics:
    """Metrics of one batch of levels that visits move so much: untrue verdicts, by design with visits of equal length.

    Each visit's number has to lie where the interval of all blocks does, and below four visits the intervals of two as
    well (item 20e). The truth stands on the edge: the mean of all visits that the machine can give, or of those met.
    """
    metrics: Metrics = {}
    for name, blocks in LEVEL_DESIGNS.items():
        shape = p.visit_repetitions, len(blocks)
        visit = level_sd * generator.standard_normal(shape)
        noise = p.luck_trial_sd * generator.standard_normal((*shape, blocks[0]))
        for of, moved in (("all", visit), ("met", visit - visit.mean(axis=1, keepdims=True))):
            for side, found in zip(SIDES, agreeing(moved[..., None] + noise), strict=True):
                metrics[f"level_{name}_{of}_{side}"] = float(found.sum())
    return metrics


def agreeing(values: Array) -> tuple[Mask, Mask]:
    """Whether the level of each run is found to lie above 0, and below it; values: shape (runs, visits, blocks)."""
    whole = numbers(values, np.ones_like(values, dtype=bool), FIRST)
    alone, point = _ends(student(values, FIRST)), values.mean(axis=-1)
    enough = 0 if values.shape[1] >= VISITS else LEAST_VISITS
    above = (point > 0).all(axis=-1) & ((alone.low > 0).sum(axis=-1) >= enough) & (whole.point > whole.half)
    below = (point < 0).all(axis=-1) & ((alone.high < 0).sum(axis=-1) >= enough) & (whole.point < -whole.half)
    return above, below
