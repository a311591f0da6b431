"""The numbers of the chapter: how far the ratio of two configurations moves from block to block, in both ways."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from benchbook import statistics
from benchbook.chapters.turns.arms import AGAIN, ALONE, BASE, ENGINES, SMALL, TURNS, WAYS, Parameters, name
from benchbook.claims import Quantity
from benchbook.figures import with_interval
from benchbook.figures.prose import digits
from benchbook.measuring.kv import summary
from benchbook.model import Effect, Estimate
from benchbook.numbers.estimands import custom, level, told
from benchbook.numbers.quantities import percent
from benchbook.statistics import blocks_for_half_width

MEAN, CARRIED = "lookup_mean_ns", "discarded_over_kept"
HALF_WIDTH = 0.02
OTHERS = {engine: label for engine, label in ENGINES.items() if engine != BASE}
"""What is compared with the value file, and its labels."""
PAIRS = [engine for engine in OTHERS if engine != SMALL]
"""Of these the ones whose processes are alike."""


class Summary(summary.Summary[Parameters]):
    """One run of this chapter."""

    def logs(self, engine: str, way: str) -> np.ndarray:
        """Log ratio of an engine's time to the value file's, per block, shape (blocks,)."""
        own, base = (self.positive(name(each, way), MEAN) for each in (engine, BASE))
        logs: np.ndarray = np.log(own) - np.log(base)
        return logs

    def spread(self, engine: str, way: str) -> Estimate:
        """Standard deviation of the log ratio over the blocks: for small values the variation of the ratio."""
        return statistics.sd_interval(np.exp(self.logs(engine, way)))

    def times(self, engine: str, way: str) -> Effect:
        """How many times the value file's time an engine takes."""
        return self.over(name(engine, way), name(BASE, way), MEAN)

    def between(self, engine: str) -> Effect:
        """What the ratio is in turns over what it is one after the other, paired within blocks.

        The intervals of all pairs are simultaneous at 95 % (Bonferroni).
        """
        ratios = (np.exp(self.logs(engine, way)) for way in (TURNS, ALONE))
        return self.at(1 - 0.05 / len(OTHERS)).estimated(statistics.ratio, *ratios)

    def pooled_spread(self, way: str) -> float:
        """Standard deviation of the log ratio over all pairs of engines with the value file, in one of the ways."""
        return float(np.sqrt(np.mean([self.logs(engine, way).var(ddof=1) for engine in PAIRS])))


def _closer(summary: Summary) -> Estimate:
    """How many times as far ratios move one after the other as in turns, over all pairs with the value file."""
    alone, turns = (np.column_stack([summary.logs(engine, way) for engine in PAIRS]) for way in (ALONE, TURNS))
    return statistics.spread_ratio(alone, turns)


def _names(summary: Summary) -> str:
    """The engines that are compared with the value file."""
    names = ["itself" if engine == AGAIN else OTHERS[engine] for engine in PAIRS]
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _spread(way: str, summary: Summary) -> str:
    """How far ratios vary in a way of measuring, in %."""
    return digits(100 * summary.pooled_spread(way))


def _needed(way: str) -> Callable[[Summary], str]:
    """Blocks for an interval of HALF_WIDTH."""

    def words(summary: Summary) -> str:
        found = blocks_for_half_width(summary.pooled_spread(way), HALF_WIDTH)
        return f"{found:,}" if found else "more than 10,000"

    return words


def _differ(summary: Summary) -> str:
    """The engines whose ratio is another one in turns, "" without any."""
    found = {label: summary.between(engine) for engine, label in OTHERS.items()}
    return ", ".join(label for label, effect in found.items() if not effect.low <= 1 <= effect.high)


def _same(summary: Summary) -> str:
    """Each ratio in turns over the other."""
    return "; ".join(f"{label} {with_interval(summary.between(engine))}" for engine, label in OTHERS.items())


def _beside(summary: Summary) -> str:
    """A look-up's time with others' turns in between over that without, for each engine."""
    each = {label: summary.over(name(engine, TURNS), name(engine, ALONE), MEAN) for engine, label in ENGINES.items()}
    return "; ".join(f"{label} {with_interval(effect)}" for label, effect in each.items())


NUMBERS = {
    "closer": custom(_closer, Quantity.DISPERSION),
    **{f"equal_{way}": told(Summary.times, AGAIN, way, quantity=Quantity.DISPERSION) for way in WAYS},
    **{f"small_{way}": percent(told(Summary.spread, SMALL, way, quantity=Quantity.DISPERSION)) for way in WAYS},
    **{f"start_{way}": level(name(BASE, way), CARRIED) for way in WAYS},
}
WORDS = {
    "engines": _names,
    "differ": _differ,
    "same": _same,
    "beside": _beside,
    **{f"spread_{way}": partial(_spread, way) for way in WAYS},
    **{f"blocks_{way}": _needed(way) for way in WAYS},
    "pairs": lambda summary: len(PAIRS),
    "half_width": lambda summary: f"{100 * HALF_WIDTH:g}",
}
