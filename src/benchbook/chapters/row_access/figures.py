"""The figures: pages in the pool and reads by columns asked for, pages and hits by order, order left after upserts."""

from __future__ import annotations

from collections.abc import Callable

from benchbook.chapters.row_access import arms
from benchbook.chapters.row_access.arms import ORDERS, RANDOM, RELATED, UNIFORM, ZIPF, order_of
from benchbook.chapters.row_access.summary import Summary
from benchbook.drawing.claim_figure import ClaimFigure
from benchbook.drawing.regular import Ask, Dots, Lines


def _average(metric: str) -> Ask:
    return lambda summary, arm: summary.average(arm, metric)


def _written(metric: str) -> Callable[[Summary, str], str]:
    return lambda summary, arm: summary.written(arm, metric)


def _widths(draw: str) -> Callable[[Summary], list[str]]:
    """Configurations by width and columns, with the covering index behind its width."""
    return lambda summary: [arm for arm in summary.drawn(draw) if summary.of_width(arm) and arm != arms.AGAIN]


resident = Dots(
    rows=_widths(UNIFORM),
    series={"": _average("resident_pages_per_key")},
    axis="pages in the pool per key asked for", quantity="pages per key", heading="", scale="zero",
    more={
        "heap": _written("resident_heap_pages_per_key"),
        "index": _written("resident_index_pages_per_key"),
        "TOAST": _written("resident_toast_pages_per_key"),
        "bytes of values per row": _written("returned_bytes"),
    },
    nothing="No pool was looked at in this run",
)  # fmt: skip
reads = Dots(
    rows=_widths(ZIPF),
    series={"": _average("reads_per_request")},
    axis="blocks read per request", quantity="blocks read", heading="", scale="zero",
    more={
        "heap hit ratio (%)": _written("heap_hit_ratio"),
        "pages of the pool": _written("pool_pages"),
        "pages of tables and indexes": _written("table_pages"),
        "evicted pages": _written("evictions"),
    },
    nothing="No pool was too small in this run",
)  # fmt: skip

_SEQUENTIAL = (arms.SEQUENTIAL, arms.SEQUENTIAL_CLUSTERED)


def _per_key(draw: str) -> Ask:
    return lambda summary, order: summary.average(order_of(order, draw), "heap_pages_per_key")


order = Dots(
    rows=lambda summary: {each: ORDERS[each] for each in (*summary.parameters.orders, *_SEQUENTIAL)},
    row="order of the rows",
    series={arms.DRAWS[draw]: _per_key(draw) for draw in (UNIFORM, RANDOM, RELATED)},
    axis="distinct heap pages per key", quantity="pages per key", heading="keys", scale="zero",
    nothing="No tables of several orders were read in this run",
)  # fmt: skip
order_hits = Dots(
    rows=lambda summary: {each: ORDERS[each] for each in summary.parameters.orders},
    row="order of the rows",
    series={"": lambda summary, order: summary.share(order_of(order, ZIPF), "heap_hit_ratio", "heap_blocks")},
    axis="heap hit ratio (%)", quantity="heap hit ratio (%)", heading="", factor=100, scale="plain",
    more={
        "blocks read per request": lambda summary, order: summary.written(order_of(order, ZIPF), "reads_per_request"),
        "evicted pages": lambda summary, order: summary.written(order_of(order, ZIPF), "evictions"),
    },
    nothing="No tables of several orders were read in this run",
)  # fmt: skip


def _kept(arm: str) -> Ask:
    return lambda summary, percent: summary.average(arm, f"correlation_kept_{percent:g}")


LEFT_AT_LEAST = 0.95
"""Of the order, for a cost that is paid once."""
UPSERT_WORDS = {
    arms.UPSERTS: "existing keys, full pages", arms.UPSERTS_SMALL: "the same, small transactions",
    arms.UPSERTS_AT_ONCE: "the same, large transactions", arms.UPSERTS_ROOM: "existing keys, pages with room",
    arms.UPSERTS_NEW: "new keys",
}  # fmt: skip
upserts = Lines(
    over=lambda summary: sorted(summary.parameters.upsert_percents),
    across="rows upserted after CLUSTER (% of the table)", column="rows upserted (%)",
    series={words: _kept(arm) for arm, words in UPSERT_WORDS.items()},
    axis="order of the hash key that is left (%)", quantity="order left (%)", heading="upserts", factor=100,
    scale="plain", rule=100 * LEFT_AT_LEAST,
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
