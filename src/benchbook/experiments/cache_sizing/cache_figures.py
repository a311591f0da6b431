"""Figures of the cache: what a block is charged, hit ratios by setting, along the suite, and by resident blocks."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from benchbook.claims import chapter_claims
from benchbook.experiments.cache_sizing import ladder, notes
from benchbook.experiments.cache_sizing.arms import BLOCK_ONLY, MEDIUM, MINIMAL, SNAPPY, STATED, TUNED, length
from benchbook.experiments.cache_sizing.judgements import COST, HITS, LADDER
from benchbook.experiments.cache_sizing.marks import dots, empty, powers, row
from benchbook.experiments.cache_sizing.metrics import PHASES
from benchbook.experiments.cache_sizing.summary import Summary
from benchbook.experiments.marks import COLOURS, bars
from benchbook.experiments.per_block import NotEstimableError
from benchbook.figures import Figure, interval_name, theme, with_interval

ALONG = "fig-cache-sizing-along"


def costs(summary: Summary) -> Figure:
    """Bytes charged per key, beside the length of a block and the size of the store."""
    arms = summary.having("cost_per_key_bytes")
    if not arms:
        return empty(summary, COST, "What a block is charged", "No block entered a cache in this run")
    labels = [summary.labels[arm] for arm in arms]
    estimates = [summary.cost(arm) for arm in arms]
    store = float(summary.values(STATED, "largest_table_bytes").mean())
    note = notes.note_cost_per_key_bytes()
    plot = dots({"charged per key that the cache took in": estimates}, labels, factor=1e-3)
    for value, name, dash in ((note / 1e3, "the note's number", "dash"), (store / 1e3, "the largest table", "dot")):
        plot.add_scatter(
            x=[value, value], y=[labels[0], labels[-1]], mode="lines", name=name, line={"dash": dash, "width": 2}
        )
    plot.update_xaxes(**powers(), title="charge per key (kB)")
    said = _cost_sentence(summary)
    return Figure(
        COST,
        "What Badger charges its block cache for a block, logarithmic axis: bytes of cost added per key added, from "
        "opening to the end of the burst. Block sizes are about 4 kB in every configuration. "
        f"{said} 95 % intervals (Student t on logs); {summary.origin()}.",
        f"Points with intervals for {len(arms)} configurations on a logarithmic axis, with lines at the note's "
        f"{note / 1e6:.1f} MB per key and at the largest table, {store / 1e6:.1f} MB. {said}",
        theme.apply(plot),
        pd.DataFrame([row(label, e, "charge per key (kB)", 1e-3) for label, e in zip(labels, estimates, strict=True)]),
        summary.run.id,
        interval=interval_name(estimates),
    )


def hit_ratios(summary: Summary) -> Figure:
    """The hit ratio to the end of the burst, beside the note's 33 % and its target."""
    arms = summary.having("hit_ratio")
    if not arms:
        return empty(summary, HITS, "Hit ratios", "No cache was asked in this run")
    labels = [summary.labels[arm] for arm in arms]
    estimates = [summary.hit_ratio(arm) for arm in arms]
    target = chapter_claims("cache_sizing")["B025"].low or 0.0
    plot = dots({"hit ratio": estimates}, labels, factor=100)
    for value, name, dash in (
        (100 * notes.note_hit_ratio(), "the note's 33 %", "dash"),
        (100 * target, "its target", "dot"),
    ):
        plot.add_scatter(
            x=[value, value], y=[labels[0], labels[-1]], mode="lines", name=name, line={"dash": dash, "width": 2}
        )
    plot.update_xaxes(title="block cache hit ratio (%)", range=[-3, 103])
    said = "; ".join(
        f"{summary.labels[arm]}: {with_interval(summary.hit_ratio(arm), 100)} %"
        for arm in (STATED, TUNED, SNAPPY, length(64))
        if arm in arms
    )
    return Figure(
        HITS,
        "Hit ratio of Badger's block cache, from opening to the end of the first burst, by block and index cache size "
        f"in MiB. {said}. 95 % intervals (Student t on the logit); {summary.origin()}.",
        f"Points with intervals for {len(arms)} configurations. {said}. The note saw 33 percent and aimed at 85 to 95.",
        theme.apply(plot),
        pd.DataFrame([row(label, e, "hit ratio (%)", 100) for label, e in zip(labels, estimates, strict=True)]),
        summary.run.id,
        interval=interval_name(estimates),
    )


