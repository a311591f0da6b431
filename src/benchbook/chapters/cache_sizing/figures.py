"""The figures: what a block is charged, hit ratios by setting and size, latency, look-ups, memory, and the claims."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

import pandas as pd
import plotly.graph_objects as go

from benchbook.chapters.cache_sizing import arms
from benchbook.chapters.cache_sizing.arms import MEDIUM, MINIMAL, STATED, TUNED
from benchbook.chapters.cache_sizing.numbers import MEAN, P95, Summary
from benchbook.claims import chapter_claims
from benchbook.drawing.claim_figure import ClaimFigure
from benchbook.drawing.drawn import Blank, Drawn
from benchbook.drawing.marks import COLOURS, bars
from benchbook.drawing.regular import Ask, Dots, Given, Lines, level
from benchbook.figures import theme
from benchbook.measuring.badger import notes
from benchbook.measuring.badger.request import PHASES
from benchbook.model import Estimate
from benchbook.numbers.quantities import Told
from benchbook.numbers.summary import NotEstimableError

PARTS = {
    "resident, mapped files included": "peak_resident_bytes",
    "anonymous": "peak_anonymous_bytes",
    "heap of Go, garbage included": "peak_go_heap_bytes",
    "of it Badger's own, without caches": "peak_badger_heap_bytes",
}
MEND, MEMORY = Summary.MEND, "fig-cache-sizing-memory"
NO_CACHE = "No cache was used in this run"
UNUSED = Blank(NO_CACHE, MEND)
POWERS = [10.0**power for power in range(-1, 8)]
PERCENT = [-3, 103]
LOOKUPS_ASIDE = (arms.SLOW_AGAIN, arms.SLOW_BEFORE, arms.SLOW_BLOCK_ONLY, arms.SLOW_SNAPPY_SMALL)
"""Look-ups that are between others, or like one of them."""


def _target() -> float:
    """The hit ratio that the note aims at, at least, in %."""
    return 100 * (chapter_claims("cache_sizing")["B025"].low or 0.0)


def _charge_lines(summary: Summary) -> Iterable[Given]:
    yield Given("the note's number", {"": notes.cost_per_key_bytes() / 1e3}, line="dash", listed=False)


def _aside(summary: Summary) -> list[str]:
    """What is like another, and all rungs of the cache that charges lengths but one, which have their own figure."""
    return [
        arms.ZSTD,
        arms.NO_BLOCK_CACHE,
        arms.FEWER,
        "no_index_cache",
        *(each for each in summary.rungs if each != arms.length(64)),
    ]


costs = Dots(
    rows=lambda summary: summary.suite_arms, table_only=_aside,
    series={"charge per key that the cache admitted": Summary.cost}, given=_charge_lines,
    metric=Summary.METRICS["cost_per_key_bytes"], row="setting", heading="", height=160, each=26,
    nothing="No block entered a cache in this run", mend=MEND,
)  # fmt: skip
hit_ratios = Dots(
    rows=lambda summary: summary.suite_arms, table_only=_aside,
    series={"hit ratio": Summary.hit_ratio},
    metric=Summary.METRICS["hit_ratio"], row="setting", heading="", scale="percent", height=160, each=26,
    given=lambda summary: [
        Given("the note's 33 %", {"": 100 * notes.hit_ratio()}, line="dash", listed=False),
        Given("its target", {"": _target()}, line="dot", listed=False),
    ],
    nothing=NO_CACHE, mend=MEND,
)  # fmt: skip


def _block_mib(summary: Summary, arm: str) -> int:
    """The note's size of the block cache in a configuration."""
    return int(str(summary.configurations[arm].settings["block_mib"]))


def _at_size(among: Callable[[Summary], Iterable[str]]) -> Ask:
    def ask(summary: Summary, mib: float) -> Estimate:
        for arm in among(summary):
            if _block_mib(summary, arm) == mib:
                return summary.hit_ratio(arm)
        raise NotEstimableError(f"no such configuration has {mib:g} MiB", "see length_ladder_mib")

    return ask


