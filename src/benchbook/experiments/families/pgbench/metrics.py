"""The metrics of a trial of pgbench in words, and what tables and sentences of several chapters say of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from benchbook.experiments.families.pgbench.summary import Summary
from benchbook.experiments.shape.tables import shown
from benchbook.experiments.shape.telling import told
from benchbook.figures import with_interval

NAMES = {
    "tps": "TPS",
    "latency_mean_ns": "mean latency",
    "latency_p95_ns": "P95",
    "latency_p99_ns": "P99",
    "latency_sd_ns": "sd of latency",
    "interval_sd_ns": "sd of latency within a twelfth",
    "min_tps": "lowest twelfth",
    "growth": "growth along the trial",
    "min_over_peak": "lowest over highest twelfth",
    "end_over_peak": "end over peak",
}
UNKNOWN = "unknown"


def levels(summary: Summary[Any], *metrics: str) -> dict[str, Callable[[str], str]]:
    """Columns of a table with the level of each metric, times in ms."""

    def level(metric: str, arm: str) -> str:
        return shown(summary.level, arm, metric, factor=1e-6 if metric.endswith("_ns") else 1.0)

    heading = {metric: f"{NAMES[metric]} (ms)" if metric.endswith("_ns") else NAMES[metric] for metric in metrics}
    return {heading[metric]: partial(level, metric) for metric in metrics}


def mean(summary: Summary[Any], metric: str, text: str, factor: float = 1.0) -> Callable[[str], str]:
    """A column with the mean of a count, "unknown" where a trial lacks it. text: its format, such as "{:,.0f} %"."""

    def cell(arm: str) -> str:
        return text.format(factor * float(summary.values(arm, metric).mean())) if summary.has(arm, metric) else UNKNOWN

    return cell


def repeated(summary: Summary[Any], again: str, first: str, *metrics: str) -> str:
    """How far the baseline differs from itself, such as "TPS 1.00 [0.98, 1.02], ..."; "" where nothing is estimable."""
    ratios = (partial(_ratio, summary, again, first, metric) for metric in metrics)
    return ", ".join(told(*ratios))


def _ratio(summary: Summary[Any], again: str, first: str, metric: str) -> str:
    return f"{NAMES[metric]} {with_interval(summary.gain(again, first, metric))}"
