"""Figures of ratios: what was run first over what was run later, and every two equal labels of a block."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from benchbook.claims import chapter_claims, region
from benchbook.experiments.label_order import notes, pairs
from benchbook.experiments.label_order.judgements import FIRST, METRICS
from benchbook.experiments.label_order.latency_figures import shown
from benchbook.experiments.label_order.pairs import NAMES
from benchbook.experiments.label_order.summary import Summary
from benchbook.experiments.marks import COLOURS, bars
from benchbook.figures import Figure, interval_name, theme, with_interval
from benchbook.model import Effect
from benchbook.statistics.equivalence import TOST_CONFIDENCE

PAIRS = "fig-label-order-pairs"
OTHERS = {
    "burst_p50_ns": "burst P50",
    "burst_p99_ns": "burst P99",
    "response_mean_ns": "burst mean from its schedule",
    "peak_test_events_per_s": "saves per s in the peak test",
}
"""What is shown beside the claims without a rule of its own."""


def first(summary: Summary) -> Figure:
    """The first label over the later ones, with the regions of the claims; and the A/A pair."""
    effects: list[tuple[str, Effect, Effect | None]] = []
    plot = go.Figure()
    for identity, metric in METRICS.items():
        name = f"{NAMES[metric]} ({identity})"
        asked = region(chapter_claims("label_order")[identity], difference=False)
        plot.add_scatter(
            x=[asked.low, asked.high], y=[name, name], mode="lines",
            line={"color": COLOURS[5], "width": 14, "dash": "solid"},
            opacity=0.45, name="no difference, by the ledger", showlegend=identity == next(iter(METRICS)),
        )  # fmt: skip
        if summary.has(metric):
            narrow = summary.first_over_later(metric, confidence=TOST_CONFIDENCE)
            effects.append((name, summary.first_over_later(metric), narrow))
    for metric, name in OTHERS.items():
        if summary.has(metric):
            effects.append((name, summary.first_over_later(metric), None))
    _points(plot, [(name, effect) for name, effect, _ in effects], "run first over run later", 0)
    again = [(f"{NAMES[metric]}, label B over label A", summary.aa_ratio(metric)) for metric in shown(summary)]
    _points(plot, again, "two labels (A/A)", 1)
    note = notes.apart("burst_mean_ns")
    plot.add_vline(x=1, line={"color": theme.COLOURS["grey"], "dash": "dash"})
    names = [name for name, _, _ in effects] + [name for name, _ in again]
    plot.update_xaxes(title="ratio (1 = the same)")
    plot.update_yaxes(autorange="reversed", categoryorder="array", categoryarray=names)
    plot.update_layout(height=180 + 32 * len(names))
    said = "; ".join(f"{name} {with_interval(effect)}" for name, effect, _ in effects)
    drawn = [effect for _, effect, _ in effects] + [effect for _, effect in again]
    narrow_too = [narrow for _, _, narrow in effects if narrow is not None]
    return Figure(
        FIRST,
        "The label run first in its block over the labels run later, paired within blocks: points with 95 % intervals "
        "(Student t on paired log differences); grey bars are what counts as no difference, into which the 90 % "
        "interval must fall. Below them two of the labels wherever they stood. Only the rows with a claim's number "
        f"have a rule; the others are there to be compared. {said}. The note's two labels differ by a factor of "
        f"{note:.3g}. {summary.origin()}.",
        f"Points with intervals around a dashed line at 1. {said}.",
        theme.apply(plot),
        pd.DataFrame([_row(name, effect, narrow) for name, effect, narrow in effects]
                     + [_row(name, effect, None) for name, effect in again]),
        summary.run.id,
        interval=interval_name([*drawn, *narrow_too]),
    )  # fmt: skip


def apart(summary: Summary) -> Figure:
    """Every two labels of a block: the larger over the smaller, beside the note's two."""
    metric = shown(summary)[0]
    found, note = pairs.ratios(summary.by_label(metric)), notes.apart(metric)
    blocks, each = found.shape
    numbers = np.repeat(np.arange(blocks), each)
    widest = found.max(axis=1)
    plot = go.Figure()
    plot.add_scatter(
        x=numbers, y=found.ravel(), mode="markers", name="two labels of the block", opacity=0.5,
        marker={"color": COLOURS[0], "symbol": theme.SYMBOLS[0], "size": 6},
    )  # fmt: skip
    plot.add_scatter(
        x=np.arange(blocks), y=widest, mode="markers", name="the two furthest apart",
        marker={"color": COLOURS[1], "symbol": theme.SYMBOLS[1], "size": 10},
    )  # fmt: skip
    plot.add_scatter(
        x=[-0.5, blocks - 0.5], y=[note, note], mode="lines", name="the note's two labels",
        line={"dash": "dash", "color": COLOURS[5]},
    )  # fmt: skip
    plot.update_xaxes(title="block, in order of time", range=[-0.8, blocks - 0.2])
    plot.update_yaxes(**theme.ticks([1, note, *widest]), title=f"{NAMES[metric]}: larger / smaller")
    chance = pairs.chance(summary, metric)
    said = (
        f"Of {chance.pairs} pairs of equal labels {chance.far} are as far apart as the note's two "
        f"({note:.3g} times); the largest ratio is {chance.largest:.3g}"
    )
    return Figure(
        PAIRS,
        f"How far apart two labels are that are the same: {NAMES[metric]} of every two labels of a block, the larger "
        f"over the smaller, logarithmic axis. {said}. Pairs of one block share their trials and are no replicates; of "
        f"blocks, {with_interval(chance.blocks, 100)} % hold such a pair (95 %, Wilson). {summary.origin()}.",
        f"A column of points for each of {blocks} blocks, and a dashed line at {note:.3g}. {said}.",
        theme.apply(plot),
        pd.DataFrame({"block": numbers, "ratio of two labels": found.ravel(), "the note's ratio": note}),
        summary.run.id,
    )


def _points(plot: go.Figure, effects: list[tuple[str, Effect]], name: str, number: int) -> None:
    plot.add_scatter(
        x=[effect.point for _, effect in effects], y=[label for label, _ in effects], mode="markers", name=name,
        marker={"color": COLOURS[number], "symbol": theme.SYMBOLS[number], "size": 10},
        error_x=bars(effect for _, effect in effects),
    )  # fmt: skip


def _row(name: str, effect: Effect, narrow: Effect | None) -> dict[str, object]:
    row: dict[str, object] = {"comparison": name, "ratio": effect.point, "low": effect.low, "high": effect.high}
    ends = (None, None) if narrow is None else (narrow.low, narrow.high)
    return row | {"low (90 %)": ends[0], "high (90 %)": ends[1], "blocks": effect.n}
