"""The notes' numbers recomputed from data/notes: sums, averages, timelines, and what single runs can show."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from benchbook import kit, notes, statistics
from benchbook.claims import Rule, chapter_claims
from benchbook.drawing.marks import COLOURS, bars, by_label
from benchbook.figures import theme
from benchbook.model import Outcome
from benchbook.notes import printed_runs
from benchbook.notes.printed_runs import LENGTH_S, STEP_S
from benchbook.numbers import judging
from benchbook.numbers.analysis import Analysis
from benchbook.numbers.note_sums import SUMS

OPEN = {
    "C001": "we did not consult the vendor's specification of the instance type",
    "C084": "the image's own settings are not recorded; the report of run 1 shows 10 and 5 before its own commands, "
    "which shows what was in force but not who had set it",
    "O083": "the file right before the change was not available; `git diff --numstat cdfd1ff 8e8670d -- "
    "src/rocks_storage.rs` in that repository decides it",
}
"""Claims that stay open, and what would close them."""
FIGURE, DRAWN = "fig-notes-arithmetic", 12
"""The figure of the sums, and how many it draws besides those that do not follow."""
METRICS = {
    "block_cache_needed_gb": "block cache needed (GB)", "cost_per_key_kb": "cost per key (kB)",
    "effective_cache_size_gb": "effective_cache_size (GB)", "evicted_share_percent": "share evicted (%)",
    "latency_reduction_percent": "reduction of the latency (%)", "littles_law_ratio": "clients by Little's law",
    "memory_total_gb": "memory in all (GB)", "memory_total_mb": "memory in all (MB)", "mib_per_round": "MiB per round",
    "share_of_ram": "share of the memory", "shared_buffers_ratio": "shared_buffers ratio", "total_ns": "sum (ns)",
    "upper_share_of_ram_gb": "upper share of the memory (GB)", "usable_gb": "usable (GB)",
    "work_mem_mb": "work_mem (MB)",
}  # fmt: skip
"""The ledger's names of metrics of sums that do not read as words."""
SOURCES = {
    "timelines": ("c8gb_runs", "c8gb_timeline", "r8g_runs", "r8g_timeline"),
    "validation": ("r8g_runs", "r8g_validation", "readings"),
    "arithmetic": (
        "badger_configs", "badger_memory_budget", "badger_metrics", "c8gb_hardware", "c8gb_runs", "c8gb_volumes",
        "lakebase_constants", "omendb_breakdown", "omendb_latency", "omendb_speedup", "omendb_statements",
        "r8g_config", "r8g_runs", "r8g_statements", "readings",
    ),
    "speedup": ("omendb_speedup", "omendb_statements", "readings"),
    "single_run": ("c8gb_changes", "r8g_changes", "omendb_latency"),
}  # fmt: skip
"""Tables of data/notes behind each figure; their hash names the data that it shows."""
TITLES = {"002": "Note 002, c8gb.8xlarge", "003": "Note 003, r8g.xlarge"}
EDGE = 2.0
"""Ratios beyond a factor of two are drawn at the figure's edge and written out."""
PALE, GREY = "rgba(125, 125, 125, 0.35)", {"dash": "dot", "color": theme.COLOURS["grey"]}


class Parameters(kit.AnalysisParameters):
    """Defaults: the spread between trials that the calibration chapter simulates."""

    between_trial_sd_percent: float = kit.param(
        5.0, 0.1, 50, "standard deviation between trials of the logarithm of a trial's level, in %"
    )
    most_runs: int = kit.param(20, 3, 200, "largest number of runs per configuration that is shown")


class Summary(Analysis[Parameters]):
    """The notes' timelines, their repeated runs and their single ones."""

    @cached_property
    def timelines(self) -> list[printed_runs.Timeline]:
        """The six runs of notes 002 and 003 in the order in which they were made."""
        return printed_runs.timelines()

    @cached_property
    def five(self) -> tuple[float, ...]:
        """Throughput of the five validation runs of note 003, as it lists them."""
        return tuple(notes.table("r8g_validation")["tps"].astype(float))

    @property
    def states(self) -> list[str]:
        """The note's cache state of each, without what it says in brackets."""
        return [label.split(" (")[0] for label in notes.table("r8g_validation")["cache_state"]]

    @cached_property
    def pairs(self) -> list[printed_runs.Pair]:
        """The changes of throughput and latency that the notes report from one run each."""
        return printed_runs.pairs()

    @property
    def sd(self) -> float:
        """Standard deviation between trials of the logarithm of their level, as the parameter has it."""
        return self.parameters.between_trial_sd_percent / 100

    @property
    def log_sd(self) -> float:
        """That of the five."""
        return float(np.std(np.log(self.five), ddof=1))


