"""The figures: an operation under each workload by store, tails under updates, and the claims. Words in the page."""

from __future__ import annotations

from benchbook.chapters.mixed_workloads.arms import STORES, WORKLOADS, A, at
from benchbook.chapters.mixed_workloads.numbers import METRICS, OPERATION, READ, UPDATE
from benchbook.drawing.claim_figure import ClaimFigure
from benchbook.drawing.regular import Ask, Dots


def _level(store: str) -> Ask:
    return lambda summary, workload: summary.level(at(workload, store), OPERATION)


def _tail(metric: str) -> Ask:
    return lambda summary, store: summary.level(at(A, store), metric)


times = Dots(
    rows={name: workload.label for name, workload in WORKLOADS.items()}, row="workload",
    series={label: _level(store) for store, (label, _) in STORES.items()}, heading="store", metric=METRICS[OPERATION],
)  # fmt: skip
tails = Dots(
    rows={store: label for store, (label, _) in STORES.items()}, row="store",
    series={"reads": _tail(READ), "updates": _tail(UPDATE)}, heading="operation",
    metric=METRICS[READ].but(words="P99 in workload A"),
)  # fmt: skip
claims = ClaimFigure(what="The chapter's claim that is a ratio")

FIGURES = {"times": times, "tails": tails, "claims": claims}
