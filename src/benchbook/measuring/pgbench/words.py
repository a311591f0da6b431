"""What chapters of this family say alike: how far a baseline differs from itself, and what nobody counted."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from benchbook.figures import with_interval
from benchbook.measuring.pgbench.summary import Summary
from benchbook.pages.prose import told

UNKNOWN = "unknown"


def repeated(summary: Summary, again: str, first: str, *metrics: str) -> str:
    """How far the baseline differs from itself, such as "TPS 1.00 [0.98, 1.02], ..."; "" where nothing is estimable."""
    ratios = (partial(_ratio, summary, again, first, metric) for metric in metrics)
    return ", ".join(told(*ratios))


def _ratio(summary: Summary, again: str, first: str, metric: str) -> str:
    return f"{summary.METRICS[metric].brief} {with_interval(summary.gain(again, first, metric))}"


def mean(arm: str, metric: str, unit: float = 1.0) -> Callable[[Summary], float]:
    """A word of a chapter: the mean of a metric over a configuration's trials, in a unit."""
    return lambda summary: summary.mean(arm, metric) / unit
