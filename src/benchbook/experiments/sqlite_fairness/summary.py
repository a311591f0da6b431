"""A run in, per-block values and estimates per configuration out; the table under the figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from benchbook import statistics
from benchbook.experiments.per_block import NotEstimableError, PerBlock, cells, check_whole, in_words
from benchbook.experiments.sentences import source, too_few_blocks
from benchbook.experiments.sqlite_fairness.arms import (
    COMMITS,
    DEPENDENT,
    NOTE,
    ONE_WRITE,
    TIMED,
    WARM,
    WRITTEN,
    configurations,
)
from benchbook.experiments.sqlite_fairness.parameters import Parameters
from benchbook.figures import mean_count, with_interval
from benchbook.model import Configuration, Effect, Estimate, Run
from benchbook.statistics import Gate

MB = 1e6
PAGE_BYTES = 4096
UNCACHED_SHARE = 0.01
"""Pages read from a device per look-up above which a store does not count as cached."""
COUNTED = "rows agree"
"""The gate that counts of rows must pass; how fast they were read is another question."""
PARTS = {
    NOTE: "as the note",
    WARM: "warm, in batches",
    DEPENDENT: "warm, dependent",
    TIMED: "warm, timed one by one",
    COMMITS: "many commits, killed",
    ONE_WRITE: "one commit, killed",
}


@dataclass(frozen=True)
class Summary(PerBlock):
    """One run, ready for figures and verdicts."""

    parameters: Parameters
    configurations: dict[str, Configuration]

    @property
    def arms(self) -> list[str]:
        """Configuration names in the order of the figures."""
        return list(self.configurations)

    def label(self, arm: str) -> str:
        """What a figure shows for a configuration; unique among those of one part."""
        return self.configurations[arm].label

    def of(self, part: str) -> list[str]:
        """Configurations of one part, in the order of the figures."""
        return [name for name, arm in self.configurations.items() if arm.settings["part"] == part]

    def missing(self, arm: str, metric: str) -> NotEstimableError:
        """What to say where the run lacks a configuration, or a trial a metric."""
        if arm not in self.configurations:
            rows_asked = int(arm.rpartition("_")[2])
            return NotEstimableError(
                f"this run does not repeat the benchmark at {rows_asked:,} rows", "add them to sizes"
            )
        return NotEstimableError(
            f"{in_words(metric)} of “{self.label(arm)}” is not estimable in every trial", "raise the number of look-ups"
        )

    def having(self, part: str, *metrics: str) -> list[str]:
        """Configurations of a part of which every trial has these metrics, in the order of the figures."""
        return [arm for arm in self.of(part) if self.has(arm, *metrics)]

    def us(self, arm: str, metric: str = "query_mean_ns") -> Estimate:
        """Geometric mean over trials of a time, in microseconds."""
        return self.level(arm, metric, 1e3)

    def ratio(self, top: str, bottom: str, metric: str = "query_mean_ns", *, confidence: float = 0.95) -> Effect:
        """A time in one configuration over that in another, paired within blocks."""
        return statistics.ratio(self.values(top, metric), self.values(bottom, metric), confidence=confidence)

    def consistency_gates(self) -> list[Gate]:
        """What was asked was checked, what was reported can be counted, and look-ups found their pages in memory."""
        trials = self.run.trials
        gates = []
        if "asked_reads" in trials:
            looked = trials[trials["asked_reads"].notna()]
            differ = int((looked["asked_reads"] != looked["checked_reads"]).sum())
            gates.append(
                Gate("reads are checked", differ == 0, float(differ), f"{differ} trials checked other than all reads")
            )
            pages = looked["device_read_bytes"] / PAGE_BYTES
            cold = int((pages > UNCACHED_SHARE * looked["asked_reads"]).sum())
            why = f"{cold} trials read more than {UNCACHED_SHARE:.0%} of their look-ups' pages from a device"
            gates.append(Gate("page cache", cold == 0, float(cold), why))
        if "acknowledged_rows" in trials:
            more = int((trials["recovered_rows"] > trials["acknowledged_rows"]).sum())
            gates.append(Gate(COUNTED, more == 0, float(more), f"{more} trials found more than was written"))
        return gates

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        p = self.parameters
        found = [f"{rows:,} rows left out" for rows in (10_000, 100_000, 1_000_000, 10_000_000) if rows not in p.sizes]
        if p.queries != 1_000:
            found.append(f"{p.queries:,} look-ups of the benchmark instead of 1,000")
        found += too_few_blocks(self.run)
        return found

    def origin(self) -> str:
        """Half a sentence for captions: which run, how many blocks, on what."""
        return (
            f"{self.run.blocks} blocks with one trial of each configuration; {source(self.run)}, "
            f"{self.run.provenance['engine_version']}"
        )


def summarize(run: Run) -> Summary:
    """Check that the run is complete and name its configurations."""
    parameters = Parameters.given(run.parameters)
    arms = {arm.name: arm for arm in configurations(parameters)}
    check_whole(run, arms)
    return Summary(run, parameters, arms)


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: look-ups and writes with intervals, syncs, memory, rows lost."""
    columns: dict[str, Callable[[str], str]] = {
        "look-up (µs)": lambda arm: with_interval(summary.us(arm)),
        "P50 (µs)": lambda arm: with_interval(summary.us(arm, "query_p50_ns")),
        "P99 (µs)": lambda arm: with_interval(summary.us(arm, "query_p99_ns")),
        "write (µs a row)": lambda arm: with_interval(summary.us(arm, _written(summary, arm))),
        "syncs": lambda arm: mean_count(summary.values(arm, "insert_syncs").mean()),
        "syncs a commit": lambda arm: f"{summary.values(arm, 'write_syncs_per_commit').mean():.2f}",
        "rows lost": lambda arm: f"{_lost(summary, arm):,.0f}",
        "memory (MB)": lambda arm: f"{summary.values(arm, 'resident_bytes').mean() / MB:,.0f}",
    }
    rows = []
    for arm in summary.arms:
        settings = summary.configurations[arm].settings
        row = {"what": PARTS[str(settings["part"])], "rows": f"{settings['rows']:,}", "use": summary.label(arm)}
        rows.append(row | cells(columns, arm))
    return pd.DataFrame(rows).set_index(["what", "rows", "use"])


def _written(summary: Summary, arm: str) -> str:
    part = summary.configurations[arm].settings["part"]
    return "write_ns_per_row" if part in WRITTEN else "insert_ns_per_row"


def _lost(summary: Summary, arm: str) -> float:
    return float((summary.values(arm, "acknowledged_rows") - summary.values(arm, "recovered_rows")).sum())