by_size = Lines(
    over=lambda summary: sorted({_block_mib(summary, arm) for arm in summary.suite_arms}),
    across="size of the block cache (MiB)", column="block cache (MiB)", rows=True, ticks=(1, 4, 16, 64, 256, 2048),
    series={
        "as the note ran it": _at_size(lambda summary: arms.PLAIN),
        "charged its own length": _at_size(lambda summary: summary.rungs),
        "compressed (Snappy)": _at_size(lambda summary: (arms.SNAPPY,)),
    },
    axis="hit ratio (%)", heading="way", factor=100, scale="percent",
    given=lambda summary: [Given("the note's target", dict.fromkeys((1, 2048), _target()), line="dot", listed=False)],
    nothing=NO_CACHE, mend=MEND,
)  # fmt: skip
latencies = Dots(
    rows=lambda summary: summary.suite_arms, table_only=_aside,
    series={"mean": level(MEAN, 1e6), "P95": level(P95, 1e6)},
    axis="latency of a save in the burst (ms)", quantity="latency (ms)", row="setting", heading="quantity",
    height=160, each=26, nothing="Nothing was timed in this run", mend=MEND,
)  # fmt: skip


def _totals(summary: Summary) -> Iterable[Given]:
    totals = {TUNED: notes.budget_mb(), MEDIUM: 1500.0, MINIMAL: 512.0}
    yield Given("the note's total", {arm: totals[arm] for arm in summary.having(totals, *PARTS.values())})


memory = Dots(
    rows=lambda summary: summary.having(summary.suite_arms, *PARTS.values()),
    series={name: level(metric, 1e6) for name, metric in PARTS.items()},
    axis="peak over the suite (MB)", quantity="peak (MB)", row="setting", heading="quantity", scale="zero",
    height=180, each=45,
    given=_totals,
    nothing="No trial went through the whole suite", mend=MEND,
)  # fmt: skip
lookups = Dots(
    rows=lambda summary: summary.lookup_arms, table_only=lambda summary: LOOKUPS_ASIDE,
    series={"block cache hits": Summary.lookup_hits, "look-ups that wait for the device": Summary.waits},
    axis="share of reads that hit, of look-ups that wait (%)",
    quantity="share (%)", row="setting", heading="quantity", factor=100, scale="percent",
    height=160, each=34, nothing="Nothing was looked up in this run",
)  # fmt: skip
times = Dots(
    rows=lambda summary: summary.lookup_arms, table_only=lambda summary: LOOKUPS_ASIDE,
    series={"mean": level("lookup_mean_ns", 1e6), "P95": level("lookup_p95_ns", 1e6)},
    axis="latency of a look-up (ms)", quantity="latency (ms)", row="setting", heading="quantity", height=160, each=34,
    nothing="Nothing was looked up in this run",
)  # fmt: skip


def along(summary: Summary) -> Drawn | Blank:
    """The ratio since opening and that of each test alone, over the rounds of the suite."""
    steps = [(number, phase) for number in range(1, summary.parameters.rounds + 1) for phase in PHASES]
    rows: list[dict[str, object]] = []
    plot = go.Figure()
    for place, arm in enumerate((TUNED, MEDIUM, MINIMAL)):
        for kind, name, dash in (("until", "since opening", "solid"), ("within", "this test alone", "dot")):
            shown = {
                f"{phase} {number}": 100 * summary.mean(arm, metric)
                for number, phase in steps
                if summary.has(arm, metric := f"hit_ratio_{kind}_{number}_{phase}")
            }
            row = {"configuration": summary.label(arm), "ratio": name}
            rows += [row | {"test and round": step, "hit ratio (%)": value} for step, value in shown.items()]
            plot.add_scatter(
                x=[*shown.values()], y=[*shown], mode="lines+markers",
                name=f"{summary.label(arm)}, {name}", line={"color": COLOURS[place], "dash": dash},
                marker={"symbol": theme.SYMBOLS[place] + ("-open" if kind == "within" else ""), "size": 8},
            )  # fmt: skip
    if not rows:
        return UNUSED
    order = [f"{phase} {number}" for number, phase in steps]
    plot.update_yaxes(title="", categoryorder="array", categoryarray=order, autorange="reversed")
    plot.update_layout(height=theme.HEIGHT_PX + 100)
    plot.update_xaxes(title="hit ratio (%)", range=PERCENT)
    return Drawn(plot, pd.DataFrame(rows))


