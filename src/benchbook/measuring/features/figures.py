"""What figures of chapters on feature serving have in common: median and tail by configuration."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from benchbook.drawing.regular import Ask
from benchbook.measuring.features.summary import Summary


def quantiles(ask: Callable[[str], Ask]) -> Callable[[Summary], Mapping[str, Ask]]:
    """The series of a figure: the median, and the highest quantile that the run can estimate.

    ask: metric to what gives its marks.
    """
    return lambda summary: {summary.METRICS[metric].brief: ask(metric) for metric in ("p50_ns", summary.tail)}


def by_arm(metric: str) -> Ask:
    """A quantile of each configuration, in milliseconds."""
    return lambda summary, arm: summary.latency(arm, metric)
