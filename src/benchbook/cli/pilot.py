"""A pilot run in; the intervals that are planned, and the blocks that half-widths would need, out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchbook import statistics
from benchbook.errors import BenchbookError, check_known
from benchbook.experiments.manifest import Chapter
from benchbook.figures.filling import wanted
from benchbook.model import Effect, Estimate, Run
from benchbook.reuse import estimates
from benchbook.statistics import intervals
from benchbook.statistics.planning import BLOCKS_LIMIT, smallest
from benchbook.store.schema import TRIAL_COLUMNS

_IN_POINTS = {*intervals.ON_LOGITS, *intervals.ON_COMPLEMENTS, intervals.PAIRED_SHARES_T}
"""Intervals of shares and of their differences: 3 % is three percentage points of these."""


@dataclass(frozen=True)
class Aim:
    """An interval that is planned. name: of the chapter's number, or of a metric. estimate: over the pilot's blocks.

    of: what is divided by what, in words; of a metric the configuration that is compared with the first.
    """

    name: str
    of: str
    estimate: Estimate

    @property
    def half_width(self) -> float:
        """How far the pilot's interval reaches from its point: of a share in shares of 1, else as a share of it."""
        return self._reach(self.estimate.low, self.estimate.high)

    @property
    def estimable(self) -> bool:
        """Whether there is an interval whose width is a share or has a scale of ratios."""
        apart = isinstance(self.estimate, Effect) and self.estimate.scale == "difference"
        plain = not apart and self.estimate.low > 0
        return self.estimate.low < self.estimate.high and (self._in_points or plain)

    @property
    def _in_points(self) -> bool:
        return intervals.of_blocks(self.estimate.method) in _IN_POINTS

    def _reach(self, low: float, high: float) -> float:
        point = self.estimate.point
        return max(high - point, point - low) if self._in_points else high / point - 1

    def after(self, blocks: int) -> float:
        """The half-width that so many blocks would give; today's where more blocks do not narrow it."""
        ends = statistics.predicted(self.estimate, blocks)
        return self.half_width if ends is None else self._reach(*ends)

    def blocks_for(self, half_width: float) -> int | None:
        """Blocks, 2 or more, at which the interval reaches no further than this; None above 10,000."""
        return smallest(lambda blocks: self.after(blocks) <= half_width, start=2, limit=BLOCKS_LIMIT)


def widest(aims: Sequence[Aim], half_width: float) -> tuple[Aim, int | None]:
    """The one that needs most blocks, and how many; None above 10,000."""
    return max(((each, each.blocks_for(half_width)) for each in aims), key=lambda each: each[1] or BLOCKS_LIMIT + 1)


def numbers(module: Chapter, run: Run, named: Sequence[str]) -> list[Aim]:
    """The chapter's numbers that are named, or those of its first screen.

    Where these have no interval to plan, those that decide claims, or all. Every block counts as a replicate, whatever
    its visit. named: numbers or claims. Raises BenchbookError for an unknown name, and for one that this run has no
    interval of.
    """
    summary = module.summarize(run).as_one_visit()
    asked = estimates.named(module, named)
    found = {each.name: each for each in estimates.estimates(module, summary, asked or None)}
    rows = {said.number: said.row for said in module.page.page.front.claims.values() if said.row}
    aims = {name: Aim(name, rows.get(name, ""), each.estimate) for name, each in found.items()}
    for name in asked:
        if name not in aims or not aims[name].estimable:
            raise BenchbookError(
                f"run {run.id} has no interval of {name} that blocks would narrow", "name another number"
            )
    good = {name: aim for name, aim in aims.items() if aim.estimable}
    deciding = [name for name in good if found[name].claims]
    first = [name for name in first_screen(module) if name in good]
    chosen = asked or first or deciding or list(good)
    if not chosen:
        raise BenchbookError(
            f"run {run.id} has no number with an interval that blocks would narrow",
            "name a metric with `benchbook plan --metric`, or measure a longer run",
        )
    return [good[name] for name in chosen]


def first_screen(module: Chapter) -> list[str]:
    """The numbers with which the chapter's page begins, each once."""
    page, known = module.page.page, module.page.names.numbers
    found: list[str] = []
    for each in page.front.numbers:
        if each in page.front.claims:
            found.append(page.front.claims[each].number)
            continue
        asked = {name for paragraph in page.parts.get(each, ()) for line in paragraph for name in wanted(line)}
        found += [name for name in known if name in asked]
    return list(dict.fromkeys(found))


def metrics(run: Run, named: Sequence[str]) -> list[str]:
    """Those that are named, each once; raises BenchbookError for a name that is not a metric of the run."""
    known = [str(name) for name in run.trials.drop(columns=list(TRIAL_COLUMNS)).select_dtypes("number")]
    for name in named:
        check_known(f"run {run.id} has no metric", name, known)
    return list(dict.fromkeys(named))


def comparisons(run: Run, arms: Sequence[str], metric: str) -> list[Aim]:
    """A metric of every configuration that has it against the first of these. arms: their names, in the plan's order.

    Raises BenchbookError where fewer than two have it, and as ``_grid`` does.
    """
    told = run.trials[run.trials[metric].notna()]["configuration"].unique()
    having = [arm for arm in arms if arm in told]
    if len(having) < 2:
        raise BenchbookError(f"{metric} is one of a single configuration, so there is no ratio", "name another metric")
    values = _grid(run, having, metric)
    return [
        Aim(metric, name, statistics.ratio(values[:, place], values[:, 0]))
        for place, name in enumerate(having)
        if place
    ]


def chosen(compared: Sequence[Aim], arms: Sequence[str]) -> list[Aim]:
    """Those of these configurations, by default all; raises BenchbookError for one that is not compared."""
    known = list(dict.fromkeys(each.of for each in compared))
    for arm in arms:
        check_known("no configuration that is compared with the first is called", arm, known)
    return [each for each in compared if not arms or each.of in arms]


def _grid(run: Run, arms: Sequence[str], metric: str) -> np.ndarray:
    """Per-trial values, shape (blocks, arms), all > 0.

    Raises BenchbookError when a block lacks a configuration, or a trial has no value or one that is not above 0.
    """
    table = run.trials[run.trials["configuration"].isin(list(arms))]
    if table.duplicated(["block", "configuration"]).any():
        raise BenchbookError(f"run {run.id} has a configuration twice in one block", "name another run with --run")
    wide = table.pivot(index="block", columns="configuration", values=metric)[list(arms)]
    if len(table) != wide.size:
        raise BenchbookError(f"run {run.id} has blocks that lack a configuration", "name a complete run with --run")
    values = np.asarray(wide.apply(pd.to_numeric, errors="coerce"), dtype=float)
    bad = int((~(np.isfinite(values) & (values > 0))).sum())
    if bad:
        raise BenchbookError(
            f"{metric} of run {run.id} is missing or not above 0 in {bad} of {values.size} trials",
            "plan for another metric, or leave out --metric to plan for the chapter's own numbers",
        )
    return values
