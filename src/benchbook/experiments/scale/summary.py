"""A run in, per-block values and estimates per configuration out; the table under the figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from benchbook.experiments.per_block import NotEstimableError, PerBlock, cells, check_whole, in_words
from benchbook.experiments.scale.arms import SYSTEMS, UNIFORM, configurations, name, short
from benchbook.experiments.scale.parameters import Parameters
from benchbook.experiments.sentences import source, too_few_blocks
from benchbook.figures import mean_count, with_interval
from benchbook.model import Estimate, Run
from benchbook.statistics import Gate

ASKED_ROWS = (10_000, 100_000, 1_000_000, 10_000_000)
"""Sizes for which claims were registered."""
ASKED_LOOKUPS = 1_000


@dataclass(frozen=True)
class Summary(PerBlock):
    """One run, ready for figures and verdicts."""

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

    def missing(self, arm: str, metric: str) -> NotEstimableError:
        """What to say where the run has no such configuration, or a trial lacks a metric."""
        if arm not in self.labels:
            return NotEstimableError(f"this run has no configuration {arm}", "ask for its number of rows")
        return NotEstimableError(
            f"{in_words(metric)} of “{self.labels[arm]}” is not estimable in every trial",
            "raise lookups or tail_lookups",
        )

    def row_us(self, arm: str) -> Estimate:
        """Microseconds for a row when all are inserted."""
        rows = next(each for each in configurations(self.parameters) if each.name == arm).settings["rows"]
        return self.level(arm, "insert_s", 1e-6 * int(rows or 1))

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
        found += too_few_blocks(self.run)
        return found

    def origin(self) -> str:
        """Half a sentence for captions: which run, how many blocks, on what."""
        return (
            f"{self.run.blocks} blocks with one trial of each configuration, {self.parameters.lookups:,} look-ups a "
            f"trial; {source(self.run)}, {self.run.provenance.get('engine_version', '')}"
        ).rstrip(", ")


def summarize(run: Run) -> Summary:
    """Check that the run is complete and name its configurations."""
    parameters = Parameters.given(run.parameters)
    labels = {arm.name: arm.label for arm in configurations(parameters)}
    check_whole(run, labels)
    return Summary(run, parameters, labels)


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: insert, look-up, what was in memory, with intervals where a claim rests on it."""
    columns: dict[str, Callable[[str], str]] = {
        "insert (µs a row)": lambda arm: with_interval(summary.row_us(arm)),
        "of it the index (s)": lambda arm: f"{summary.values(arm, 'index_insert_s').mean():.3g}",
        "look-up, mean (µs)": lambda arm: with_interval(summary.level(arm, "query_mean_ns", 1e3)),
        "look-up, middle batch (µs)": lambda arm: with_interval(summary.level(arm, "query_middle_ns", 1e3)),
        "rows in the memtable": lambda arm: f"{summary.values(arm, 'memtable_rows').mean():,.0f}",
        "pages missed a look-up": lambda arm: f"{summary.values(arm, 'pages_missed_per_lookup').mean():.2f}",
        "fsyncs of the insert": lambda arm: mean_count(summary.values(arm, "insert_syncs").mean()),
        "anonymous memory (MB)": lambda arm: f"{summary.values(arm, 'anonymous_bytes').mean() / 1e6:,.0f}",
    }
    rows = [{"configuration": summary.labels[arm]} | cells(columns, arm) for arm in summary.arms]
    return pd.DataFrame(rows).set_index("configuration")


def single_lookups(summary: Summary) -> list[tuple[str, str]]:
    """Arm and system of the trials that time each look-up."""
    return [(name(system, summary.parameters.tail_rows, law=UNIFORM), system) for system in SYSTEMS]
