"""A run in, per-block values and estimates per configuration out; the table under the figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchbook import statistics
from benchbook.experiments.per_block import NotEstimableError, PerBlock, cells, check_whole, in_words
from benchbook.experiments.read_path.arms import OPTION_A, STRIDE, VALUE_FILE, configurations
from benchbook.experiments.read_path.measure import READ
from benchbook.experiments.read_path.parameters import Parameters
from benchbook.experiments.sentences import source, too_few_blocks
from benchbook.figures import with_interval
from benchbook.model import Effect, Run
from benchbook.statistics import Gate

WANTED_ROWS, WANTED_KEYS = 10_000_000, 1_000_000
"""What the claims ask for: rows of every store, keys tried of each class."""
HUGE_SHARE = 0.9
"""An index lies in huge pages when at least so much of it does."""
WAYS = {"stride": "fixed stride", "uniform": "uniform gets", "index": "index alone", "durable": "durable"}


@dataclass(frozen=True)
class Summary(PerBlock):
    """One run, ready for figures and verdicts. labels, ways: by configuration, in the order of the figures."""

    parameters: Parameters
    labels: dict[str, str]
    ways: dict[str, str]

    def missing(self, arm: str, metric: str) -> NotEstimableError:
        """What to say where a trial lacks a metric, as the bytes of an index that does not count them."""
        return NotEstimableError(
            f"{in_words(metric)} of “{self.labels.get(arm, arm)}” is not estimable in every trial",
            "raise operations and scans, or leave this number out",
        )

    def having(self, metric: str, way: str) -> list[str]:
        """Configurations measured in this way of which every trial has the metric, in the order of the figures."""
        return [arm for arm in self.labels if self.ways[arm] == way and self.has(arm, metric)]

    def times_faster(self, arm: str, other: str, metric: str, *, confidence: float = 0.95) -> Effect:
        """How many times the time of ``arm`` another one takes, paired within blocks."""
        return statistics.ratio(self.values(other, metric), self.values(arm, metric), confidence=confidence)

    def best_option_a(self) -> str:
        """The fastest of the settings that stand for Option A. Chosen in the blocks that judge it, which favours it."""
        return min(OPTION_A, key=lambda arm: float(np.log(self.values(arm, "batch_mean_ns")).mean()))

    def consistency_gates(self, arms: Iterable[str]) -> list[Gate]:
        """Per trial of these configurations: every answer of the timed part was compared with what had been written."""
        trials = self.run.trials[self.run.trials["configuration"].isin(list(arms))]
        if "right_answers" not in trials:
            return []
        differ = int((trials["right_answers"] != trials["operations"]).sum())
        reason = f"answers asked for and answers compared differ in {differ} trials"
        return [Gate("every value verified", differ == 0, float(differ), reason)]

    def warm_gate(self, arms: Iterable[str]) -> Gate:
        """No trial of these configurations read its store from the device."""
        rows = self.run.trials[self.run.trials["configuration"].isin(list(arms))]
        cold = int((rows["cache_state"] == READ).sum()) if "cache_state" in rows else 0
        return Gate("warm", cold == 0, float(cold), f"{cold} of {len(rows)} trials read their store from the device")

    def share_in_huge_pages(self) -> float | None:
        """Share of the value file's index that the kernel put into huge pages where it was asked to, at most 1."""
        if not (self.has(VALUE_FILE, "huge_page_bytes") and self.has(VALUE_FILE, "index_bytes_per_key")):
            return None
        index = self.values(VALUE_FILE, "index_bytes_per_key") * self.parameters.rows
        return float(np.minimum(1.0, self.values(VALUE_FILE, "huge_page_bytes") / index).mean())

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        p, found = self.parameters, []
        if p.rows != WANTED_ROWS:
            found.append(f"{p.rows:,} rows where {WANTED_ROWS:,} are asked")
        if p.existence_keys < WANTED_KEYS:
            found.append(f"{p.existence_keys:,} keys of each class where {WANTED_KEYS:,} are asked")
        share = self.share_in_huge_pages()
        if share is not None and share < HUGE_SHARE:
            found.append(f"huge pages for {share:.0%} of the index where all of it is asked")
        found += too_few_blocks(self.run)
        return found

    def origin(self) -> str:
        """Half a sentence for captions: which run, how many blocks, on what."""
        version = self.run.provenance.get("engine_version", "unknown version")
        return (
            f"{self.run.blocks} blocks with one trial of each configuration, {self.parameters.rows:,} rows; "
            f"{source(self.run)}, {version}"
        )


def summarize(run: Run) -> Summary:
    """Check that the run is complete and name its configurations."""
    parameters = Parameters.given(run.parameters)
    arms = configurations(parameters)
    check_whole(run, (arm.name for arm in arms))
    ways = {arm.name: str(arm.settings["way"]) for arm in arms}
    return Summary(run, parameters, {arm.name: arm.label for arm in arms}, ways)


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: times with intervals, bytes a key, memory, and how long filling the store took."""
    columns: dict[str, Callable[[str], str]] = {
        "mean (ns)": lambda arm: with_interval(summary.level(arm, "batch_mean_ns")),
        "P50 (ns)": lambda arm: with_interval(summary.level(arm, "query_p50_ns")),
        "P99 (ns)": lambda arm: with_interval(summary.level(arm, "query_p99_ns")),
        "P99.9 (ns)": lambda arm: with_interval(summary.level(arm, "query_p999_ns")),
        "scan P50 (ns)": lambda arm: with_interval(summary.level(arm, "scan_p50_ns")),
        "file bytes a key": lambda arm: f"{summary.values(arm, 'disk_bytes_per_key').mean():,.1f}",
        "index bytes a key": lambda arm: f"{summary.values(arm, 'index_bytes_per_key').mean():,.1f}",
        "anonymous memory (MB)": lambda arm: f"{summary.values(arm, 'anonymous_bytes').mean() / 1e6:,.0f}",
        "filled in (s)": lambda arm: f"{summary.values(arm, 'load_s').mean():,.1f}",
    }
    rows = []
    for arm, label in summary.labels.items():
        row = {"measured with": WAYS[summary.ways[arm]], "configuration": label}
        rows.append(row | cells(columns, arm))
    return pd.DataFrame(rows).set_index("measured with")


def stride_arms(summary: Summary) -> list[str]:
    """Configurations that follow the note's stride and have a mean, in the order of the figures."""
    return summary.having("batch_mean_ns", STRIDE)
