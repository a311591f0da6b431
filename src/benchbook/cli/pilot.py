"""A pilot run in; the spread of its metrics, and the blocks that half-widths would need, out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchbook import statistics
from benchbook.errors import BenchbookError, suggestion
from benchbook.model import Effect, Run
from benchbook.statistics import variance
from benchbook.store.schema import TRIAL_COLUMNS

HEADLINE = ("p50_ns", "p99_ns", "tps_per_s", "tps")
"""Planned for when the user names no metric; those of them that the run has."""


@dataclass(frozen=True)
class Comparison:
    """One configuration against the first one of the plan. effect: its ratio, with the sd of the per-block logs."""

    metric: str
    configuration: str
    effect: Effect

    @property
    def half_width(self) -> float:
        """How far the pilot's interval reaches above its point, as a share of it."""
        return self.effect.high / self.effect.point - 1

    def blocks_for(self, half_width: float) -> int | None:
        """Blocks at which the interval reaches no further than this share above the point; None above 10,000."""
        return statistics.blocks_for_half_width(self.effect.sd, math.log1p(half_width))


@dataclass(frozen=True)
class Spread:
    """sd of a metric's logs over all configurations: between blocks, and between trials of a block."""

    metric: str
    between_block: float
    between_trial: float


def grid(run: Run, arms: Sequence[str], metric: str) -> np.ndarray:
    """Per-trial values, shape (blocks, arms), all > 0.

    Raises BenchbookError when a block lacks a configuration, or a trial has no value or one that is not above 0.
    """
    table = run.trials[run.trials["configuration"].isin(list(arms))]
    if table.duplicated(["block", "configuration"]).any():
        raise BenchbookError(f"run {run.id} has a configuration twice in one block", "name another run with --run")
    wide = table.pivot(index="block", columns="configuration", values="trial").reindex(columns=list(arms))
    if wide.isna().any(axis=None):
        raise BenchbookError(f"run {run.id} has blocks that lack a configuration", "name a complete run with --run")
    values = pd.to_numeric(table[metric], errors="coerce").to_numpy(dtype=float)
    bad = int((~(np.isfinite(values) & (values > 0))).sum())
    if bad:
        raise BenchbookError(
            f"{metric} of run {run.id} is missing or not above 0 in {bad} of {len(values)} trials",
            f"plan for another metric, such as {', '.join(plannable(run)[:6]) or 'one of a longer run'}",
        )
    return table.pivot(index="block", columns="configuration", values=metric)[list(arms)].to_numpy(dtype=float)


def plannable(run: Run) -> list[str]:
    """The metrics of a run that have a value above 0 in every trial of each configuration that has them at all.

    Latencies and throughputs come first.
    """
    numeric = run.trials.drop(columns=list(TRIAL_COLUMNS)).select_dtypes("number")
    good = [str(name) for name in numeric if _above_zero(numeric[name], run.trials["configuration"])]
    return sorted(good, key=lambda name: (name not in HEADLINE, not (name.endswith("_ns") or "tps" in name)))


def _above_zero(values: pd.Series, configurations: pd.Series) -> bool:
    measured = values[values.notna().groupby(configurations).transform("any")]
    return bool(len(measured) and (np.isfinite(measured) & (measured > 0)).all())


def metrics(run: Run, named: Sequence[str]) -> list[str]:
    """The metrics to plan for: those named, else the headline ones that the run has.

    Raises BenchbookError for a name that is not a metric of the run, and when a run has none of the headline ones.
    """
    numeric = run.trials.drop(columns=list(TRIAL_COLUMNS)).select_dtypes("number")
    known = [str(name) for name in numeric]
    for name in named:
        if name not in known:
            raise BenchbookError(
                f"run {run.id} has no metric {name!r}{suggestion(name, known)}", f"choose one of: {', '.join(known)}"
            )
    found = list(dict.fromkeys(named)) or [name for name in HEADLINE if name in plannable(run)]
    if not found:
        choices = ", ".join(plannable(run))
        raise BenchbookError(
            f"run {run.id} has none of {', '.join(HEADLINE)} in every trial",
            f"name a metric with --metric: {choices}" if choices else "plan from a longer run",
        )
    return found


def left_out(run: Run, named: Sequence[str]) -> list[str]:
    """Headline metrics that the run has but that cannot be planned for, where the user named none."""
    good = plannable(run)
    return [] if named else [name for name in HEADLINE if name in run.trials and name not in good]


def having(run: Run, arms: Sequence[str], metric: str) -> list[str]:
    """The arms that have the metric at all: a chapter may measure different things of different arms.

    The first of them is the one that others are compared with. All arms where one alone has it: there is nothing to
    compare.
    """
    told = run.trials[run.trials[metric].notna()]["configuration"].unique()
    found = [arm for arm in arms if arm in told]
    return found if len(found) > 1 else list(arms)


def comparisons(run: Run, arms: Sequence[str], metric: str) -> list[Comparison]:
    """Every configuration against the first. arms: their names in the plan's order, at least two."""
    arms = having(run, arms, metric)
    values = grid(run, arms, metric)
    return [
        Comparison(metric, name, statistics.ratio(values[:, place], values[:, 0]))
        for place, name in enumerate(arms)
        if place
    ]


def chosen(compared: Sequence[Comparison], arms: Sequence[str]) -> list[Comparison]:
    """Those of these configurations, by default all; raises BenchbookError for one that is not compared."""
    known = list(dict.fromkeys(each.configuration for each in compared))
    for arm in arms:
        if arm not in known:
            raise BenchbookError(
                f"{arm!r} is not compared with the first configuration{suggestion(arm, known)}",
                f"choose one of: {', '.join(known)}",
            )
    return [each for each in compared if not arms or each.configuration in arms]


def spread(run: Run, arms: Sequence[str], metric: str) -> Spread:
    """Where the metric's spread comes from, by an additive model of blocks and configurations on logs."""
    found = variance.decompose(grid(run, having(run, arms, metric), metric))
    return Spread(metric, math.sqrt(found.between_block), math.sqrt(found.between_trial))
