"""The numbers of the chapter, each once and by name, and what its claims stand on."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd

from benchbook import statistics
from benchbook.chapters.noise_floor import tables
from benchbook.chapters.noise_floor.arms import TPCB, TPCB_AGAIN, TPCB_PLAIN, WORKLOADS, Parameters
from benchbook.claims import Quantity
from benchbook.figures.prose import digits
from benchbook.model import Effect, Estimate
from benchbook.notes.r8g_claims import evidence
from benchbook.numbers import environment
from benchbook.numbers import summary as shape
from benchbook.numbers.answers import Answer
from benchbook.numbers.estimands import custom, ratio, told
from benchbook.numbers.metrics import Metric, Metrics
from benchbook.numbers.quantities import Number, Told, percent
from benchbook.numbers.sentences import source, too_few_blocks
from benchbook.statistics import Gate, Steadiness

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
AA = (TPCB_AGAIN, TPCB)
PLAIN = (TPCB_PLAIN, "report_tps"), (TPCB, "report_tps")
"""The plain command and the sampled one, both from pgbench's own report of the same seconds."""


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
        return _each_end(math.sqrt, variance)

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
        return _each_end(
            lambda sd: statistics.minimum_detectable(math.sqrt(2) * sd, blocks) - 1, self.trial_sd(workload)
        )

    def steady_gate(self) -> Gate:
        """Whether enough TPC-B trials have a steady state; of the plain command's nobody knows the course."""
        rows = self.of([TPCB, TPCB_AGAIN])
        known = [] if "steadiness" not in rows else [str(each) for each in rows["steadiness"]]
        if not known:
            return Gate("steady state", False, 0.0, "no trial says whether it was steady")
        kinds = [Steadiness(each) if each in set(Steadiness) else Steadiness.NONE for each in known]
        return statistics.steady_gate(kinds)

    def whole_gate(self, name: str, arms: Iterable[str], column: str, wanted: object, otherwise: str) -> Gate:
        """Whether each trial of these configurations has what is wanted; one without it fails too."""
        trials = self.of(arms)
        if column not in trials:
            return Gate(name, False, float(len(trials)), "no trial has what it needs")
        off = int((trials[column] != wanted).sum())
        return Gate(name, off == 0, float(off), f"{off} of {len(trials)} {otherwise}")

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


def _each_end(of: Callable[[float], float], found: Estimate) -> Estimate:
    return replace(found, point=of(found.point), low=of(found.low), high=of(found.high))


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Equal counts; of the warm ratio steady trials, of the cold spread empty caches at the start."""
    every, otherwise = (TPCB, TPCB_AGAIN, TPCB_PLAIN), "TPC-B-like trials count otherwise than the server"
    counts = summary.whole_gate("counts agree", every, "count_difference", 0, otherwise)
    if answer.estimand.metric is not None:
        return [counts, summary.steady_gate()]
    cold = statistics.CacheState.COLD
    return [counts, summary.whole_gate("certificate", [TPCB], "cache_state", cold, "trials did not start cold")]


def _cold(summary: Summary) -> Estimate:
    """Coefficient of variation of the TPS from the cold start on, over one trial of each block.

    The A/A arm's trials stay out: two trials of one block share its moment, and are fewer than two repeats.
    """
    return statistics.sd_interval(summary.values(TPCB, "first_tps"))


def _of(ask: Callable[..., Estimate], *given: object) -> Number:
    return percent(told(ask, *given, quantity=Quantity.DISPERSION))


KINDS = dict(zip(("select", "tpcb"), WORKLOADS, strict=True))
NUMBERS = {
    "cold": percent(custom(_cold, Quantity.DISPERSION, TPCB, report=evidence("R054"))),
    "plain": ratio(*PLAIN),
    **{f"again_{what}": ratio(*WORKLOADS[workload][::-1], metric="tps") for what, workload in KINDS.items()},
    **{f"sd_{what}": _of(Summary.trial_sd, workload) for what, workload in KINDS.items()},
    **{f"seen_{what}": _of(Summary.detectable, workload, PLANNED_BLOCKS) for what, workload in KINDS.items()},
}


def noise_floor_line(summary: Summary, blocks: int = PLANNED_BLOCKS) -> str:
    """One sentence for other chapters' pages: spread between trials, and what so many blocks cannot show."""
    spreads, hidden = [], []
    for workload in WORKLOADS:
        spreads.append(f"{digits(100 * summary.trial_sd(workload).point)} % ({workload})")
        hidden.append(f"{digits(100 * summary.detectable(workload, blocks).point)} %")
    return (
        f"Noise floor of pgbench on this machine, from a separate run: trials of one block vary in TPS by "
        f"{' and '.join(spreads)}, so {blocks} blocks can show differences of {' and '.join(hidden)} or more"
    )


def _drift(workload: str, summary: Summary) -> Told | None:
    """The drift in % per block; None of two blocks."""
    slope = summary.drift(workload, "tps")
    return None if slope is None else Told(slope, 100.0)


def _next(workload: str, summary: Summary) -> SimpleNamespace:
    """How far a trial's throughput tells that of the next one, the bound for independence, and whether it is beyond."""
    _, values = summary.in_time(workload, "tps")
    found = float(statistics.autocorrelation(np.log(values), 1)[0])
    bound = statistics.autocorrelation_bound(values.size)
    return SimpleNamespace(found=found, bound=bound, beyond=abs(found) > bound)


def _sample_ms(summary: Summary) -> float:
    """Mean time to sample the waits; 0 without any sample."""
    looks, seconds = (float(summary.values(TPCB, metric).sum()) for metric in ("looks", "looking_s"))
    return 1000 * seconds / looks if looks else 0.0


def _canary(summary: Summary) -> dict[str, float]:
    """How far each small fixed load moves by itself on this machine while nothing else runs, as a share."""
    found = environment.spreads(pd.DataFrame(summary.run.canary))
    return {environment.READINGS[name]: spread for name, spread in found.items()}


def _missed(summary: Summary) -> list[bool]:
    """Of each interval of a configuration over itself, whether it misses 1."""
    found = [
        summary.aa_ratio(workload, metric)
        for workload, labels in WORKLOADS.items()
        for metric in tables.PAIRED
        if summary.having(labels, metric) == [*labels]
    ]
    return [not each.low <= 1 <= each.high for each in found]


WORDS = {
    "planned": lambda summary: PLANNED_BLOCKS,
    **{f"drift_{what}": partial(_drift, workload) for what, workload in KINDS.items()},
    **{f"next_{what}": partial(_next, workload) for what, workload in KINDS.items()},
    **{f"blocks_{what}": lambda summary, each=each: 100 * summary.block_sd(each) for what, each in KINDS.items()},
    "sample_ms": _sample_ms,
    "canary": _canary,
    "data_bytes": lambda summary: sum(summary.run.provenance[f"{part}_bytes"] for part in ("heap", "index")),
    "missed": _missed,
    "pinned": lambda summary: summary.run.provenance.get("pinned"),
}
TABLES = {"overview": tables.overview, "decomposition": tables.decomposition}
