"""Figures of the indexes without an engine, time and bytes a key, and of the note's claims against measurements."""

from __future__ import annotations

from benchbook import statistics
from benchbook.experiments.alex_rocksdb import notes
from benchbook.experiments.alex_rocksdb.arms import DEPENDENT, INDEXES, KEYS, THROUGHPUT, alone
from benchbook.experiments.alex_rocksdb.judgements import ALONE, CLAIMED, ESTIMANDS
from benchbook.experiments.alex_rocksdb.marks import dots, empty, interval, rows, spoken
from benchbook.experiments.alex_rocksdb.summary import Summary
from benchbook.experiments.claim_plot import draw, quoted
from benchbook.figures import Figure, theme, with_interval
from benchbook.model import Estimate

BYTES = "fig-alex-bytes"
ACCOUNTS = {"index_bytes_per_key": "the index's own account", "resident_bytes_per_key": "what the process grew by"}


def indexes(summary: Summary) -> Figure:
    """A look-up in every index alone: independent and dependent, sequential and random keys."""
    labels = list(INDEXES.values())
    series: dict[str, dict[str, Estimate]] = {}
    for keys in KEYS:
        for kind in (THROUGHPUT, DEPENDENT):
            found = {
                label: summary.time(alone(index, keys, kind))
                for index, label in INDEXES.items()
                if summary.has(alone(index, keys, kind), "mean_ns")
            }
            if found:
                series[f"{keys} keys, {kind}"] = found
    if not series:
        return empty(summary, ALONE, "Indexes alone", "No index was timed alone in this run")
    plot = dots(series, labels)
    plot.update_xaxes(**theme.decades(), title="mean time of a look-up (ns)")
    said = "; ".join(
        f"{name}: " + ", ".join(f"{label} {spoken(e)}" for label, e in found.items()) for name, found in series.items()
    )
    return Figure(
        ALONE,
        f"A look-up of a present key in an index alone, {summary.parameters.index_rows:,} keys, uniform look-ups, "
        "without a clock inside. Throughput: the next key is known beforehand, and the processor works on several "
        "look-ups at once. Dependent: the next key waits for the last answer. Logarithmic axis; 95 % intervals "
        f"(Student t on logs); {summary.origin()}.",
        f"Points with intervals for {len(labels)} indexes in {len(series)} series. {said}.",
        theme.apply(plot),
        rows(series, labels, "index", "look-up (ns)"),
        summary.run.id,
        interval=interval(series),
    )


def memory(summary: Summary) -> Figure:
    """Bytes a key, counted in full, beside the project's own number."""
    labels = list(INDEXES.values())
    series: dict[str, dict[str, Estimate]] = {}
    for metric, name in ACCOUNTS.items():
        for index, label in INDEXES.items():
            arm = alone(index, "random", THROUGHPUT)
            if summary.has(arm, metric) and summary.values(arm, metric).min() > 0:
                series.setdefault(name, {})[label] = statistics.geometric_mean(summary.values(arm, metric))
    if not series:
        return empty(summary, BYTES, "Bytes a key", "No index told its size in this run")
    plot = dots(series, labels)
    note = notes.bytes_per_key()
    plot.add_scatter(
        x=[note, note], y=[labels[0], labels[-1]], mode="lines", name="the project's own number",
        line={"dash": "dash", "width": 2},
    )  # fmt: skip
    plot.update_xaxes(**theme.decades(), title="bytes a key")
    said = "; ".join(
        f"{name}: " + ", ".join(f"{label} {with_interval(e)}" for label, e in found.items())
        for name, found in series.items()
    )
    return Figure(
        BYTES,
        f"Memory of an index with {summary.parameters.index_rows:,} random keys, keys and eight bytes of value "
        "included: by the index's own account, where it has one, and as the kernel saw the process grow. The project "
        f"reported {note:.1f} bytes a key. Logarithmic axis; 95 % intervals (Student t on logs); {summary.origin()}.",
        f"Points for {len(labels)} indexes, with a line at {note:.1f} bytes. {said}.",
        theme.apply(plot),
        rows(series, labels, "index", "bytes a key"),
        summary.run.id,
        interval=interval(series),
    )


def claimed(summary: Summary) -> Figure:
    """The note's ratios and shares as regions, ours as points with intervals."""
    drawn = draw(
        "alex_rocksdb",
        ESTIMANDS,
        summary,
        label=quoted,
        height=160,
        each=30,
        title="ratio or share (see the claim)",
        units=("ratio", "fraction"),
    )
    return Figure(
        CLAIMED,
        "The note's claims as ratios and shares (bars: the region that counts as reproduced, before margins; open "
        "sides end at the axis) and what was measured (points, 95 % intervals over blocks), logarithmic axis. Values "
        f"at or below 0 have no place on it and stand in the table. {summary.origin()}.",
        f"{len(drawn.points)} measured numbers beside {len(drawn.table)} regions claimed by the note: {drawn.said}.",
        theme.apply(drawn.plot),
        drawn.table,
        summary.run.id,
        interval=drawn.interval,
        lacks=drawn.lacks,
    )
