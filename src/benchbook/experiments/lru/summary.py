"""What a run of this chapter is asked beside what every run is: hits of the cache of rows."""

from __future__ import annotations

from benchbook.experiments.families.kv import metric_words, piloted
from benchbook.experiments.lru.arms import Parameters
from benchbook.experiments.shape.metrics import Metric, Metrics

TIME = piloted.TIME
METRICS: Metrics = {
    **metric_words.METRICS,
    "hit_ratio": Metric("hit ratio of the cache of rows", "%", 100, heading="hits"),
}


class Summary(piloted.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS = METRICS

    def sizes(self) -> str:
        """Rows, after the blocks."""
        return f", {self.parameters.rows:,} rows"