def round_tps(number: int) -> float:
    return notes.number("r8g_runs", "tps", round=number)


def to_round(number: int) -> kit.Estimand:
    """The repeated runs' mean over that single round."""
    return kit.told(lambda summary: printed_runs.against_one(summary.five, round_tps(number)))


NUMBERS: Mapping[str, kit.Estimand] = {
    **SUMS,
    "five": kit.custom(lambda summary: statistics.geometric_mean(summary.five), kit.Quantity.LEVEL),
    "one_more": kit.custom(lambda summary: printed_runs.next_run(summary.five), kit.Quantity.LEVEL),
    "to_round_1": to_round(1),
    "to_round_3": to_round(3),
}


def contradicted(summary: Summary) -> list[tuple[str, str, str]]:
    """The statements that do not hold: claim, the notes' words, and why."""
    claims = chapter_claims(summary.chapter.name)
    wrong = [each for each in judging.verdicts(summary) if each.outcome is Outcome.CONTRADICTED]
    return [(each.claim_id, claims[each.claim_id].quote, each.reason) for each in wrong]


def counts(summary: Summary) -> dict[str, int]:
    """How many statements came out which way."""
    found = [verdict.outcome for verdict in judging.verdicts(summary)]
    return {outcome.name.lower(): found.count(outcome) for outcome in Outcome}


def noted_cliffs(summary: Summary) -> list[tuple[Any, Any]]:
    """Run and second, as note 002 marks them."""
    found = notes.table("c8gb_timeline")
    return [*found[found["label"].fillna("").str.startswith("cliff")].set_index("run")["t_s"].items()]


def sums(summary: Summary) -> pd.DataFrame:
    """Recomputed over claimed, for every sum with a positive region; the region's middle is the claimed number.

    Columns claim, metric, ratio, low, high: the region's edges over its middle; right: whether the ratio lies between
    these; drawn: whether a figure has room for it. Furthest from 1 first.
    """
    claims = chapter_claims(summary.chapter.name)
    rows: list[dict[str, Any]] = []
    for each in judging.answered(summary):
        claim = claims[each.claim_id]
        summed = each.answer is not None and each.answer.figure == FIGURE and claim.rule is Rule.ARITHMETIC
        if not summed or each.estimate is None or not claim.low or not claim.high:
            continue
        middle = (claim.low + claim.high) / 2
        ratios = {"ratio": each.estimate.point / middle, "low": claim.low / middle, "high": claim.high / middle}
        rows.append({"claim": claim.id, "metric": METRICS.get(claim.metric, claim.metric.replace("_", " ")), **ratios})
    rows.sort(key=lambda row: -abs(math.log(row["ratio"])))
    found = pd.DataFrame(rows)
    found["right"] = (found["low"] <= found["ratio"]) & (found["ratio"] <= found["high"])
    return found.assign(drawn=~found["right"] | (found.index < DRAWN))


def factor(ratio: float) -> str:
    """A ratio in words."""
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}"


def speedups() -> pd.DataFrame:
    """One row per size: the printed speed-up, that of queries, that of inserts, and the mean of the last two.

    Of three numbers printed to two decimals, the mean of two may differ by one in the last place.
    """
    printed = notes.table("omendb_speedup").set_index("scale_rows")["before"]
    rows = []
    for name, size in {"10k": 10_000, "100k": 100_000, "1m": 1_000_000, "10m": 10_000_000}.items():
        query, insert = (notes.reading(f"{what}_speedup_{name}") for what in ("query", "insert"))
        row = {"printed": float(printed[size]), "queries": query, "inserts": insert}
        row["mean of both"] = (query + insert) / 2
        same = [what for what in ("queries", "mean of both") if abs(row["printed"] - row[what]) <= 0.0101]
        rows.append({"rows": size, **row, "printed is": " and ".join(same) or "neither"})
    return pd.DataFrame(rows)