def along(summary: Summary) -> Figure:
    """The ratio since opening and that of each test alone, over the rounds of the suite."""
    steps = [(number, phase) for number in range(1, summary.parameters.rounds + 1) for phase in PHASES]
    rows = []
    plot = go.Figure()
    for place, arm in enumerate((TUNED, MEDIUM, MINIMAL)):
        for kind, name, dash in (("until", "since opening", "solid"), ("within", "this test alone", "dot")):
            shown = [
                (f"{phase}<br>{number}", 100 * float(summary.values(arm, f"hit_ratio_{kind}_{number}_{phase}").mean()))
                for number, phase in steps
                if summary.has(arm, f"hit_ratio_{kind}_{number}_{phase}")
            ]
            rows += [
                {
                    "configuration": summary.labels[arm],
                    "ratio": name,
                    "test and round": step.replace("<br>", " "),
                    "hit ratio (%)": value,
                }
                for step, value in shown
            ]
            plot.add_scatter(
                x=[step for step, _ in shown], y=[value for _, value in shown], mode="lines+markers",
                name=f"{summary.labels[arm]}, {name}", line={"color": COLOURS[place], "dash": dash},
                marker={"symbol": theme.SYMBOLS[place]},
            )  # fmt: skip
    if not rows:
        return empty(summary, ALONG, "Hit ratio along the suite", "No cache was asked in this run")
    plot.update_xaxes(
        title="test and round", categoryorder="array", categoryarray=[f"{phase}<br>{number}" for number, phase in steps]
    )
    plot.update_yaxes(title="hit ratio (%)", range=[-3, 103])
    last = [each for each in rows if each["configuration"] == summary.labels[TUNED]]
    since = [float(str(each["hit ratio (%)"])) for each in last if each["ratio"] == "since opening"]
    alone = [float(str(each["hit ratio (%)"])) for each in last if each["ratio"] == "this test alone"]
    said = (
        f"With the tuned setting the tests alone range from {min(alone):.0f} to {max(alone):.0f} %, while the ratio "
        f"since opening, the one that Badger prints, ends at {since[-1]:.0f} %"
        if since and alone
        else "The tuned setting's cache was not asked in every test"
    )
    return Figure(
        ALONG,
        "One ratio printed at one moment, as the note quotes it, and the ratio of each test alone; mean over trials. "
        f"{said}. The first peak has no point: all of it is still in memory, and no block is read. {summary.origin()}.",
        f"Lines of hit ratio over the tests of the suite (rounds: {summary.parameters.rounds}) "
        f"for three cache sizes. {said}.",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
    )


def resident(summary: Summary) -> Figure:
    """Hit ratio against resident blocks in the build that charges a block its own length."""
    arms = [arm for arm in ladder.rungs(summary) if summary.has(arm, "hit_ratio")]
    if not arms:
        return empty(summary, LADDER, "Blocks to hold", "No cache was asked in this run")
    ratios = [summary.hit_ratio(arm) for arm in arms]
    blocks = [float(summary.values(arm, "resident_blocks").mean()) for arm in arms]
    plot = go.Figure()
    for place, (arm, held, e) in enumerate(zip(arms, blocks, ratios, strict=True)):
        plot.add_scatter(
            x=[held], y=[100 * e.point], mode="markers", name=summary.labels[arm],
            marker={"color": COLOURS[place % 6], "symbol": theme.SYMBOLS[place % 6], "size": 10},
            error_y=bars([e], 100),
        )  # fmt: skip
    low, high = (float(notes.note_metrics()[f"blocks_to_hold_{end}"]) for end in ("lo", "hi"))
    plot.add_scatter(
        x=[low, high, high, low], y=[0, 0, 100, 100], mode="lines", fill="toself", line={"width": 0},
        fillcolor="rgba(125, 125, 125, 0.35)", name="what the note says must be held",
    )  # fmt: skip
    plot.update_xaxes(**powers(), title="blocks resident at the end of the burst")
    plot.update_yaxes(title="hit ratio (%)", range=[-3, 103])
    try:
        least = with_interval(ladder.blocks_to_hold(summary, 0.95))
        needed = f"Of the sizes tried, the smallest that reaches 95 % of the plateau holds {least} blocks"
    except NotEstimableError as error:
        needed = error.problem
    return Figure(
        LADDER,
        "How many blocks must be resident: the build that charges a block its own length, with growing caches. "
        f"{needed}; the note reckons with {low:,.0f} to {high:,.0f} (grey). "
        "95 % intervals (Student t on the logit); "
        f"{summary.origin()}.",
        f"Points of hit ratio over resident blocks on a logarithmic axis, from {blocks[0]:,.0f} to {blocks[-1]:,.0f} "
        f"blocks, with a grey band at the note's numbers. {needed}.",
        theme.apply(plot),
        pd.DataFrame(
            [
                {"configuration": summary.labels[arm], "resident blocks": held, **row("", e, "hit ratio (%)", 100)}
                for arm, held, e in zip(arms, blocks, ratios, strict=True)
            ]
        ).drop(columns="setting"),
        summary.run.id,
        interval=interval_name(ratios),
    )


def _cost_sentence(summary: Summary) -> str:
    parts = [
        f"{summary.labels[arm]}: {with_interval(summary.cost(arm), 1e-6)} MB"
        for arm in (STATED, BLOCK_ONLY)
        if summary.has(arm, "cost_per_key_bytes")
    ]
    parts += [
        f"{summary.labels[arm]}: {with_interval(summary.cost(arm), 1e-3)} kB"
        for arm in (SNAPPY, length(64))
        if summary.has(arm, "cost_per_key_bytes")
    ]
    return "; ".join(parts) + "." if parts else ""
