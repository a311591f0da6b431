"""What the run says: how far the ratio of two configurations moves from block to block, in both ways."""

from __future__ import annotations

import numpy as np

from benchbook import statistics
from benchbook.experiments.families.kv import summary
from benchbook.experiments.turns.arms import ALONE, BASE, ENGINES, SMALL, TURNS, Parameters, name
from benchbook.model import Effect, Estimate

MEAN = "lookup_mean_ns"
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

    def spread(self, engine: str, way: str, *, confidence: float = 0.95) -> Estimate:
        """Standard deviation of the log ratio over the blocks: for small values the variation of the ratio."""
        return statistics.sd_interval(np.exp(self.logs(engine, way)), confidence)

    def closer(self) -> Estimate:
        """How many times as far ratios move one after the other as in turns, over all pairs with the value file."""
        alone, turns = (np.column_stack([self.logs(engine, way) for engine in PAIRS]) for way in (ALONE, TURNS))
        return statistics.spread_ratio(alone, turns)

    def times(self, engine: str, way: str) -> Effect:
        """How many times the value file's time an engine takes."""
        return self.over(name(engine, way), name(BASE, way), MEAN)

    def between(self, engine: str) -> Effect:
        """What the ratio is in turns over what it is one after the other, paired within blocks.

        The intervals of all pairs are simultaneous at 95 % (Bonferroni).
        """
        ratios = (np.exp(self.logs(engine, way)) for way in (TURNS, ALONE))
        return statistics.ratio(*ratios, confidence=1 - 0.05 / len(OTHERS), sessions=self.sessions)

    def beside(self, engine: str) -> Effect:
        """A look-up's time with others' turns in between over that without."""
        return self.over(name(engine, TURNS), name(engine, ALONE), MEAN)

    def pooled_spread(self, way: str) -> float:
        """Standard deviation of the log ratio over all pairs of engines with the value file, in one of the ways."""
        return float(np.sqrt(np.mean([self.logs(engine, way).var(ddof=1) for engine in PAIRS])))
