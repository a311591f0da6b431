"""Figures over pool sizes in % of the data: throughput, latency, and where the sweep steps furthest."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from benchbook import statistics
from benchbook.errors import BenchbookError
from benchbook.experiments.marks import COLOURS, bars, blank
from benchbook.experiments.shared_buffers.arms import SWEEP, reads_name, sweep_name
from benchbook.experiments.shared_buffers.judgements import POOLS
from benchbook.experiments.shared_buffers.summary import Summary
from benchbook.figures import Figure, interval_name, theme, with_interval
from benchbook.model import Estimate

LATENCY, CLIFF = "fig-shared-buffers-latency", "fig-shared-buffers-cliff"
NO_SWEEP = "This run did not measure enough sizes of the pool"
MEND = "measure the standard profile"
SWEEPS = {
    "TPC-B from a restart, OS cache in play": tuple(sweep_name(percent) for percent in SWEEP),
    "read only, direct I/O, pool filled first": tuple(reads_name(percent) for percent in SWEEP),
}
"""The two sweeps over pools in % of the data, in the order of SWEEP."""
_QUANTILES = {"latency_mean_ns": "mean", "latency_p95_ns": "P95", "latency_p99_ns": "P99"}


def pools(summary: Summary) -> Figure:
    """TPS by pool size, as a multiple of that at 100 % of the data, for both sweeps."""
    rows, said, ends = [], [], [1.0]
    drawn: list[Estimate] = []
    plot = go.Figure()
    for place, (sweep, arms) in enumerate(SWEEPS.items()):
        full = arms[SWEEP.index(100)]
        known = {
            arm: percent for arm, percent in zip(arms, SWEEP, strict=True) if arm != full and summary.has(arm, "tps")
        }
        effects = summary.against(full, list(known), "tps")
        if not effects:
            continue
        x = [known[arm] for arm in effects]
        for percent, (arm, effect) in zip(x, effects.items(), strict=True):
            tps = summary.level(arm, "tps")
            drawn += [effect, tps]
            rows.append(
                {
                    "sweep": sweep, "pool (% of data)": percent, "TPS": tps.point, "TPS low": tps.low,
                    "TPS high": tps.high, "over pool of 100 %": effect.point, "low": effect.low, "high": effect.high,
                    "blocks": effect.n,
                }
            )  # fmt: skip
        ends += [end for effect in effects.values() for end in (effect.low, effect.high)]
        _curve(plot, x, list(effects.values()), sweep, place)
        smallest, *_, last = effects.values()
        said.append(f"{sweep}: {with_interval(smallest)} at {x[0]} %, {with_interval(last)} at {x[-1]} %")
    if not rows:
        return blank(summary, POOLS, "Throughput by size of the buffer pool", NO_SWEEP, MEND)
    plot.add_hline(y=1, line={"color": COLOURS[5], "dash": "dot"})
    plot.update_xaxes(title="shared_buffers (% of the data)", tickvals=list(SWEEP))
    plot.update_yaxes(**theme.ticks(ends), title="TPS over TPS at 100 %")
    return Figure(
        POOLS,
        "Throughput by size of the buffer pool, each as a multiple of that with a pool of the data's size; the "
        f"intervals of a sweep hold together with 95 % (paired over blocks, Bonferroni), logarithmic axis"
        f"{_left_out(summary)}; {summary.origin()}.",
        f"Curves over pools from 10 to 120 percent of the data. {'; '.join(said)}.",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        interval=interval_name(drawn),
    )


def latency(summary: Summary) -> Figure:
    """Mean and tail latency by pool size."""
    rows: list[dict[str, object]] = []
    drawn: list[Estimate] = []
    plot = go.Figure()
    said = []
    for place, (sweep, every) in enumerate(SWEEPS.items()):
        known = [(x, arm) for x, arm in zip(SWEEP, every, strict=True) if summary.has(arm, "latency_mean_ns")]
        sizes, arms = [x for x, _ in known], [arm for _, arm in known]
        for metric, name in _QUANTILES.items():
            if not arms or not all(summary.has(arm, metric) for arm in arms):
                continue
            try:
                estimates = [summary.level(arm, metric, 1e6) for arm in arms]
            except BenchbookError:  # a latency of 0 has no logarithm
                continue
            drawn += estimates
            rows += [
                {
                    "sweep": sweep, "quantity": name, "pool (% of data)": percent, "latency (ms)": e.point,
                    "low (ms)": e.low, "high (ms)": e.high, "trials": e.n,
                }
                for percent, e in zip(sizes, estimates, strict=True)
            ]  # fmt: skip
            if metric == "latency_mean_ns" or name == _tail(summary, arms):
                _curve(plot, sizes, estimates, f"{sweep.split(',')[0]}: {name}", 2 * place + (name != "mean"))
                first, last = (f"{estimates[k].point:.3g} ms at {sizes[k]} %" for k in (0, -1))
                said.append(f"{sweep}, {name}: {first}, {last}")
    if not rows:
        return blank(summary, LATENCY, "Latency by size of the buffer pool", NO_SWEEP, MEND)
    plot.update_xaxes(title="shared_buffers (% of the data)", tickvals=list(SWEEP))
    plot.update_yaxes(**theme.decades(), title="latency of a transaction (ms)")
    return Figure(
        LATENCY,
        "Mean latency and the highest quantile that every trial can estimate, by size of the buffer pool; 95 % "
        f"intervals over trials (Student t on logarithms), logarithmic axis{_left_out(summary)}; {summary.origin()}.",
        f"Curves of latency over pools from 10 to 120 percent of the data. {'; '.join(said)}.",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        interval=interval_name(drawn),
    )


def cliff(summary: Summary) -> Figure:
    """Between which neighbouring pools throughput steps furthest, as a set of places."""
    rows: list[dict[str, object]] = []
    drops: list[Estimate] = []
    plot = go.Figure()
    said = []
    for place, (sweep, arms) in enumerate(SWEEPS.items()):
        try:
            grid = np.stack([summary.values(arm, "tps") for arm in arms], axis=1)
            found = statistics.cliff(grid, np.array(SWEEP, dtype=float))
        except BenchbookError as error:
            rows.append({"sweep": sweep, "step": f"not estimable: {error.problem}"})
            continue
        drops.append(found.drop)
        shares = {_step(pair): share for pair, share in found.locations}
        rows += [
            {
                "sweep": sweep, "step": step, "share of resamples": share, "largest step": step == _step(found.pair),
                "TPS right over left": found.drop.point if step == _step(found.pair) else np.nan,
                "low": found.drop.low if step == _step(found.pair) else np.nan,
                "high": found.drop.high if step == _step(found.pair) else np.nan,
            }
            for step, share in shares.items()
        ]  # fmt: skip
        plot.add_bar(
            x=list(shares), y=list(shares.values()), name=sweep,
            marker={"color": COLOURS[place], "pattern": {"shape": ("", "/")[place]}},
        )  # fmt: skip
        said.append(
            f"{sweep}: from {_step(found.pair)}, a factor of {with_interval(found.drop)}, among {len(shares)} "
            f"place{'' if len(shares) == 1 else 's'} in the set"
        )
    if not drops:
        why = "This run cannot compare neighbouring pools"
        return blank(summary, CLIFF, "Where throughput steps furthest between pool sizes", why, MEND)
    plot.update_xaxes(
        title="neighbouring pools (% of the data)",
        categoryorder="array",
        categoryarray=[_step(pair) for pair in pairwise(SWEEP)],
    )
    plot.update_yaxes(title="share of the resamples", tickformat=".0%", range=[0, 1])
    return Figure(
        CLIFF,
        "Where throughput steps furthest between neighbouring pool sizes: the set of places that come first in at "
        "least 95 % of 2,000 resamples of whole blocks, with their shares. "
        + "; ".join(said)
        + f"; {summary.origin()}.",
        f"Bars for the places of the largest step. {'; '.join(said)}.",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        interval=f"{interval_name(drops)}; places: 95 % set of a bootstrap of whole blocks",
    )


def _step(pair: tuple[float, float]) -> str:
    return f"{pair[0]:g} to {pair[1]:g} %"


def _left_out(summary: Summary) -> str:
    """Half a sentence on the pools of the sweeps that lack a trial, for captions; nothing where none does."""
    planned = [arm for arms in SWEEPS.values() for arm in arms if arm in summary.arms]
    lacking = [summary.label(arm) for arm in planned if not summary.has(arm, "tps")]
    return f"; left out, because a trial failed: {', '.join(lacking)}" if lacking else ""


def _tail(summary: Summary, arms: Sequence[str]) -> str:
    known = [name for metric, name in _QUANTILES.items() if all(summary.has(arm, metric) for arm in arms)]
    return known[-1] if known else ""


def _curve(plot: go.Figure, x: list[int], estimates: Sequence[Estimate], name: str, place: int) -> None:
    plot.add_scatter(
        x=x, y=[e.point for e in estimates], name=name, mode="lines+markers", error_y=bars(estimates),
        line={"color": COLOURS[place], "dash": theme.DASHES[place]},
        marker={"symbol": theme.SYMBOLS[place], "size": 9},
    )  # fmt: skip
