"""What a run of this chapter is asked beside what every run is: pilot blocks, and the best setting they choose."""

from __future__ import annotations

from benchbook.experiments.families.kv import metric_words, piloted
from benchbook.experiments.lru.arms import BEST, Parameters, at
from benchbook.experiments.shape.metrics import Metric, Metrics

TIME = piloted.TIME
METRICS: Metrics = {
    **metric_words.METRICS,
    "hit_ratio": Metric("hit ratio of the cache of rows", "%", 100, heading="hits"),
}


class Summary(piloted.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS = METRICS

    def best(self, law: str) -> str:
        """The fastest with the largest cache in the pilot blocks."""
        return self.chosen([at(law, use) for use in BEST])

    def sizes(self) -> str:
        """Rows, after the blocks."""
        return f", {self.parameters.rows:,} rows"
