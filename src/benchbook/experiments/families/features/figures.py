"""Figures that chapters on feature serving have in common: median and tail by configuration."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from benchbook.experiments.families.features.summary import Summary
from benchbook.experiments.shape.regular import Ask, Dots, Found
from benchbook.figures import intervals_said

Latency = Summary[Any]


def quantiles(ask: Callable[[str], Ask]) -> Callable[[Latency], Mapping[str, Ask]]:
    """The series of a figure: the median, and the highest quantile that the run can estimate.

    ask: metric to what gives its marks.
    """
    return lambda summary: {summary.METRICS[metric].brief: ask(metric) for metric in ("p50_ns", summary.tail)}


def by_arm(metric: str) -> Ask:
    """A quantile of each configuration, in milliseconds."""
    return lambda summary, arm: summary.latency(arm, metric)


def tails(
    identity: str,
    *,
    said: Callable[[Any, Found], str],
    also: Callable[[Any], str],
    table_only: Callable[[Any], Iterable[Any]] = lambda summary: (),
) -> Dots:
    """Median and tail of every configuration on this machine's own storage.

    said: the numbers in a sentence; also: one more for the caption. table_only: configurations that are not drawn.
    """
    return Dots(
        id=identity,
        title="Median and tail by configuration",
        rows=lambda summary: summary.plain,
        series=quantiles(by_arm),
        axis="latency of a request (ms)", quantity="latency (ms)", heading="quantile", height=120,
        said=said,
        table_only=table_only,
        nothing="No request was timed in this run",
        caption=partial(_caption, also),
        alt="Points with intervals for {n} configurations. {said}",
    )  # fmt: skip


def _caption(also: Callable[[Any], str], summary: Latency, found: Found) -> str:
    missing = ""
    if summary.tail != "p99_ns":
        missing = "P99 is not shown: it needs 10,000 requests per trial."
    elif len({len(marks) for marks in found.values()}) > 1:
        missing = "Trials of fewer than 10,000 requests have no P99."
    sentences = (
        f"Median and {summary.tail_heading} of the request latency, with "
        f"{intervals_said(e for marks in found.values() for e in marks.values())}, logarithmic axis.",
        missing,
        also(summary),
    )
    return " ".join(filter(None, sentences))
