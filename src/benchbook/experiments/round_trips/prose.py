"""The chapter's sentences and its tables, computed from the run that the page shows."""

from __future__ import annotations

from collections import Counter

import pandas as pd

from benchbook import statistics
from benchbook.experiments.round_trips import lesson, model
from benchbook.experiments.round_trips.arms import (
    BASELINE,
    CLAIMED_MS,
    COUNTED,
    DISJOINT,
    FUNCTION,
    PIPELINE,
    REPEATED,
    SERIAL,
    UNION,
    cell,
)
from benchbook.experiments.round_trips.summary import Summary
from benchbook.experiments.round_trips.wins_figure import places
from benchbook.experiments.shape import telling
from benchbook.experiments.shape.tables import Columns, levels, means, table
from benchbook.experiments.shape.telling import tell
from benchbook.figures import Prose, with_interval


def design(summary: Summary) -> Prose:
    """What was measured, in numbers; and, where it is not the design that the claims ask for, how it differs."""
    p, where = summary.parameters, summary.run.provenance
    data = (where["heap_bytes"] + where["index_bytes"]) / 2**30
    pinned = "The client runs on one processor core, the server on the others."
    failed = summary.failed()
    without = f" {failed} trials failed, since their way could not be had as long as asked." if failed else ""
    return telling.design(
        summary,
        f"{len(summary.arms)} configurations on {summary.on()}, asked through psycopg "
        f"{where.get('psycopg', 'unknown')}. {p.n_tables} tables of {p.rows_per_table:,} rows or more ({data:.2f} GiB "
        f"with indexes), a pool of {p.shared_buffers_mib:,} MiB, {p.hot_set_keys} warmed keys. A trial times "
        f"{p.measured_requests} requests where a median is asked for, else {p.fewer_requests}, or {p.far_requests} "
        f"over more than {CLAIMED_MS:g} ms; a third of them for {', '.join(map(str, p.sizes))} tables each. "
        f"{pinned if where.get('pinned') else 'The kernel chose the cores of client and server.'}{without}",
    )


def answer(summary: Summary) -> Prose:
    """What was seen, in a few sentences with intervals."""

    def slower() -> str:
        ratios = [
            f"{with_interval(summary.speed_up(trip_ms))} with {trip_ms:g} ms added" for trip_ms in summary.trips_ms
        ]
        return f"Look-ups one by one take this many times as long as a pipeline: {'; '.join(ratios)}."

    def waits() -> str:
        alone, together = (model.waiting(summary, mode, CLAIMED_MS) for mode in (SERIAL, PIPELINE))
        return (
            f"With {CLAIMED_MS:g} ms added to each round trip, the trips that were counted, times their length, are "
            f"{lesson.share(alone)} of a request one by one and {lesson.share(together)} of one in a pipeline; the "
            "rest is work of client and server."
        )

    def others() -> str:
        near, far = min(summary.trips_ms), max(summary.trips_ms)
        each = [
            f"{summary.words(mode)} takes {with_interval(summary.over(mode, PIPELINE, near))} times as long at "
            f"{near:g} ms and {with_interval(summary.over(mode, PIPELINE, far))} times at {far:g} ms"
            for mode in (UNION, FUNCTION)
        ]
        return f"Compared with a pipeline, {'; '.join(each)}."

    return tell(slower, waits, others)


def _of(count: float, what: str) -> str:
    """Such as "1 row" and "3 rows"."""
    return f"{count:.3g} {what}{'s' * (count != 1)}"


def winners(summary: Summary) -> Prose:
    """Which way is the fastest where, in a sentence."""
    found = places(summary)
    if not found:
        return Prose("This run is too short to decide which way is the fastest.")
    alone = Counter(each.best for each in found if not each.tied)
    counts = ", ".join(f"{summary.words(mode)} in {times}" for mode, times in alone.most_common())
    clear = f"Clearly the fastest: {counts} of {len(found)} places." if alone else "No way is clearly the fastest."
    slowed = [each for each in found if each.best != SERIAL]
    if not slowed:
        return Prose(clear)
    most = max(slowed, key=lambda each: each.over[SERIAL].point)
    return Prose(
        f"{clear} Look-ups one by one lose most with {most.tables} tables and {most.trip_ms:g} ms added, where they "
        f"take {with_interval(most.over[SERIAL])} times as long as the fastest way, {summary.words(most.best)}."
    )


