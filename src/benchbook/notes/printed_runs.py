"""Runs as the notes print them: timelines of 5 s means, repeated runs, pairs of single ones, and what they can show."""

import math
from dataclasses import dataclass

import numpy as np

from benchbook import notes, statistics
from benchbook.errors import BenchbookError
from benchbook.model import Estimate
from benchbook.statistics import intervals, laws
from benchbook.statistics.inputs import checked
from benchbook.statistics.shapes import FALLEN
from benchbook.statistics.steady import steady_state

STEP_S, LENGTH_S = 5, 60
SAME_SPREAD = "Student t on logs, one run given the spread of the others"


@dataclass(frozen=True)
class Timeline:
    """One run as the note prints it.

    ends_s: the end of each printed interval, in s; tps: its mean, transactions/s; both of shape (intervals,).
    printed_average: the run's average as the note states it, transactions/s.
    """

    note: str
    run: int
    name: str
    ends_s: tuple[int, ...]
    tps: tuple[float, ...]
    printed_average: float

    @property
    def from_start(self) -> int:
        """Number of intervals from the start before the first that the note leaves out."""
        return sum(end == STEP_S * (place + 1) for place, end in enumerate(self.ends_s))

    @property
    def complete(self) -> bool:
        return self.from_start == LENGTH_S // STEP_S

    @property
    def mean(self) -> float:
        """Mean of the printed intervals: the run's average where all are printed."""
        return float(np.mean(self.tps))

    @property
    def missing_mean(self) -> float | None:
        """What the intervals left out must average, for the printed average to hold; None when none is left out."""
        every = LENGTH_S // STEP_S
        left_out = every - len(self.tps)
        return (every * self.printed_average - sum(self.tps)) / left_out if left_out else None

    @property
    def cliff_s(self) -> int | None:
        """End of the printed interval in which a lasting fall begins, in s; None when none is seen to last.

        The rule wants single seconds; each of them gets the mean of its printed interval. Where in the interval the
        throughput fell is not known, so the interval is what is named. Only what comes before the first gap is used.
        Raises BenchbookError for less than 15 s from the start on.
        """
        found = statistics.cliff_second(np.repeat(self.tps[: self.from_start], STEP_S))
        return None if found is None else STEP_S * (found // STEP_S + 1)

    @property
    def cliff(self) -> str:
        """What the rule says of the run, in words."""
        if self.cliff_s is not None:
            return f"at {self.cliff_s} s"
        if self.complete:
            return "none"
        end, before = self.from_start * STEP_S, self.tps[: self.from_start]
        if before[-1] < FALLEN * max(before):
            return f"open: {before[-1] / max(before):.0%} of the peak at {end} s, then intervals are left out"
        return f"none up to {end} s, then intervals are left out"

    @property
    def steadiness(self) -> str:
        """Class of the run by the book's rule, each printed mean as one point, or why there is none."""
        try:
            return str(steady_state(self.tps))
        except BenchbookError:
            return f"too short ({len(self.tps)} means)"


def timelines() -> list[Timeline]:
    """The six runs of notes 002 and 003 in the order in which they were made."""
    found = []
    for note, prefix, key, average in (("002", "c8gb", "run", "tps_avg"), ("003", "r8g", "round", "tps")):
        averages = notes.table(f"{prefix}_runs").set_index(key)[average].astype(float)
        for run, part in notes.table(f"{prefix}_timeline").groupby(key, sort=True):
            ends, tps = tuple(part["t_s"].astype(int)), tuple(part["tps"].astype(float))
            found.append(Timeline(note, int(str(run)), f"{note} {key} {run}", ends, tps, float(averages[run])))
    return found


def next_run(tps: tuple[float, ...]) -> Estimate:
    """Where one more run of the same configuration is expected: geometric mean and prediction interval at 95 %.

    tps: one number per run, shape (runs,), at least two, > 0. Raises BenchbookError as ``geometric_mean`` does.
    """
    return against_one(tps, 1.0)


def against_one(tps: tuple[float, ...], single: float) -> Estimate:
    """Ratio of several runs' geometric mean to one single run, and its interval if that run scatters as they do.

    tps: one number per run, shape (runs,), at least two, > 0; single: one run of another configuration, > 0.
    Of the single run's own spread nothing is known; the interval takes it to be that of the others, which is an
    assumption and no finding. Raises BenchbookError as ``geometric_mean`` does.
    """
    values = checked(tps, positive=True)
    other = checked([single], name="the single run", minimum=1, positive=True)[0]
    n, centre = values.size, float(np.log(values).mean() - np.log(other))
    half = intervals.critical(n, 0.95) * float(np.std(np.log(values), ddof=1)) * math.sqrt(1 + 1 / n)
    point, low, high = (math.exp(bound) for bound in (centre, centre - half, centre + half))
    return Estimate(point, low, high, n, SAME_SPREAD, 0.95)


@dataclass(frozen=True)
class Pair:
    """A change that a note reports from one run before and one after. ratio: after over before."""

    name: str
    ratio: float

    def interval(self, sd: float) -> tuple[float, float]:
        """Low and high at 95 % if trials are known to spread by ``sd`` (of the logarithm): normal, not t."""
        half = laws.normal_quantile((1 + 0.95) / 2) * difference_sd(sd)
        return self.ratio * math.exp(-half), self.ratio * math.exp(half)

    def stands_out(self, sd: float) -> bool:
        low, high = self.interval(sd)
        return low > 1 or high < 1

    def runs_needed(self, sd: float) -> int | None:
        """Runs of each configuration, in blocks, whose interval would leave out 1 if the change is what it seems."""
        return statistics.blocks_for_half_width(difference_sd(sd), abs(math.log(self.ratio)))


def pairs() -> list[Pair]:
    """The changes of throughput and latency that the notes report from one run each."""
    found = []
    for prefix, key, metric, note in (("c8gb", "run", "tps_avg", "002"), ("r8g", "round", "tps", "003")):
        rows = notes.table(f"{prefix}_changes").set_index("metric").loc[[metric]]
        ratios = (rows["after"] / rows["before"]).astype(float)
        found += [Pair(f"{note}: TPS, {key} {run}", ratio) for run, ratio in zip(rows[key], ratios, strict=True)]
    before, after = (
        notes.number("omendb_latency", "latency_us", system="OmenDB", state=state) for state in ("before", "after")
    )
    return [*found, Pair("004: latency at 10M rows", after / before)]


def difference_sd(sd: float) -> float:
    """Standard deviation of the difference of two logarithms that each spread by ``sd``."""
    return sd * math.sqrt(2)


def half_width_percent(sd: float, runs: int) -> float:
    """How far the interval of a ratio reaches upwards with so many runs of each configuration, in %."""
    return 100 * math.expm1(statistics.half_width(difference_sd(sd), runs))
