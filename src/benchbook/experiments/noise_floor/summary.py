"""Per-block values of a run and values in order of time, for its figures, tables and verdicts."""

from __future__ import annotations

import math

import numpy as np

from benchbook import statistics
from benchbook.experiments.noise_floor.arms import TPCB, TPCB_AGAIN, TPCB_PLAIN, WORKLOADS, Parameters
from benchbook.experiments.sentences import source, too_few_blocks
from benchbook.experiments.shape import summary as shape
from benchbook.experiments.shape.metrics import Metric, Metrics
from benchbook.model import Effect, Estimate
from benchbook.statistics import Gate, Steadiness

LATENCIES = ("mean_ns", "p50_ns", "p95_ns", "p99_ns")
PAIRED = ("tps", *LATENCIES)
"""What is compared between two labels of a workload."""
METRICS: Metrics = {
    "tps": Metric("throughput", heading="TPS"),
    "report_tps": Metric("throughput as pgbench reports it", heading="TPS as pgbench reports it"),
    "first_tps": Metric("throughput after a cold start"),
    "mean_ns": Metric("mean latency", "ms", 1e-6),
    "p50_ns": Metric("P50 of the latency", "ms", 1e-6, heading="P50"),
    "p95_ns": Metric("P95 of the latency", "ms", 1e-6, heading="P95"),
    "p99_ns": Metric("P99 of the latency", "ms", 1e-6, heading="P99"),
    "looks": Metric("number of samples of the waits"),
    "looking_s": Metric("time to sample the waits", "s"),
}
PLANNED_BLOCKS = 8
"""The number of blocks of which captions of other chapters say what they could show."""


class Summary(shape.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS = METRICS
    MEND = "raise duration_s"

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

    def aa_ratio(self, workload: str, metric: str) -> Effect:
        """The second label over the first, paired within blocks."""
        first, again = WORKLOADS[workload]
        return self.ratio((again, metric), (first, metric))

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

    def detectable(self, workload: str, blocks: int) -> Estimate:
        """Smallest difference in TPS that so many blocks show with 80 % power, as a share; interval from the spread."""
        sd = self.trial_sd(workload)
        low, point, high = (
            statistics.minimum_detectable(math.sqrt(2) * value, blocks) - 1 for value in (sd.low, sd.point, sd.high)
        )
        return Estimate(point, low, high, sd.n, sd.method, sd.confidence)

    def counts_gate(self) -> Gate:
        """Whether client and server counted as many transactions in each TPC-B trial."""
        trials = self.of([TPCB, TPCB_AGAIN, TPCB_PLAIN])
        name = "counts agree"
        if "count_difference" not in trials:
            return Gate(name, False, float(len(trials)), "no trial has what it needs")
        off = int((trials["count_difference"] != 0).sum())  # a missing number fails too
        reason = f"{off} of {len(trials)} TPC-B-like trials count otherwise than the server"
        return Gate(name, off == 0, float(off), reason)

    def steady_gate(self) -> Gate:
        """Whether enough TPC-B trials have a steady state; of the plain command's nobody knows the course."""
        rows = self.of([TPCB, TPCB_AGAIN])
        known = [] if "steadiness" not in rows else [str(each) for each in rows["steadiness"]]
        if not known:
            return Gate("steady state", False, 0.0, "no trial says whether it was steady")
        kinds = [Steadiness(each) if each in set(Steadiness) else Steadiness.NONE for each in known]
        return statistics.steady_gate(kinds)

    def cold_gate(self, arm: str) -> Gate:
        """Whether the caches were empty at the start of every trial of a configuration."""
        trials = self.in_blocks(arm)
        if "cache_state" not in trials:
            return Gate("certificate", False, float(len(trials)), "no trial has one")
        off = int((trials["cache_state"] != statistics.CacheState.COLD).sum())
        return Gate("certificate", off == 0, float(off), f"{off} of {len(trials)} trials did not start cold")

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        p = self.parameters
        few = f"{p.clients} clients on {p.scale} branches, which wait for each other's rows more than the note's did"
        found = {
            f"{p.duration_s} s per trial instead of 60": p.duration_s < 60,
            f"{p.warm_up_s} s dropped after the start instead of a whole discarded run": p.warm_up_s < 60,
            f"{p.clients} clients instead of 100": p.clients != 100,
            f"data {p.data_over_pool:.2g} times the pool instead of 2.5 times": not 2.25 <= p.data_over_pool <= 2.75,
            few: p.scale < p.clients,
            "reads and writes past the OS page cache": bool(self.run.provenance.get("direct_io")),
        }
        return [*(text for text, departs in found.items() if departs), *too_few_blocks(self.run)]

    def origin(self) -> str:
        """Half a sentence under figures: which run, how many blocks, how long, on what."""
        p = self.parameters
        length = f"{p.duration_s} s per trial after {p.warm_up_s} s dropped"
        return f"{self.run.blocks} blocks, {length}; {source(self.run)}, {self.on()}"
