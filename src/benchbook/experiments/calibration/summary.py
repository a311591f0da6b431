"""A run's measured coverage, verdict shares and power, with their simulation intervals."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import pandas as pd

from benchbook import statistics
from benchbook.experiments.calibration.arms import LABELS, Parameters, alone_name, cell_name, timeline_name
from benchbook.experiments.calibration.catalogue import ALL, SMALLEST, Tried
from benchbook.experiments.calibration.simulation import decisions
from benchbook.experiments.sentences import source
from benchbook.experiments.shape import summary
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.model import Estimate, Outcome

METHOD = "Wilson score over simulated runs"


class Summary(summary.Summary[Parameters]):
    """One run, ready for figures. Each repetition is an independent run of its own, so counts add up over batches."""

    MEND = "simulate it with other parameters"

    @cached_property
    def metrics(self) -> Mapping[str, Mapping[str, float]]:
        """Per cell every metric that all its batches have, averaged over them; a count times blocks is its total."""
        found = {}
        for name, part in self.run.trials.groupby("configuration"):
            whole = part.select_dtypes("number").dropna(axis="columns")
            found[str(name)] = {str(metric): float(mean) for metric, mean in whole.mean().items()}
        return found

    def total(self, cell: str, metric: str) -> int:
        """A count over all batches; NotEstimableError where the cell has no such interval."""
        if metric not in self.metrics[cell]:
            raise self.missing(cell, metric)
        return round(self.metrics[cell][metric] * self.run.blocks)

    def share(self, arm: str, metric: str, of: str, *, confidence: float = 0.95) -> Estimate:
        """Share of the simulated runs of a cell, with its Wilson interval; n is the number of runs."""
        return proportion(self.total(arm, metric), self.total(arm, of))

    def coverage(self, name: str, cell: str) -> Estimate:
        """How often an interval of the catalogue covered."""
        return self.share(cell, f"{name}_covered", f"{name}_runs")

    def width(self, name: str, cell: str) -> float | None:
        """Mean width of an interval: of the logarithms, or in its own unit where it may be 0."""
        return self.metrics[cell].get(f"{name}_width")

    def places(self, name: str) -> list[tuple[str, int, str]]:
        """The cells in which an interval was tried: label of the family or trial, n, name of the cell."""
        p = self.parameters
        cells = [(LABELS[family], size, cell_name(family, size)) for family in p.families for size in p.sizes]
        cells += [("seconds of one trial", seconds, timeline_name(seconds)) for seconds in p.timelines_s]
        cells += [(spread(sd), size, alone_name(sd, size)) for sd in p.alone_sds for size in p.sizes]
        return [each for each in cells if f"{name}_runs" in self.metrics[each[2]]]

    def by_size(self, family: str, ask: Callable[[str], Estimate]) -> dict[int, Estimate]:
        """What ``ask`` gives for the cells of a family by number of blocks, rising, where it is known."""
        found = {}
        for size in sorted(self.parameters.sizes):
            with contextlib.suppress(NotEstimableError):
                found[size] = ask(cell_name(family, size))
        return found

    def false_verdicts(self, rule: str, cell: str, true_ratio: float = 1.0) -> Estimate:
        """Share of the verdicts that are untrue of the planted ratio."""
        wrong = decisions.false_outcomes(decisions.region_of(rule), true_ratio)
        counts = [self.total(cell, decisions.metric(true_ratio, rule, outcome)) for outcome in wrong]
        return proportion(sum(counts), self.total(cell, f"{decisions.effect_name(true_ratio)}_runs"))

    def verdicts(self, rule: str, cell: str, outcome: Outcome, true_ratio: float) -> Estimate:
        """Share of one verdict."""
        runs = f"{decisions.effect_name(true_ratio)}_runs"
        return self.share(cell, decisions.metric(true_ratio, rule, outcome), runs)

    def excluded(self, cell: str, true_ratio: float, side: str = "above") -> Estimate:
        """Share of the runs whose 95 % interval lies above 1, or below."""
        name = decisions.effect_name(true_ratio)
        return self.share(cell, f"{name}_{side}_1", f"{name}_runs")

    def reproduced(self, cell: str, true_ratio: float) -> Estimate:
        """Share of the runs in which a claim of more, with a margin, comes out reproduced."""
        return self.verdicts("greater", cell, Outcome.REPRODUCED, true_ratio)

    @property
    def shown_family(self) -> str:
        """The family of figures that show one: lognormal where it is among them."""
        families = self.parameters.families
        return "lognormal" if "lognormal" in families else families[0]

    @property
    def shown_size(self) -> int:
        """The number of blocks that sentences speak of: the default of this book's chapters, or the nearest."""
        return min(self.parameters.sizes, key=lambda size: (abs(size - 10), size))

    @property
    def shown_cell(self) -> str:
        """The cell of both."""
        return cell_name(self.shown_family, self.shown_size)

    def origin(self, repetitions: int | None = None, cell: str = "cell") -> str:
        """Half a sentence under figures: how many repetitions of what, which run."""
        p = self.parameters
        return (
            f"{p.blocks * (repetitions or p.repetitions):,} simulated runs of each {cell}; bars: 95 % Wilson intervals "
            f"of the simulation; {source(self.run)}"
        )


