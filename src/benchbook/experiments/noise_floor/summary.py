"""A run in, per-block values and values in order of time out; what figures, tables and verdicts stand on."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from benchbook import statistics
from benchbook.experiments.noise_floor.arms import TPCB, TPCB_AGAIN, TPCB_PLAIN, WORKLOADS, configurations
from benchbook.experiments.noise_floor.parameters import Parameters
from benchbook.experiments.per_block import NotEstimableError, PerBlock, check_whole
from benchbook.experiments.sentences import source, too_few_blocks
from benchbook.model import Effect, Estimate, Run
from benchbook.statistics import Gate, Steadiness

LATENCIES = {"mean_ns": "mean latency", "p50_ns": "P50", "p95_ns": "P95", "p99_ns": "P99"}
METRICS = {"tps": "TPS"} | LATENCIES
PLANNED_BLOCKS = 8
"""The number of blocks of which captions of other chapters say what they could show."""


@dataclass(frozen=True)
class Summary(PerBlock):
    """One run, ready for figures and verdicts."""

    parameters: Parameters
    labels: dict[str, str]

    def missing(self, arm: str, metric: str) -> NotEstimableError:
        """What to say where a trial lacks a metric."""
        return NotEstimableError(f"{metric} of “{self.labels.get(arm, arm)}” is not in every trial", "raise duration_s")

    def in_time(self, workload: str, metric: str) -> tuple[np.ndarray, np.ndarray]:
        """Trial numbers and values of both labels of a workload, in the order in which they were measured."""
        numbers, values = [], []
        for arm in WORKLOADS[workload]:
            numbers.append(self.in_blocks(arm)["trial"].to_numpy(dtype=int))
            values.append(self.values(arm, metric))
        order = np.argsort(np.concatenate(numbers))
        return np.concatenate(numbers)[order], np.concatenate(values)[order]

    def pair(self, workload: str, metric: str) -> np.ndarray:
        """Values of the two labels of a workload, shape (blocks, 2)."""
        return np.column_stack([self.values(arm, metric) for arm in WORKLOADS[workload]])

    def has_pair(self, workload: str, metric: str) -> bool:
        """Whether every trial of both labels of a workload has the metric."""
        return all(self.has(arm, metric) for arm in WORKLOADS[workload])

    def aa_ratio(self, workload: str, metric: str) -> Effect:
        """The second label over the first, paired within blocks."""
        first, again = WORKLOADS[workload]
        return statistics.ratio(self.values(again, metric), self.values(first, metric))

    def trial_sd(self, workload: str, metric: str = "tps") -> Estimate:
        """Standard deviation of the log between trials of one block, from the A/A pair: as a share, 0.02 = 2 %."""
        variance = statistics.trial_variance(*self.pair(workload, metric).T)
        low, point, high = (math.sqrt(value) for value in (variance.low, variance.point, variance.high))
        return Estimate(point, low, high, variance.n, variance.method, variance.confidence)

    def block_sd(self, workload: str, metric: str = "tps") -> float:
        """Standard deviation of the log between blocks, beyond that of their trials: as a share, 0.02 = 2 %."""
        return math.sqrt(statistics.decompose(self.pair(workload, metric)).between_block)

    def drift(self, workload: str, metric: str) -> Estimate | None:
        """Slope of the logs of the blocks' geometric means, per block: two trials of one block are no two witnesses.

        None of two blocks, which always lie on a line.
        """
        levels = np.exp(np.log(self.pair(workload, metric)).mean(axis=1))
        return statistics.drift(levels) if levels.size > 2 else None

    def detectable(self, workload: str, blocks: int, metric: str = "tps") -> Estimate:
        """Smallest ratio above 1 that so many blocks show with 80 % power; interval from that of the spread."""
        sd = self.trial_sd(workload, metric)
        low, point, high = (
            statistics.minimum_detectable(math.sqrt(2) * value, blocks) for value in (sd.low, sd.point, sd.high)
        )
        return Estimate(point, low, high, sd.n, sd.method, sd.confidence)

    def gates(self) -> list[Gate]:
        """Whether client and server counted as many transactions in each TPC-B trial. No claim is about a latency."""
        trials = self.run.trials[self.run.trials["configuration"].isin([TPCB, TPCB_AGAIN, TPCB_PLAIN])]
        name = "counts agree"
        if "count_difference" not in trials:
            return [Gate(name, False, float(len(trials)), "no trial has what it needs")]
        off = int((trials["count_difference"] != 0).sum())  # a missing number fails too
        return [
            Gate(
                name, off == 0, float(off), f"{off} of {len(trials)} TPC-B-like trials count otherwise than the server"
            )
        ]

    def steady_gate(self) -> Gate:
        """Whether enough TPC-B trials have a steady state; of the plain command's nobody knows the course."""
        rows = self.run.trials[self.run.trials["configuration"].isin([TPCB, TPCB_AGAIN])]
        known = [] if "steadiness" not in rows else [str(each) for each in rows["steadiness"]]
        if not known:
            return Gate("steady state", False, 0.0, "no trial says whether it was steady")
        kinds = [Steadiness(each) if each in set(Steadiness) else Steadiness.NONE for each in known]
        return statistics.steady_gate(kinds)

    def cold_gate(self, arm: str) -> Gate:
        """Whether the caches were empty at the start of every trial of a configuration."""
        trials = self.run.trials[self.run.trials["configuration"] == arm]
        if "cache_state" not in trials:
            return Gate("certificate", False, float(len(trials)), "no trial has one")
        off = int((trials["cache_state"] != statistics.CacheState.COLD).sum())
        return Gate("certificate", off == 0, float(off), f"{off} of {len(trials)} trials did not start cold")

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        p = self.parameters
        found = []
        if p.duration_s < 60:
            found.append(f"{p.duration_s} s a trial instead of 60")
        if p.warm_up_s < 60:
            found.append(f"{p.warm_up_s} s dropped after the start instead of a whole discarded run")
        if p.clients != 100:
            found.append(f"{p.clients} clients instead of 100")
        if not 2.25 <= p.data_over_pool <= 2.75:
            found.append(f"data {p.data_over_pool:.2g} times the pool instead of 2.5 times")
        if p.scale < p.clients:
            found.append(
                f"{p.clients} clients on {p.scale} branches, which wait for each other's rows more than the note's did"
            )
        if self.run.provenance.get("direct_io"):
            found.append("reads and writes past the OS page cache")
        found += too_few_blocks(self.run)
        return found

    def origin(self) -> str:
        """Half a sentence for captions: which run, how many blocks, on what."""
        p = self.run.provenance
        return (
            f"{self.run.blocks} blocks, {self.parameters.duration_s} s a trial after "
            f"{self.parameters.warm_up_s} s dropped; {source(self.run)}, "
            f"PostgreSQL {p.get('engine_version', 'unknown')}"
        )


def summarize(run: Run) -> Summary:
    """Check that the run is complete and name its configurations."""
    parameters = Parameters.given(run.parameters)
    labels = {arm.name: arm.label for arm in configurations()}
    check_whole(run, labels)
    return Summary(run, parameters, labels)
