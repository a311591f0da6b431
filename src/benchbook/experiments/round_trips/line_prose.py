"""What the fitted lines say: whether the trips are those counted, and what is left as work."""

from __future__ import annotations

import pandas as pd

from benchbook.experiments.round_trips import model
from benchbook.experiments.round_trips.arms import PIPELINE, SERIAL
from benchbook.experiments.round_trips.summary import Summary
from benchbook.experiments.shape.tables import Columns, table
from benchbook.experiments.shape.telling import tell
from benchbook.figures import Prose, with_interval

_NEAR = 0.1
"""A slope so close to the trips that were counted, as a share of them, agrees."""


def fits(summary: Summary) -> Prose:
    """Whether the trips that the latencies imply are those that were counted, and what the work costs."""
    modes = summary.parameters.modes

    def agreeing() -> str:
        found = {mode: (model.line(summary, mode).trips, summary.trips(mode).point) for mode in modes}
        off = {
            mode: (slope, counted)
            for mode, (slope, counted) in found.items()
            if not slope.low <= counted <= slope.high and abs(slope.point / counted - 1) > _NEAR
        }
        if not off:
            return (
                "For no way of asking do the trips implied by the latencies differ from those counted by more than "
                f"{_NEAR:.0%} and more than their interval."
            )
        each = (f"{summary.words(mode)} {with_interval(s)} against {n:.3g}" for mode, (s, n) in off.items())
        return (
            f"In {len(modes) - len(off)} of {len(modes)} ways the trips implied by the latencies are those counted, "
            f"within {_NEAR:.0%} or their interval; elsewhere they differ: {', '.join(each)}."
        )

    def missed() -> str:
        off = [model.line(summary, mode).off for mode in modes]
        most = [each for each in off if each is not None]
        return f"Every fitted line lies within {max(most):.0%} of the measured means." if most else ""

    def work() -> str:
        alone, together = (with_interval(model.line(summary, mode).work_ms) for mode in (SERIAL, PIPELINE))
        return f"The work that remains is {alone} ms one by one and {together} ms in a pipeline."

    def below() -> str:
        found = model.line(summary, SERIAL)
        if found.work_ms.high >= 0:
            return ""
        short_us = -1e3 * found.work_ms.point / summary.trips(SERIAL).point
        return (
            f"Work below 0 cannot be: one by one, each trip of a request is at least {short_us:.0f} µs shorter than "
            "the trip that the trial had timed beforehand."
        )

    return tell(agreeing, missed, work, below, otherwise="This run cannot fit the lines.")


def lines(summary: Summary) -> pd.DataFrame:
    """For each way: trips counted with fewer and all tables, trips and work by the fitted line, its largest miss."""
    p = summary.parameters
    columns: Columns = {
        f"counted, {size} tables": lambda mode, n=n: f"{summary.trips(mode, n).point:.3g}"  # type: ignore[misc]
        for n, size in enumerate(p.sizes)
    }
    columns |= {
        f"implied, {p.n_tables} tables": lambda mode: with_interval(model.line(summary, mode).trips),
        "work (ms)": lambda mode: with_interval(model.line(summary, mode).work_ms),
        "latency without the proxy (ms)": lambda mode: _near(summary, mode),
        "largest miss": lambda mode: "" if (off := model.line(summary, mode).off) is None else f"{off:.1%}",
    }
    return table([({"way of asking": summary.words(mode)}, mode) for mode in p.modes], columns)


def _near(summary: Summary, mode: str) -> str:
    near = model.line(summary, mode).near_ms
    return "" if near is None else with_interval(near)
