"""The figures: throughput by state, what a transaction costs the processors beside it, and the course of a turn."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from benchbook.chapters.warm_states.arms import AGAIN, LABELS, State
from benchbook.chapters.warm_states.looks import PART_MS
from benchbook.chapters.warm_states.numbers import SLOW, SYSTEM, USER, Summary, noted
from benchbook.drawing.drawn import Blank, Drawn
from benchbook.drawing.regular import Dots, Given
from benchbook.measuring.pgbench.courses import add_estimates, along
from benchbook.model import Estimate

ROWS = {AGAIN: "nothing again (A/A)", **{str(each): LABELS[each] for each in LABELS if each is not State.NOTHING}}
BASE = str(State.NOTHING)
MEND = "measure again with `benchbook run warm_states`"


def _over(metric: str, summary: Summary, arm: str) -> Estimate:
    return summary.gain(arm, BASE, metric)


def _given(metric: str, name: str) -> Given:
    mean = float(np.mean([noted(each)[metric] for each in SLOW]))
    return Given(f"the note's slow warm runs, {name}", {"": mean}, "dot")


throughput = Dots(
    rows=ROWS,
    row="state",
    series={"measured": partial(_over, "tps")},
    given=lambda summary: (_given("tps", "throughput"),),
    axis="throughput over that of the server left alone (above 1: faster)", quantity="TPS over nothing", scale="plain",
    rule=1, replicates="blocks", heading="", nothing="This run measured no state", mend=MEND,
)  # fmt: skip
processors = Dots(
    rows=ROWS,
    row="state",
    series={"in user mode": partial(_over, USER), "in the kernel": partial(_over, SYSTEM)},
    given=lambda summary: (_given("user", "user mode"), _given("system", "kernel")),
    axis="processor time per transaction over that of the server left alone", scale="plain",
    rule=1, replicates="blocks", heading="time", nothing="This run measured no state", mend=MEND,
)  # fmt: skip
DRAWN = {BASE: "nothing", str(State.BUSY): "two other programs", str(State.SNAPSHOT): "a snapshot kept"}


def course(summary: Summary) -> Drawn | Blank:
    """TPS in each half second of a turn."""
    names = sorted(name for name in summary.run.trials.columns if name.startswith("half_second_"))
    known = [arm for arm in DRAWN if names and summary.has(arm, *names)]
    if not known:
        return Blank("The turns of this run are too short for half seconds", "give turn_ms of 1,000 or more")
    plot, tables, shown = go.Figure(), [], {}
    at = ((np.arange(len(names)) + 0.5) * PART_MS / 1_000).tolist()
    for place, arm in enumerate(known):
        found = along(summary, arm, names)
        tables.append(add_estimates(plot, place, DRAWN[arm], at, found, "TPS").assign(state=DRAWN[arm]))
        shown[DRAWN[arm]] = found
    plot.update_xaxes(title="second of the turn", rangemode="tozero")
    plot.update_yaxes(title="throughput (TPS)", rangemode="tozero")
    every = [each for found in shown.values() for each in found]
    data = pd.concat(tables, ignore_index=True)[["state", "second", "TPS", "low", "high"]]
    return Drawn(plot, data, shown, every, own={"n": len(known)})


FIGURES = {"throughput": throughput, "processors": processors, "course": course}
