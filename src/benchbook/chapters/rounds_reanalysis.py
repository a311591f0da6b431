"""Note 003's nine raw reports read again: which runs were warm, and what a transaction takes in two states."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from benchbook import kit, notes
from benchbook.claims import load_claims
from benchbook.drawing.marks import COLOURS
from benchbook.errors import BenchbookError
from benchbook.figures import theme
from benchbook.notes import nine_runs
from benchbook.notes.nine_runs import REPORTS, RISING, ROUND_1, ROUND_2, TPS, Report
from benchbook.notes.own_reports import REPORTED
from benchbook.numbers.analysis import Analysis

FLAT_US = 20
"""A run is of one state throughout where user time of a transaction moves by no more, from one 5 s to any other."""
COLUMNS = 3
SOURCES = {"reads": (REPORTS,), "course": (REPORTS, TPS)}
"""Tables of data/notes/raw behind each figure; their hash names the data that it shows."""
SHORT = {"": "unmentioned", "Warming (ended at 9.4K)": "rising to 9.4K", "Reset by CHECKPOINT": "reset"}
"""Where the note's name of a run is too long."""


class Parameters(kit.AnalysisParameters):
    """Default: a handful of reads in a minute is none."""

    few_reads: int = kit.param(10, 0, 1_000, "reads from disk in a minute up to which a run counts as warm")


class Summary(Analysis[Parameters]):
    """The nine runs, which of them were warm, and what a transaction takes in the two states."""

    @cached_property
    def runs(self) -> dict[str, Report]:
        return nine_runs.reports()

    @property
    def fast(self) -> Report:
        """Round 2: the run with most throughput."""
        return self.runs[ROUND_2]

    @property
    def unmentioned(self) -> list[Report]:
        """Those of which the note does not speak."""
        return [each for each in self.runs.values() if not each.name]

    @property
    def warm(self) -> list[Report]:
        """Those that read next to nothing from disk."""
        return [each for each in self.runs.values() if each.reads <= self.parameters.few_reads]

    @property
    def slow(self) -> list[Report]:
        """Warm runs that stayed slow for the whole minute; raises BenchbookError where there is none."""
        found = [each for each in self.warm if flat(each) and each.tps < self.fast.tps]
        if not found:
            raise BenchbookError(
                f"no run with at most {self.parameters.few_reads:,} reads stayed slow", "allow more reads in few_reads"
            )
        return found


def flat(report: Report) -> bool:
    used = report.course["user_us"]
    return float(used.max() - used.min()) <= FLAT_US


def along(column: str, run: str = "") -> Callable[[Summary], list[float]]:
    """Of a run, by default the first that the note does not mention, every 5 s."""
    return lambda summary: [*map(float, (summary.runs[run] if run else summary.unmentioned[0]).course[column])]


def repeats(summary: Summary) -> list[Report]:
    fast = summary.fast
    return [each for each in summary.runs.values() if each.settings == fast.settings and each is not fast]


NUMBERS: Mapping[str, kit.Estimand] = {}
WORDS: Mapping[str, Callable[[Summary], Any]] = {
    "runs": lambda summary: [*summary.runs.values()],
    "warm": lambda summary: summary.warm,
    "cold": lambda summary: [each for each in summary.runs.values() if each not in summary.warm],
    "slow": lambda summary: summary.slow,
    "fast": lambda summary: summary.fast,
    "first": lambda summary: summary.runs[ROUND_1],
    "first_us": along("user_us", ROUND_1),
    "large": lambda summary: nine_runs.first_runs(summary.runs)[0],
    "small": lambda summary: nine_runs.first_runs(summary.runs)[1],
    "extra": lambda summary: [nine_runs.extra_processors(each, summary.fast) for each in summary.slow],
    "unmentioned": lambda summary: summary.unmentioned,
    "dips": lambda summary: summary.unmentioned[0],
    "dips_us": along("user_us"),
    "rising": lambda summary: summary.runs[RISING],
    "rising_tps": along("tps", RISING),
    "rising_us": along("user_us", RISING),
    "later": lambda summary: [each for each in summary.runs.values() if each.run_id > RISING],
    "repeats": repeats,
    "flushes": lambda summary: [  # of the CHECKPOINT before each run that had something to write
        each.checkpoint_s for each in summary.runs.values() if not each.first and each.checkpoint_s > 1
    ],
    "data_gb": lambda summary: notes.number("r8g_runs", "data_gb", round=1),
}


def by_run(columns: Mapping[str, Callable[[Report], str]]) -> Callable[[Summary], pd.DataFrame]:
    """A table with a row for each run."""

    def table(summary: Summary) -> pd.DataFrame:
        rows = (({"run": each.clock}, each) for each in summary.runs.values())
        return kit.table(rows, {"the note calls it": lambda each: each.name or "not in the note", **columns})

    return table


def readings(summary: Summary) -> pd.DataFrame:
    """One row per claim: the note's words, whether its own reports speak against them, and what they show."""
    quotes, shown = load_claims(), {claim: show(summary.runs) for claim, show in REPORTED.items()}
    columns: dict[str, Callable[[str], str]] = {
        "the note": lambda claim: f"“{quotes[claim].quote}”",
        "its own reports": lambda claim: "speak against it" if shown[claim].contradicts else "leave it open",
        "what they show": lambda claim: shown[claim].text,
    }
    return kit.table((({"claim": claim}, claim) for claim in shown), columns)