def resident(summary: Summary) -> Drawn | Blank:
    """Hit ratio against resident blocks in the build that charges a block its own length."""
    ratios = {arm: summary.hit_ratio(arm) for arm in summary.having(summary.rungs, "hit_ratio")}
    if not ratios:
        return UNUSED
    rows: list[dict[str, object]] = []
    plot = go.Figure()
    held = [summary.mean(arm, "resident_blocks") for arm in ratios]
    for place, (blocks, (arm, e)) in enumerate(zip(held, ratios.items(), strict=True)):
        plot.add_scatter(
            x=[blocks], y=[100 * e.point], mode="markers", name=summary.label(arm), error_y=bars([e], 100),
            marker={"color": COLOURS[place % 6], "symbol": f"{theme.SYMBOLS[place % 6]}-open", "size": 8 + 3 * place},
        )  # fmt: skip
        ends = {"hit ratio (%)": 100 * e.point, "low": 100 * e.low, "high": 100 * e.high, "trials": e.n}
        rows.append({"configuration": summary.label(arm), "resident blocks": blocks} | ends)
    low, high = (float(notes.counted()[f"blocks_to_hold_{end}"]) for end in ("lo", "hi"))
    plot.add_scatter(
        x=[low, high, high, low], y=[0, 0, 100, 100], mode="lines", fill="toself", line={"width": 0},
        fillcolor="rgba(125, 125, 125, 0.35)", name="what the note says is needed",
    )  # fmt: skip
    plot.update_xaxes(type="log", tickvals=POWERS, ticktext=[f"{value:,.10g}" for value in POWERS])
    plot.update_xaxes(title="blocks resident at the end of the burst")
    plot.update_yaxes(title="hit ratio (%)", range=PERCENT)
    return Drawn(plot, pd.DataFrame(rows), held, [*ratios.values()])


def trade(summary: Summary) -> Drawn | Blank:
    """Does a higher hit ratio make a save faster? One point per configuration, relative to the stated setting."""
    others = [arm for arm in summary.suite_arms if arm not in (STATED, arms.FEWER, arms.SMALL_TABLES)]
    shown = summary.having(others, "hit_ratio", MEAN)
    if not shown or not summary.has(STATED, "hit_ratio"):
        return UNUSED
    hits = {arm: summary.hit_ratio(arm) for arm in shown}
    times = {arm: summary.ratio((arm, MEAN), (STATED, MEAN)) for arm in shown}
    apart = {"compressed": (arms.SNAPPY, arms.ZSTD), "own length": summary.rungs}
    kinds: dict[str, Collection[str]] = {"charged its table": {*shown}.difference(*apart.values()), **apart}
    plot = go.Figure()
    for place, (kind, of) in enumerate(kinds.items()):
        if not (members := [arm for arm in shown if arm in of]):
            continue
        plot.add_scatter(
            x=[100 * hits[arm].point for arm in members], y=[times[arm].point for arm in members], mode="markers",
            name=kind, text=[summary.label(arm) for arm in members], hovertemplate="%{text}<br>%{x:.1f} %, %{y:.2f}",
            marker={"color": COLOURS[place], "symbol": theme.SYMBOLS[place], "size": 9},
            error_x=bars([hits[arm] for arm in members], 100), error_y=bars([times[arm] for arm in members]),
        )  # fmt: skip
    plot.add_scatter(
        x=[0, 100], y=[1, 1], mode="lines", name="as the stated setting", line={"dash": "dash", "color": COLOURS[5]}
    )
    plot.update_xaxes(title="block cache hit ratio (%)", range=PERCENT)
    plot.update_yaxes(
        **theme.ticks([end for each in times.values() for end in (each.low, each.high)]),
        title="save ÷ save at 64 / 32<br>(above 1: slower)",
    )
    rows = [
        {"configuration": summary.label(arm), "hit ratio (%)": 100 * hits[arm].point, "latency ratio": time.point,
         "low": time.low, "high": time.high, "blocks": time.n}
        for arm, time in times.items()
    ]  # fmt: skip
    best = max(shown, key=lambda arm: hits[arm].point)
    points = [100 * each.point for each in hits.values()]
    said = {"hits": points, "best": summary.label(best), "times": Told(times[best])}
    return Drawn(plot, pd.DataFrame(rows), said, [*hits.values(), *times.values()])


claims = ClaimFigure(only=lambda answer: answer.figure != MEMORY)
memory_claims = ClaimFigure(
    title="Claims about memory against measurements",
    what="The note's claims about memory, as ratios to its own numbers",
    only=lambda answer: answer.figure == MEMORY,
)

FIGURES = {
    "cost": costs, "hit_ratio": hit_ratios, "by_size": by_size, "along": along, "ladder": resident,
    "latency": latencies, "hits_and_latency": trade, "lookups": lookups, "lookup_times": times, "memory": memory,
    "claims": claims, "memory_claims": memory_claims,
}  # fmt: skip
