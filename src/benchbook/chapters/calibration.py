"""Simulated runs with known truths: how often this book's intervals hold them, and its verdicts are right."""

from __future__ import annotations

import hashlib
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property, lru_cache, partial
from itertools import product
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import pandas as pd
import scipy
from plotly.subplots import make_subplots

from benchbook import kit, statistics
from benchbook.drawing.marks import COLOURS, bars
from benchbook.figures import Prose, theme
from benchbook.measuring.simulation import coverage, decisions, visits, worlds, wrong_ways
from benchbook.measuring.simulation.parameters import FEW_MISSES, Parameters
from benchbook.model import Outcome
from benchbook.numbers.sentences import source
from benchbook.statistics.multiplicity import FAR_SD, NEAR_SD

LABELS = {
    "normal": "normal", "lognormal": "lognormal", "gamma": "gamma", "pareto": "Pareto requests",
    "stalls": "stalled trials",
}  # fmt: skip
FEELING, PROCESSORS = {"alike": 1.0, "far": 0.3}, {"one": 1, "two": 2}
"""How much of a visit's slowdown the changed arm feels, where the baseline feels all; models that visits may meet."""


def _alone(sd: float, size: int) -> str:
    return f"alone_{100 * sd:g}_n{size}".replace(".", "_")


def _luck(sd: float) -> str:
    return f"luck_{100 * sd:g}".replace(".", "_")


def _visits(move: float, sd: float, arms: str, processors: str) -> str:
    return f"visits_{100 * move:g}_sd{100 * sd:g}_{arms}_{processors}".replace(".", "_")


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """Every cell: families by number of blocks, single trials, one arm that stalls, visits."""
    p, made = parameters, kit.Configuration
    for family, size in product(p.families, p.sizes):
        yield made(f"{family}_n{size}", f"{LABELS[family]}, {size} blocks", {"family": family, "size": size})
    for length in p.timelines_s:
        yield made(f"seconds_{length}", f"one trial of {length} s", {"seconds": length})
    for sd, size in product(p.alone_sds, p.sizes):
        label = f"one arm stalls, {sd:.3g}, {size} blocks"
        yield made(_alone(sd, size), label, {"alone": sd, "size": size})
    for sd in p.visit_sds:
        yield made(_luck(sd), f"several visits that differ by {sd:.3g}", {"luck": sd})
    for move, sd, arms, processors in product(p.visit_moves, p.block_sds, FEELING, PROCESSORS):
        label = f"visits move by {move:.3g}, blocks by {sd:.3g}, {arms}, {processors}"
        cell: dict[str, kit.Scalar] = {"move": move, "block_sd": sd, "arms": arms, "processors": processors}
        yield made(_visits(move, sd, arms, processors), label, cell)