def change(number: int) -> Callable[[Summary], float]:
    return lambda summary: notes.number("r8g_changes", "change_percent", round=number, metric="tps")


def stated(name: str) -> float:
    return notes.number("omendb_statements", "value", name=name)


WORDS: Mapping[str, Callable[[Summary], Any]] = {
    "counts": counts,
    "contradicted": contradicted,
    "changes": lambda summary: summary.pairs,
    "standing": lambda summary: [pair for pair in summary.pairs if pair.stands_out(summary.sd)],
    "noted_cliffs": noted_cliffs,
    "cliffs_by_rule": lambda summary: [each for each in summary.timelines if each.note == "002"],
    "off_percent": lambda summary: 100 * max(
        abs(each.mean / each.printed_average - 1) for each in summary.timelines if each.complete
    ),
    "round_2": lambda summary: round_tps(2),
    "up": change(2),
    "down": change(3),
    "scale_of_round_1": lambda summary: notes.reading("scale_of_round_1"),
    "scale_of_five": lambda summary: notes.reading("scale_of_validation"),
    "runs_needed": lambda summary: statistics.blocks_for_half_width(summary.log_sd, math.log(1 + 0.05)),
    "spread_percent": lambda summary: 100 * summary.log_sd,
    "sums": sums,
    "timelines": lambda summary: summary.timelines,
    "spread": lambda summary: summary.sd,
    "factor": lambda summary: factor,
    "least_claimed": lambda summary: stated("claimed_speedup_lo"),
    "most_claimed": lambda summary: stated("claimed_speedup_hi"),
    "meanings": lambda summary: [*speedups()["printed is"].value_counts()],
    "half_width_of_two": lambda summary: printed_runs.half_width_percent(summary.sd, 2),
    "half_width_of_most": lambda summary: printed_runs.half_width_percent(summary.sd, summary.parameters.most_runs),
}  # fmt: skip


def by_state(summary: Summary) -> pd.DataFrame:
    """One row per cache state as the note labels it: how many runs, their mean, and an interval where there is one."""
    rows = []
    for label in ["all five", *dict.fromkeys(summary.states)]:
        part = [tps for tps, each in zip(summary.five, summary.states, strict=True) if label in (each, "all five")]
        mean, interval = math.exp(np.log(part).mean()), "none: one run"
        if len(part) > 1:
            found = statistics.geometric_mean(part)
            interval = f"{found.low:,.0f} to {found.high:,.0f}"
        rows.append({"cache state": label, "runs": len(part), "mean (TPS)": f"{mean:,.0f}", "95 % interval": interval})
    return pd.DataFrame(rows).set_index("cache state")


def read_speedups(summary: Summary) -> pd.DataFrame:
    """What each printed speed-up is."""
    return speedups().assign(rows=lambda found: found["rows"].map("{:,}".format)).set_index("rows").round(2)


def readings(summary: Summary) -> pd.DataFrame:
    """Every fact that was read in a repository, with its place."""
    found = notes.table("readings").rename(columns={"value": "number", "source": "where", "working": "how"})
    fact, number = found["id"].str.replace("_", " "), found["number"].map("{:,.10g}".format)
    return found.assign(fact=fact, number=number).set_index("fact")[["number", "where", "how"]]


TABLES = {"validation": by_state, "speedups": read_speedups, "readings": readings}


def drawn(
    name: str, plot: go.Figure, data: pd.DataFrame, said: object = "", estimates: Sequence[kit.Estimate] = ()
) -> kit.Drawn:
    """A drawing of numbers that the notes print. name: one of SOURCES."""
    return kit.Drawn(plot, data, said, estimates, run_id=notes.run_id(*SOURCES[name]))


