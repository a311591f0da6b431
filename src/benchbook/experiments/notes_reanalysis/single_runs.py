"""Pairs of single runs go in; how wide their ratio's interval would be, and how many runs would show it, comes out."""

from __future__ import annotations

import math
from dataclasses import dataclass

import scipy

from benchbook import statistics
from benchbook.experiments import notes


@dataclass(frozen=True)
class Pair:
    """A change that a note reports from one run before and one after. ratio: after over before."""

    name: str
    ratio: float

    def interval(self, sd: float, *, confidence: float = 0.95) -> tuple[float, float]:
        """Low and high of the ratio if trials are known to spread by ``sd`` (of the logarithm): normal, not t."""
        half = float(scipy.stats.norm.ppf((1 + confidence) / 2)) * difference_sd(sd)
        return self.ratio * math.exp(-half), self.ratio * math.exp(half)

    def stands_out(self, sd: float) -> bool:
        """Whether that interval leaves out 1."""
        low, high = self.interval(sd)
        return low > 1 or high < 1

    def runs_needed(self, sd: float) -> int | None:
        """Runs of each configuration, in blocks, whose interval would leave out 1 if the change is what it seems."""
        return statistics.blocks_for_half_width(difference_sd(sd), abs(math.log(self.ratio)))


def difference_sd(sd: float) -> float:
    """Standard deviation of the difference of two logarithms that each spread by ``sd``."""
    return sd * math.sqrt(2)


def half_width_percent(sd: float, runs: int) -> float:
    """How far the interval of a ratio reaches upwards with so many runs of each configuration, in %."""
    return 100 * math.expm1(statistics.half_width(difference_sd(sd), runs))


def pairs() -> list[Pair]:
    """The changes of throughput and latency that the notes report from one run each."""
    found = []
    for prefix, key, metric, note in (("c8gb", "run", "tps_avg", "002"), ("r8g", "round", "tps", "003")):
        rows = notes.table(f"{prefix}_changes")
        for _, row in rows[rows["metric"] == metric].iterrows():
            found.append(Pair(f"{note}: TPS, {key} {row[key]}", float(row["after"] / row["before"])))
    before, after = (
        notes.number("omendb_latency", "latency_us", system="OmenDB", state=state) for state in ("before", "after")
    )
    return [*found, Pair("004: latency at 10M rows", after / before)]
