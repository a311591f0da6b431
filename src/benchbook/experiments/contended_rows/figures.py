"""The figures: throughput, and the share of clients that wait for a row, by branches and number of clients."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from benchbook.experiments.contended_rows.arms import LEVELS, level_words, name_of
from benchbook.experiments.contended_rows.numbers import METRICS, ROWS, Summary
from benchbook.experiments.shape.regular import Dots
from benchbook.experiments.shape.regular.base import Ask
from benchbook.model import Estimate


def _levels(summary: Summary) -> Mapping[str, str]:
    return {level: level_words(summary.parameters, level) for level in LEVELS}


def _average(metric: str, number: str, summary: Summary, level: str) -> Estimate:
    return summary.average(name_of(number, level), metric)


def _clients(metric: str, summary: Summary) -> Mapping[str, Ask]:
    return {f"{many} clients": partial(_average, metric, name) for name, many in summary.parameters.many.items()}


throughput = Dots(
    rows=_levels, row="branches", series=partial(_clients, "tps"), heading="clients",
    metric=METRICS["tps"], scale="zero",
)  # fmt: skip
waits = Dots(
    rows=_levels, row="branches", series=partial(_clients, ROWS), heading="clients",
    axis="clients that wait for a lock on a row (%)", factor=100, scale="percent",
    nothing="Nobody looked at the clients of this run",
)  # fmt: skip

FIGURES = {"throughput": throughput, "waits": waits}