def needs(parameters: Parameters) -> kit.Needs:
    """Memory for the largest cell, some forty arrays of one number per trial; the results are small."""
    p = parameters
    of_visits = p.visit_repetitions * max(max(p.luck_visits) * max(p.luck_blocks), 60)
    largest = max(p.repetitions * max(p.sizes) * p.settings // 2, worlds.DRAWS, of_visits)
    return kit.Needs(disk_bytes=100_000_000, memory_bytes=300_000_000 + 8 * 40 * largest, engine=identity)


def identity() -> dict[str, Any]:
    """What draws the numbers and computes the intervals."""
    return {"engine": "simulation", "engine_version": f"numpy {np.__version__}, scipy {scipy.__version__}"}


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """The truths of all families computed; nothing is started and nothing is left."""
    for place, family in enumerate(parameters.families):
        progress("computing true values", place / len(parameters.families))
        worlds.truths(parameters, family)
    yield Bench(parameters)


def reduce(latencies: np.ndarray) -> Mapping[str, float | None]:
    """Nothing: a simulated batch keeps counts, not latencies."""
    return {}


@dataclass(frozen=True)
class Bench:
    """A generator of random numbers in place of an engine."""

    parameters: Parameters

    def provenance(self) -> dict[str, Any]:
        return identity()

    def measure(self, planned: kit.PlannedTrial) -> kit.Trial:
        """Simulate one batch of one cell. Its numbers follow from the block's seed and the cell's name alone."""
        started_at, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        metrics = self.simulated(planned)
        return kit.Trial(planned, started_at, time.monotonic() - clock, metrics, {}, {})

    def simulated(self, planned: kit.PlannedTrial) -> worlds.Metrics:
        """The metrics of a batch."""
        name = hashlib.sha256(planned.configuration.name.encode()).digest()
        generator = np.random.default_rng([planned.seed, int.from_bytes(name[:4])])
        p, cell = self.parameters, dict[str, Any](planned.configuration.settings)
        if "seconds" in cell:
            return coverage.within(p, cell["seconds"], generator)
        if "alone" in cell:
            return wrong_ways.alone(p, cell["alone"], cell["size"], generator)
        if "luck" in cell:
            return coverage.luck(p, cell["luck"], generator) | coverage.levels(p, cell["luck"], generator)
        if "move" in cell:
            felt, processors = FEELING[cell["arms"]], PROCESSORS[cell["processors"]]
            return visits.measured(p, cell["move"], cell["block_sd"], felt, processors, generator)
        family = worlds.Family(p, cell["family"], generator)
        true, world = worlds.truths(p, family.name), worlds.draw(family, cell["size"], p.repetitions)
        return {
            **coverage.tried(p, world, true), **wrong_ways.measured(family, world, true),
            **coverage.cliffs(p, world.flat, generator), **decisions.measured(p, world),
        }  # fmt: skip


K = TypeVar("K")
METHOD = "Wilson score over simulated runs"


class Summary(kit.Summary[Parameters]):
    """One run, ready for figures. Each repetition is an independent run of its own, so counts add up over batches."""

    MEND = "simulate it with other parameters"

    @cached_property
    def metrics(self) -> Mapping[str, Mapping[str, float]]:
        """Per cell every metric that all its batches have, averaged over them; a count times blocks is its total."""
        parts = self.run.trials.groupby("configuration")
        return {str(name): dict(part.select_dtypes("number").dropna(axis="columns").mean()) for name, part in parts}

    def total(self, cell: str, metric: str) -> int:
        """A count over all batches; NotEstimableError where the cell has no such interval."""
        if metric not in self.metrics[cell]:
            raise self.missing(cell, metric)
        return round(self.metrics[cell][metric] * self.run.blocks)

    def share(self, arm: str, metric: str, of: str, *, confidence: float = 0.95) -> kit.Estimate:
        """Share of the simulated runs of a cell; of: the metric that counts them."""
        return proportion(self.total(arm, metric), self.total(arm, of))

    def coverage(self, name: str, cell: str) -> kit.Estimate:
        """How often an interval covered."""
        return self.share(cell, f"{name}_covered", f"{name}_runs")

    def mean_share(self, counted: Iterable[tuple[str, str]], of: str = "visits_runs") -> kit.Estimate:
        """Mean of shares; its interval counts each run once, as if several counts of it told nothing new."""
        every = list(counted)
        runs = sum(self.total(cell, of) for cell in {cell for cell, _ in every})
        mean = sum(self.total(cell, metric) / self.total(cell, of) for cell, metric in every) / len(every)
        return proportion(round(mean * runs), runs)

    def worst(self, counted: Mapping[K, tuple[str, str]], of: str = "visits_runs") -> Worst[K]:
        """The largest share of these counts, by key; NotEstimableError where there is none."""
        if not counted:
            raise kit.NotEstimableError("this run simulated no such visits", "ask for such ratios in edge_ratios")
        found = max(counted, key=lambda key: self.metrics[counted[key][0]][counted[key][1]])
        return Worst(found, self.share(*counted[found], of))

    def places(self, name: str) -> list[tuple[str, int, str]]:
        """The cells in which an interval was tried: label of the family or trial, n rising, name of the cell."""
        p, sizes = self.parameters, sorted(self.parameters.sizes)
        cells = [(LABELS[family], n, f"{family}_n{n}") for family, n in product(p.families, sizes)]
        cells += [("seconds of one trial", each, f"seconds_{each}") for each in sorted(p.timelines_s)]
        cells += [(f"trials spread by {100 * sd:g} %", n, _alone(sd, n)) for sd, n in product(p.alone_sds, sizes)]
        return [each for each in cells if f"{name}_runs" in self.metrics[each[2]]]

    def false_verdicts(self, rule: str, cell: str, ratio: float = 1.0) -> kit.Estimate:
        """Share of the verdicts that are untrue of the planted ratio."""
        wrong = decisions.false_outcomes(decisions.region_of(rule), ratio)
        found = sum(self.total(cell, decisions.metric(ratio, rule, outcome)) for outcome in wrong)
        return proportion(found, self.total(cell, f"{decisions.effect_name(ratio)}_runs"))

    def verdicts(self, rule: str, cell: str, outcome: Outcome, ratio: float) -> kit.Estimate:
        """Share of one verdict."""
        return self.share(cell, decisions.metric(ratio, rule, outcome), f"{decisions.effect_name(ratio)}_runs")

    def excluded(self, cell: str, ratio: float, side: str = "above") -> kit.Estimate:
        """Share of the runs whose 95 % interval lies above 1, or below."""
        name = decisions.effect_name(ratio)
        return self.share(cell, f"{name}_{side}_1", f"{name}_runs")

    @property
    def shown(self) -> tuple[str, int]:
        """What one figure or sentence shows: lognormal, and the usual number of blocks, or what is nearest to them."""
        p = self.parameters
        family = "lognormal" if "lognormal" in p.families else p.families[0]
        return family, min(p.sizes, key=lambda size: (abs(size - 10), size))

    @property
    def shown_cell(self) -> str:
        return "{}_n{}".format(*self.shown)

    def luck(self, sd: float, design: tuple[int, int], count: str, of: str = "") -> kit.Estimate:
        """Share of the runs whose visits differ so much; of: a count of the design, by default all runs."""
        name = "visits_{}x{}".format(*design)
        return self.share(_luck(sd), f"{name}_{count}", f"{name}_{of}" if of else "luck_runs")

    def of_level(self, design: str, sd: float, of: str) -> kit.Estimate:
        """Share of verdicts on a level that are untrue on the worse side, where visits differ so much."""
        sides = {side: (_luck(sd), f"level_{design}_{of}_{side}") for side in visits.SIDES}
        return self.worst(sides, "luck_runs").share

    def cases(self, counts: Iterable[str], **only: Iterable[Any]) -> Iterator[Case]:
        """Every case. only: some strategies, moves, block_sds, arms, processors, edges; else all of the book's rule."""
        p = self.parameters
        every: dict[str, Iterable[Any]] = {
            "strategies": [each for each in visits.STRATEGIES if each != visits.PLAIN], "moves": p.visit_moves,
            "block_sds": p.block_sds, "arms": FEELING, "processors": PROCESSORS, "edges": p.edge_ratios,
        }  # fmt: skip
        return (Case(*each) for each in product(*(every | only).values(), counts))

    def untrue(self, **only: Iterable[Any]) -> Worst[Case]:
        """The case with the largest share of untrue verdicts on one side of the edge, and that share."""
        return self.worst({each: each.counted for each in self.cases(visits.SIDES, **only)})

    def found(self, strategy: str, **only: Iterable[Any]) -> kit.Estimate:
        """Mean share of the runs that decide where the truth lies 0.10 from the edge."""
        return self.mean_share(each.counted for each in self.cases(["found"], strategies=[strategy], **only))

    def no_effect(self, design: str, block_sds: Iterable[float] = ()) -> kit.Estimate:
        """Mean share of runs of equal arms that are found to be the same within 5 %."""
        every = product(self.parameters.visit_moves, [*block_sds] or self.parameters.block_sds, ["alike"], ["one"])
        return self.mean_share((_visits(*each), f"{design}_no_effect") for each in every)

    def edges(self, *, large: bool) -> list[float]:
        """Those edges of claims that are ratios above 3, or the others."""
        return [edge for edge in self.parameters.edge_ratios if (edge > LARGE) == large]

    def origin(self, cell: str = "") -> str:
        """Half a sentence under figures: how many runs of what, and which run. cell: what has a cell of its own."""
        p = self.parameters
        runs = p.blocks * (p.visit_repetitions if cell else p.repetitions)
        bars = "bars: 95 % Wilson intervals of the simulation"
        return f"{runs:,} simulated runs of each {cell or 'cell'}; {bars}; {source(self.run)}"


@lru_cache(maxsize=10_000)  # figures and sentences ask for the same ones
def proportion(found: int, runs: int) -> kit.Estimate:
    """Share of independent simulated runs with its Wilson interval."""
    return replace(statistics.wilson(found, runs), n=runs, method=METHOD)


class Worst(NamedTuple, Generic[K]):
    """The largest share of several, and where it is met."""

    where: K
    share: kit.Estimate


class Case(NamedTuple):
    """One machine under one way of visiting, the edge of a claim, and what is counted: a side of it or "found"."""

    strategy: str
    move: float
    block_sd: float
    arms: str
    processors: str
    edge: float
    what: str

    @property
    def words(self) -> str:
        """Where it is: the visits, the noise, the arms, the processors and the edge."""
        felt = {"alike": "arms alike", "far": "unequal arms"}[self.arms]
        spread = f"{VISITS[self.strategy]}, blocks spread by {100 * self.block_sd:g} %, {felt}"
        return f"{spread}, {self.processors} processor model{'s' * (self.processors == 'two')}, edge at {self.edge:g}"

    @property
    def counted(self) -> tuple[str, str]:
        """The cell and the count in it."""
        cell = _visits(self.move, self.block_sd, self.arms, self.processors)
        return cell, f"{self.strategy}_{self.edge:g}_{self.what}".replace(".", "_")


CLAIMS = {
    "greater": "“greater than 1”, margin 5 %", "less": "“less than 1”, margin 5 %",
    "inside": "“1.14”, region 1.07 to 1.30", "no_difference": "“no difference”, margin 5 %",
    "best": "“belongs to the best setting”",
}  # fmt: skip
"""Claims on the ratio of two arms, by their rule."""
VISITS = {
    "1x6": "1 visit of 6 blocks", "1x10": "1 visit of 10 blocks", "2x4": "2 visits of 4 blocks",
    "3x3": "3 visits of 3 blocks", "4x3": "4 visits of 3 blocks", "6x2": "6 visits of 2 blocks",
    "8_2": "2 visits, of 8 and of 2 blocks",
    visits.EARLY: "1 visit of 8 blocks, then 2 blocks in a second if it is open",
    visits.AGAIN: "2 to 6 visits of 4 blocks, until decided, later looks at 99 %",
    visits.PLAIN: "2 to 6 visits of 4 blocks, until decided, all looks at 95 %",
}  # fmt: skip
"""How tables call each way of visiting and looking."""
SHOWN = {
    "1x10": "1 visit of 10 blocks", "2x4": "2 visits of 4", "8_2": "2 visits, of 8 and 2", "4x3": "4 visits of 3",
    "6x2": "6 visits of 2", "looks": "2 to 6 visits of 4, until decided",
}  # fmt: skip
"""Those that a figure shows, by their names there."""
GROUPS = {
    "one": ("1x6", "1x10"), "few": ("2x4", "3x3"), "many": ("4x3", "6x2"), "uneven": ("8_2", visits.EARLY),
    "even": ("1x6", "1x10", "2x4", "3x3", "4x3", "6x2"), "again": (visits.AGAIN,), "plain": (visits.PLAIN,),
}  # fmt: skip
LARGE = 3.0
"""Ratios above it are told apart: the rule bounds by how much a visit may move them."""
TARGET_LOW, TARGET_HIGH = 0.93, 0.97
"""Where the measured coverage of a 95 % interval must lie for runs of six blocks or more (protocol, item 22)."""
SMALLEST, LIMIT = 6, 5.0
"""Fewest blocks of a published run; at most so many per cent of the verdicts on A/A data may be false."""


class Tried(NamedTuple):
    """One interval, under the name that its metrics have.

    reason: how a coverage outside the target comes about, by the page's name for it; of an interval in use. nominal:
    the coverage that it promises. used: whether chapters show it; the others are often seen, and wrong.
    """

    name: str
    label: str
    reason: str = ""
    nominal: float = 0.95
    used: bool = True

    @property
    def target(self) -> tuple[float, float]:
        """The coverage that is accepted: 93 to 97 % of a 95 % interval, as far to each side of another promise."""
        return round(self.nominal - (0.95 - TARGET_LOW), 4), round(self.nominal + (TARGET_HIGH - 0.95), 4)

    def finding(self, coverage: kit.Estimate) -> str:
        """Whether a coverage lies in its target, or the simulation interval reaches over an edge of it: "undecided"."""
        low, high = self.target
        if coverage.high < low or coverage.low > high:
            return "too seldom" if coverage.high < low else "too often"
        return "as promised" if low <= coverage.low and coverage.high <= high else "undecided"


INTERVALS = {
    "effects": (
        Tried("ratio", "ratio within blocks", "wide"), Tried("ratio_unblocked", "ratio without blocks", "wide"),
        Tried("difference", "difference within blocks", "wide"),
        Tried("shares_difference", "difference of hit ratios", "near one"),
        Tried("equivalence", "90 % interval of equivalence", "wide", nominal=0.90),
        Tried("many_to_one", "all ratios to a baseline at once", "baseline shared"),
    ),
    "estimates": (
        Tried("geometric_mean", "P99 (geometric mean)", "skewed"),
        Tried("throughput", "throughput (geometric mean)", "skewed"),
        Tried("arithmetic_mean", "P99 (arithmetic mean)", "skewed"), Tried("median", "P99 (median)", "steps"),
        Tried("share", "hit ratio", "skewed"),
        Tried("share_few_misses", "hit ratio (hardly any misses)", "few counted"),
        Tried("geometric_sd", "geometric standard deviation", "heavy tails"),
    ),
    "shapes": (
        Tried("dip", "mid-range dip", "wide"), Tried("cliff_location", "place of a cliff", "a set"),
        Tried("cliff_drop", "size of a cliff", "picked"),
        Tried("cliff_flat", "size of a cliff where there is none", "picked from noise"),
    ),
    "wrong_ways": (
        # requests, or seconds, are counted as if each were a run of its own
        Tried("pooled_requests", "P99 of all requests pooled", used=False),
        Tried("pooled_seconds", "mean of all seconds pooled", used=False),
        # resamples of few blocks spread less than the blocks do
        Tried("bca", "ratio by BCa bootstrap of the blocks", used=False),
        Tried("percentile", "ratio by percentile bootstrap of the blocks", used=False),
        # the blocks are left in the error, or all spreads are taken for equal
        Tried("dunnett", "all ratios at once by Dunnett's test", used=False),
        Tried("dunnett_centred", "all ratios by Dunnett's test, blocks taken out", used=False),
    ),
    "within": (
        Tried("wilson", "share of one trial"), Tried("stationary", "mean of one trial's seconds", "autocorrelated"),
        Tried("independent_seconds", "mean of one trial's seconds (taken as independent)", used=False),
    ),
    "alone_mean": (
        # runs that happen to hold no stall miss the mean over all blocks; no few blocks can know it
        Tried("alone_ratio", "mean ratio, one arm stalls", used=False),
        # a sign flip takes the logarithms to be spread evenly to both sides, and here they are not
        Tried("alone_flips", "mean ratio by sign flips, one arm stalls", used=False),
    ),
    "alone_median": (Tried("alone_median", "median ratio, one arm stalls", "steps"),),
}  # fmt: skip
"""Every interval that is tried, by its figure of coverage; those of one arm that stalls by what they are about."""
ALONE = (*INTERVALS["alone_mean"], *INTERVALS["alone_median"])
IN_ORDER = ("effects", "estimates", "shapes", "within", "wrong_ways", "alone_mean", "alone_median")
EVERY = {each.name: each for name in IN_ORDER for each in INTERVALS[name]}


def in_words(share: kit.Estimate) -> str:
    """A share in a sentence: in % with its interval, with more digits where it is small."""
    point, low, high = (100 * each for each in (share.point, share.low, share.high))
    digits = 1 if share.point >= 0.1 else 2
    return f"{point:.{digits}f} % [{low:.{digits}f}, {high:.{digits}f}]"


def in_percent(estimate: kit.Estimate, what: str = "share") -> dict[str, Any]:
    """A share's cells of a table."""
    ends = {f"{what} (%)": estimate.point, "low (%)": estimate.low, "high (%)": estimate.high}
    return {name: 100 * value for name, value in ends.items()} | {"simulated runs": estimate.n}


def ranged(values: pd.Series) -> str:
    """From the least to the most, with one decimal."""
    low, high = f"{values.min():.1f}", f"{values.max():.1f}"
    return low if low == high else f"{low} to {high}"


def covered(summary: Summary, intervals: Iterable[Tried]) -> pd.DataFrame:
    """One row per interval and cell: coverage in % with its simulation interval, runs, mean width, finding."""
    rows = []
    for tried in intervals:
        for family, n, cell in summary.places(tried.name):
            estimate = summary.coverage(tried.name, cell)
            row = {"interval": tried.label, "family": family, "n": n} | in_percent(estimate, "coverage")
            row |= {"mean width": summary.metrics[cell].get(f"{tried.name}_width")}
            rows.append(row | {"promised (%)": 100 * tried.nominal, "finding": tried.finding(estimate)})
    return pd.DataFrame(rows)


def book_table(summary: Summary) -> pd.DataFrame:
    """The intervals that chapters show, for runs of six blocks or more and for single trials."""
    found = summary.once("book table", lambda: covered(summary, [each for each in EVERY.values() if each.used]))
    return found[found["n"] >= SMALLEST]


def off(summary: Summary) -> pd.DataFrame:
    """Its rows whose coverage is not as promised."""
    found = book_table(summary)
    return found[found["finding"].isin(["too seldom", "too often"])]


def seldom(summary: Summary) -> dict[str, tuple[int, int]]:
    """How many cases of a figure of coverage cover too seldom, and how many it has, all sizes and families together."""
    found = {name: covered(summary, tried) for name, tried in INTERVALS.items()}
    few = {name: int((part["finding"] == "too seldom").sum()) for name, part in found.items() if len(part)}
    return {name: (count, len(found[name])) for name, count in few.items()}


def ranges(summary: Summary, intervals: Iterable[Tried]) -> dict[str, Any]:
    """The coverage of each interval over runs as the book has them (enough), or over all that a small run has."""
    found = covered(summary, intervals)
    large = found[found["n"] >= SMALLEST]
    shown = (large if len(large) else found).groupby("interval", sort=False)
    return {"enough": len(large), "each": [(label, ranged(part["coverage (%)"])) for label, part in shown]}


def most_false(summary: Summary) -> Worst[tuple[str, str, int]]:
    """The largest share of verdicts that find an effect where there is none; by claim, family and number of blocks."""
    p = summary.parameters
    found = {
        (claim, LABELS[family], n): summary.false_verdicts(rule, f"{family}_n{n}")
        for (rule, claim), family, n in product(CLAIMS.items(), p.families, sorted(p.sizes))
    }
    return Worst(*max(found.items(), key=lambda each: each[1].point))


def cases(summary: Summary, *, stalled: bool) -> dict[str, Any]:
    """The cases of the families that the intervals are made for, or of stalled trials; and which cover too seldom."""
    found = book_table(summary)
    found = found[(found["family"] == LABELS["stalls"]) == stalled]
    counts, few = found["finding"].value_counts(), found[found["finding"] == "too seldom"]
    words = {
        "as promised": "as promised", "undecided": "too close to an edge of the target to tell",
        "too often": "more often than promised", "too seldom": "too seldom",
    }  # fmt: skip
    return {
        "all": len(found), "seldom": len(few), "coverage": ranged(few["coverage (%)"]) if len(few) else "",
        "findings": [(counts[name], text) for name, text in words.items() if name in counts],
        "lines": [(interval, sorted(part["n"].unique()), ranged(part["coverage (%)"]))
                  for interval, part in few.groupby("interval", sort=False)],
    }  # fmt: skip


def reasons(summary: Summary) -> list[tuple[list[str], str]]:
    """Intervals whose coverage is not as promised, by the reason for it."""
    known = {each.label: each.reason for each in EVERY.values()}
    found: dict[str, list[str]] = {}
    for label in dict.fromkeys(off(summary)["interval"]):
        found.setdefault(known[label], []).append(label)
    return [(labels, reason) for reason, labels in found.items()]


def planted(summary: Summary) -> Iterator[tuple[float, float, int]]:
    """Each planted effect, how often the size shown finds it (both in %), and the blocks at which 80 % of runs do."""
    family, shown = summary.shown
    for ratio in summary.parameters.effects[1:]:
        found = {n: summary.excluded(f"{family}_n{n}", ratio) for n in sorted(summary.parameters.sizes)}
        fewest = next((n for n, share in found.items() if share.point >= 0.8), 0)
        yield 100 * (ratio - 1), 100 * found[shown].point, fewest


def alone(summary: Summary) -> dict[str, Any]:
    """Coverage in % where one arm alone stalls, by interval and spread for each number of blocks; what a run shows."""
    sds, sizes = summary.parameters.alone_sds, [n for n in sorted(summary.parameters.sizes) if n >= SMALLEST]
    if not sizes:
        raise kit.NotEstimableError(f"no runs of {SMALLEST} blocks or more were simulated", "ask for some in sizes")

    def shares(sd: float, count: str, runs: str) -> list[float]:
        return [100 * summary.share(_alone(sd, n), count, runs).point for n in sizes]

    intervals = [
        (each.label, sd, shares(sd, f"{each.name}_covered", f"{each.name}_runs")) for each, sd in product(ALONE, sds)
    ]
    found = ("alone_found", "alone_missed_unseen")
    seen = [(sd, *(shares(sd, count, "alone_median_runs") for count in found)) for sd in sds]
    return {"sizes": sizes, "intervals": intervals, "seen": seen}


def rule_of(summary: Summary) -> list[dict[str, Any]]:
    """For each share that a visit moves a ratio by: untrue verdicts at worst by group of ways, up to 3 and above."""

    def at_worst(move: float, *, large: bool) -> dict[str, Worst[Case]]:
        edges = summary.edges(large=large)
        if large and not edges:
            return {}
        return {name: summary.untrue(strategies=ways, moves=[move], edges=edges) for name, ways in GROUPS.items()}

    return [
        {"move": 100 * move, "small": at_worst(move, large=False), "large": at_worst(move, large=True)}
        for move in sorted(summary.parameters.visit_moves)
    ]


def power_of(summary: Summary) -> list[tuple[str, list[tuple[float, kit.Estimate, kit.Estimate]]]]:
    """What each way decides where visits move least, on one model: 0.10 from an edge up to 3; no effect; by noise."""
    p = summary.parameters
    where: dict[str, Iterable[Any]] = {"moves": [min(p.visit_moves)], "processors": ["one"], "arms": ["alike"]}
    where["edges"] = summary.edges(large=False) or p.edge_ratios
    return [
        (VISITS[way], [(100 * sd, summary.found(way, block_sds=[sd], **where), summary.no_effect(way, [sd]))
                       for sd in sorted(p.block_sds)])
        for way in ("2x4", "4x3")
    ]  # fmt: skip


def models(summary: Summary) -> dict[str, dict[str, kit.Estimate]]:
    """Untrue verdicts at worst and decided ones of visits of equal length, by how many processor models they meet."""
    ways = GROUPS["few"] + GROUPS["many"]
    return {
        name: {
            "untrue": summary.untrue(strategies=ways, processors=[name]).share,
            "found": summary.found("4x3", processors=[name]),
        }
        for name in PROCESSORS
    }


def excess(summary: Summary) -> tuple[float, float]:
    """By how many points looking again raises the mean share of untrue verdicts: later at 99 %, and at 95 %."""
    planned, later, plain = (
        summary.mean_share(each.counted for each in summary.cases(visits.SIDES, strategies=[way])).point
        for way in ("2x4", visits.AGAIN, visits.PLAIN)
    )
    return 100 * (later - planned), 100 * (plain - planned)


def luck_of(summary: Summary) -> dict[str, Any]:
    """Coverage and A/A alarms of each way where visits differ least and most; held: where they agree by luck."""
    p = summary.parameters
    design, ends = (min(p.luck_visits), max(p.luck_blocks)), (min(p.visit_sds), max(p.visit_sds))
    counts = ["lucky", *(f"{way}_{what}" for way in coverage.WAYS for what in ("covered", "alarms"))]
    least, most = ({count: summary.luck(sd, design, count) for count in counts} for sd in ends)
    ways = coverage.WAYS if least["lucky"].point else ()
    held = {way: summary.luck(ends[0], design, f"{way}_lucky_covered", "lucky") for way in ways}
    return {"design": "{} visits of {} blocks".format(*design), "least": least, "most": most, "held": held}


NUMBERS = {
    "false_at_most": kit.percent(kit.custom(lambda summary: most_false(summary).share, kit.Quantity.COUNTER)),
}


FIXED = {
    "in_words": in_words, "stress": LABELS["stalls"], "stalled_one_in": 1 / worlds.STALLED, "few_misses": FEW_MISSES,
    "bootstrapped": wrong_ways.BOOTSTRAPPED, "smallest": SMALLEST, "limit": LIMIT, "least_coverage": 100 * TARGET_LOW,
    "felt": FEELING, "large": LARGE, "groups": ("one", "few", "many", "uneven", "again"),
    "other_sds": (NEAR_SD, FAR_SD),
}  # fmt: skip
WORDS: Mapping[str, Callable[[Summary], Any]] = {
    **{name: partial(lambda summary, value: value, value=value) for name, value in FIXED.items()},
    "run": lambda summary: summary.run,
    "made_for": partial(cases, stalled=False),
    "stalled_cases": partial(cases, stalled=True),
    "reasons_for": reasons,
    "wrong": lambda summary: ranges(summary, (*INTERVALS["wrong_ways"], INTERVALS["within"][2])),
    "alone": alone,
    # runs of what draws its own resamples
    "slow_runs": lambda summary: (
        summary.run.blocks * min(summary.parameters.slow_repetitions, summary.parameters.repetitions)
    ),
    "shown_family": lambda summary: LABELS[summary.shown[0]],
    "shown_size": lambda summary: summary.shown[1],
    "excluded": lambda summary: sum(summary.excluded(summary.shown_cell, 1.0, side).point for side in visits.SIDES),
    "seldom_of": seldom,
    "most_false": most_false,
    "planted": lambda summary: [*planted(summary)],
    "rule_of": rule_of,
    "rule_power": power_of,
    "models": models,
    "excess": excess,
    "block_sds": lambda summary: [f"{100 * each:g}" for each in sorted(summary.parameters.block_sds)],
    "moves": lambda summary: [f"{100 * each:g}" for each in sorted(summary.parameters.visit_moves)],
    "luck_of": luck_of,
    "level_of": lambda summary: {
        of: summary.of_level("2x4", max(summary.parameters.visit_sds), of) for of in ("all", "met")
    },
    "others": lambda summary: ranges(summary, (*INTERVALS["shapes"], *INTERVALS["within"][:2])),
}


def exceptions(summary: Summary) -> pd.DataFrame | Prose:
    """Where a coverage is not as promised from six blocks up: one row per interval and finding, with the ranges."""
    found, rows = off(summary), []
    if found.empty:
        return Prose("No interval's coverage lies outside its target.")
    for (interval, what), part in found.groupby(["interval", "finding"], sort=False):
        families, sizes = list(dict.fromkeys(part["family"])), sorted(part["n"].unique())
        every = len(families) > 1 and len(families) == len(summary.parameters.families)
        row = {"interval": interval, "covers": what, "families": "all" if every else ", ".join(families)}
        rows.append(row | {"n": ", ".join(map(str, sizes)), "coverage (%)": ranged(part["coverage (%)"])})
    return pd.DataFrame(rows).set_index("interval")


def _rounded(estimate: kit.Estimate) -> float:
    return round(100 * estimate.point, 1)


def outcomes(summary: Summary) -> pd.DataFrame:
    """Share of each verdict by claim and true effect, family shown, with the default number of blocks."""
    cell, rows = summary.shown_cell, []
    for (rule, title), ratio in product(CLAIMS.items(), summary.parameters.effects):
        each = {f"{one} (%)": _rounded(summary.verdicts(rule, cell, one, ratio)) for one in decisions.OUTCOMES}
        false = {"false (%)": _rounded(summary.false_verdicts(rule, cell, ratio))}
        rows.append({"claim": title, "true ratio": f"{ratio:g}", **each, **false})
    return pd.DataFrame(rows).set_index(["claim", "true ratio"])


def rule(summary: Summary) -> pd.DataFrame:
    """One row per way of visiting and looking: untrue verdicts at worst, and what is decided, in %."""
    rows = []
    for way, name in VISITS.items():
        row: dict[str, object] = {"visits": name}
        for move, large in product(sorted(summary.parameters.visit_moves), (False, True)):
            if edges := summary.edges(large=large):
                size = f"above {LARGE:g}" if large else f"up to {LARGE:g}"
                worst = summary.untrue(strategies=[way], moves=[move], edges=edges)
                row[f"untrue, visits move by {100 * move:g} %, ratios {size} (%)"] = _rounded(worst.share)
        row["decided 0.10 from the edge (%)"] = _rounded(summary.found(way))
        row["equal arms: no effect (%)"] = _rounded(summary.no_effect(way)) if way in visits.DESIGNS else ""
        rows.append(row)
    return pd.DataFrame(rows).set_index("visits")


def levels(summary: Summary) -> pd.DataFrame:
    """One row per design and spread between visits: verdicts on a level that are untrue on the edge, in %."""
    rows = [
        {
            "visits": VISITS[design], "visits differ by (%)": 100 * sd,
            "untrue of all visits (%)": _rounded(summary.of_level(design, sd, "all")),
            "untrue of the visits met (%)": _rounded(summary.of_level(design, sd, "met")),
        }
        for design, sd in product(coverage.LEVEL_DESIGNS, sorted(summary.parameters.visit_sds))
    ]  # fmt: skip
    return pd.DataFrame(rows).set_index("visits")


TABLES = {each.__name__: each for each in (exceptions, outcomes, rule, levels)}


@dataclass(frozen=True)
class Panel:
    """A small plot: lines of shares by n or another number. band: from and to in %, shaded. promise: in %, a line.

    quantity: those of one have one scale.
    """

    title: str
    band: tuple[float, float] | None = None
    promise: float | None = None
    quantity: str = ""
    curves: dict[str, dict[float, kit.Estimate]] = field(default_factory=dict)

    def add(self, curve: str, x: float, share: kit.Estimate) -> None:
        self.curves.setdefault(curve, {})[x] = share

    @property
    def estimates(self) -> list[kit.Estimate]:
        """Whatever is drawn with a bar."""
        return [estimate for points in self.curves.values() for estimate in points.values()]

    @property
    def values(self) -> list[float]:
        """All that has to lie on its vertical axis, in %; 0 where nothing says how far away that is."""
        ends = [100 * end for each in self.estimates for end in (each.low, each.high)]
        return [*ends, *(self.band or (0.0,)), *([] if self.promise is None else [self.promise])]


def reach(panels: Iterable[Panel]) -> list[float]:
    """Ends of the vertical axis of panels with one scale, in %."""
    values = [value for each in panels for value in each.values]
    low, top = min(values), max(values)
    return [max(-1.0, low - 0.06 * (top - low)), min(101.0, top + 0.06 * (top - low))]


def plots(
    panels: Sequence[Panel], data: pd.DataFrame | list[dict[str, Any]], *, x_title: str = "blocks",
    y_title: str = "coverage (%)", hover: str = "n", origin: str = "", **own: object,
) -> kit.Drawn:  # fmt: skip
    """Small plots in two columns; the words may name them.

    Marks of one n stand side by side, so that the bars of equal shares are told apart. hover: what a number of the
    horizontal axis is called at a point.
    """
    columns = min(2, len(panels))
    lines = -(-len(panels) // columns)
    plot = make_subplots(
        lines, columns, subplot_titles=["<br>".join(textwrap.wrap(each.title, 20)) for each in panels],
        horizontal_spacing=0.15, vertical_spacing=0.44 / lines if lines > 1 else 0,
    )  # fmt: skip
    names = list(dict.fromkeys(name for panel in panels for name in panel.curves))
    unnamed = set(names)
    for index, panel in enumerate(panels):
        where = {"row": index // columns + 1, "col": index % columns + 1}
        numbers = sorted({n for points in panel.curves.values() for n in points})
        for name, points in panel.curves.items():
            place = names.index(name)
            shift = (place - (len(names) - 1) / 2) * 0.5 / max(len(names), 4)
            plot.add_scatter(
                x=[numbers.index(n) + shift for n in points], y=[100 * e.point for e in points.values()],
                mode="lines+markers", name=name, legendgroup=name, showlegend=name in unnamed,
                error_y=bars(points.values(), 100) | {"width": 3},
                line={"color": COLOURS[place % 6], "dash": theme.DASHES[place % 6], "width": 1.2},
                marker={"symbol": theme.SYMBOLS[place % 6], "size": 7},
                customdata=list(points), hovertemplate=f"{hover} = %{{customdata}}: %{{y:.2f}} %", **where,
            )  # fmt: skip
            unnamed.discard(name)
        if panel.band is not None:
            plot.add_hrect(*panel.band, fillcolor=theme.COLOURS["green"], opacity=0.15, line_width=0, **where)
        if panel.promise is not None:
            plot.add_hline(panel.promise, line={"color": theme.COLOURS["grey"], "dash": "dot", "width": 1.5}, **where)
        shown = range(0, len(numbers), 1 if len(numbers) <= 7 else 2)
        plot.update_xaxes(
            tickvals=list(shown), ticktext=[f"{numbers[place]:g}" for place in shown],
            range=[-0.6, len(numbers) - 0.4], title=x_title if index >= len(panels) - columns else "", **where,
        )  # fmt: skip
        ends = reach(each for each in panels if each.quantity == panel.quantity)
        plot.update_yaxes(range=ends, **({"title": y_title} if index % columns == 0 else {}), **where)
    plot.update_annotations(font={"size": 12})
    theme.apply(plot)
    plot.update_layout(height=100 + lines * 260, margin={"t": 50, "b": 90})
    estimates = [estimate for panel in panels for estimate in panel.estimates]
    said = {"panels": panels, **own}
    return kit.Drawn(plot, pd.DataFrame(data), estimates=estimates, said=said, origin=origin)


def coverages(tried: Sequence[Tried], summary: Summary) -> kit.Drawn:
    """How often intervals covered, a small plot for each, one line per family."""
    panels = []
    for each in tried:
        low, high = each.target
        panels.append(Panel(each.label, (100 * low, 100 * high), 100 * each.nominal))
        for family, n, cell in summary.places(each.name):
            panels[-1].add(family, n, summary.coverage(each.name, cell))
    return plots(panels, covered(summary, tried), ranges=ranges(summary, tried))


def false_verdicts(summary: Summary) -> kit.Drawn:
    """False verdicts on A/A data, by rule, family and number of blocks."""
    p, panels, rows = summary.parameters, [], []
    for rule, title in CLAIMS.items():
        panels.append(Panel(title, promise=LIMIT))
        for family, n in product(p.families, sorted(p.sizes)):
            share = summary.false_verdicts(rule, f"{family}_n{n}")
            panels[-1].add(LABELS[family], n, share)
            rows.append({"claim": title, "family": LABELS[family], "blocks": n} | in_percent(share))
    return plots(panels, rows, y_title="false (%)")


def by_visits(summary: Summary) -> kit.Drawn:
    """Untrue verdicts on the edge of a claim, at worst, and decided ones off it, by way of visiting and edge.

    The promise is how often a 95 % interval lies wholly on one side of the truth.
    """
    p, rows, panels = summary.parameters, [], []
    for untrue, move in product((True, False), sorted(p.visit_moves)):
        words = "untrue on the edge" if untrue else "decided, 0.10 from the edge"
        title, promise = f"{words}, visits move by {100 * move:g} %", 2.5 if untrue else None
        panels.append(Panel(title, promise=promise, quantity=words))
        for (way, name), edge in product(VISITS.items(), sorted(p.edge_ratios)):
            only = {"moves": [move], "edges": [edge]}
            worst = summary.untrue(strategies=[way], **only) if untrue else None
            share = worst.share if worst else summary.found(way, **only)
            row = {"what": words, "visits move by (%)": 100 * move, "visits": name, "edge": edge} | in_percent(share)
            rows.append(row | {"where": worst.where.words if worst else "mean over all machines"})
            if way in SHOWN:
                panels[-1].add(SHOWN[way], edge, share)
    return plots(
        panels, rows, x_title="ratio at the edge of the claim", y_title="runs (%)", hover="edge",
        origin=summary.origin("kind of machine"),
    )  # fmt: skip


FIGURES = {
    "effects": partial(coverages, INTERVALS["effects"]),
    "estimates": partial(coverages, INTERVALS["estimates"]),
    "wrong_ways": partial(coverages, INTERVALS["wrong_ways"]),
    "false_verdicts": false_verdicts,
    "visits": by_visits,
}
