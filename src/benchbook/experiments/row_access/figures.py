"""The figures: pages in the pool and reads by columns asked for, pages and hits by order, order left after upserts."""

from __future__ import annotations

from benchbook.experiments.row_access.answers import CLAIMED, HITS, LEFT_AT_LEAST, ORDER, READS, RESIDENT, UPSERTED
from benchbook.experiments.row_access.arms import (
    CLAIMED_PERCENT,
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
from benchbook.experiments.row_access.metric_words import METRICS
from benchbook.experiments.row_access.summary import Summary
from benchbook.experiments.shape.claim_figure import ClaimFigure
from benchbook.experiments.shape.regular import Ask, Dots, Found, Lines
from benchbook.figures import with_interval
from benchbook.model import Estimate


def _average(metric: str) -> Ask:
    return lambda summary, arm: summary.average(arm, metric)


def _mean(metric: str, arm: str, summary: Summary) -> str:
    return METRICS[metric].written(summary.mean(arm, metric)) if summary.has(arm, metric) else ""


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
    id=RESIDENT,
    title="Pages in the pool by columns asked for",
    rows=lambda summary: widths(summary, small=False),
    series={"": _average("resident_pages_per_key")},
    axis="pages in the pool per key asked for", quantity="pages per key", heading="", scale="zero",
    more={
        "heap": lambda summary, arm: _mean("resident_heap_pages_per_key", arm, summary),
        "index": lambda summary, arm: _mean("resident_index_pages_per_key", arm, summary),
        "TOAST": lambda summary, arm: _mean("resident_toast_pages_per_key", arm, summary),
        "bytes of values per row": lambda summary, arm: _mean("returned_bytes", arm, summary),
    },
    said=_pages_said,
    nothing="No pool was looked at in this run",
    caption="Distinct pages per key in a pool that was empty, after {p.keys:,} keys in {p.n_tables} tables. {said} "
    "{intervals}.",
    alt="Points for {n} configurations by row width and columns asked for. {said}",
)  # fmt: skip


def _reads_said(summary: Summary, found: Found) -> str:
    arms = columns_of("all", ROW_BYTES, small=True), columns_of("three", ROW_BYTES, small=True), f"{COVERING}_small"
    wide, narrow, indexed = (with_interval(summary.average(arm, "reads_per_request")) for arm in arms)
    return f"Of 1 KB rows: {wide} with all columns, {narrow} with three, {indexed} with three from the index."


reads = Dots(
    id=READS,
    title="Blocks read from a pool that is too small",
    rows=lambda summary: widths(summary, small=True),
    series={"": _average("reads_per_request")},
    axis="blocks read per request", quantity="blocks read", heading="", scale="zero",
    more={
        "heap hit ratio (%)": lambda summary, arm: _mean("heap_hit_ratio", arm, summary),
        "pages of the pool": lambda summary, arm: _mean("pool_pages", arm, summary),
        "pages of tables and indexes": lambda summary, arm: _mean("table_pages", arm, summary),
        "evicted pages": lambda summary, arm: _mean("evictions", arm, summary),
    },
    said=_reads_said,
    nothing="No pool was too small in this run",
    caption="Blocks read per request for one key in {p.n_tables} tables, Zipf {p.zipf_exponent:g}, from a pool of "
    "{p.small_pool_percent:g} % of what all columns need. {said} {intervals}.",
    alt="Points for {n} configurations by row width and columns asked for. {said}",
)  # fmt: skip


def _orders(summary: Summary) -> dict[str, str]:
    return {order: ORDERS[order] for order in (*summary.parameters.orders, SEQUENTIAL, SEQUENTIAL_CLUSTERED)}


def _per_key(draw: str) -> Ask:
    return lambda summary, order: summary.average(order_of(order, draw), "heap_pages_per_key")


def _order_said(summary: Summary, found: Found) -> str:
    load, hashed = (with_interval(_per_key(RELATED)(summary, each)) for each in (LOAD, HASH))
    return f"Related batches: {load} in load order, {hashed} clustered on the hash key."


order = Dots(
    id=ORDER,
    title="Heap pages by physical order",
    rows=_orders,
    row="order of the rows",
    series={DRAWS[draw]: _per_key(draw) for draw in (UNIFORM, RANDOM, RELATED)},
    axis="distinct heap pages per key", quantity="pages per key", heading="keys", scale="zero",
    said=_order_said,
    nothing="No tables of several orders were read in this run",
    caption="Distinct heap pages per key: {p.keys:,} single keys drawn at random, batches of {p.batch_keys} random or "
    "consecutive business keys. {said} {intervals}.",
    alt="Points for {n} physical orders and three kinds of requests. {said}",
)  # fmt: skip


def _hit(summary: Summary, order: str) -> Estimate:
    found: Estimate = summary.share(order_of(order, ZIPF), "heap_hit_ratio", "heap_blocks")
    return found


def _hits_said(summary: Summary, found: Found) -> str:
    load, hashed = (with_interval(_hit(summary, each), 100) for each in (LOAD, HASH))
    return f"In load order {load} %, clustered on the hash key {hashed} %."


order_hits = Dots(
    id=HITS,
    title="Heap hit ratio by physical order",
    rows=lambda summary: {each: ORDERS[each] for each in summary.parameters.orders},
    row="order of the rows",
    series={"": _hit},
    axis="heap hit ratio (%)", quantity="heap hit ratio (%)", heading="", factor=100, scale="plain",
    more={
        "blocks read per request": lambda summary, order: _mean("reads_per_request", order_of(order, ZIPF), summary),
        "evicted pages": lambda summary, order: _mean("evictions", order_of(order, ZIPF), summary),
    },
    nothing="No tables of several orders were read in this run",
    said=_hits_said,
    caption="Heap hit ratio of Zipf {p.zipf_exponent:g} look-ups, popular keys scattered, from a pool of "
    "{p.small_pool_percent:g} % of table and index. {said} The axis does not begin at 0. {intervals}.",
    alt="Points for {n} physical orders. {said}",
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
    id=UPSERTED,
    title="Order that is left after upserts",
    over=lambda summary: sorted(summary.parameters.upsert_percents),
    across="rows upserted after CLUSTER (% of the table)", column="rows upserted (%)",
    series={words: _kept(arm) for arm, words in UPSERT_WORDS.items()},
    axis="order of the hash key that is left (%)", quantity="order left (%)", heading="upserts", factor=100,
    scale="plain", rule=100 * LEFT_AT_LEAST,
    said=_kept_said,
    nothing="No rows were upserted in this run",
    caption="Correlation of the hash key with the physical order, as a share of that after CLUSTER. Dotted: what the "
    f"claim needs at {CLAIMED_PERCENT} %. {{said}} {{intervals}}.",
    alt="Lines of the order that is left over the share of upserted rows. {said}",
)  # fmt: skip

claims = ClaimFigure(id=CLAIMED, only=lambda answer: answer.figure == CLAIMED)

OPTIONAL = tuple(f"correlation_kept_{percent}" for percent in (1, 5, 10, CLAIMED_PERCENT))

FIGURES = {
    "resident": resident,
    "reads": reads,
    "order": order,
    "order_hits": order_hits,
    "upserts": upserts,
    "claims": claims,
}
