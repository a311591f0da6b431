"""Figures of burst latency by place in the block and by label: every trial, and the means with their intervals."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from benchbook import statistics
from benchbook.experiments.label_order.pairs import NAMES
from benchbook.experiments.label_order.summary import Summary, places
from benchbook.experiments.marks import COLOURS, bars
from benchbook.experiments.per_block import NotEstimableError
from benchbook.figures import Figure, interval_name, theme, with_interval
from benchbook.model import Estimate

PLACES, LABELS = "fig-label-order-places", "fig-label-order-labels"


def by_place(summary: Summary) -> Figure:
    """Burst latency by place in the block: is the first different?"""
    names = places(summary)
    values = {metric: summary.by_place(metric) for metric in shown(summary)}
    said = "; ".join(
        f"{NAMES[metric]}: {with_interval(summary.first_over_later(metric))} times that of the later ones"
        for metric in values
    )
    plot, table = _levels(values, names, "place in the block")
    return Figure(
        PLACES,
        "Latency of a save in the burst (the call alone) by the place at which a label was run in its block, "
        f"logarithmic axis: every trial, and geometric means with 95 % intervals (Student t on logs). Run first, "
        f"{said}. {summary.origin()}.",
        f"Six places from left to right, each with points and intervals. Run first, {said}.",
        theme.apply(plot),
        table,
        summary.run.id,
        interval=interval_name(each for grid in values.values() for each in _estimates(grid)),
    )


def by_label(summary: Summary) -> Figure:
    """The same trials by label, behind which there is nothing."""
    names = list(summary.labels.values())
    values = {metric: summary.by_label(metric) for metric in shown(summary)}
    said = []
    for metric, grid in values.items():
        levels = [each.point / 1e6 for each in _estimates(grid)]
        said.append(
            f"{NAMES[metric]} from {min(levels):.3g} ms ({names[int(np.argmin(levels))]}) to {max(levels):.3g} ms "
            f"({names[int(np.argmax(levels))]})"
        )
    seen = "; ".join(said)
    plot, table = _levels(values, names, "label")
    return Figure(
        LABELS,
        "The same trials by label. All labels are one program with one set of options on an empty store, so whatever "
        f"differs is chance. Geometric means run from: {seen}. Logarithmic axis; 95 % intervals (Student t on logs). "
        f"{summary.origin()}.",
        f"Six labels from left to right, each with points and intervals. Geometric means: {seen}.",
        theme.apply(plot),
        table,
        summary.run.id,
        interval=interval_name(each for grid in values.values() for each in _estimates(grid)),
    )


def shown(summary: Summary) -> list[str]:
    """The latencies that the figures show; raises NotEstimableError when the run has none of them."""
    found = [metric for metric in NAMES if summary.has(metric)]
    if not found:
        raise NotEstimableError("no burst was timed in every trial", "measure again")
    return found


def _estimates(values: np.ndarray) -> list[Estimate]:
    return [statistics.geometric_mean(column) for column in values.T]


def _levels(values: dict[str, np.ndarray], names: list[str], axis: str) -> tuple[go.Figure, pd.DataFrame]:
    """values: latencies in ns by metric, shape (blocks, names). One row of the table per mark."""
    plot = go.Figure()
    rows: list[dict[str, object]] = []
    for number, (metric, grid) in enumerate(values.items()):
        milliseconds = grid / 1e6
        look = {"color": COLOURS[number], "symbol": theme.SYMBOLS[number]}
        plot.add_scatter(
            x=[name for _ in milliseconds for name in names], y=milliseconds.ravel(), mode="markers", opacity=0.35,
            name=f"{NAMES[metric]}, one trial", marker=look | {"size": 5, "symbol": f"{look['symbol']}-open"},
        )  # fmt: skip
        estimates = _estimates(milliseconds)
        plot.add_scatter(
            x=names, y=[each.point for each in estimates],
            mode="markers", name=f"{NAMES[metric]}, geometric mean", marker=look | {"size": 10},
            error_y=bars(estimates),
        )  # fmt: skip
        for name, each, column in zip(names, estimates, milliseconds.T, strict=True):
            row: dict[str, object] = {"quantity": NAMES[metric], axis: name}
            ends = {"latency (ms)": each.point, "low": each.low, "high": each.high}
            rows.append(row | {"block": "all"} | ends)
            rows += [row | {"block": str(block), "latency (ms)": value} for block, value in enumerate(column.tolist())]
    plot.update_xaxes(title=axis, categoryorder="array", categoryarray=names)
    plot.update_yaxes(**theme.decades(), title="latency of a save in the burst (ms)")
    return plot, pd.DataFrame(rows)
