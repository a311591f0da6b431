"""What a run of this chapter is asked beside what every run is: its sizes, and the time of a row."""

from __future__ import annotations

from benchbook.experiments.families.kv import metric_words, summary
from benchbook.experiments.scale.arms import ASKED_ROWS, Parameters, short
from benchbook.experiments.shape.metrics import Metric, Metrics
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.model import Estimate

METRICS: Metrics = {
    **metric_words.METRICS,
    "insert_s": Metric("time to insert all rows", "s", format="{:.3g}".format),
    "index_insert_s": Metric("time to fill the index", "s", format="{:.3g}".format, heading="index part"),
    "insert_syncs": metric_words.METRICS["insert_syncs"].but(heading="fsyncs of the insert"),
    "query_mean_ns": metric_words.METRICS["query_mean_ns"].but(heading="look-up, mean"),
    "query_middle_ns": Metric("time of a look-up in the middle batch", "µs", 1e-3, heading="look-up, middle batch"),
    "uniform_p50_ns": Metric("P50 of a single look-up", "µs", 1e-3),
    "uniform_p99_ns": Metric("P99 of a single look-up", "µs", 1e-3),
    "uniform_p999_ns": Metric("P99.9 of a single look-up", "µs", 1e-3),
    "pages_missed_per_lookup": Metric(
        "number of pages missed per look-up", format="{:.2f}".format, heading="pages missed per look-up"
    ),
    "index_leaves": Metric("number of leaves of the index"),
}


class Summary(summary.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS = METRICS
    MEND = "raise lookups or tail_lookups"

    @property
    def rows(self) -> list[int]:
        """Sizes with sequential keys, smallest first."""
        return sorted(self.parameters.rows)

    @property
    def random_rows(self) -> list[int]:
        """Sizes with random keys, smallest first."""
        return sorted(self.parameters.random_rows)

    def missing(self, arm: str, metric: str) -> NotEstimableError:
        """The same, and where a size was not asked for, that there is none."""
        if arm in self.configurations:
            return super().missing(arm, metric)
        return NotEstimableError(f"this run has no configuration {arm}", "ask for its number of rows")

    def row_us(self, arm: str) -> Estimate:
        """Microseconds for a row when all are inserted."""
        if arm not in self.configurations:
            raise self.missing(arm, "insert_s")
        return self.level(arm, "insert_s", 1e-6 * int(self.configurations[arm].settings["rows"] or 0))

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        left = [short(rows) for rows in ASKED_ROWS if rows not in self.parameters.rows]
        return [*([f"no trials with {', '.join(left)} rows"] if left else []), *super().departures()]

    def sizes(self) -> str:
        """Look-ups, after the blocks."""
        return f", {self.parameters.lookups:,} look-ups per trial unless stated otherwise"
