"""A run in, per-block values and estimates per configuration out; the tables under the figures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchbook import statistics
from benchbook.experiments.alex_rocksdb.arms import NOTHING, configurations
from benchbook.experiments.alex_rocksdb.metrics import FILES, MEMTABLE
from benchbook.experiments.alex_rocksdb.parameters import Parameters
from benchbook.experiments.per_block import NotEstimableError, PerBlock, check_whole, in_words
from benchbook.experiments.sentences import other_numbers, source, too_few_blocks
from benchbook.model import Effect, Estimate, Run
from benchbook.statistics import Gate

NOTE_ROWS, NOTE_SMALL_ROWS = 10_000_000, 10_000
LOOKUPS, TOOL_LOOKUPS, PROCESSES = 100_000, 10_000, 10
"""What the estimands ask for: rows, look-ups, and fresh processes for a spread between them."""


@dataclass(frozen=True)
class Summary(PerBlock):
    """One run, ready for figures and verdicts."""

    parameters: Parameters
    labels: dict[str, str]

    @property
    def arms(self) -> list[str]:
        """Configuration names in the order of the figures."""
        return list(self.labels)

    def missing(self, arm: str, metric: str) -> NotEstimableError:
        """What to say where a trial lacks a metric."""
        return NotEstimableError(
            f"{in_words(metric)} of “{self.labels.get(arm, arm)}” is not estimable in every trial",
            "raise the number of look-ups, or see `benchbook verify`",
        )

    def positive(self, arm: str, metric: str) -> np.ndarray:
        """The same for a time less the clock's own; NotEstimableError when the clock takes all of it."""
        values = self.values(arm, metric)
        if values.min() <= 0:
            raise NotEstimableError(
                f"{in_words(metric)} of “{self.labels.get(arm, arm)}” is below the cost of reading the clock",
                "raise rows, or measure on a machine with a cheaper clock",
            )
        return values

    def time(self, arm: str, metric: str = "mean_ns") -> Estimate:
        """Geometric mean over trials in nanoseconds, with its interval."""
        return statistics.geometric_mean(self.positive(arm, metric))

    def share(self, arm: str, metric: str, *, confidence: float = 0.95) -> Estimate:
        """Mean share of a query's time over trials, resolved by the number of look-ups.

        What is left of the rest without the clock may come out below 0; such a share has no logit, and the interval
        is then that of a mean.
        """
        values = self.values(arm, metric)
        if values.min() < 0 or values.max() > 1:
            return statistics.arithmetic_mean(values, confidence=confidence)
        return statistics.share(values, self.values(arm, "lookups"), confidence=confidence)

    def ratio(self, top: tuple[str, str], bottom: tuple[str, str], *, confidence: float = 0.95) -> Effect:
        """Ratio of two (configuration, metric), paired within blocks."""
        return statistics.ratio(self.positive(*top), self.positive(*bottom), confidence=confidence)

    def rows_in(self, arm: str) -> list[str]:
        """Where RocksDB held the rows in each trial, in block order; empty when no trial says."""
        rows = self.in_blocks(arm)
        return [] if "rows_in" not in rows else [str(each) for each in rows["rows_in"] if isinstance(each, str)]

    def consistency_gates(self) -> list[Gate]:
        """Every look-up was checked against what was written."""
        trials = self.run.trials
        if "checked_reads" not in trials:
            return []
        asked = trials[trials["configuration"] != NOTHING]
        differ = int((asked["checked_reads"] != asked["lookups"]).sum())
        return [Gate("every answer checked", differ == 0, float(differ), f"{differ} trials checked another number")]

    def state_gates(self, arms: frozenset[str]) -> list[Gate]:
        """Whether RocksDB held the rows where the configuration put them, and did nothing else while they were read."""
        expected = {arm.name: arm for arm in configurations(self.parameters) if arm.name in arms}
        wrong = []
        for name, arm in expected.items():
            if arm.settings["engine"] == "none":
                continue
            states = self.rows_in(name)
            wanted = FILES if arm.settings["settle"] == "compact" else MEMTABLE
            if arm.settings["options"] != "tool":  # where that store has its rows is for its buffer to say
                off = len(states) - states.count(wanted) or self.run.blocks - len(states)
                if off:
                    wrong.append(f"{off} trials of “{self.labels[name]}” did not read from {wanted} alone")
            if self.has(name, "background_work") and self.values(name, "background_work").any():
                wrong.append(f"RocksDB worked in the background of “{self.labels[name]}”")
        return [Gate("state", not wrong, float(len(wrong)), "; ".join(wrong) or "every store was as named")]

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        p = self.parameters
        wanted = (
            (p.rows, NOTE_ROWS, "rows"),
            (p.small_rows, NOTE_SMALL_ROWS, "rows to grow from"),
            (p.lookups, LOOKUPS, "look-ups a trial"),
            (p.tool_lookups, TOOL_LOOKUPS, "look-ups of the diagnostic program"),
            (p.row_cache_entries, 1_000, "rows in the row cache"),
            (p.benchmark_lookups, 1_000, "look-ups of the benchmark"),
        )
        return other_numbers(wanted) + too_few_blocks(self.run)

    def origin(self) -> str:
        """Half a sentence for captions: which run, how many blocks, on what."""
        return (
            f"{self.run.blocks} blocks with one trial of each configuration, {self.parameters.rows:,} rows unless "
            f"another number is named; {source(self.run)}, RocksDB "
            f"{self.run.provenance.get('engine_version', 'unknown')}"
        )


def summarize(run: Run) -> Summary:
    """Check that the run is complete and name its configurations."""
    parameters = Parameters.given(run.parameters)
    labels = {arm.name: arm.label for arm in configurations(parameters)}
    check_whole(run, labels)
    return Summary(run, parameters, labels)
