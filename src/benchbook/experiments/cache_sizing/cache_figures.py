"""Hit ratios on axes of their own: along the suite, over resident blocks, and latency over them."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from benchbook.experiments.cache_sizing.arms import FEWER, MEDIUM, MINIMAL, SMALL_TABLES, SNAPPY, STATED, TUNED, ZSTD
from benchbook.experiments.cache_sizing.summary import Summary, moves, noted_blocks, to_hold
from benchbook.experiments.families.badger.request import PHASES
from benchbook.experiments.shape.marks import COLOURS, bars, blank
from benchbook.figures import Figure, interval_name, intervals_said, theme, with_interval

LADDER, MEAN = "fig-cache-sizing-ladder", "burst_mean_ns"
POWERS = [10.0**power for power in range(-1, 8)]
PERCENT = [-3, 103]


def _empty(summary: Summary, identity: str, title: str) -> Figure:
    return blank(summary, identity, title, "No cache was used in this run", summary.MEND)


def along(summary: Summary) -> Figure:
    """The ratio since opening and that of each test alone, over the rounds of the suite."""
    identity, title = "fig-cache-sizing-along", "Hit ratio along the suite"
    steps = [(number, phase) for number in range(1, summary.parameters.rounds + 1) for phase in PHASES]
    rows: list[dict[str, object]] = []
    plot = go.Figure()
    for place, arm in enumerate((TUNED, MEDIUM, MINIMAL)):
        for kind, name, dash in (("until", "since opening", "solid"), ("within", "this test alone", "dot")):
            shown = {
                (number, phase): 100 * summary.mean(arm, f"hit_ratio_{kind}_{number}_{phase}")
                for number, phase in steps
                if summary.has(arm, f"hit_ratio_{kind}_{number}_{phase}")
            }
            row = {"configuration": summary.label(arm), "ratio": name}
            rows += [row | {"test and round": f"{p} {n}", "hit ratio (%)": value} for (n, p), value in shown.items()]
            plot.add_scatter(
                x=[f"{p} {n}" for n, p in shown], y=[*shown.values()], mode="lines+markers",
                name=f"{summary.label(arm)}, {name}", line={"color": COLOURS[place], "dash": dash},
                marker={"symbol": theme.SYMBOLS[place] + ("-open" if kind == "within" else ""), "size": 8},
            )  # fmt: skip
    if not rows:
        return _empty(summary, identity, title)
    order = [f"{phase} {number}" for number, phase in steps]
    plot.update_xaxes(title="test and round", categoryorder="array", categoryarray=order, tickangle=-45)
    plot.update_layout(height=theme.HEIGHT_PX + 100)
    plot.update_yaxes(title="hit ratio (%)", range=PERCENT)
    said = moves(summary)
    return Figure(
        identity,
        f"The ratio printed at one moment, as in the note, and the ratio of each test alone; mean over trials. {said}. "
        f"The first peak, all in memory, reads no block.",
        f"Lines of hit ratio over the tests of the suite (rounds: {summary.parameters.rounds}) "
        f"for three cache sizes. {said}.",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        title=title,
    )


def resident(summary: Summary) -> Figure:
    """Hit ratio against resident blocks in the build that charges a block its own length."""
    title = "Blocks to hold"
    ratios = {arm: summary.hit_ratio(arm) for arm in summary.having(summary.rungs, "hit_ratio")}
    if not ratios:
        return _empty(summary, LADDER, title)
    blocks = {arm: summary.mean(arm, "resident_blocks") for arm in ratios}
    rows = []
    plot = go.Figure()
    for place, (arm, e) in enumerate(ratios.items()):
        plot.add_scatter(
            x=[blocks[arm]], y=[100 * e.point], mode="markers", name=summary.label(arm), error_y=bars([e], 100),
            marker={"color": COLOURS[place % 6], "symbol": f"{theme.SYMBOLS[place % 6]}-open", "size": 8 + 3 * place},
        )  # fmt: skip
        ends = {"hit ratio (%)": 100 * e.point, "low": 100 * e.low, "high": 100 * e.high, "trials": e.n}
        rows.append({"configuration": summary.label(arm), "resident blocks": blocks[arm]} | ends)
    low, high = noted_blocks()
    plot.add_scatter(
        x=[low, high, high, low], y=[0, 0, 100, 100], mode="lines", fill="toself", line={"width": 0},
        fillcolor="rgba(125, 125, 125, 0.35)", name="what the note says is needed",
    )  # fmt: skip
    plot.update_xaxes(type="log", tickvals=POWERS, ticktext=[f"{value:,.10g}" for value in POWERS])
    plot.update_xaxes(title="blocks resident at the end of the burst")
    plot.update_yaxes(title="hit ratio (%)", range=PERCENT)
    needed = to_hold(summary)
    held = [*blocks.values()]
    return Figure(
        LADDER,
        "How many blocks must be resident: the build that charges a block its own length, with growing caches. "
        f"{needed}; the note estimates {low:,.0f} to {high:,.0f} (grey). {intervals_said(ratios.values())}.",
        f"Points of hit ratio over resident blocks on a logarithmic axis, from {held[0]:,.0f} to {held[-1]:,.0f} "
        f"blocks, with a grey band at the note's numbers. {needed}.",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        interval=interval_name(ratios.values()),
        title=title,
    )


def trade(summary: Summary) -> Figure:
    """Does a higher hit ratio make a save faster? One point per configuration, relative to the stated setting."""
    identity, title = "fig-cache-sizing-hits-and-latency", "Hit ratio and latency"
    others = [arm for arm in summary.suite_arms if arm not in (STATED, FEWER, SMALL_TABLES)]
    arms = summary.having(others, "hit_ratio", MEAN)
    if not arms or not summary.has(STATED, "hit_ratio"):
        return _empty(summary, identity, title)
    marks = {arm: (summary.hit_ratio(arm), summary.ratio((arm, MEAN), (STATED, MEAN))) for arm in arms}
    kinds: dict[str, list[str]] = {"charged its table": [], "compressed": [], "own length": []}
    for arm in arms:
        kinds[_kind(summary, arm)].append(arm)
    plot = go.Figure()
    for place, (kind, members) in enumerate((kind, members) for kind, members in kinds.items() if members):
        hits, times = zip(*(marks[arm] for arm in members), strict=True)
        plot.add_scatter(
            x=[100 * e.point for e in hits], y=[e.point for e in times], mode="markers", name=kind,
            text=[summary.label(arm) for arm in members], hovertemplate="%{text}<br>%{x:.1f} %, %{y:.2f}",
            marker={"color": COLOURS[place], "symbol": theme.SYMBOLS[place], "size": 9},
            error_x=bars(hits, 100), error_y=bars(times),
        )  # fmt: skip
    plot.add_scatter(
        x=[0, 100], y=[1, 1], mode="lines", name="as the stated setting", line={"dash": "dash", "color": COLOURS[5]}
    )
    plot.update_xaxes(title="block cache hit ratio (%)", range=PERCENT)
    ends = [end for _, time in marks.values() for end in (time.low, time.high)]
    plot.update_yaxes(**theme.ticks(ends), title="burst mean / that of 64 / 32")
    points = [100 * hits.point for hits, _ in marks.values()]
    best = max(arms, key=lambda arm: marks[arm][0].point)
    said = (
        f"The highest ratio, {100 * marks[best][0].point:.1f} % ({summary.label(best)}), comes with "
        f"{with_interval(marks[best][1])} times the latency of the stated setting"
    )
    return Figure(
        identity,
        "Burst latency against hit ratio: each point is one configuration, its mean latency divided by that of the "
        f"stated setting in the same block. {said}. 95 % intervals.",
        f"{len(arms)} points from {min(points):.0f} to {max(points):.0f} percent hits. {said}.",
        theme.apply(plot),
        pd.DataFrame(
            [
                {"configuration": summary.label(arm), "hit ratio (%)": 100 * hits.point, "latency ratio": time.point,
                 "low": time.low, "high": time.high, "blocks": time.n}
                for arm, (hits, time) in marks.items()
            ]
        ),
        summary.run.id,
        interval=interval_name([*(hits for hits, _ in marks.values()), *(time for _, time in marks.values())]),
        title=title,
    )  # fmt: skip


def _kind(summary: Summary, arm: str) -> str:
    """What a block is charged: its table, its unpacked bytes, its length."""
    return "compressed" if arm in (SNAPPY, ZSTD) else "own length" if arm in summary.rungs else "charged its table"
