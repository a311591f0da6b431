"""Figures of the chapter: throughput per USD, and every offer against the large instance on demand."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from benchbook.experiments import notes
from benchbook.experiments.cost.judgements import PER_DOLLAR, RATIO
from benchbook.experiments.cost.summary import Offer, Summary, run_id, scaled
from benchbook.experiments.marks import COLOURS
from benchbook.figures import Figure, interval_name, theme
from benchbook.model import Estimate

STATES = ("cold cache, as stated", "warm cache, as stated", "five runs")
INTERVAL = "the five validation runs of r8g.xlarge with their 95 % interval (Student t on logarithms)"


def per_dollar(summary: Summary) -> Figure:
    """Transactions/s per USD a month for each row of the note's table."""
    rows = [row for offer in summary.offers for row in _rows(offer, 1.0)]
    printed = notes.table("r8g_cost")
    plot = go.Figure()
    ranges = {
        offer.name: (float(low), float(high))
        for offer, low, high in zip(summary.offers, printed["tps_per_usd_lo"], printed["tps_per_usd_hi"], strict=True)
    }
    plot.add_bar(
        x=[ranges[str(row["offer"])][1] - ranges[str(row["offer"])][0] for row in rows],
        base=[ranges[str(row["offer"])][0] for row in rows], y=[_label(row) for row in rows], orientation="h",
        name="as printed", width=1, marker={"color": "rgba(125, 125, 125, 0.35)", "line": {"width": 0}},
    )  # fmt: skip
    _points(plot, rows)
    plot.update_xaxes(title="TPS per USD a month", rangemode="tozero")
    plot.update_yaxes(autorange="reversed", categoryorder="array", categoryarray=[_label(row) for row in rows])
    plot.update_layout(height=140 + 34 * len(rows), barmode="overlay")
    said = "; ".join(
        f"{offer.name}: {offer.per_usd[0]:.1f} cold, {offer.per_usd[1]:.1f} warm" for offer in summary.offers
    )
    return Figure(
        PER_DOLLAR,
        f"Throughput per USD a month, recomputed at {_prices(summary)}: stated throughputs, and {INTERVAL}. Grey: the "
        "range that note 003 prints. The large instance was run once, so it has no interval.",
        f"Three rows of points. {said}.",
        theme.apply(plot),
        pd.DataFrame(rows).rename(columns={"value": "TPS per USD"}),
        run_id(),
        interval=_interval(summary),
    )


def ratio(summary: Summary) -> Figure:
    """Throughput per USD over that of the large instance at the price that it is compared at."""
    base = summary.baseline
    small, large = summary.discounted
    rows = []
    for offer, other in [(each, base) for each in summary.offers if each is not base] + [(small, large)]:
        rows += _rows(offer, 1 / other.per_usd[1], f"{offer.pricing} over {other.pricing}")
    plot = go.Figure()
    _points(plot, rows)
    plot.add_vline(x=1, line={"dash": "dot", "color": theme.COLOURS["grey"]})
    ticks = [0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10]
    plot.update_xaxes(
        type="log", tickvals=ticks, ticktext=[f"{tick:g}" for tick in ticks],
        title="TPS per USD over that of r8g.2xlarge",
    )  # fmt: skip
    plot.update_yaxes(autorange="reversed", categoryorder="array", categoryarray=[_label(row) for row in rows])
    plot.update_layout(height=140 + 34 * len(rows))
    said = "; ".join(f"{row['offer']}, {row['state']}: {row['value']:.2f}" for row in rows)
    return Figure(
        RATIO,
        "Throughput per USD of r8g.xlarge over that of r8g.2xlarge, logarithmic, at "
        f"{_prices(summary)}: stated throughputs, and {INTERVAL}. The one run of r8g.2xlarge is taken as exact, so the "
        "true intervals are wider. Right of 1 the small instance gives more for the money.",
        f"Three rows of points around 1. {said}.",
        theme.apply(plot),
        pd.DataFrame(rows).rename(columns={"value": "ratio"}),
        run_id(),
        interval=_interval(summary),
    )


def _interval(summary: Summary) -> str:
    return interval_name(offer.measured for offer in summary.offers if offer.measured is not None)


def _rows(offer: Offer, factor: float, name: str = "") -> list[dict[str, object]]:
    found: list[dict[str, object]] = [
        {"offer": name or offer.name, "state": state, "value": value * factor, "low": None, "high": None, "runs": 1}
        for state, value in zip(STATES, offer.per_usd, strict=False)
    ]
    measured: Estimate | None = offer.measured_per_usd
    if measured is not None:
        each = scaled(measured, factor)
        found.append(
            {"offer": name or offer.name, "state": STATES[2], "value": each.point, "low": each.low,
             "high": each.high, "runs": each.n}
        )  # fmt: skip
    return found


def _points(plot: go.Figure, rows: list[dict[str, object]]) -> None:
    for place, state in enumerate(STATES):
        part = pd.DataFrame([row for row in rows if row["state"] == state])
        bars = (
            theme.error_bars(list(part["value"]), list(part["low"]), list(part["high"])) if state == STATES[2] else None
        )
        plot.add_scatter(
            x=part["value"], y=[_label(row) for row in rows if row["state"] == state], name=state, mode="markers",
            error_x=bars, marker={"color": COLOURS[place], "symbol": theme.SYMBOLS[place], "size": 10},
        )  # fmt: skip


def _label(row: dict[str, object]) -> str:
    return f"{row['offer']}: {str(row['state']).split(',')[0]}"


def _prices(summary: Summary) -> str:
    return "the note's prices" if summary.at_defaults else "the prices given"
