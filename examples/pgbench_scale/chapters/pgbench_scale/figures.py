"""The figures: throughput, and the share of clients that wait for a row, by branches and number of clients."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from benchbook.experiments.pgbench_scale.arms import LEVELS, level_words, name_of
from benchbook.experiments.pgbench_scale.numbers import LOOKED, METRICS, ROWS, Summary

from benchbook.drawing.regular import Dots
from benchbook.drawing.regular.base import Ask, level
from benchbook.model import Estimate


def _levels(summary: Summary) -> Mapping[str, str]:
    return {level: level_words(summary.parameters, level) for level in LEVELS}


def _of(ask: Ask, number: str, summary: Summary, level: str) -> Estimate:
    return ask(summary, name_of(number, level))


def _clients(ask: Ask, summary: Summary) -> Mapping[str, Ask]:
    return {f"{many} clients": partial(_of, ask, number) for number, many in summary.parameters.many.items()}


throughput = Dots(
    rows=_levels, row="branches", series=partial(_clients, level("tps")), heading="clients",
    metric=METRICS["tps"], scale="zero",
)  # fmt: skip
waits = Dots(
    rows=_levels, row="branches", heading="clients",
    series=partial(_clients, lambda summary, arm: summary.share(arm, ROWS, LOOKED)),
    axis="clients that wait for a lock on a row (%)", factor=100, scale="percent",
    nothing="Nobody looked at the clients of this run",
)  # fmt: skip

FIGURES = {"throughput": throughput, "waits": waits}
