"""Hit ratio over the size of the block cache: as Badger charges a block, and as its length would have it charged."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from benchbook.claims import chapter_claims
from benchbook.experiments.cache_sizing.arms import SNAPPY, configurations
from benchbook.experiments.cache_sizing.ladder import rungs
from benchbook.experiments.cache_sizing.marks import empty, row
from benchbook.experiments.cache_sizing.prose import PLAIN
from benchbook.experiments.cache_sizing.summary import Summary
from benchbook.experiments.marks import COLOURS, bars
from benchbook.figures import Figure, interval_name, theme, with_interval
from benchbook.model import Estimate

BY_SIZE = "fig-cache-sizing-by-size"
_SIZES = (1, 4, 16, 64, 256, 2048)


def by_size(summary: Summary) -> Figure:
    """Three ways to charge a block, each over the sizes that it was measured with."""
    sizes = {arm.name: float(str(arm.settings["block_mib"])) for arm in configurations(summary.parameters)}
    ways = {"as the note ran it": PLAIN, "charged its own length": rungs(summary), "compressed (Snappy)": (SNAPPY,)}
    found: dict[str, dict[str, Estimate]] = {}
    for way, arms in ways.items():
        asked = [arm for arm in sorted(arms, key=sizes.__getitem__) if summary.has(arm, "hit_ratio")]
        found[way] = {arm: summary.hit_ratio(arm) for arm in asked}
    if not any(found.values()):
        return empty(summary, BY_SIZE, "Hit ratio by size", "No cache was asked in this run")
    plot = go.Figure()
    for place, (way, ratios) in enumerate(found.items()):
        plot.add_scatter(
            x=[sizes[arm] for arm in ratios], y=[100 * e.point for e in ratios.values()],
            mode="lines+markers", name=way, line={"color": COLOURS[place], "dash": theme.DASHES[place], "width": 2},
            marker={"color": COLOURS[place], "symbol": theme.SYMBOLS[place], "size": 9},
            error_y=bars(ratios.values(), 100), hovertemplate="%{x:,} MiB: %{y:.3g} % hits",
        )  # fmt: skip
    target = 100 * (chapter_claims("cache_sizing")["B025"].low or 0.0)
    plot.add_scatter(
        x=[_SIZES[0], _SIZES[-1]], y=[target, target], mode="lines", name="the note's target",
        line={"color": COLOURS[3], "dash": "dot", "width": 1.5},
    )  # fmt: skip
    plot.update_xaxes(type="log", tickvals=list(_SIZES), ticktext=[f"{mib:,}" for mib in _SIZES])
    plot.update_xaxes(title="size of the block cache (MiB)")
    plot.update_yaxes(title="hit ratio (%)", range=[-3, 103])
    said = "; ".join(_ends(way, ratios, sizes) for way, ratios in found.items() if ratios)
    every = [(way, arm, e) for way, ratios in found.items() for arm, e in ratios.items()]
    return Figure(
        BY_SIZE,
        f"Hit ratio of Badger's block cache by its size. {said}. 95 % intervals (Student t on the logit); "
        f"{summary.origin()}.",
        f"Lines of hit ratio over cache size on a logarithmic axis. {said}. A dotted line at {target:.0f} %.",
        theme.apply(plot),
        pd.DataFrame(
            [{"way": way, "block cache (MiB)": sizes[arm], **row("", e, "hit ratio (%)", 100)} for way, arm, e in every]
        ).drop(columns="setting"),
        summary.run.id,
        interval=interval_name([e for _, _, e in every]),
    )


def _ends(way: str, ratios: dict[str, Estimate], sizes: dict[str, float]) -> str:
    """The smallest and the largest size of one way, with their hit ratios."""
    ends = dict.fromkeys((next(iter(ratios)), next(reversed(ratios))))
    numbers = [f"{with_interval(ratios[arm], 100)} % at {sizes[arm]:,.0f} MiB" for arm in ends]
    return f"{way[0].upper()}{way[1:]}: {', '.join(numbers)}"
