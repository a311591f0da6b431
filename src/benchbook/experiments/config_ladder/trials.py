"""What the trials of a run show that is no estimand: what settings act on, starts, plans."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pandas as pd

from benchbook.experiments.config_ladder.summary import Summary
from benchbook.experiments.families.pgbench.ladder.arms import Start
from benchbook.experiments.shape.summary import NotEstimableError


def launched(summary: Summary) -> SimpleNamespace:
    """Parallel workers that were launched, and in how many trials they were counted."""
    arms = summary.having(summary.arms, "parallel_workers")
    if not arms:
        raise NotEstimableError("nobody counted parallel workers", "use PostgreSQL 18 or later")
    found = [summary.values(arm, "parallel_workers") for arm in arms]
    return SimpleNamespace(trials=sum(map(len, found)), workers=sum(each.sum() for each in found))


def started(start: Start, summary: Summary) -> SimpleNamespace:
    """What share of the data pool and cache of the operating system held before trials that start so."""
    rows = summary.of(summary.starting(start)).reindex(columns=["data_in_pool_start", "data_in_os_cache_start"])
    pool, cache = (rows[name].dropna() for name in rows)
    if pool.empty or cache.empty:
        raise NotEstimableError("nobody inspected the caches", "measure on Linux")
    return SimpleNamespace(trials=len(pool), pool=_spanned(pool), cache=_spanned(cache))


def _spanned(shares: pd.Series) -> str:
    """From the least to the largest, or the one share that all have."""
    low, high = f"{shares.min():.1%}", f"{shares.max():.1%}"
    return low if low == high else f"{low} to {high}"


def plans(summary: Summary) -> SimpleNamespace:
    """Under which other settings the planner was asked, which of them changed a plan, and how many are parallel."""
    found = summary.run.provenance.get("plans") or {}
    if "defaults" not in found:
        raise NotEstimableError("nobody asked for the plans", "measure again")
    others = {name: text for name, text in found.items() if name != "defaults"}
    changed = [name for name, text in others.items() if text != found["defaults"]]
    parallel = sum("Parallel" in text or "Gather" in text for text in found.values())
    return SimpleNamespace(others=[*others], changed=changed, parallel=parallel)


def means(metric: str, arms: dict[Any, str], summary: Summary) -> dict[Any, float]:
    """A metric of those of the configurations that have it, by what they are called here."""
    found = {name: summary.mean(arm, metric) for name, arm in arms.items() if summary.has(arm, metric)}
    if not found:
        raise NotEstimableError(f"no configuration has {summary.in_words(metric)}", "measure all parts")
    return found
