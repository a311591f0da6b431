"""The five validation runs of note 003 go in; what five runs say, and what they say of the single ones, comes out."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchbook import statistics
from benchbook.experiments import notes
from benchbook.model import Estimate
from benchbook.statistics import intervals
from benchbook.statistics.inputs import checked

SAME_SPREAD = "Student t on logs, one run given the spread of the others"
HALF_WIDTH = 0.05


@dataclass(frozen=True)
class Repeats:
    """Runs of one configuration. tps: one number per run, shape (runs,), > 0. labels: the note's cache states."""

    tps: tuple[float, ...]
    labels: tuple[str, ...]

    @property
    def estimate(self) -> Estimate:
        """Their geometric mean with its interval, transactions/s."""
        return statistics.geometric_mean(self.tps)

    @property
    def log_sd(self) -> float:
        """Standard deviation of their logarithms."""
        return float(np.std(np.log(self.tps), ddof=1))

    @property
    def runs_needed(self) -> int | None:
        """Runs for a half-width of 5 %, were the spread to stay."""
        return statistics.blocks_for_half_width(self.log_sd, math.log(1 + HALF_WIDTH))


def validation() -> Repeats:
    """The five runs as the note lists them."""
    found = notes.table("r8g_validation")
    return Repeats(tuple(found["tps"].astype(float)), tuple(found["cache_state"]))


def next_run(tps: tuple[float, ...], *, confidence: float = 0.95) -> Estimate:
    """Where one more run of the same configuration is expected: geometric mean and prediction interval.

    tps: one number per run, shape (runs,), at least two, > 0. Raises BenchbookError as ``geometric_mean`` does.
    """
    values = checked(tps, positive=True)
    return _spread_to(float(np.log(values).mean()), values, confidence)


def against_one(tps: tuple[float, ...], single: float, *, confidence: float = 0.95) -> Estimate:
    """Ratio of several runs' geometric mean to one single run, and its interval if that run scatters as they do.

    tps: one number per run, shape (runs,), at least two, > 0; single: one run of another configuration, > 0.
    Of the single run's own spread nothing is known; the interval takes it to be that of the others, which is an
    assumption and no finding. Raises BenchbookError as ``geometric_mean`` does.
    """
    values = checked(tps, positive=True)
    other = checked([single], name="the single run", minimum=1, positive=True)[0]
    return _spread_to(float(np.log(values).mean() - np.log(other)), values, confidence)


def _spread_to(centre: float, values: np.ndarray, confidence: float) -> Estimate:
    n = values.size
    half = intervals.critical(n, confidence) * float(np.std(np.log(values), ddof=1)) * math.sqrt(1 + 1 / n)
    point, low, high = (math.exp(bound) for bound in (centre, centre - half, centre + half))
    return Estimate(point, low, high, n, SAME_SPREAD, confidence)


def by_label(repeats: Repeats) -> pd.DataFrame:
    """One row per cache state as the note labels it: how many runs, their mean, and an interval where there is one."""
    rows = []
    short = [label.split(" (")[0] for label in repeats.labels]
    for label in ["all five", *dict.fromkeys(short)]:
        part = [tps for tps, each in zip(repeats.tps, short, strict=True) if label in (each, "all five")]
        mean = math.exp(np.log(part).mean())
        if len(part) == 1:
            interval = "none: one run"
        else:
            found = statistics.geometric_mean(part)
            interval = f"{found.low:,.0f} to {found.high:,.0f}"
        rows.append({"cache state": label, "runs": len(part), "mean (TPS)": f"{mean:,.0f}", "95 % interval": interval})
    return pd.DataFrame(rows).set_index("cache state")
