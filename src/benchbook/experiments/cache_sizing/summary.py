"""A run in, per-block values and estimates per configuration out; the table under the figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchbook import statistics
from benchbook.errors import BenchbookError
from benchbook.experiments.cache_sizing.arms import configurations
from benchbook.experiments.cache_sizing.parameters import Parameters
from benchbook.figures import with_interval
from benchbook.model import Estimate, Run
from benchbook.statistics import Gate

MB, MIB = 1e6, 2.0**20


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

    def values(self, arm: str, metric: str) -> np.ndarray:
        """Per-block values in block order, shape (blocks,).

        Raises NotEstimableError when a trial lacks the metric, as a hit ratio of a cache that was never asked.
        """
        rows = self.run.trials[self.run.trials["configuration"] == arm].sort_values("block")
        if metric not in rows or rows[metric].isna().any():
            raise NotEstimableError(
                f"{_words(metric)} of “{self.labels.get(arm, arm)}” is not estimable in every trial",
                "raise events, so that more of the store leaves memory",
            )
        return rows[metric].to_numpy(dtype=float)

    def has(self, arm: str, metric: str) -> bool:
        """Whether every trial of a configuration has the metric."""
        try:
            self.values(arm, metric)
        except NotEstimableError:
            return False
        return True

    def having(self, *metrics: str) -> list[str]:
        """Configurations of which every trial has these metrics, in the order of the figures."""
        return [arm for arm in self.arms if all(self.has(arm, metric) for metric in metrics)]

    def latency(self, arm: str, metric: str) -> Estimate:
        """Geometric mean over trials in milliseconds, with its interval."""
        return statistics.geometric_mean(self.values(arm, metric) / 1e6)

    def hit_ratio(self, arm: str, *, confidence: float = 0.95) -> Estimate:
        """The block cache's hit ratio from opening to the end of the burst."""
        return statistics.share(self.values(arm, "hit_ratio"), self.values(arm, "accesses"), confidence=confidence)

    def cost(self, arm: str) -> Estimate:
        """Bytes charged per key that the block cache took in."""
        return statistics.geometric_mean(self.values(arm, "cost_per_key_bytes"))

    def consistency_gates(self) -> list[Gate]:
        """Per trial: what the probe timed is what the store says it saved."""
        trials = self.run.trials
        if "saved_events" not in trials:
            return []
        differ = int((trials["saved_events"] != trials["timed_saves"]).sum())
        return [Gate("counts agree", differ == 0, float(differ), f"timed and stored events differ in {differ} trials")]

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        p = self.parameters
        wanted = (
            (p.events, 50_000, "events"),
            (p.mem_table_mib, 64, "MiB memtables"),
            (p.base_table_mib, 64, "MiB tables"),
            (p.block_bytes, 4096, "byte blocks"),
            (p.rounds, 2, "round(s)"),
        )
        found = [f"{value:,} {what} where {asked:,} are asked" for value, asked, what in wanted if value != asked]
        if p.burst_quiet_ms != 500 or p.burst_spread_ms != 100:
            found.append(
                f"bursts spread over {p.burst_spread_ms:g} ms with {p.burst_quiet_ms:g} ms of quiet instead of 100 "
                "and 500"
            )
        if p.query_s != 60 or p.concurrent_s != 60:
            found.append(f"query tests of {p.query_s:g} and {p.concurrent_s:g} s instead of 60")
        if self.run.blocks < 6:
            found.append(f"{self.run.blocks} blocks instead of at least 6")
        return found

    def origin(self) -> str:
        """Half a sentence for captions: which run, how many blocks, on what."""
        kind = "published run" if self.run.published else "run on this machine"
        return (
            f"{self.run.blocks} blocks with one trial of each configuration, {self.parameters.events:,} events twice; "
            f"{kind} {self.run.id} ({self.run.profile} profile), Badger {self.run.provenance['engine_version']}"
        )


def summarize(run: Run) -> Summary:
    """Check that the run is complete and name its configurations."""
    parameters = Parameters.given(run.parameters)
    labels = {arm.name: arm.label for arm in configurations(parameters)}
    counts = run.trials.groupby("configuration").size()
    if set(counts.index) != set(labels) or not (counts == run.blocks).all():
        raise BenchbookError(f"run {run.id} does not hold each configuration once per block", "see `benchbook verify`")
    return Summary(run, parameters, labels)


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: cost per key, hit ratio, latencies with intervals, memory."""
    columns: dict[str, Callable[[str], str]] = {
        "cost per key (MB)": lambda arm: with_interval(summary.cost(arm), 1e-6),
        "hit ratio": lambda arm: with_interval(summary.hit_ratio(arm)),
        "keys added": lambda arm: f"{summary.values(arm, 'keys_added').mean():,.0f}",
        "evicted / added": lambda arm: f"{summary.values(arm, 'evicted_share').mean():.4f}",
        "burst mean (ms)": lambda arm: with_interval(summary.latency(arm, "burst_mean_ns")),
        "burst P95 (ms)": lambda arm: with_interval(summary.latency(arm, "burst_p95_ns")),
        "burst P99 (ms)": lambda arm: with_interval(summary.latency(arm, "burst_p99_ns")),
        "burst mean from its schedule (ms)": lambda arm: with_interval(summary.latency(arm, "response_mean_ns")),
        "burst saves per s": lambda arm: f"{summary.values(arm, 'burst_events_per_s').mean():,.0f}",
        "query mean (ms)": lambda arm: with_interval(summary.latency(arm, "query_mean_ns")),
        "peak memory (MB)": lambda arm: f"{summary.values(arm, 'peak_resident_bytes').mean() / MB:,.0f}",
    }
    rows = []
    for arm in summary.arms:
        row = {"block / index cache (MiB)": summary.labels[arm]}
        for name, text in columns.items():
            try:
                row[name] = text(arm)
            except NotEstimableError:
                row[name] = ""
        rows.append(row)
    return pd.DataFrame(rows).set_index("block / index cache (MiB)")


def _words(metric: str) -> str:
    return metric.removesuffix("_ns").removesuffix("_bytes").replace("_", " ")
