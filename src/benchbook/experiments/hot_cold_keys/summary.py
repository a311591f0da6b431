"""A run in, per-block values and estimates per configuration out; the tables under the figures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchbook.experiments.hot_cold_keys.arms import BASELINE, EMPTY, REPEATED, configurations
from benchbook.experiments.hot_cold_keys.parameters import Parameters
from benchbook.experiments.little import LITTLE
from benchbook.experiments.per_block import NotEstimableError, PerBlock, check_whole, shown
from benchbook.experiments.sentences import source, too_few_blocks
from benchbook.model import Estimate, Run
from benchbook.statistics import CacheState, Gate
from benchbook.statistics.gates import LITTLE_TOLERANCE

EXPECTED_STATE = {
    BASELINE: CacheState.HOT,
    REPEATED: CacheState.HOT,
    "same_keys_first_table": CacheState.HOT,
    "all_warmed_large_pool": CacheState.HOT,
    "true_cold": CacheState.COLD,
    "true_cold_probed": CacheState.COLD,
}
"""What the name of a configuration promises; the certificate says what it was."""


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
        """What to say where a trial lacks a metric, as the P99 of fewer than 10,000 requests."""
        return NotEstimableError(
            f"{metric.removesuffix('_ns').upper()} of “{self.labels.get(arm, arm)}” is not estimable from "
            f"{self.parameters.measured_requests:,} requests a trial",
            "raise measured_requests",
        )

    def window_medians(self, arm: str) -> np.ndarray:
        """Median latency in ns of each window of each trial of a configuration, in no particular order."""
        size = self.parameters.window_requests
        trials = self.run.trials.loc[self.run.trials["configuration"] == arm, "trial"]
        samples = self.run.samples[self.run.samples["trial"].isin(trials)]
        return np.concatenate(
            [np.median(part.to_numpy().reshape(-1, size), axis=1) for _, part in samples.groupby("trial")["latency_ns"]]
        )

    @property
    def tail(self) -> str:
        """The highest quantile that this run's trials can estimate: p99_ns, p95_ns or p50_ns."""
        return next((metric for metric in ("p99_ns", "p95_ns") if self.has(BASELINE, metric)), "p50_ns")

    def latency(self, arm: str, metric: str) -> Estimate:
        """Geometric mean over trials in milliseconds, with its interval."""
        return self.level(arm, metric, 1e6)

    def expected_state_gate(self, arms: set[str]) -> Gate:
        """Whether the caches of these configurations were in the state that their names promise, in every trial."""
        wrong = []
        for arm in sorted(arms & set(EXPECTED_STATE)):
            states = self.run.trials.loc[self.run.trials["configuration"] == arm, "cache_state"]
            off = int((states != EXPECTED_STATE[arm]).sum())
            if off:
                wrong.append(f"{off} of {len(states)} trials of “{self.labels[arm]}” were not {EXPECTED_STATE[arm]}")
        return Gate("certificate", not wrong, float(len(wrong)), "; ".join(wrong) or "every cache was as named")

    def consistency_gates(self) -> list[Gate]:
        """Whether client and server counted as many requests in every trial."""
        trials = self.run.trials
        asked = trials["requests"] * self.parameters.n_tables
        differ = int((trials["index_scans"].notna() & (trials["index_scans"] != asked)).sum())
        return [Gate("counts agree", differ == 0, float(differ), f"client and server counts differ in {differ} trials")]

    def littles_gate(self, arms: set[str]) -> Gate:
        """Little's law for one client in the trials of these configurations: its time went into requests."""
        shares = self.run.trials.loc[self.run.trials["configuration"].isin(arms), "loop_share_in_requests"]
        off = int(((shares - 1).abs() > LITTLE_TOLERANCE).sum())
        return Gate(LITTLE, off == 0, float(off), f"{off} of {len(shares)} trials miss it by more than 2 %")

    def client_share(self) -> float:
        """The empty statement's share of the hot configuration's median latency."""
        return float(self.latency(EMPTY, "p50_ns").point / self.latency(BASELINE, "p50_ns").point)

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        p = self.parameters
        found = []
        if p.n_tables != 30:
            found.append(f"{p.n_tables} tables a request instead of 30")
        if p.warmup_requests != 1_000 or p.hot_set_keys != 1_000:
            found.append(f"{p.hot_set_keys:,} warmed keys instead of 1,000")
        if p.measured_requests < 10_000:
            found.append(f"{p.measured_requests:,} measured requests a trial instead of 10,000")
        if p.key_existence != "all_tables":
            found.append("keys that exist in the first table only")
        found += too_few_blocks(self.run)
        if not self.run.provenance.get("direct_io"):
            found.append("reads through the OS page cache instead of direct I/O")
        return found

    def origin(self) -> str:
        """Half a sentence for captions: which run, how many blocks, on what."""
        p = self.run.provenance
        requests = f"{self.parameters.measured_requests:,} requests a trial"
        return (
            f"{self.run.blocks} blocks with one trial of each configuration, {requests}; {source(self.run)}, "
            f"PostgreSQL {p['engine_version']}"
        )


def summarize(run: Run) -> Summary:
    """Check that the run is complete and name its configurations."""
    parameters = Parameters.given(run.parameters)
    labels = {arm.name: arm.label for arm in configurations(parameters)}
    check_whole(run, labels)
    return Summary(run, parameters, labels)


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: certified state, P50, P95, P99 with intervals in ms, hit ratios, reads per request."""
    rows = []
    for arm in summary.arms:
        trials = summary.run.trials[summary.run.trials["configuration"] == arm]
        states = trials["cache_state"].value_counts()
        row: dict[str, object] = {
            "configuration": summary.labels[arm],
            "certified cache": ", ".join(f"{state} ({count})" for state, count in states.items()),
        }
        for metric, name in (("p50_ns", "P50"), ("p95_ns", "P95"), ("p99_ns", "P99"), ("p999_ns", "P99.9")):
            row[f"{name} (ms)"] = shown(summary.latency, arm, metric)
        noted = trials["note_p99_ns"] / 1e6
        row["P99 of 1,000 as the note (ms)"] = f"{noted.min():.3g} to {noted.max():.3g}"
        for metric, name in (("min_ns", "min"), ("mean_ns", "mean"), ("max_ns", "max"), ("sd_ns", "sd")):
            row[f"{name} (ms)"] = f"{float(np.exp(np.log(trials[metric]).mean())) / 1e6:.3g}"
        if arm != EMPTY:
            row["heap hit ratio"] = f"{trials['heap_hit_ratio'].mean():.4f}"
            row["pool misses per request"] = f"{trials['pool_misses_per_request'].mean():.2f}"
            device = trials["device_blocks_per_request"]
            row["device reads per request"] = "unknown" if device.isna().any() else f"{device.mean():.2f}"
        rows.append(row)
    return pd.DataFrame(rows).fillna("").set_index("configuration")
