"""The figures: latency by way of asking, trips counted and implied, where each way wins, gains, and the claims."""

from __future__ import annotations

from benchbook.experiments.round_trips import model
from benchbook.experiments.round_trips.answers import CLAIMED, GAINS, GOT, TRIPS, WAYS
from benchbook.experiments.round_trips.arms import CLAIMED_MS, PIPELINE, SERIAL, cell
from benchbook.experiments.round_trips.summary import Summary
from benchbook.experiments.round_trips.wins_figure import wins
from benchbook.experiments.shape.claim_figure import ClaimFigure
from benchbook.experiments.shape.regular import Ask, Dots, Found
from benchbook.figures import with_interval
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


def _alone_and_together(summary: Summary, found: Found) -> str:
    alone, together = (summary.latency(cell(mode, CLAIMED_MS), "mean_ns") for mode in (SERIAL, PIPELINE))
    return (
        f"With {CLAIMED_MS:g} ms added a request takes {with_interval(alone)} ms one by one and "
        f"{with_interval(together)} ms in a pipeline."
    )


ways = Dots(
    id=WAYS,
    title="Latency by way of asking",
    rows=_modes, row="way of asking",
    series=_lengths, heading="added round trip",
    axis="mean latency of a request for all tables (ms)", quantity="mean latency (ms)",
    said=_alone_and_together,
    caption="Mean latency of a request that reads one row from each of {p.n_tables} tables, warmed keys, by what is "
    "added to each round trip. {said} {intervals}, logarithmic axis.",
    alt="Points with intervals for {n} ways of asking and {series} lengths of the way. {said}",
)  # fmt: skip


def _counted(summary: Summary, row: str) -> Estimate:
    return summary.counted(f"trips_{row}") if row in CODE else summary.trips(row)


def _implied(summary: Summary, row: str) -> Estimate:
    return model.line(summary, row).trips


def _trips_said(summary: Summary, found: Found) -> str:
    counted, code = summary.trips(SERIAL).point, summary.counted("trips_committed").point
    return (
        f"Look-ups one by one wait {counted:.3g} times, a pipeline {summary.trips(PIPELINE).point:.3g}, the feature "
        f"server's code {code:.3g} times."
    )


trips = Dots(
    id=TRIPS,
    title="Round trips of a request",
    rows=lambda summary: _modes(summary) | CODE, row="way of asking",
    series={"counted on the wire": _counted, "implied by the latencies": _implied}, heading="found by",
    axis="round trips of a request for all tables", quantity="round trips", scale="zero",
    said=_trips_said,
    nothing="No trip was counted in this run",
    caption="How often a request waits for the server: counted on the wire, and as the slope of its latency over the "
    "added trip. {said} The last rows are code, only counted. {intervals}.",
    alt="Points for {n} ways of asking. {said}",
)  # fmt: skip

GOTTEN = {
    "correct_rows_snippet": "right rows, the note's lines",
    "correct_rows_committed": "right rows, the feature server's code",
    "correct_rows_own_cursors": "right rows, a cursor for each look-up",
    "statements_at_once": "statements at once, one pipeline",
    "statements_at_once_control": "statements at once, four connections",
}


def _got_said(summary: Summary, found: Found) -> str:
    rows, whole = (summary.counted(f"correct_rows_{name}").point for name in ("snippet", "own_cursors"))
    return f"Right rows of the note's lines: {rows:.3g}; with a cursor for each look-up: {whole:.3g}."


got = Dots(
    id=GOT,
    title="What one pipeline gets, and what runs at once",
    rows=GOTTEN, row="count",
    series={"counted": lambda summary, metric: summary.counted(metric)}, heading="",
    axis="number", scale="zero",
    said=_got_said,
    nothing="Nothing was counted in this run",
    caption="Right rows that came back, of {p.n_tables} and in whatever place, and most statements that the server had "
    "begun and not yet ended at a time, by its own clock. {said} Counted in every block; {intervals}.",
    alt="Points for {n} counts. {said}",
)  # fmt: skip


def _gain(disjoint: bool) -> Ask:
    return lambda summary, trip_ms: summary.speed_up(trip_ms, disjoint=disjoint)


def _gains_said(summary: Summary, found: Found) -> str:
    hot, cold = (with_interval(summary.speed_up(CLAIMED_MS, disjoint=disjoint)) for disjoint in (False, True))
    return f"With {CLAIMED_MS:g} ms added it is {hot} for warmed keys and {cold} for others."


gains = Dots(
    id=GAINS,
    title="Speed-up by a pipeline, warmed keys and others",
    rows=lambda summary: {each: f"+{each:g} ms" for each in sorted(summary.parameters.disjoint_trip_ms)},
    row="added round trip",
    series={"warmed keys": _gain(False), "keys never read before": _gain(True)}, heading="keys",
    axis="mean latency one by one ÷ in a pipeline", quantity="speed-up", rule=1.0,
    said=_gains_said,
    caption="How many times faster a pipeline is than look-ups one by one, by added round trip. {said} A "
    "pipeline saves trips, not reads of the disk. {intervals}.",
    alt="Points for {n} lengths of the way and two kinds of keys. {said}",
)  # fmt: skip

claims = ClaimFigure(id=CLAIMED)

OPTIONAL = ("measured_trip_ms", "trip_at_end_ms", "p50_ns", "p50_third_ns", "p50_two_thirds_ns")

FIGURES = {"ways": ways, "trips": trips, "wins": wins, "got": got, "gains": gains, "claims": claims}
