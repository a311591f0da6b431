"""A run in, per-block values and estimates per configuration out; the table under the figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchbook import statistics
from benchbook.errors import BenchbookError
from benchbook.experiments.scale.arms import SYSTEMS, UNIFORM, configurations, name, short
from benchbook.experiments.scale.parameters import Parameters
from benchbook.figures import with_interval
from benchbook.model import Estimate, Run
from benchbook.statistics import Gate

ASKED_ROWS = (10_000, 100_000, 1_000_000, 10_000_000)
"""Sizes for which claims were registered."""
ASKED_LOOKUPS = 1_000


class NotEstimableError(BenchbookError):
    """The run holds too little for this number; the text says what is missing."""


@dataclass(frozen=True)
class Summary:
    """One run, ready for figures and verdicts."""

    run: Run
    parameters: Parameters
    labels: dict[str, str]

    @property
    def arms(self) -> list[str]:
        """Configuration names in the order of the figures."""
        return list(self.labels)

    @property
    def rows(self) -> list[int]:
        """Sizes with sequential keys, smallest first."""
        return sorted(self.parameters.rows)

    @property
    def random_rows(self) -> list[int]:
        """Sizes with random keys, smallest first."""
        return sorted(self.parameters.random_rows)

    def values(self, arm: str, metric: str) -> np.ndarray:
        """Per-block values in block order, shape (blocks,).

        Raises NotEstimableError when the run has no such configuration, and when a trial lacks the metric.
        """
        if arm not in self.labels:
            raise NotEstimableError(f"this run has no configuration {arm}", "ask for its number of rows")
        rows = self.run.trials[self.run.trials["configuration"] == arm].sort_values("block")
        if metric not in rows or rows[metric].isna().any():
            words = metric.removesuffix("_ns").removesuffix("_s").removesuffix("_bytes").replace("_", " ")
            raise NotEstimableError(
                f"{words} of “{self.labels[arm]}” is not estimable in every trial", "raise lookups or tail_lookups"
            )
        return rows[metric].to_numpy(dtype=float)

    def has(self, arm: str, *metrics: str) -> bool:
        """Whether there is such a configuration and every trial of it has the metrics."""
        try:
            for metric in metrics:
                self.values(arm, metric)
        except NotEstimableError:
            return False
        return True

    def mean(self, arm: str, metric: str, unit: float = 1.0) -> Estimate:
        """Geometric mean over trials in a unit, with its interval."""
        return statistics.geometric_mean(self.values(arm, metric) / unit)

    def row_us(self, arm: str) -> Estimate:
        """Microseconds for a row when all are inserted."""
        rows = next(each for each in configurations(self.parameters) if each.name == arm).settings["rows"]
        return self.mean(arm, "insert_s", 1e-6 * int(rows or 1))

    def consistency_gates(self) -> list[Gate]:
        """Every look-up that was timed was compared with what had been written."""
        trials = self.run.trials
        if "checked_reads" not in trials:
            return []
        differ = int((trials["checked_reads"] != trials["lookups"]).sum())
        reason = f"look-ups and compared values differ in {differ} trials"
        return [Gate("every value compared", differ == 0, float(differ), reason)]

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        p = self.parameters
        found = []
        missing = [short(rows) for rows in ASKED_ROWS if rows not in p.rows]
        if missing:
            found.append(f"no trials with {', '.join(missing)} rows")
        if p.lookups != ASKED_LOOKUPS:
            found.append(f"{p.lookups:,} look-ups a trial where {ASKED_LOOKUPS:,} are asked")
        if self.run.blocks < 6:
            found.append(f"{self.run.blocks} blocks instead of at least 6")
        return found

    def origin(self) -> str:
        """Half a sentence for captions: which run, how many blocks, on what."""
        kind = "published run" if self.run.published else "run on this machine"
        return (
            f"{self.run.blocks} blocks with one trial of each configuration, {self.parameters.lookups:,} look-ups a "
            f"trial; {kind} {self.run.id} ({self.run.profile} profile), {self.run.provenance.get('engine_version', '')}"
        ).rstrip(", ")


def summarize(run: Run) -> Summary:
    """Check that the run is complete and name its configurations."""
    parameters = Parameters.given(run.parameters)
    labels = {arm.name: arm.label for arm in configurations(parameters)}
    counts = run.trials.groupby("configuration").size()
    if set(counts.index) != set(labels) or not (counts == run.blocks).all():
        raise BenchbookError(f"run {run.id} does not hold each configuration once per block", "see `benchbook verify`")
    return Summary(run, parameters, labels)


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: insert, look-up, what was in memory, with intervals where a claim rests on it."""
    columns: dict[str, Callable[[str], str]] = {
        "insert (µs a row)": lambda arm: with_interval(summary.row_us(arm)),
        "of it the index (s)": lambda arm: f"{summary.values(arm, 'index_insert_s').mean():.3g}",
        "look-up, mean (µs)": lambda arm: with_interval(summary.mean(arm, "query_mean_ns", 1e3)),
        "look-up, middle batch (µs)": lambda arm: with_interval(summary.mean(arm, "query_middle_ns", 1e3)),
        "rows in the memtable": lambda arm: f"{summary.values(arm, 'memtable_rows').mean():,.0f}",
        "pages missed a look-up": lambda arm: f"{summary.values(arm, 'pages_missed_per_lookup').mean():.2f}",
        "fsyncs of the insert": lambda arm: f"{summary.values(arm, 'insert_syncs').mean():.1f}",
        "anonymous memory (MB)": lambda arm: f"{summary.values(arm, 'anonymous_bytes').mean() / 1e6:,.0f}",
    }
    rows = []
    for arm in summary.arms:
        row = {"configuration": summary.labels[arm]}
        for column, text in columns.items():
            try:
                row[column] = text(arm)
            except NotEstimableError:
                row[column] = ""
        rows.append(row)
    return pd.DataFrame(rows).set_index("configuration")


def single_lookups(summary: Summary) -> list[tuple[str, str]]:
    """Arm and system of the trials that time each look-up."""
    return [(name(system, summary.parameters.tail_rows, law=UNIFORM), system) for system in SYSTEMS]
