"""Figures at one size: the mean look-up by SQLite's settings, its tail, and what a durable write costs."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from benchbook.experiments.marks import add_dots, by_label
from benchbook.experiments.sqlite_fairness.arms import COMMITS, DEPENDENT, ONCE_WARM, ONE_WRITE, TIMED, WARM, WARM_AGAIN
from benchbook.experiments.sqlite_fairness.judgements import DURABILITY, LADDER, TAILS
from benchbook.experiments.sqlite_fairness.marks import empty, row
from benchbook.experiments.sqlite_fairness.summary import PARTS, Summary
from benchbook.figures import Figure, interval_name, theme, with_interval
from benchbook.model import Estimate

QUANTILES = {"query_p50_ns": "P50", "query_p95_ns": "P95", "query_p99_ns": "P99"}


def settings(summary: Summary) -> Figure:
    """Mean of a warm look-up in every use: independent ones in batches, and those that wait for each other."""
    series = {
        "independent": summary.having(WARM, "query_mean_ns"),
        "each waits for the last": summary.having(DEPENDENT, "query_mean_ns"),
    }
    if not series["independent"]:
        return empty(summary, LADDER, "Settings", "Nothing was timed in this run")
    plot = go.Figure()
    rows = []
    drawn: list[Estimate] = []
    for place, (name, arms) in enumerate(series.items()):
        marks = {summary.label(arm): summary.us(arm) for arm in arms}
        drawn += marks.values()
        add_dots(plot, place, name, marks)
        rows += [{"look-ups": name, **row(label, e, "look-up (µs)")} for label, e in marks.items()]
    by_label(plot, [summary.label(arm) for arm in series["independent"]], height=180, each=28)
    plot.update_xaxes(title="mean look-up (µs)", rangemode="tozero")
    said = f"Prepared once, a look-up takes {with_interval(summary.us(ONCE_WARM))} µs"
    if summary.has(WARM_AGAIN, "query_mean_ns"):
        said += f", and against itself {with_interval(summary.ratio(WARM_AGAIN, ONCE_WARM))} times as long"
    return Figure(
        LADDER,
        f"Mean of a uniform look-up among {summary.parameters.ladder_rows:,} rows after a warm-up, timed in batches, "
        "by how SQLite is used and for the note's engine; a line that begins with … changes one thing of "
        f"“prepared once”. {said}. 95 % intervals (Student t on logs); {summary.origin()}.",
        f"Points with intervals for {len(series['independent'])} configurations. {said}.",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        interval=interval_name(drawn),
    )


def tails(summary: Summary) -> Figure:
    """P50, P95 and P99 of a look-up, from trials in which each has a time stamp."""
    metrics = [metric for metric in QUANTILES if summary.having(TIMED, metric)]
    arms = summary.having(TIMED, *metrics) if metrics else []
    if not arms:
        return empty(summary, TAILS, "Tails", "Too few look-ups were timed one by one")
    plot = go.Figure()
    rows = []
    drawn: list[Estimate] = []
    for place, metric in enumerate(metrics):
        marks = {summary.label(arm): summary.us(arm, metric) for arm in arms}
        drawn += marks.values()
        add_dots(plot, place, QUANTILES[metric], marks)
        rows += [{"quantile": QUANTILES[metric], **row(label, e, "look-up (µs)")} for label, e in marks.items()]
    by_label(plot, [summary.label(arm) for arm in arms], height=180, each=28)
    plot.update_xaxes(**theme.ticks(end for e in drawn for end in (e.low, e.high)), title="look-up (µs)")
    said = "; ".join(f"{summary.label(arm)}: {with_interval(summary.us(arm, metrics[-1]))} µs" for arm in arms)
    timer = summary.run.provenance["probe_timer_ns"]
    return Figure(
        TAILS,
        f"Quantiles of a uniform look-up among {summary.parameters.ladder_rows:,} rows after a warm-up, each timed by "
        f"itself (a reading of the clock, {timer:.0f} ns, is included), logarithmic axis. {QUANTILES[metrics[-1]]}: "
        f"{said}. 95 % intervals over trials (Student t on logs); {summary.origin()}.",
        f"Points with intervals of {len(metrics)} quantiles for {len(arms)} configurations. "
        f"{QUANTILES[metrics[-1]]}: {said}.",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        interval=interval_name(drawn),
    )


def durability(summary: Summary) -> Figure:
    """Time of a row's write against how durable it is, and whether rows were lost with the process."""
    arms = [arm for part in (COMMITS, ONE_WRITE) for arm in summary.having(part, "write_ns_per_row", "lost_share")]
    if not arms:
        return empty(summary, DURABILITY, "Durability", "Nothing was written in this run")
    marks = {_labelled(summary, arm): summary.us(arm, "write_ns_per_row") for arm in arms}
    lost = {_labelled(summary, arm): summary.values(arm, "lost_share") for arm in arms}
    plot = go.Figure()
    kinds = {
        "every reported row was found": [label for label in marks if not lost[label].any()],
        "rows were lost": [label for label in marks if lost[label].any()],
    }
    for place, (name, members) in enumerate(kinds.items()):
        if members:
            add_dots(plot, place, name, {label: marks[label] for label in members})
    by_label(plot, list(marks), height=180, each=28)
    plot.update_xaxes(**theme.decades(), title="write (µs a row)")
    rows = [
        {
            "what": PARTS[str(summary.configurations[arm].settings["part"])],
            **row(summary.label(arm), marks[_labelled(summary, arm)], "write (µs a row)"),
            "syncs a commit": float(summary.values(arm, "write_syncs_per_commit").mean()),
            "rows reported": float(summary.values(arm, "acknowledged_rows").sum()),
            "rows lost (%)": 100 * float(lost[_labelled(summary, arm)].mean()),
        }
        for arm in arms
    ]
    said = f"Of {len(arms)} configurations {len(kinds['rows were lost'])} lost rows that they had reported as written"
    p = summary.parameters
    return Figure(
        DURABILITY,
        f"Time to write a row, logarithmic axis, in commits of {p.commit_rows:,} rows and in one of "
        f"{p.one_write_rows:,}; afterwards the writer was killed (kill -9), the store opened again and every reported "
        f"row looked for. {said}. A killed process is not a lost machine: what was handed to the kernel survives it. "
        f"95 % intervals (Student t on logs); {summary.origin()}.",
        f"Points with intervals for {len(arms)} configurations, marked by whether rows were lost. {said}: "
        + ("; ".join(kinds["rows were lost"]) or "none")
        + ".",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        interval=interval_name(marks.values()),
    )


def _labelled(summary: Summary, arm: str) -> str:
    settings = summary.configurations[arm].settings
    one = " (one commit)" if settings["part"] == ONE_WRITE else ""
    return f"{summary.label(arm)}{one}"
