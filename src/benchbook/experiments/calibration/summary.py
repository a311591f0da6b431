"""A run in, measured coverage, verdict shares and power with their simulation intervals out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import pandas as pd

from benchbook import statistics
from benchbook.errors import BenchbookError
from benchbook.experiments.calibration import decisions
from benchbook.experiments.calibration.catalogue import ALL, SMALLEST, Tried
from benchbook.experiments.calibration.cells import LABELS, alone_name, cell_name, configurations, timeline_name
from benchbook.experiments.calibration.parameters import Parameters
from benchbook.experiments.sentences import source
from benchbook.model import Estimate, Outcome, Run

METHOD = "Wilson score over simulated runs"


@dataclass(frozen=True)
class Summary:
    """One run, ready for figures. Each repetition is an independent run of its own, so counts add up over batches."""

    run: Run
    parameters: Parameters
    metrics: Mapping[str, Mapping[str, float]]
    """Per cell: every metric that all its batches have, averaged over them; a count times blocks is its total."""

    def total(self, cell: str, metric: str) -> int | None:
        """A count over all batches; None where the cell has no such interval."""
        mean = self.metrics[cell].get(metric)
        return None if mean is None else round(mean * self.run.blocks)

    def share(self, cell: str, count: str, runs: str) -> Estimate | None:
        """Share of the simulated runs of a cell, with its Wilson interval; n is the number of runs."""
        found, total = self.total(cell, count), self.total(cell, runs)
        if found is None or not total:
            return None
        return proportion(found, total)

    def coverage(self, name: str, cell: str) -> Estimate | None:
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
        return [each for each in cells if self.total(each[2], f"{name}_runs")]

    def false_verdicts(self, rule: str, cell: str, true_ratio: float = 1.0) -> Estimate | None:
        """Share of the verdicts that are untrue of the planted ratio."""
        wrong = decisions.false_outcomes(decisions.region_of(rule), true_ratio)
        counts = [self.total(cell, decisions.metric(true_ratio, rule, outcome)) for outcome in wrong]
        runs = self.total(cell, f"{decisions.effect_name(true_ratio)}_runs")
        found = [count for count in counts if count is not None]
        if not runs or len(found) != len(counts):
            return None
        return proportion(sum(found), runs)

    def verdicts(self, rule: str, cell: str, outcome: Outcome, true_ratio: float) -> Estimate | None:
        """Share of one verdict."""
        return self.share(
            cell, decisions.metric(true_ratio, rule, outcome), f"{decisions.effect_name(true_ratio)}_runs"
        )

    def excluded(self, cell: str, true_ratio: float) -> Estimate | None:
        """Share of the runs whose 95 % interval lies above 1."""
        name = decisions.effect_name(true_ratio)
        return self.share(cell, f"{name}_above_1", f"{name}_runs")

    @property
    def shown_family(self) -> str:
        """The family of figures that show one: lognormal where it is among them."""
        families = self.parameters.families
        return "lognormal" if "lognormal" in families else families[0]

    @property
    def shown_size(self) -> int:
        """The number of blocks that sentences speak of: the default of this book's chapters, or the nearest."""
        return min(self.parameters.sizes, key=lambda size: (abs(size - 10), size))

    def origin(self) -> str:
        """Half a sentence for captions: which run, how many repetitions."""
        p = self.parameters
        return (
            f"{p.blocks * p.repetitions:,} simulated runs of each cell; bars: 95 % Wilson intervals of the simulation; "
            f"{source(self.run)}"
        )


@lru_cache(maxsize=10_000)  # figures and sentences ask for the same ones
def proportion(found: int, runs: int) -> Estimate:
    """Share of independent simulated runs with its Wilson interval."""
    return replace(statistics.wilson(found, runs), n=runs, method=METHOD)


def summarize(run: Run) -> Summary:
    """Check that the run is complete and add up its batches."""
    parameters = Parameters.given(run.parameters)
    names = [cell.name for cell in configurations(parameters)]
    counts = run.trials.groupby("configuration").size()
    if set(counts.index) != set(names) or not (counts == run.blocks).all():
        raise BenchbookError(f"run {run.id} does not hold each cell once per block", "see `benchbook verify`")
    metrics: dict[str, dict[str, float]] = {}
    for name, part in run.trials.groupby("configuration"):
        whole = part.select_dtypes("number").dropna(axis="columns")
        metrics[str(name)] = {str(metric): float(mean) for metric, mean in whole.mean().items()}
    return Summary(run, parameters, metrics)


def spread(sd: float) -> str:
    """How figures name a spread between trials."""
    return f"trials spread by {100 * sd:g} %"


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


def table(summary: Summary, names: Iterable[str]) -> pd.DataFrame:
    """One row per interval and cell: coverage in % with its simulation interval, runs, mean width, finding."""
    rows = []
    for name in names:
        for family, n, cell in summary.places(name):
            estimate = summary.coverage(name, cell)
            if estimate is not None:
                rows.append(
                    {
                        "interval": ALL[name].label,
                        "family": family,
                        "n": n,
                        "coverage (%)": 100 * estimate.point,
                        "low (%)": 100 * estimate.low,
                        "high (%)": 100 * estimate.high,
                        "promised (%)": 100 * ALL[name].nominal,
                        "simulated runs": estimate.n,
                        "mean width": summary.width(name, cell),
                        "finding": finding(ALL[name], estimate),
                    }
                )
    return pd.DataFrame(rows)


def book_table(summary: Summary) -> pd.DataFrame:
    """``table`` of the intervals that chapters show, for runs of six blocks or more and for single trials."""
    found = table(summary, [name for name, each in ALL.items() if each.used])
    return found[found["n"] >= SMALLEST]
