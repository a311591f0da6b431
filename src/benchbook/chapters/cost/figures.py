"""The figures: throughput per USD, and every offer against the large instance on demand. Their words in the page."""

from __future__ import annotations

from typing import Any

import pandas as pd
import plotly.graph_objects as go

from benchbook import notes
from benchbook.chapters.cost.numbers import NOTED, Offer, Summary, scaled
from benchbook.drawing.drawn import Drawn
from benchbook.drawing.marks import COLOURS, by_label
from benchbook.figures import theme

STATES = ("cold cache, as stated", "warm cache, as stated", "five runs")
TICKS = (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10)


def per_dollar(summary: Summary) -> Drawn:
    """Transactions/s per USD per month for each row of the note's table."""
    rows = [row for offer in summary.offers for row in _rows(offer, 1.0)]
    printed = notes.table("r8g_cost")
    ends = zip(printed["tps_per_usd_lo"], printed["tps_per_usd_hi"], strict=True)
    ranges = {offer.name: (float(low), float(high)) for offer, (low, high) in zip(summary.offers, ends, strict=True)}
    plot = go.Figure()
    plot.add_bar(
        x=[ranges[row["offer"]][1] - ranges[row["offer"]][0] for row in rows],
        base=[ranges[row["offer"]][0] for row in rows], y=[_label(row) for row in rows], orientation="h",
        name="as printed", width=1, marker={"color": "rgba(125, 125, 125, 0.35)", "line": {"width": 0}},
    )  # fmt: skip
    plot.update_layout(barmode="overlay")
    plot.update_xaxes(title="TPS per USD a month (more is better)", rangemode="tozero")
    said = "; ".join(
        f"{offer.name}: {offer.per_usd[0]:.1f} cold, {offer.per_usd[1]:.1f} warm" for offer in summary.offers
    )
    return _drawn(summary, plot, rows, "TPS per USD", said)


def ratio(summary: Summary) -> Drawn:
    """Throughput per USD over that of the large instance at the price that it is compared at."""
    base = summary.baseline
    rows = []
    for offer, other in [*((each, base) for each in summary.offers if each is not base), summary.discounted]:
        rows += _rows(offer, 1 / other.per_usd[1], _pair(offer.pricing, other.pricing))
    plot = go.Figure()
    plot.add_vline(x=1, line={"dash": "dot", "color": theme.COLOURS["grey"]})
    plot.update_xaxes(
        type="log", tickvals=TICKS, ticktext=[f"{tick:g}" for tick in TICKS],
        title="TPS per USD, r8g.xlarge ÷ r8g.2xlarge<br>(above 1: the small one gives more)",
    )  # fmt: skip
    said = "; ".join(f"{row['offer']}, {row['state']}: {row['value']:.2f}" for row in rows)
    return _drawn(summary, plot, rows, "ratio", said)


def _pair(ours: str, theirs: str) -> str:
    """At which prices two offers are compared."""
    return f"both {ours}" if ours == theirs else f"{ours} ÷ {theirs}"


def _rows(offer: Offer, factor: float, name: str = "") -> list[dict[str, Any]]:
    names = {"offer": name or offer.name}
    found: list[dict[str, Any]] = [
        names | {"state": state, "value": value * factor, "low": None, "high": None, "runs": 1}
        for state, value in zip(STATES, offer.per_usd, strict=False)
    ]
    if offer.measured_per_usd is not None:
        each = scaled(offer.measured_per_usd, factor)
        found.append(
            names | {"state": STATES[2], "value": each.point, "low": each.low, "high": each.high, "runs": each.n}
        )
    return found


def _drawn(summary: Summary, plot: go.Figure, rows: list[dict[str, Any]], quantity: str, said: str) -> Drawn:
    """The rows as points over what the plot holds already, one series per state. quantity: heading of the values."""
    for place, state in enumerate(STATES):
        part = [row for row in rows if row["state"] == state]
        values, lows, highs = ([row[name] for row in part] for name in ("value", "low", "high"))
        plot.add_scatter(
            x=values, y=[_label(row) for row in part], name=state, mode="markers",
            error_x=theme.error_bars(values, lows, highs) if state == STATES[2] else None,
            marker={"color": COLOURS[place], "symbol": theme.SYMBOLS[place], "size": 10},
        )  # fmt: skip
    by_label(plot, [_label(row) for row in rows], height=140, each=34)
    estimates = [offer.measured for offer in summary.offers if offer.measured is not None]
    data = pd.DataFrame(rows).rename(columns={"value": quantity})
    return Drawn(plot, data, said, estimates, run_id=notes.run_id(*NOTED))


def _label(row: dict[str, Any]) -> str:
    return f"{row['offer']}: {row['state'].split(',')[0]}"


FIGURES = {"per_dollar": per_dollar, "ratio": ratio}
