"""The figures: every trial by place and by label, what was run first over what came later, pairs of equal labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from benchbook import statistics
from benchbook.chapters.label_order import pairs
from benchbook.chapters.label_order.arms import FIRST_LABEL, SECOND_LABEL
from benchbook.chapters.label_order.numbers import NO_PAUSE, PLACES, Summary
from benchbook.claims import chapter_claims, region
from benchbook.drawing.drawn import Drawn
from benchbook.drawing.marks import COLOURS, add_dots, bars, by_label
from benchbook.figures import theme
from benchbook.model import Effect, Estimate
from benchbook.numbers.quantities import Told
from benchbook.numbers.summary import NotEstimableError
from benchbook.statistics.equivalence import TOST_CONFIDENCE

OTHERS = ("burst_p50_ns", "burst_p99_ns", "response_mean_ns", "peak_test_events_per_s")
"""What is shown beside the claims without a rule of its own."""
Grids = dict[str, np.ndarray]
"""Metric to values, shape (blocks, labels or places)."""


def places(summary: Summary) -> Drawn:
    """Burst latency by place in the block: is the first different?"""
    return _every_trial(summary, _grids(summary.by_place), PLACES, "place in the block")


def labels(summary: Summary) -> Drawn:
    """The same trials by label, behind which there is nothing."""
    return _every_trial(summary, _grids(summary.by_label), [summary.label(arm) for arm in summary.arms], "label")


def _grids(by: Callable[[str], np.ndarray]) -> Grids:
    """Of the metrics that every trial has; raises NotEstimableError when the run has none of them."""
    found: Grids = {}
    for metric in pairs.BURSTS:
        try:
            found[metric] = by(metric)
        except NotEstimableError:
            continue
    if not found:
        raise NotEstimableError("no burst was timed in every trial", "measure again")
    return found


def _every_trial(summary: Summary, grids: Grids, names: Sequence[str], axis: str) -> Drawn:
    """Points of all trials with geometric means over them; one row of the table per mark. What is said: the means."""
    plot = go.Figure()
    rows: list[dict[str, object]] = []
    said: dict[str, list[dict[str, object]]] = {}
    drawn: list[Estimate] = []
    for number, (metric, grid) in enumerate(grids.items()):
        milliseconds, word = grid / 1e6, summary.in_words(metric)
        look = {"color": COLOURS[number], "symbol": theme.SYMBOLS[number]}
        plot.add_scatter(
            x=[name for _ in milliseconds for name in names], y=milliseconds.ravel(), mode="markers", opacity=0.85,
            name=f"{word}, one trial", marker=look | {"size": 5, "symbol": f"{look['symbol']}-open"},
        )  # fmt: skip
        estimates = [summary.estimated(statistics.geometric_mean, column) for column in milliseconds.T]
        drawn += estimates
        said[word] = [{"name": name, "ms": each.point} for name, each in zip(names, estimates, strict=True)]
        plot.add_scatter(
            x=names, y=[each.point for each in estimates], mode="markers", name=f"{word}, geometric mean",
            marker=look | {"size": 10}, error_y=bars(estimates),
        )  # fmt: skip
        for name, each, column in zip(names, estimates, milliseconds.T, strict=True):
            row: dict[str, object] = {"quantity": word, axis: name}
            rows.append(row | {"block": "all", "latency (ms)": each.point, "low": each.low, "high": each.high})
            rows += [row | {"block": str(block), "latency (ms)": value} for block, value in enumerate(column.tolist())]
    plot.update_xaxes(title=axis, categoryorder="array", categoryarray=list(names))
    plot.update_yaxes(**theme.decades(), title="time of a save in the burst (ms)")
    return Drawn(plot, pd.DataFrame(rows), said, drawn)


def first(summary: Summary) -> Drawn:
    """The first label over the later ones, with the regions of the claims; and the A/A pair."""
    plot = go.Figure()
    effects: dict[str, Effect] = {}
    narrow: dict[str, Effect] = {}
    claimed = {str(each.estimand.metric): each.claim for each in summary.chapter.answers.given}
    for metric, claim in claimed.items():
        name = f"{summary.in_words(metric)} ({claim})"
        asked = region(chapter_claims(summary.chapter.name)[claim], difference=False)
        plot.add_scatter(
            x=[asked.low, asked.high], y=[name, name], mode="lines", opacity=0.45, name="what counts as no difference",
            line={"color": COLOURS[5], "width": 14, "dash": "solid"}, showlegend=metric == next(iter(claimed)),
        )  # fmt: skip
    for metric in (*claimed, *OTHERS):
        name = f"{summary.in_words(metric)} ({claimed[metric]})" if metric in claimed else summary.in_words(metric)
        try:
            effects[name] = summary.first_over_later(metric)
        except NotEstimableError:
            continue
        if metric in claimed:
            narrow[name] = summary.at(TOST_CONFIDENCE).first_over_later(metric)
    again = {
        f"{summary.in_words(each)}, label B over label A": summary.ratio((SECOND_LABEL, each), (FIRST_LABEL, each))
        for each in _grids(summary.by_label)
    }
    at_once = {
        f"{summary.in_words(each)}, no pause": summary.first_over_later(each, NO_PAUSE)
        for each in _grids(summary.by_place)
    }
    add_dots(plot, 0, "run first over run later", effects)
    add_dots(plot, 2, "run first over run later, without a pause", at_once)
    add_dots(plot, 1, "two labels (A/A)", again)
    plot.add_vline(x=1, line={"color": theme.COLOURS["grey"], "dash": "dash"})
    plot.update_xaxes(title="first ÷ later (above 1: more when run first)")
    by_label(plot, [*effects, *at_once, *again], height=180, each=32)
    rows = []
    for name, e in (effects | at_once | again).items():
        row: dict[str, object] = {"comparison": name, "ratio": e.point, "low": e.low, "high": e.high}
        ends = (narrow[name].low, narrow[name].high) if name in narrow else (None, None)
        rows.append(row | {"low (90 %)": ends[0], "high (90 %)": ends[1], "blocks": e.n})
    return Drawn(
        plot,
        pd.DataFrame(rows),
        {name: Told(effect) for name, effect in effects.items()},
        [*effects.values(), *at_once.values(), *again.values()],
        beside=[*narrow.values()],
    )


def apart(summary: Summary) -> Drawn:
    """Every two labels of a block: the larger over the smaller, beside the note's two."""
    found, note = pairs.ratios(summary.by_label(pairs.MEAN)), pairs.apart(pairs.MEAN)
    blocks, each = found.shape
    numbers, widest = np.repeat(np.arange(blocks), each), found.max(axis=1)
    plot = go.Figure()
    plot.add_scatter(
        x=numbers, y=found.ravel(), mode="markers", name="two labels of the block", opacity=0.8,
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
    plot.update_yaxes(**theme.ticks([1, note, *widest]), title=f"{summary.in_words(pairs.MEAN)}: larger ÷ smaller")
    return Drawn(
        plot,
        pd.DataFrame({"block": numbers, "ratio of two labels": found.ravel(), "the note's ratio": note}),
    )


FIGURES = {"places": places, "first": first, "labels": labels, "pairs": apart}