def code(summary: Summary) -> Prose:
    """What the note's lines and the feature server's code do on the wire, and what they get."""
    tables = summary.parameters.n_tables

    def count(metric: str) -> float:
        return summary.counted(metric).point

    def told(name: str) -> str:
        trips, right, placed = (count(f"{metric}_{name}") for metric in ("trips", "correct_rows", "rows_in_place"))
        return (
            f"{_of(trips, 'round trip')}, {trips / tables:.2g} per table; of {tables} rows {right:.3g} "
            f"{'comes' if right == 1 else 'come'}, {placed:.3g} of them in the place of its own table"
        )

    version = summary.run.provenance.get("psycopg", "unknown")
    return tell(
        f"All with psycopg {version}.",
        lambda: f"The feature server's code: {told('committed')}.",
        lambda: f"The same in autocommit mode, without BEGIN and COMMIT: {told('autocommit')}.",
        lambda: f"The note's lines: {told('snippet')}.",
        lambda: f"With a cursor for each look-up, in autocommit mode: {told('own_cursors')}.",
    )


def overlap(summary: Summary) -> Prose:
    """Whether statements of a pipeline ran at the same time."""

    def seen() -> str:
        one, control = (
            summary.values(COUNTED, name).max() for name in ("statements_at_once", "statements_at_once_control")
        )
        return (
            f"Of one pipelined request at most {one:.0f} {'was' if one == 1 else 'were'} in execution at any moment, "
            f"in any block. The same statements over four connections: {control:.0f} at once."
        )

    return tell(seen, otherwise="Nothing was counted in this run.")


def noise(summary: Summary) -> Prose:
    """How far the baseline differs from itself, and how long the trips really were."""

    def again() -> str:
        pairs = (("mean_ns", "mean"), ("p50_ns", "median"))
        each = [
            f"{name} {with_interval(summary.ratio((REPEATED, metric), (BASELINE, metric)))}"
            for metric, name in pairs
            if summary.has(REPEATED, metric) and summary.has(BASELINE, metric)
        ]
        return f"The baseline against itself (A/A), as ratios: {', '.join(each)}."

    def certified() -> str:
        rows = summary.run.trials
        off = (rows["measured_trip_ms"] / rows["added_trip_ms"] - 1).abs()[rows["added_trip_ms"] > 0]
        return (
            "The round trips that the proxy added were certified in every trial before and after; their medians "
            f"differ from what was asked by at most {off.max():.1%}."
        )

    return tell(again, certified)


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration that was timed: certified state, mean and median latency, blocks read."""
    columns: Columns = {
        "certified cache": lambda arm: ", ".join(sorted(set(summary.in_blocks(arm)["cache_state"]))),
        **levels(summary, "mean_ns", "p50_ns"),
        **means(summary, "requests", "measured_trip_ms", "pool_misses_per_request"),
    }
    return table([({"configuration": summary.label(arm)}, arm) for arm in summary.arms if arm != COUNTED], columns)


def saved_with_pages_to_read(summary: Summary) -> Prose:
    """How much time a pipeline saves with warmed keys and with others."""

    def saved(disjoint: bool) -> str:
        alone, together = (summary.mean_ms(cell(mode, CLAIMED_MS, disjoint=disjoint)) for mode in (SERIAL, PIPELINE))
        return with_interval(statistics.difference(alone, together, sessions=summary.sessions))

    def times() -> str:
        reads = summary.mean(DISJOINT, "pool_misses_per_request")
        return (
            f"With {CLAIMED_MS:g} ms added to each round trip, a pipeline saves {saved(False)} ms a request with "
            f"warmed keys and {saved(True)} ms with keys whose pages must be read first, {reads:.3g} blocks a request."
        )

    return tell(times, otherwise="This run is too short to decide what a pipeline saves.")