def timelines(summary: Summary) -> kit.Drawn:
    """Throughput along every run; a line breaks where the note leaves intervals out."""
    plot = make_subplots(rows=len(TITLES), cols=1, subplot_titles=[*TITLES.values()], vertical_spacing=0.16)
    rows, ends = [], list(range(STEP_S, LENGTH_S + 1, STEP_S))
    for place, each in enumerate(summary.timelines):
        printed, style = dict(zip(each.ends_s, each.tps, strict=True)), place % 3
        plot.add_scatter(
            x=ends, y=[printed.get(end) for end in ends], name=each.name, mode="lines+markers",
            row=1 + [*TITLES].index(each.note), col=1, line={"color": COLOURS[place], "dash": theme.DASHES[style]},
            marker={"symbol": theme.SYMBOLS[style], "size": 8},
        )  # fmt: skip
        rows += [{"run": each.name, "time (s)": t, "TPS": tps} for t, tps in printed.items()]
    plot.update_yaxes(title="TPS", rangemode="tozero")
    plot.update_xaxes(range=[0, LENGTH_S + 2], tickvals=list(range(0, LENGTH_S + 1, 10)))
    plot.update_xaxes(title="time (s)", row=len(TITLES), col=1)
    plot.update_layout(height=620)
    return drawn("timelines", plot, pd.DataFrame(rows))


def validation(summary: Summary) -> kit.Drawn:
    """The single rounds and the five repeated runs on one axis, with the intervals that exist."""
    five = statistics.geometric_mean(summary.five)
    estimates = {"mean of the five": five, "one more run, predicted": printed_runs.next_run(summary.five)}
    rounds = notes.table("r8g_runs")[["round", "tps"]].values
    single = {f"round {number} (one run)": float(tps) for number, tps in rounds}
    named = enumerate(zip(summary.states, summary.five, strict=True), start=1)
    again = {f"validation: {label.lower()}, {place}": tps for place, (label, tps) in named}
    columns = ["what", "TPS", "low (TPS)", "high (TPS)", "n"]
    rows: list[tuple[Any, ...]] = [(what, tps, None, None, 1) for what, tps in (single | again).items()]
    rows += [(what, e.point, e.low, e.high, e.n) for what, e in estimates.items()]
    plot = go.Figure()
    for place, (name, part, intervals) in enumerate((
        ("single rounds", single, {}), ("validation runs", again, {}),
        ("95 % interval", {what: e.point for what, e in estimates.items()}, {"error_x": bars(estimates.values())}),
    )):  # fmt: skip
        plot.add_scatter(
            x=list(part.values()), y=list(part), name=name, mode="markers",
            marker={"color": COLOURS[place], "symbol": theme.SYMBOLS[place], "size": 10}, **intervals,
        )  # fmt: skip
    plot.update_xaxes(title="throughput (TPS, more is faster)")
    by_label(plot, [what for what, *_ in rows], height=480, each=0)
    return drawn("validation", plot, pd.DataFrame(rows, columns=columns), estimates=[*estimates.values()])


def single_run(summary: Summary) -> kit.Drawn:
    """Half-width of a ratio's interval against the number of runs, and where the notes' changes would stand out."""
    most, sd = summary.parameters.most_runs, summary.sd
    widths = {n: printed_runs.half_width_percent(sd, n) for n in range(2, most + 1)}
    needed = {pair: pair.runs_needed(sd) or math.inf for pair in summary.pairs}
    shown = pd.DataFrame([
        {"what": pair.name, "runs": n, "%": 100 * math.expm1(abs(math.log(pair.ratio)))}
        for pair, n in needed.items() if n <= most
    ], columns=["what", "runs", "%"])  # fmt: skip
    plot = go.Figure()
    plot.add_scatter(
        x=list(widths), y=list(widths.values()), name="half-width of the interval", mode="lines",
        line={"color": COLOURS[0]},
    )  # fmt: skip
    plot.add_scatter(
        x=shown["runs"].tolist(), y=shown["%"].tolist(), name="the notes' changes", mode="markers",
        text=shown["what"].tolist(), marker={"color": COLOURS[1], "symbol": theme.SYMBOLS[1], "size": 9},
    )  # fmt: skip
    for place, part in shown.sort_values("%", ascending=False, kind="stable").groupby("runs"):
        plot.add_annotation(
            x=place, y=math.log10(part["%"].iloc[0]), text="<br>".join(part["what"]), showarrow=False,
            align="left", xanchor="left", yanchor="middle", xshift=10, yshift=4, font={"size": 12},
        )  # fmt: skip
    plot.update_xaxes(title="runs of each configuration", range=[0, most + 1])
    plot.update_yaxes(**theme.decades(), title="smallest visible change (%)")
    plot.add_vline(x=1, line=GREY)
    plot.add_annotation(x=1, y=1, yref="paper", text="one run: no interval", showarrow=False, xanchor="left", xshift=4)
    plot.update_layout(height=480)
    curve = pd.DataFrame({"what": "half-width", "runs": widths.keys(), "%": widths.values()})
    return drawn("single_run", plot, pd.concat([curve, shown], ignore_index=True))


