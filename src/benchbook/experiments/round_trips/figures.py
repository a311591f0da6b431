"""The figures: latency by way of asking, trips counted and implied, where each way wins, gains, and the claims.

Their words stand in page.md.
"""

from __future__ import annotations

from benchbook.experiments.round_trips import model
from benchbook.experiments.round_trips.arms import cell
from benchbook.experiments.round_trips.ways import Summary
from benchbook.experiments.round_trips.wins_figure import wins
from benchbook.experiments.shape.claim_figure import ClaimFigure
from benchbook.experiments.shape.regular import Ask, Dots
from benchbook.model import Estimate

CODE = {
    "committed": "the feature server's code",
    "autocommit": "the same in autocommit mode",
    "snippet": "the note's lines",
    "own_cursors": "a cursor for each look-up",
}


def _modes(summary: Summary) -> dict[str, str]:
    return {mode: summary.words(mode) for mode in summary.parameters.modes}


def _over(trip_ms: float) -> Ask:
    return lambda summary, mode: summary.latency(cell(mode, trip_ms), "mean_ns")


def _lengths(summary: Summary) -> dict[str, Ask]:
    return {f"+{trip_ms:g} ms": _over(trip_ms) for trip_ms in summary.trips_ms}


ways = Dots(
    rows=_modes, row="way of asking",
    series=_lengths, heading="added round trip",
    axis="mean latency of a request for all tables (ms)", quantity="mean latency (ms)",
)  # fmt: skip


def _counted(summary: Summary, row: str) -> Estimate:
    return summary.counted(f"trips_{row}") if row in CODE else summary.trips(row)


def _implied(summary: Summary, row: str) -> Estimate:
    return model.line(summary, row).trips


trips = Dots(
    rows=lambda summary: _modes(summary) | CODE, row="way of asking",
    series={"counted on the wire": _counted, "implied by the latencies": _implied}, heading="found by",
    axis="round trips of a request for all tables", quantity="round trips", scale="zero",
    nothing="No trip was counted in this run",
)  # fmt: skip

GOTTEN = {
    "correct_rows_snippet": "right rows, the note's lines",
    "correct_rows_committed": "right rows, the feature server's code",
    "correct_rows_own_cursors": "right rows, a cursor for each look-up",
    "statements_at_once": "statements at once, one pipeline",
    "statements_at_once_control": "statements at once, four connections",
}


got = Dots(
    rows=GOTTEN, row="count",
    series={"counted": lambda summary, metric: summary.counted(metric)}, heading="",
    axis="number", scale="zero",
    nothing="Nothing was counted in this run",
)  # fmt: skip


def _gain(disjoint: bool) -> Ask:
    return lambda summary, trip_ms: summary.speed_up(trip_ms, disjoint=disjoint)


gains = Dots(
    rows=lambda summary: {each: f"+{each:g} ms" for each in sorted(summary.parameters.disjoint_trip_ms)},
    row="added round trip",
    series={"warmed keys": _gain(False), "keys never read before": _gain(True)}, heading="keys",
    axis="mean latency one by one ÷ in a pipeline", quantity="speed-up", rule=1.0,
)  # fmt: skip

claims = ClaimFigure()

FIGURES = {"ways": ways, "trips": trips, "wins": wins, "got": got, "gains": gains, "claims": claims}
