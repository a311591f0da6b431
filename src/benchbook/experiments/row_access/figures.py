"""The figures: pages in the pool and reads by columns asked for, pages and hits by order, order left after upserts."""

from __future__ import annotations

from benchbook.experiments.row_access.arms import (
    COVERING,
    DRAWS,
    HASH,
    LOAD,
    ORDERS,
    RANDOM,
    RELATED,
    ROW_BYTES,
    SEQUENTIAL,
    SEQUENTIAL_CLUSTERED,
    UNIFORM,
    UPSERTS,
    UPSERTS_AT_ONCE,
    UPSERTS_NEW,
    UPSERTS_ROOM,
    UPSERTS_SMALL,
    ZIPF,
    columns_of,
    order_of,
)
from benchbook.experiments.row_access.summary import LEFT_AT_LEAST, Summary
from benchbook.experiments.shape.claim_figure import ClaimFigure
from benchbook.experiments.shape.regular import Ask, Dots, Found, Lines
from benchbook.figures import with_interval
from benchbook.model import Estimate


def _average(metric: str) -> Ask:
    return lambda summary, arm: summary.average(arm, metric)


def widths(summary: Summary, *, small: bool) -> list[str]:
    """Configurations by width and columns, with the covering index behind its width."""
    found: list[str] = []
    every: list[int | str] = [*summary.parameters.widths, "toasted"]
    for width in every:
        found += [columns_of(columns, width, small=small) for columns in ("all", "three")]
        if width == ROW_BYTES:
            found.append(f"{COVERING}{'_small' if small else ''}")
    return found


def _pages_said(summary: Summary, found: Found) -> str:
    arms = columns_of("all", ROW_BYTES), columns_of("three", ROW_BYTES), COVERING
    wide, narrow, indexed = (with_interval(summary.average(arm, "resident_pages_per_key")) for arm in arms)
    return f"Of 1 KB rows: {wide} with all columns, {narrow} with three, {indexed} with three from the index."


resident = Dots(
    rows=lambda summary: widths(summary, small=False),
    series={"": _average("resident_pages_per_key")},
    axis="pages in the pool per key asked for", quantity="pages per key", heading="", scale="zero",
    more={
        "heap": lambda summary, arm: summary.written(arm, "resident_heap_pages_per_key"),
        "index": lambda summary, arm: summary.written(arm, "resident_index_pages_per_key"),
        "TOAST": lambda summary, arm: summary.written(arm, "resident_toast_pages_per_key"),
        "bytes of values per row": lambda summary, arm: summary.written(arm, "returned_bytes"),
    },
    said=_pages_said,
    nothing="No pool was looked at in this run",
)  # fmt: skip


def _reads_said(summary: Summary, found: Found) -> str:
    arms = columns_of("all", ROW_BYTES, small=True), columns_of("three", ROW_BYTES, small=True), f"{COVERING}_small"
    wide, narrow, indexed = (with_interval(summary.average(arm, "reads_per_request")) for arm in arms)
    return f"Of 1 KB rows: {wide} with all columns, {narrow} with three, {indexed} with three from the index."


reads = Dots(
    rows=lambda summary: widths(summary, small=True),
    series={"": _average("reads_per_request")},
    axis="blocks read per request", quantity="blocks read", heading="", scale="zero",
    more={
        "heap hit ratio (%)": lambda summary, arm: summary.written(arm, "heap_hit_ratio"),
        "pages of the pool": lambda summary, arm: summary.written(arm, "pool_pages"),
        "pages of tables and indexes": lambda summary, arm: summary.written(arm, "table_pages"),
        "evicted pages": lambda summary, arm: summary.written(arm, "evictions"),
    },
    said=_reads_said,
    nothing="No pool was too small in this run",
)  # fmt: skip


def _orders(summary: Summary) -> dict[str, str]:
    return {order: ORDERS[order] for order in (*summary.parameters.orders, SEQUENTIAL, SEQUENTIAL_CLUSTERED)}


def _per_key(draw: str) -> Ask:
    return lambda summary, order: summary.average(order_of(order, draw), "heap_pages_per_key")


def _order_said(summary: Summary, found: Found) -> str:
    load, hashed = (with_interval(_per_key(RELATED)(summary, each)) for each in (LOAD, HASH))
    return f"Related batches: {load} in load order, {hashed} clustered on the hash key."


order = Dots(
    rows=_orders,
    row="order of the rows",
    series={DRAWS[draw]: _per_key(draw) for draw in (UNIFORM, RANDOM, RELATED)},
    axis="distinct heap pages per key", quantity="pages per key", heading="keys", scale="zero",
    said=_order_said,
    nothing="No tables of several orders were read in this run",
)  # fmt: skip


def _hit(summary: Summary, order: str) -> Estimate:
    found: Estimate = summary.share(order_of(order, ZIPF), "heap_hit_ratio", "heap_blocks")
    return found


def _hits_said(summary: Summary, found: Found) -> str:
    load, hashed = (with_interval(_hit(summary, each), 100) for each in (LOAD, HASH))
    return f"In load order {load} %, clustered on the hash key {hashed} %."


order_hits = Dots(
    rows=lambda summary: {each: ORDERS[each] for each in summary.parameters.orders},
    row="order of the rows",
    series={"": _hit},
    axis="heap hit ratio (%)", quantity="heap hit ratio (%)", heading="", factor=100, scale="plain",
    more={
        "blocks read per request": lambda summary, order: summary.written(order_of(order, ZIPF), "reads_per_request"),
        "evicted pages": lambda summary, order: summary.written(order_of(order, ZIPF), "evictions"),
    },
    nothing="No tables of several orders were read in this run",
    said=_hits_said,
)  # fmt: skip


def _kept(arm: str) -> Ask:
    return lambda summary, percent: summary.average(arm, f"correlation_kept_{percent:g}")


UPSERT_WORDS = {
    UPSERTS: "existing keys, full pages", UPSERTS_SMALL: "the same, small transactions",
    UPSERTS_AT_ONCE: "the same, large transactions", UPSERTS_ROOM: "existing keys, pages with room",
    UPSERTS_NEW: "new keys",
}  # fmt: skip


def _kept_said(summary: Summary, found: Found) -> str:
    most, rows = max(summary.parameters.upsert_percents), summary.parameters.upsert_batch_rows
    left = with_interval(summary.average(UPSERTS, f"correlation_kept_{most:g}"), 100)
    return f"Existing keys, full pages, {rows:,} rows a transaction, after {most:g} %: {left} %."


upserts = Lines(
    over=lambda summary: sorted(summary.parameters.upsert_percents),
    across="rows upserted after CLUSTER (% of the table)", column="rows upserted (%)",
    series={words: _kept(arm) for arm, words in UPSERT_WORDS.items()},
    axis="order of the hash key that is left (%)", quantity="order left (%)", heading="upserts", factor=100,
    scale="plain", rule=100 * LEFT_AT_LEAST,
    said=_kept_said,
    nothing="No rows were upserted in this run",
)  # fmt: skip

claims = ClaimFigure(only=lambda answer: answer.figure == "fig-row-access-claims")

FIGURES = {
    "resident": resident,
    "reads": reads,
    "order": order,
    "order_hits": order_hits,
    "upserts": upserts,
    "claims": claims,
}