def arithmetic(summary: Summary) -> kit.Drawn:
    """Recomputed over claimed, one row per sum, with the region in which it counts as right."""
    every = sums(summary)
    found = every[every["drawn"]]
    labels, shown = found["metric"] + ", " + found["claim"], found["ratio"].clip(1 / EDGE, EDGE)
    plot = go.Figure()
    plot.add_bar(
        x=found["high"] - found["low"], base=found["low"], y=labels.tolist(), orientation="h", name="counts as right",
        marker={"color": PALE}, hoverinfo="skip",
    )  # fmt: skip
    for place, (name, chosen) in enumerate((("follows", found["right"]), ("does not follow", ~found["right"]))):
        ratios = found["ratio"][chosen]
        plot.add_scatter(
            x=shown[chosen], y=labels[chosen].tolist(), name=name, mode="markers+text",
            text=["" if name == "follows" else factor(ratio) for ratio in ratios],
            textposition=["middle right" if 1 < ratio < EDGE or ratio <= 1 / EDGE else "middle left"
                          for ratio in ratios],
            marker={"color": COLOURS[place], "symbol": theme.SYMBOLS[place], "size": 9},
        )  # fmt: skip
    ticks = {0.5: "≤ 0.5", 0.7: "0.7", 1: "1", 1.4: "1.4", 2: "≥ 2"}
    plot.update_xaxes(
        type="log", range=[math.log10(0.47), math.log10(2.13)], title="recomputed ÷ claimed",
        tickvals=[*ticks], ticktext=[*ticks.values()],
    )  # fmt: skip
    by_label(plot, labels.tolist(), height=160, each=20)
    plot.update_yaxes(tickfont={"size": 11})
    plot.update_layout(barmode="overlay")
    shown_as = {"ratio": "recomputed / claimed", "low": "region low", "high": "region high"}
    return drawn("arithmetic", plot, every.drop(columns=["right", "drawn"]).rename(columns=shown_as))


def speedup(summary: Summary) -> kit.Drawn:
    """The printed speed-ups beside the two quantities that they could be."""
    found, plot = speedups(), go.Figure()
    for place, (name, label) in enumerate({
        "printed": "printed in note 004's table", "queries": "queries", "mean of both": "mean of both"
    }.items()):  # fmt: skip
        plot.add_scatter(
            x=found["rows"], y=found[name], name=label, mode="lines+markers",
            line={"color": COLOURS[place], "dash": theme.DASHES[place]},
            marker={"symbol": theme.SYMBOLS[place], "size": 11 - 2 * place},
        )  # fmt: skip
    low, high = (stated(f"claimed_speedup_{end}") for end in ("lo", "hi"))
    plot.add_hrect(y0=low, y1=high, fillcolor="rgba(125, 125, 125, 0.2)", line_width=0)
    plot.add_hline(y=1, line=GREY)
    plot.update_xaxes(
        type="log", title="rows", tickvals=found["rows"].tolist(), ticktext=[f"{size:,}" for size in found["rows"]]
    )
    plot.update_yaxes(title="SQLite ÷ OmenDB<br>(above 1: OmenDB faster)", rangemode="tozero")
    return drawn("speedup", plot, found, found.to_dict("records"))


FIGURES = {
    "timelines": timelines, "validation": validation, "single_run": single_run, "arithmetic": arithmetic,
    "speedup": speedup,
}  # fmt: skip
