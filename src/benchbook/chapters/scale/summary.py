"""What a run is asked beside what every run is: its sizes, and at each the speed-ups over SQLite, also both mixed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchbook import statistics
from benchbook.chapters.scale import arms
from benchbook.chapters.scale.arms import AS_RUN, BEFORE, SEQUENTIAL, name
from benchbook.claims import Quantity
from benchbook.measuring.kv import metric_words, summary
from benchbook.model import Effect, Estimate
from benchbook.numbers.estimands import Compute, Estimand
from benchbook.numbers.metrics import Metric, Metrics
from benchbook.numbers.summary import NotEstimableError
from benchbook.statistics import intervals

QUERY, INSERT = "query_mean_ns", "insert_s"
QUANTILES = {"uniform_p50_ns": "P50", "uniform_p99_ns": "P99", "uniform_p999_ns": "P99.9"}
METRICS: Metrics = {
    **metric_words.METRICS,
    INSERT: Metric("time to insert all rows", "s", format="{:.3g}".format),
    "index_insert_s": Metric("time to fill the index", "s", format="{:.3g}".format, heading="index part"),
    "insert_syncs": metric_words.METRICS["insert_syncs"].but(heading="fsyncs of the insert"),
    QUERY: metric_words.METRICS[QUERY].but(heading="look-up, mean"),
    "query_middle_ns": Metric("time of a look-up in the middle batch", "µs", 1e-3, heading="look-up, middle batch"),
    **{metric: Metric(f"{words} of a single look-up", "µs", 1e-3) for metric, words in QUANTILES.items()},
    "pages_missed_per_lookup": Metric(
        "number of pages missed per look-up", format="{:.2f}".format, heading="pages missed per look-up"
    ),
    "index_leaves": Metric("number of leaves of the index"),
}


class Summary(summary.Summary[arms.Parameters]):
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

    def timed(self, sizes: Iterable[int], *systems: str, keys: str = SEQUENTIAL) -> list[int]:
        """The sizes at which every trial of these systems has both of its times; raises NotEstimableError for none."""
        found = [rows for rows in sizes if all(self.has(name(each, rows, keys), QUERY, INSERT) for each in systems)]
        if not found:
            raise NotEstimableError("this run timed nothing of it", "measure again")
        return found

    @property
    def compared(self) -> list[int]:
        """The sizes at which every trial of all systems has its times."""
        return self.timed(self.rows, *arms.SYSTEMS)

    def first(self) -> int:
        """The fewest of them."""
        return self.compared[0]

    def last(self) -> int:
        """The most of them."""
        return self.compared[-1]

    def random(self) -> int:
        """The most rows that were timed with random and with sequential keys."""
        return self.timed(self.timed(self.random_rows, BEFORE, AS_RUN, keys=arms.RANDOM), BEFORE, AS_RUN)[-1]

    def speedup(
        self, metric: str, rows: int, *, system: str = BEFORE, base: str = AS_RUN, keys: str = SEQUENTIAL
    ) -> np.ndarray:
        """SQLite's time over the system's, per block, shape (blocks,): above 1 the system is faster."""
        above, below = (self.values(name(each, rows, keys), metric) for each in (base, system))
        found: np.ndarray = above / below
        return found

    def mixed(self, rows: int) -> np.ndarray:
        """The note's definition: the arithmetic mean of insert speed-up and query speed-up, per block."""
        found: np.ndarray = (self.speedup(INSERT, rows) + self.speedup(QUERY, rows)) / 2
        return found

    def balanced(self, rows: int) -> np.ndarray:
        """Geometric mean of both, per block, which does not depend on which system is the divisor."""
        found: np.ndarray = np.sqrt(self.speedup(INSERT, rows) * self.speedup(QUERY, rows))
        return found

    def missing(self, arm: str, metric: str) -> NotEstimableError:
        """The same, and where a size was not asked for, that there is none."""
        if arm in self.configurations:
            return super().missing(arm, metric)
        return NotEstimableError(f"this run has no configuration {arm}", "ask for its number of rows")

    def row_us(self, arm: str) -> Estimate:
        """Microseconds for a row when all are inserted."""
        if arm not in self.configurations:
            raise self.missing(arm, INSERT)
        return self.level(arm, INSERT, 1e-6 * int(self.configurations[arm].settings["rows"] or 0))

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        left = [arms.short(rows) for rows in arms.ASKED_ROWS if rows not in self.parameters.rows]
        return [*([f"no trials with {', '.join(left)} rows"] if left else []), *super().departures()]

    def sizes(self) -> str:
        """Look-ups, after the blocks."""
        return f", {self.parameters.lookups:,} look-ups per trial unless stated otherwise"


