"""A forest plot of one number: each machine's interval, the combined one, and where a further machine is expected."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from benchbook.errors import BenchbookError, suggestion
from benchbook.figures import theme
from benchbook.reuse.combine import Together

COMBINED, FURTHER = "combined", "a further machine"


def named(found: Sequence[Together], name: str) -> Together:
    """The number of this name; raises BenchbookError, with those that two machines have."""
    known = {each.name: each for each in found}
    if name not in known:
        raise BenchbookError(
            f"no two machines have a number {name!r}{suggestion(name, known)}", f"choose one of: {', '.join(known)}"
        )
    return known[name]


def drawing(number: Together) -> go.Figure:
    """Machines from the top, then the combined number, then the prediction where there is one."""
    whole = number.combined
    rows = {name: (own.point, own.low, own.high) for name, own in number.each.items()}
    middle, low, high = (number.back(value) for value in (whole.point, whole.low, whole.high))
    plot = theme.apply(go.Figure())
    for name, each, symbol in (
        ("each machine", rows, "circle"),
        (COMBINED, {COMBINED: (middle, low, high)}, "diamond"),
    ):
        points, lows, highs = (list(column) for column in zip(*each.values(), strict=True))
        plot.add_scatter(
            x=points, y=list(each), error_x=theme.error_bars(points, lows, highs), mode="markers", name=name,
            marker={"symbol": symbol, "size": 10 if name == COMBINED else 7},
        )  # fmt: skip
    if whole.predicted is not None:
        ends = [number.back(end) for end in whole.predicted]
        plot.add_scatter(x=ends, y=[FURTHER, FURTHER], mode="lines", name=FURTHER)
    order = [*rows, COMBINED, *([FURTHER] if whole.predicted is not None else [])]
    plot.update_yaxes(categoryorder="array", categoryarray=order[::-1])
    if number.scale == "ratio":
        plot.update_xaxes(type="log")
        plot.add_vline(x=1, line_dash="dot")
    plot.update_layout(xaxis_title=number.name, height=140 + 40 * len(order), showlegend=False)
    return plot
