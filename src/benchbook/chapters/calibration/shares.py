"""A run as shares of its simulated runs, each with its interval; and how often the intervals covered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import product
from types import SimpleNamespace
from typing import Generic, NamedTuple, TypeVar

import pandas as pd

from benchbook import statistics
from benchbook.chapters.calibration import arms
from benchbook.chapters.calibration.catalogue import ALL, BY_FIGURE, SMALLEST, Tried
from benchbook.chapters.calibration.simulation import decisions
from benchbook.model import Estimate, Outcome
from benchbook.numbers import summary as shape
from benchbook.numbers.sentences import source
from benchbook.numbers.summary import NotEstimableError

K = TypeVar("K")
Counted = tuple[str, str]
"""A cell and a count in it."""
METHOD = "Wilson score over simulated runs"


class Worst(NamedTuple, Generic[K]):
    """The largest share of several, or the smallest, and where it is met."""

    where: K
    share: Estimate


class Design(NamedTuple):
    """So many visits of so many blocks."""

    visits: int
    blocks: int

    @property
    def name(self) -> str:
        """How its metrics begin."""
        return arms.design_name(self.visits, self.blocks)

    @property
    def words(self) -> str:
        """In a legend."""
        return f"{self.visits} visits of {self.blocks} blocks"


class Summary(shape.Summary[arms.Parameters]):
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

    def mean_share(self, counted: Iterable[Counted], of: str) -> Estimate:
        """Mean of shares, of the same runs where cells repeat. of: the metric that counts the runs of a cell.

        Its interval counts each run once, as if several counts of it told nothing new: it is never too narrow.
        """
        every = list(counted)
        runs = sum(self.total(cell, of) for cell in {cell for cell, _ in every})
        mean = sum(self.total(cell, metric) / self.total(cell, of) for cell, metric in every) / len(every)
        return proportion(round(mean * runs), runs)

    def worst(self, counted: Mapping[K, Counted], of: str, pick: Callable[..., K] = max) -> Worst[K]:
        """The largest share of these counts, by key; NotEstimableError where there is none. pick: min for the least."""
        if not counted:
            raise NotEstimableError("this run simulated no such visits", "ask for such ratios in edge_ratios")
        found = pick(counted, key=lambda key: self.metrics[counted[key][0]][counted[key][1]])
        return Worst(found, self.share(*counted[found], of))

    def coverage(self, name: str, cell: str) -> Estimate:
        """How often an interval of the catalogue covered."""
        return self.share(cell, f"{name}_covered", f"{name}_runs")

    def places(self, name: str) -> list[tuple[str, int, str]]:
        """The cells in which an interval was tried: label of the family or trial, n rising, name of the cell."""
        p, sizes = self.parameters, sorted(self.parameters.sizes)
        cells = [(arms.LABELS[family], size, arms.cell_name(family, size)) for family in p.families for size in sizes]
        cells += [("seconds of one trial", each, arms.timeline_name(each)) for each in sorted(p.timelines_s)]
        cells += [(spread(sd), size, arms.alone_name(sd, size)) for sd in p.alone_sds for size in sizes]
        return [each for each in cells if f"{name}_runs" in self.metrics[each[2]]]

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
        return arms.cell_name(self.shown_family, self.shown_size)

    @property
    def designs(self) -> list[Design]:
        """All whose luck was simulated, the fewest visits first."""
        sizes = map(sorted, (self.parameters.luck_visits, self.parameters.luck_blocks))
        return [Design(*each) for each in product(*sizes)]

    def origin(self, cell: str = "") -> str:
        """Half a sentence under figures: how many runs of what, and which run. cell: what has a cell of its own."""
        p = self.parameters
        runs = p.blocks * (p.visit_repetitions if cell else p.repetitions)
        bars = "bars: 95 % Wilson intervals of the simulation"
        return f"{runs:,} simulated runs of each {cell or 'cell'}; {bars}; {source(self.run)}"


@lru_cache(maxsize=10_000)  # figures and sentences ask for the same ones
def proportion(found: int, runs: int) -> Estimate:
    """Share of independent simulated runs with its Wilson interval."""
    return replace(statistics.wilson(found, runs), n=runs, method=METHOD)


def spread(sd: float) -> str:
    """How figures name a spread between trials."""
    return f"trials spread by {100 * sd:g} %"


def in_percent(estimate: Estimate, what: str = "share") -> dict[str, float]:
    """A share's cells of a table."""
    ends = {f"{what} (%)": estimate.point, "low (%)": estimate.low, "high (%)": estimate.high}
    return {name: 100 * value for name, value in ends.items()} | {"simulated runs": estimate.n}


def covered(summary: Summary, intervals: Iterable[Tried]) -> pd.DataFrame:
    """One row per interval and cell: coverage in % with its simulation interval, runs, mean width, finding."""
    rows = []
    for tried in intervals:
        for family, n, cell in summary.places(tried.name):
            estimate = summary.coverage(tried.name, cell)
            width = {"mean width": summary.metrics[cell].get(f"{tried.name}_width")}
            promise = {"promised (%)": 100 * tried.nominal, "finding": tried.finding(estimate)}
            place = {"interval": tried.label, "family": family, "n": n}
            rows.append(place | in_percent(estimate, "coverage") | width | promise)
    return pd.DataFrame(rows)


def book_table(summary: Summary) -> pd.DataFrame:
    """The intervals that chapters show, for runs of six blocks or more and for single trials."""

    def table() -> pd.DataFrame:
        found = covered(summary, [each for each in ALL.values() if each.used])
        return found[found["n"] >= SMALLEST]

    return summary.once("book table", table)


def off(summary: Summary) -> pd.DataFrame:
    """Its rows whose coverage is not as promised."""
    found = book_table(summary)
    return found[found["finding"].isin(["too seldom", "too often"])]


def seldom(summary: Summary) -> dict[str, tuple[int, int]]:
    """How many cases of a figure of coverage cover too seldom, and how many it has, all sizes and families together."""
    found = {name: covered(summary, tried) for name, tried in BY_FIGURE.items()}
    return {
        name: (int((part["finding"] == "too seldom").sum()), len(part)) for name, part in found.items() if len(part)
    }


def ranged(values: pd.Series) -> str:
    """From the least to the most, with one decimal."""
    low, high = f"{values.min():.1f}", f"{values.max():.1f}"
    return low if low == high else f"{low} to {high}"


def ranges(summary: Summary, intervals: Iterable[Tried]) -> SimpleNamespace:
    """The coverage of each interval over runs as the book has them (enough), or over all that a small run has."""
    found = covered(summary, intervals)
    large = found[found["n"] >= SMALLEST]
    shown = (large if len(large) else found).groupby("interval", sort=False)
    return SimpleNamespace(enough=len(large), each=[(label, ranged(part["coverage (%)"])) for label, part in shown])