PerBlock = Callable[[Summary], np.ndarray]
"""A summary to ratios, shape (blocks,), > 0."""
Rows = Callable[[Summary], int]
"""A summary to one of its sizes."""


def effect(summary: Any, per_block: np.ndarray) -> Effect:
    """Geometric mean over blocks of a comparison that was made within each, with its t interval on logs.

    per_block: ratios, shape (blocks,), > 0. 1 means the same.
    """
    found: Effect = summary.estimated(statistics.ratio, per_block, np.ones(len(per_block)))
    return found


def least(summary: Any, per_size: Mapping[int, np.ndarray]) -> Effect:
    """The smallest of several speed-ups, whichever it is, with an interval of the summary's confidence.

    per_size: ratios by size, each of shape (blocks,). Each size gets an interval at 1 - (1 - confidence) / k for k
    sizes (Bonferroni); all hold together, and then the smallest true speed-up lies between the smallest lower and the
    smallest upper end. The smallest value of each block would not do: it is too small wherever sizes are close.
    """
    each = summary.at(1 - (1 - summary.confidence) / len(per_size))
    effects = [effect(each, values) for values in per_size.values()]
    smallest = min(effects, key=lambda found: found.point)
    return Effect(
        smallest.point, min(found.low for found in effects), min(found.high for found in effects), smallest.n,
        intervals.simultaneous(smallest.method), summary.confidence, "ratio", smallest.sd,
    )  # fmt: skip


@dataclass(frozen=True)
class Sized(Estimand):
    """An estimand over sizes. rows, metrics: the sizes and times whose A/A arm must agree."""

    rows: tuple[int, ...] = ()
    metrics: tuple[str, ...] = ()


def sized(compute: Compute, *rows: int, system: str = BEFORE, metrics: tuple[str, ...] = (QUERY,)) -> Sized:
    """Of a system and SQLite as run."""
    names = tuple(name(each, size) for size in rows for each in (system, AS_RUN))
    return Sized(compute, Quantity.COMPARISON, names, metrics[0], rows=rows, metrics=metrics)


def at(rows: int | Rows, metric: str = QUERY, **which: str) -> PerBlock:
    """A speed-up at a number of rows, or at a size of the run. which: as ``Summary.speedup`` takes it."""
    return lambda summary: summary.speedup(metric, rows if isinstance(rows, int) else rows(summary), **which)


def mixed(rows: int) -> PerBlock:
    """The mixed one at a number of rows."""
    return lambda summary: summary.mixed(rows)


def mean(per_block: PerBlock) -> Compute:
    """How an estimand computes the mean of a comparison."""
    return lambda summary: effect(summary, per_block(summary))


def change(end: PerBlock, start: PerBlock) -> Compute:
    """How an estimand computes by what factor one comparison differs from another."""
    return lambda summary: summary.estimated(statistics.ratio, end(summary), start(summary))


def least_of(per_size: Mapping[int, PerBlock]) -> Compute:
    """How an estimand computes the smallest of several comparisons. per_size: by number of rows."""
    return lambda summary: least(summary, {rows: each(summary) for rows, each in per_size.items()})