def sources(summary: Summary) -> pd.DataFrame:
    """Where each run's report was read."""
    found = notes.table(REPORTS)
    columns = {"commit": found["commit"].str[:7], "file": found["file"].str.rpartition("/")[2]}
    return found[["run_id", "repository"]].assign(**columns).rename(columns={"run_id": "run"}).set_index("run")


TABLES: Mapping[str, Callable[[Summary], pd.DataFrame]] = {
    "runs": by_run({
        "scale": lambda each: f"{each.scale:,}",
        "pool (GB)": lambda each: f"{each.pool_gb}",
        "TPS": lambda each: f"{each.tps:,.0f}",
        "latency, mean and sd (ms)": lambda each: f"{each.latency_ms:.1f}, {each.latency_sd_ms:.1f}",
        "reads from disk": lambda each: f"{each.reads:,}",
        "writes of data (1/s)": lambda each: f"{each.writes_per_s:.1f}",
        "user + system time of a transaction (µs)": lambda each: f"{each.user_us:.0f} + {each.system_us:.0f}",
    }),
    "beginnings": by_run({
        "CHECKPOINT before it, at most (s)": lambda each: f"{each.checkpoint_s}",
        "first run of the server": lambda each: "yes" if each.first else "no" if each.checkpoint_s > 1 else "not known",
        "processors in use before and after, at most (%)": lambda each: f"{each.outside_percent:.1f}",
        "idle during the run (%)": lambda each: f"{each.idle_percent:.1f}",
        "waiting for disks (%)": lambda each: f"{each.waiting_percent:.1f}",
    }),
    "readings": readings,
    "sources": sources,
}  # fmt: skip


def called(report: Report) -> str:
    """Clock and name, such as "11:24 round 2"."""
    name = SHORT.get(report.name, report.name)
    return f"{report.clock[:5]} {name[:1].lower()}{name[1:]}"


def reads(summary: Summary) -> kit.Drawn:
    """Throughput of each run, with its reads from disk beside it."""
    plot, every, few = go.Figure(), [*summary.runs.values()], summary.parameters.few_reads
    for place, name in enumerate((f"at most {few:,} reads", f"more than {few:,} reads")):
        found = [each for each in every if (each.reads > few) is bool(place)]
        plot.add_scatter(
            x=[each.tps for each in found], y=[called(each) for each in found], name=name, mode="markers+text",
            text=[f"{each.reads:,}" for each in found], textposition="middle right",
            marker={"color": COLOURS[place], "symbol": theme.SYMBOLS[place], "size": 12}, cliponaxis=False,
            hovertemplate="%{y}: %{x:,.0f} TPS with %{text} reads from disk<extra></extra>",
        )  # fmt: skip
    plot.update_yaxes(categoryorder="array", categoryarray=[called(each) for each in reversed(every)])
    plot.update_xaxes(title="transactions per second", range=[0, 10_500])
    data = [
        {"run": called(each), "TPS": each.tps, "reads from disk": each.reads, "scale": each.scale} for each in every
    ]
    return kit.Drawn(plot, pd.DataFrame(data), run_id=notes.run_id(*SOURCES["reads"]))


def course(summary: Summary) -> kit.Drawn:
    runs = {called(each): each.course for each in summary.runs.values()}
    rows = -(-len(runs) // COLUMNS)
    plot = make_subplots(
        rows=rows, cols=COLUMNS, shared_xaxes=True, shared_yaxes=True, vertical_spacing=0.09, horizontal_spacing=0.03,
        subplot_titles=[*runs],
    )  # fmt: skip
    for place, (name, found) in enumerate(runs.items()):
        plot.add_scatter(
            x=found["t_s"], y=found["tps"], name=name, mode="lines+markers", showlegend=False,
            line={"color": COLOURS[0], "dash": "solid"}, marker={"symbol": "circle", "size": 5},
            row=place // COLUMNS + 1, col=place % COLUMNS + 1,
        )  # fmt: skip
    plot.update_xaxes(range=[0, 62], tickvals=[0, 20, 40, 60])
    plot.update_xaxes(title="time (s)", row=rows)
    plot.update_yaxes(range=[0, 10_000])
    plot.update_yaxes(title="transactions per second", row=2, col=1)
    plot.update_layout(height=620)
    plot.update_annotations(font={"size": 13})
    said = (
        f"{name} from {found['tps'].iloc[0]:,.0f} to {found['tps'].iloc[-1]:,.0f} TPS" for name, found in runs.items()
    )
    data = pd.concat([found[["t_s", "tps"]].assign(run=name) for name, found in runs.items()])
    headed = data.rename(columns={"t_s": "end of the 5 s", "tps": "TPS"})
    return kit.Drawn(plot, headed, "; ".join(said), run_id=notes.run_id(*SOURCES["course"]))


FIGURES = {"reads": reads, "course": course}
