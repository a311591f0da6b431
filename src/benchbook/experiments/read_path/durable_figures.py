"""Figures of the stores that were written durably: range scans, durable writes, reopening."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from benchbook.experiments.read_path.arms import DURABLE, DURABLE_VALUE_FILE
from benchbook.experiments.read_path.summary import METRICS, Summary
from benchbook.experiments.shape.metrics import Metric
from benchbook.experiments.shape.regular import Dots, Found, level
from benchbook.experiments.shape.telling import told
from benchbook.figures import Figure, with_interval

Column = Callable[[Summary, str], float]


def _durable(
    id_: str, title: str, metric: str, shown: Metric, what: str, more: Mapping[str, Column] | None = None
) -> Dots:
    """One metric of the stores that were written durably, by engine. shown: as the figure shows it.

    more: further columns of the table.
    """

    def multiple(summary: Summary, arm: str) -> str:
        return f"{summary.label(arm)} {with_interval(summary.times_faster(DURABLE_VALUE_FILE, arm, metric))}"

    def said(summary: Summary, found: Found) -> str:
        [marks] = found.values()
        text = "; ".join(f"{label} {with_interval(e, shown.factor)}" for label, e in marks.items())
        others = [arm for arm in summary.having(summary.way(DURABLE), metric) if arm != DURABLE_VALUE_FILE]
        ratios = told(*(partial(multiple, summary, arm) for arm in others))
        return text + (f". As a multiple of ALEX + value file: {'; '.join(ratios)}" if ratios else "")

    return Dots(
        id=id_, title=title, heading="what",
        rows=lambda summary: summary.way(DURABLE),
        series={shown.axis: level(metric)},
        metric=shown,
        said=said,
        more=dict(more or {}),
        nothing="This run made no durable writes",
        caption=f"{what} {{p.durable_rows:,}} rows with values of {{p.value_bytes}} bytes, logarithmic axis. "
        "{intervals}.",
        alt=f"Points with intervals for {{n}} engines on a logarithmic axis of the {shown.axis}. {{said}}.",
    )  # fmt: skip


def scans(summary: Summary) -> Figure:
    """P50 of range scans; what keeps no order has no row."""
    rows = summary.parameters.scan_rows
    return _durable(
        "fig-read-path-scans", "Range scans", "scan_p50_ns",
        METRICS["scan_p50_ns"].but(words=f"P50 of a scan of {rows:,} rows", unit="µs", factor=1e-3, heading=""),
        f"Range scans of {rows:,} rows from a random key, each timed individually; rows are counted, the lengths of "
        "values added up. The value file verifies every checksum. A hash table and CuckooTable keep no order and have "
        "no row.",
    )(summary)  # fmt: skip


def writes(summary: Summary) -> Figure:
    """What a row costs when every batch must have reached the disk before the next begins."""
    return _durable(
        "fig-read-path-writes", "Durable writes", "write_ns_per_row", METRICS["write_ns_per_row"],
        f"Writes of {summary.parameters.durable_batch_rows:,} rows, each of which waits until it is on the disk.",
        {"syncs per write": lambda summary, arm: float(summary.values(arm, "syncs_per_batch").mean())},
    )(summary)  # fmt: skip


opening = _durable(
    "fig-read-path-opening", "Reopening a store", "reopen_s", METRICS["reopen_s"],
    "Reopening a store with its files in the page cache. The value file is read completely, every checksum is verified "
    "and its index is rebuilt; the others read what their formats need.",
)  # fmt: skip
