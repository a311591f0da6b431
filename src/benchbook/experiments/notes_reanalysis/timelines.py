"""The notes' timelines of 5 s means go in; averages, cliffs and steadiness by the book's rules come out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchbook import statistics
from benchbook.errors import BenchbookError
from benchbook.experiments import notes
from benchbook.statistics.shapes import FALLEN
from benchbook.statistics.steady import steady_state

STEP_S = 5
LENGTH_S = 60


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
        """Whether every interval of the run is printed."""
        return self.from_start == LENGTH_S // STEP_S

    @property
    def mean(self) -> float:
        """Mean of the printed intervals: the run's average where all are printed."""
        return float(np.mean(self.tps))

    @property
    def missing_mean(self) -> float | None:
        """What the intervals left out must average, for the printed average to hold; None when none is left out."""
        intervals = LENGTH_S // STEP_S
        left_out = intervals - len(self.tps)
        return (intervals * self.printed_average - sum(self.tps)) / left_out if left_out else None

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
        end = self.from_start * STEP_S
        before = self.tps[: self.from_start]
        if before[-1] < FALLEN * max(before):
            return f"open: {before[-1] / max(before):.0%} of the peak at {end} s, then nothing is printed"
        return f"none up to {end} s, then nothing is printed"

    @property
    def steadiness(self) -> str:
        """Class of the run by the book's rule, each printed mean as one point, or why there is none."""
        try:
            return str(steady_state(self.tps).kind)
        except BenchbookError:
            return f"too short ({len(self.tps)} means)"


def timelines() -> list[Timeline]:
    """The six runs of notes 002 and 003 in the order in which they were made."""
    found = []
    for note, prefix, key, average in (("002", "c8gb", "run", "tps_avg"), ("003", "r8g", "round", "tps")):
        rows, runs = notes.table(f"{prefix}_timeline"), notes.table(f"{prefix}_runs")
        for run, part in rows.groupby(key, sort=True):
            printed = float(runs.loc[runs[key] == run, average].iloc[0])
            found.append(
                Timeline(
                    note, int(str(run)), f"{note} {key} {run}", tuple(part["t_s"].astype(int)),
                    tuple(part["tps"].astype(float)), printed,
                )
            )  # fmt: skip
    return found


def table(found: list[Timeline]) -> pd.DataFrame:
    """One row per run: the printed average, the mean of what is printed, and what the book's rules say."""
    rows = [
        {
            "run": each.name,
            "average, printed (TPS)": f"{each.printed_average:,.0f}",
            "mean of the timeline (TPS)": f"{each.mean:,.0f}" if each.complete else "not estimable",
            "left-out part must average (TPS)": "" if each.missing_mean is None else f"{each.missing_mean:,.0f}",
            "cliff": each.cliff,
            "steady state": each.steadiness,
        }
        for each in found
    ]
    return pd.DataFrame(rows).set_index("run")