@lru_cache(maxsize=10_000)  # figures and sentences ask for the same ones
def proportion(found: int, runs: int) -> Estimate:
    """Share of independent simulated runs with its Wilson interval."""
    return replace(statistics.wilson(found, runs), n=runs, method=METHOD)


@dataclass(frozen=True)
class Share:
    """A share in a sentence: in % with its interval, with more digits where it is small. point, low: in %."""

    estimate: Estimate

    @property
    def point(self) -> float:
        return 100 * self.estimate.point

    @property
    def low(self) -> float:
        return 100 * self.estimate.low

    def __str__(self) -> str:
        point, low, high = (100 * each for each in (self.estimate.point, self.estimate.low, self.estimate.high))
        digits = 1 if self.estimate.point >= 0.1 else 2
        return f"{point:.{digits}f} % [{low:.{digits}f}, {high:.{digits}f}]"


def spread(sd: float) -> str:
    """How figures name a spread between trials."""
    return f"trials spread by {100 * sd:g} %"


def in_percent(estimate: Estimate) -> dict[str, float]:
    """A share's cells of a table."""
    names = {"share (%)": estimate.point, "low (%)": estimate.low, "high (%)": estimate.high}
    return {name: 100 * value for name, value in names.items()} | {"simulated runs": estimate.n}


def finding(tried: Tried, coverage: Estimate) -> str:
    """Whether a coverage lies in its target: "as promised", "too seldom", "too often", or "undecided".

    Undecided: the simulation interval reaches over an edge of the target; more repetitions would tell.
    """
    low, high = tried.target
    if coverage.high < low:
        return "too seldom"
    if coverage.low > high:
        return "too often"
    return "as promised" if low <= coverage.low and coverage.high <= high else "undecided"


def covered(summary: Summary, intervals: Iterable[Tried]) -> pd.DataFrame:
    """One row per interval and cell: coverage in % with its simulation interval, runs, mean width, finding."""
    rows = []
    for tried in intervals:
        for family, n, cell in summary.places(tried.name):
            estimate = summary.coverage(tried.name, cell)
            shares = {name.replace("share", "coverage"): value for name, value in in_percent(estimate).items()}
            promise = {"promised (%)": 100 * tried.nominal, "finding": finding(tried, estimate)}
            place = {"interval": tried.label, "family": family, "n": n}
            rows.append(place | shares | {"mean width": summary.width(tried.name, cell)} | promise)
    return pd.DataFrame(rows)


def book_table(summary: Summary) -> pd.DataFrame:
    """The intervals that chapters show, for runs of six blocks or more and for single trials."""

    def table() -> pd.DataFrame:
        found = covered(summary, [each for each in ALL.values() if each.used])
        return found[found["n"] >= SMALLEST]

    return summary.once("book table", table)
