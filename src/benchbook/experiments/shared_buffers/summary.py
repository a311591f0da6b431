"""A run in, per-block values and estimates per configuration out; the tables under the figures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchbook import statistics
from benchbook.errors import BenchbookError
from benchbook.experiments.little import littles_gate
from benchbook.experiments.per_block import NotEstimableError, PerBlock, check_whole, in_words, shown
from benchbook.experiments.sentences import source, too_few_blocks
from benchbook.experiments.shared_buffers.arms import Part, configurations
from benchbook.experiments.shared_buffers.parameters import INTERVALS, Parameters
from benchbook.experiments.shared_buffers.settings import ram_bytes
from benchbook.model import Configuration, Effect, Run
from benchbook.statistics import Gate

FULL_POOL = 0.90
"""A discarded run filled the pool when it left less than a tenth of it unused."""
DIRTY_TOLERANCE = 0.05
"""Trials start with equal dirty volume when it differs by at most this share of their memory."""


@dataclass(frozen=True)
class Summary(PerBlock):
    """One run, ready for figures and verdicts. arms: its configurations by name, in the order of the figures."""

    parameters: Parameters
    arms: dict[str, Configuration]

    def label(self, arm: str) -> str:
        """What figures call a configuration."""
        return self.arms[arm].label if arm in self.arms else arm

    def of_part(self, *parts: Part) -> list[str]:
        """Names of the configurations that are run in one of these ways."""
        return [name for name, arm in self.arms.items() if arm.settings["part"] in parts]

    def missing(self, arm: str, metric: str) -> NotEstimableError:
        """What to say where a configuration was not run, a trial of it failed, or lacks a metric."""
        if arm not in self.arms:
            return NotEstimableError(
                f"the configuration {arm} was not run", "measure all parts, with allow_vm_settings=true and as root"
            )
        failed = self.failures(arm)
        if failed:
            return NotEstimableError(f"{failed[0]} of “{self.label(arm)}”", "measure again")
        return NotEstimableError(
            f"{in_words(metric)} of “{self.label(arm)}” is not estimable in this run",
            "use longer trials, or a server that counts it",
        )

    def against(self, baseline: str, others: list[str], metric: str) -> dict[str, Effect]:
        """Ratios of these configurations to one, intervals holding together; {} where one of them is not estimable."""
        try:
            return statistics.many_to_one(
                self.values(baseline, metric), {name: self.values(name, metric) for name in others}
            )
        except BenchbookError:
            return {}

    def ratio(self, top: str, bottom: str, metric: str) -> Effect | None:
        """Ratio of a metric of two configurations over blocks; None where it is not estimable."""
        return self.against(bottom, [top], metric).get(top)

    def failures(self, arm: str | None = None) -> list[str]:
        """Trials that failed, each as "block 2 failed: the server died"."""
        rows = self.run.trials if arm is None else self.in_blocks(arm)
        if "state" not in rows:
            return []
        bad = rows[rows["state"].fillna("").str.startswith("failed")]
        return [f"block {block} {state}" for block, state in zip(bad["block"], bad["state"], strict=True)]

    def timeline(self, arm: str) -> np.ndarray:
        """TPS of each twelfth of each trial, shape (blocks, 12), block order."""
        return np.stack([self.values(arm, f"interval_{place:02}_tps") for place in range(1, INTERVALS + 1)], axis=1)

    def bounded(self, arms: set[str]) -> bool:
        """Whether a memory limit held in every trial of these configurations."""
        rows = self.run.trials[self.run.trials["configuration"].isin(arms)]
        return "memory" in rows and bool(rows["memory"].fillna("").str.startswith("bounded").all())

    def bound_gate(self, arms: set[str]) -> Gate:
        """Whether memory was bounded, without which a share of memory means nothing."""
        passed = self.bounded(arms)
        reason = "memory was bounded in every trial" if passed else "memory was not bounded to the claimed ratio"
        return Gate("memory bound", passed, float(passed), reason)

    def full_gate(self, arms: set[str]) -> Gate:
        """Whether the discarded run had filled the pools of these warm configurations that the data can fill."""
        short = []
        for arm in sorted(arms & set(self.of_part(Part.WARM))):
            rows = self.in_blocks(arm)
            if "pool_used_share" not in rows or "pool_blocks" not in rows:
                short.append(f"nobody looked into the pool of “{self.label(arm)}”")
                continue
            fillable = np.minimum(1.0, rows["data_blocks"] / rows["pool_blocks"])
            off = int((rows["pool_used_share"] < FULL_POOL * fillable).sum())
            if off:
                short.append(f"{off} pools of “{self.label(arm)}” were not full")
        return Gate("full pool", not short, float(len(short)), "; ".join(short) or "every pool was full")

    def dirty_gate(self, arms: set[str]) -> Gate:
        """Whether the trials of these configurations began with equal dirty volume."""
        rows = self.run.trials[self.run.trials["configuration"].isin(arms)]
        waiting = rows.reindex(columns=["dirty_start_bytes"])["dirty_start_bytes"].dropna()
        if waiting.empty:
            return Gate("dirty volume", True, 0.0, "nobody could look at the dirty volume")
        spread = float(np.ptp(waiting)) / ram_bytes(Part.RESTART, self.parameters.data_bytes)
        reason = f"the volume that waited to be written at the start differs by {spread:.1%} of memory"
        return Gate("dirty volume", spread <= DIRTY_TOLERANCE, spread, reason)

    def consistency_gates(self, arms: set[str]) -> list[Gate]:
        """Whether client and server counted as many transactions in each trial of these configurations."""
        trials = self._trials(arms)
        if "server_transactions" not in trials:
            return []
        known = trials["server_transactions"].notna() & trials["transactions"].notna()
        differ = int((known & (trials["server_transactions"] != trials["transactions"])).sum())
        return [Gate("counts agree", differ == 0, float(differ), f"client and server counts differ in {differ} trials")]

    def littles_gate(self, arms: set[str]) -> Gate:
        """Little's law in each trial of these configurations, for claims on their latency."""
        return littles_gate(self._trials(arms), float(self.parameters.tpcb_seconds))

    def _trials(self, arms: set[str]) -> pd.DataFrame:
        return self.run.trials[self.run.trials["configuration"].isin(arms)]

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        p, trials = self.parameters, self.run.trials
        found = []
        if p.clients != 100:
            found.append(f"{p.clients} clients instead of 100")
        if p.tpcb_seconds != 60:
            found.append(
                f"trials of {p.tpcb_seconds:g} s instead of 60, of which a twelfth stands for the note's 5 s, the last "
                "quarter for its seconds 46–60"
            )
        if p.warm_seconds != 60:
            found.append(f"{p.warm_seconds:g} s instead of 60 after the warm start")
        compression = self.run.provenance.get("wal_compression")
        if compression not in (None, "lz4"):
            found.append(f"WAL compression {compression} instead of lz4, which this server was built without")
        if "memory" in trials and trials["memory"].fillna("").str.startswith("not bounded").any():
            found.append("memory that nothing bounds")
        if "reads" in p.parts and self.run.provenance.get("direct_io") is False:
            found.append("reads through the OS page cache instead of direct I/O")
        found += too_few_blocks(self.run)
        found.append("autovacuum off, the kernel's dirty limits as this machine has them")
        return found

    def origin(self) -> str:
        """Half a sentence for captions: which run, how many blocks, on what."""
        p = self.run.provenance
        return (
            f"{self.run.blocks} blocks with one trial of each configuration; {source(self.run)}, "
            f"PostgreSQL {p.get('engine_version', 'unknown')}"
        )


def summarize(run: Run) -> Summary:
    """Check that the run is complete and name its configurations."""
    parameters = Parameters.given(run.parameters)
    arms = {arm.name: arm for arm in configurations(parameters)}
    check_whole(run, arms)
    return Summary(run, parameters, arms)


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: TPS, mean, P95, P99 and sd of latency with intervals, where each block request was served."""
    rows = []
    for arm in summary.arms:
        row: dict[str, object] = {"configuration": summary.label(arm), "TPS": shown(summary.level, arm, "tps")}
        for metric, name in (("mean", "mean"), ("p95", "P95"), ("p99", "P99"), ("sd", "sd")):
            row[f"{name} (ms)"] = shown(summary.level, arm, f"latency_{metric}_ns", factor=1e-6)
        for metric, name in (
            ("pool_share_of_requests", "shared buffers"),
            ("os_share_of_requests", "OS cache"),
            ("device_share_of_requests", "device"),
        ):
            known = summary.has(arm, metric)
            row[f"served by {name}"] = f"{summary.values(arm, metric).mean():.2%}" if known else "not known"
        rows.append(row)
    return pd.DataFrame(rows).set_index("configuration")
