"""The chapter's tables: timelines by the book's rules, repeated and single runs, speed-ups, and what was read."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from benchbook import statistics
from benchbook.experiments import notes
from benchbook.experiments.notes_reanalysis.figures import speedup_table
from benchbook.experiments.notes_reanalysis.runs import Pair, Repeats
from benchbook.experiments.notes_reanalysis.summary import Summary
from benchbook.experiments.shape.tables import table


def timelines(summary: Summary) -> pd.DataFrame:
    """One row per run: the printed average, the mean of what is printed, and what the book's rules say."""
    return table(
        [({"run": each.name}, each) for each in summary.timelines],
        {
            "average, printed (TPS)": lambda each: f"{each.printed_average:,.0f}",
            "mean of the timeline (TPS)": lambda each: f"{each.mean:,.0f}" if each.complete else "not estimable",
            "left-out part must average (TPS)": lambda each: (
                "" if each.missing_mean is None else f"{each.missing_mean:,.0f}"
            ),
            "cliff": lambda each: each.cliff,
            "steady state": lambda each: each.steadiness,
        },
    )


def validation(summary: Summary) -> pd.DataFrame:
    """The five validation runs by cache state, with the intervals that exist."""
    return by_state(summary.validation)


def by_state(repeats: Repeats) -> pd.DataFrame:
    """One row per cache state as the note labels it: how many runs, their mean, and an interval where there is one."""
    rows = []
    short = [label.split(" (")[0] for label in repeats.labels]
    for label in ["all five", *dict.fromkeys(short)]:
        part = [tps for tps, each in zip(repeats.tps, short, strict=True) if label in (each, "all five")]
        mean, interval = math.exp(np.log(part).mean()), "none: one run"
        if len(part) > 1:
            found = statistics.geometric_mean(part)
            interval = f"{found.low:,.0f} to {found.high:,.0f}"
        rows.append({"cache state": label, "runs": len(part), "mean (TPS)": f"{mean:,.0f}", "95 % interval": interval})
    return pd.DataFrame(rows).set_index("cache state")


def speedups(summary: Summary) -> pd.DataFrame:
    """What each printed speed-up is."""
    found = speedup_table()
    return found.assign(rows=[f"{rows:,}" for rows in found["rows"]]).set_index("rows").round(2)


def singles(summary: Summary) -> pd.DataFrame:
    """One row per change that was taken from one run each."""

    def known(pair: Pair) -> str:
        low, high = pair.interval(summary.sd)
        return f"{low:.2f} to {high:.2f}"

    def needed(pair: Pair) -> str:
        found = pair.runs_needed(summary.sd)
        return "more than 10,000" if found is None else f"{found:,}"

    return table(
        [({"change": pair.name}, pair) for pair in summary.pairs],
        {
            "ratio": lambda pair: f"{pair.ratio:.3f}",
            "interval from the two runs": lambda pair: "none",
            "if the spread were known": known,
            "runs of each from which it would stand out": needed,
        },
    )


def readings(summary: Summary) -> pd.DataFrame:
    """Every fact that was read in a repository, with its place."""
    found = notes.table("readings")
    names, numbers = found["id"].str.replace("_", " "), [f"{value:,.10g}" for value in found["value"]]
    return pd.DataFrame(
        {"fact": names, "number": numbers, "where": found["source"], "how": found["working"]}
    ).set_index("fact")
