"""The numbers of the chapter, each once and by name, and what its claims stand on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import pandas as pd

from benchbook import notes, statistics
from benchbook.chapters.row_access import arms
from benchbook.chapters.row_access.arms import columns_of, order_of
from benchbook.chapters.row_access.summary import DEFINED, Summary
from benchbook.chapters.row_access.tables import SHARE_OF_30
from benchbook.claims import Quantity
from benchbook.model import Estimate
from benchbook.numbers.answers import Answer
from benchbook.numbers.estimands import Conditions, Words, average, counts, custom, level, ratio, rise, share
from benchbook.numbers.quantities import percent
from benchbook.numbers.summary import NotEstimableError
from benchbook.pages.tables import Columns, distinct, levels, means, table
from benchbook.statistics import Gate

ALL, THREE = (columns_of(columns, arms.ROW_BYTES) for columns in ("all", "three"))
ALL_SMALL, THREE_SMALL = (columns_of(columns, arms.ROW_BYTES, small=True) for columns in ("all", "three"))
LOAD_ONE, HASH_ONE, SEQUENTIAL_ONE, SEQUENTIAL_AGAIN = (
    order_of(order, arms.UNIFORM) for order in (arms.LOAD, arms.HASH, arms.SEQUENTIAL, arms.SEQUENTIAL_CLUSTERED)
)
LOAD_ZIPF, HASH_ZIPF = (order_of(order, arms.ZIPF) for order in (arms.LOAD, arms.HASH))
LOAD_RELATED, HASH_RELATED, ARRIVAL_RELATED, BUSINESS_RELATED = (
    order_of(order, arms.RELATED) for order in (arms.LOAD, arms.HASH, arms.ARRIVAL, arms.BUSINESS)
)
COLUMNS = {"all": ALL, "three": THREE, "covering": arms.COVERING}
COLUMNS_SMALL = {"all": ALL_SMALL, "three": THREE_SMALL, "covering": f"{arms.COVERING}_small"}
UPSERTED = {
    "as_asked": arms.UPSERTS, "small": arms.UPSERTS_SMALL, "at_once": arms.UPSERTS_AT_ONCE,
    "room": arms.UPSERTS_ROOM, "new": arms.UPSERTS_NEW,
}  # fmt: skip
TRANSACTIONS = ("small", "as_asked", "at_once")
PAGES, PER_KEY, RESIDENT = "distinct_heap_pages", "heap_pages_per_key", "resident_pages"
PER_REQUEST, READS, HIT_RATIO = "heap_blocks_per_request", "reads_per_request", "heap_hit_ratio"
KEPT = f"correlation_kept_{arms.CLAIMED_PERCENT}"
LEAST_CORRELATION = 0.5
"""By so much at least the order by hash must differ between tables of which one is said to be clustered on it."""


def _same_bytes(summary: Summary, wide: str = ALL, narrow: str = THREE) -> str:
    """Why asking for fewer columns did nothing: as many bytes came back; "" where fewer did."""
    fewer = float((summary.values(wide, "returned_bytes") - summary.values(narrow, "returned_bytes")).min())
    return "" if fewer >= 1 else f"three columns returned only {fewer:.1f} bytes a row less than all of them"


def _same_order(summary: Summary, clustered: str = HASH_ONE, loaded: str = LOAD_ONE) -> str:
    """Why CLUSTER did nothing: the rows lay by hash before; "" where they did not."""
    apart = float((summary.values(clustered, "hash_correlation") - summary.values(loaded, "hash_correlation")).min())
    return "" if apart >= LEAST_CORRELATION else f"CLUSTER raised the correlation with the hash key by only {apart:.2f}"


def _other(name: str, asked: int, words: str) -> Words:
    """Another number of keys than the claims name."""

    def why(summary: Summary) -> str:
        here = getattr(summary.parameters, name)
        return "" if here == asked else f"{here:,} {words} where {asked:,} are asked"

    return why


def _by_transactions(summary: Summary) -> dict[str, Callable[[Summary], Estimate]]:
    """How much of the order is left, by the size of the transactions in which the rows were upserted."""
    asked, few = (f"transactions of {rows:,}" for rows in (summary.parameters.upsert_batch_rows, arms.SMALL_BATCH_ROWS))
    sizes = {"as_asked": asked, "small": few, "at_once": "one transaction"}
    return {f"rows change in {words}": level(UPSERTED[name], KEPT).compute for name, words in sizes.items()}


def _in_small_pool(reason: Callable[..., str], *pair: str) -> Words:
    """A reason of a pair of configurations, or that a pool was not too small: in some block it evicted nothing."""

    def why(summary: Summary) -> str:
        whole = [summary.label(arm) for arm in pair if summary.values(arm, "evictions").min() < 1]
        return reason(summary, *pair) or (f"in one block the pool of “{whole[0]}” evicted no page" if whole else "")

    return why


def _gain_ratio(summary: Summary) -> Estimate:
    """By block, pages as loaded over pages clustered: of tables keyed by hash over those keyed by a sequence."""
    every = (LOAD_ONE, HASH_ONE, SEQUENTIAL_ONE, SEQUENTIAL_AGAIN)
    load, hashed, plain, again = (summary.values(arm, PAGES) for arm in every)
    return summary.estimated(statistics.ratio, load * again, hashed * plain)


def _left_most(summary: Summary) -> Estimate:
    """Of the order, after the most upserts of this run."""
    return summary.average(arms.UPSERTS, f"correlation_kept_{max(summary.parameters.upsert_percents):g}")


def _clustered(pick: Callable[[Iterable[int]], int]) -> Callable[[Summary], str]:
    """The smallest or the largest table of which CLUSTER alone was timed."""

    def arm(summary: Summary) -> str:
        if not summary.parameters.cluster_rows:
            raise NotEstimableError("CLUSTER alone was not timed in this run", "name cluster_rows")
        return arms.cluster_of(pick(summary.parameters.cluster_rows))

    return arm


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Equal counts of client and server, and of pool and row addresses."""
    return [agree(answer.estimand.names(summary)) for agree in (summary.counts_agree, summary.addresses_agree)]


LARGEST, PACE = _clustered(max), "cluster_s_per_gib"
OTHER_KEYS, OTHER_BATCH = _other("keys", 1_000, "keys"), _other("batch_keys", 25, "keys a batch")
SMALL_COLUMNS = _in_small_pool(_same_bytes, ALL_SMALL, THREE_SMALL)
SMALL_ORDER = _in_small_pool(_same_order, HASH_ZIPF, LOAD_ZIPF)
NUMBERS = {
    "keys_per_mib": counts(THREE, ALL, "keys_per_mib", idle=_same_bytes, departs=OTHER_KEYS),
    "related": counts(
        HASH_RELATED, LOAD_RELATED, PER_KEY, departs=OTHER_BATCH,
        idle=partial(_same_order, clustered=HASH_RELATED, loaded=LOAD_RELATED),
    ),
    "kept": percent(level(
        arms.UPSERTS, KEPT, conditions=Conditions("the note names no size of transactions", _by_transactions),
    )),
    "reads_of_columns": counts(ALL_SMALL, THREE_SMALL, READS, idle=SMALL_COLUMNS),
    "resident": counts(ALL, THREE, RESIDENT, idle=_same_bytes, departs=OTHER_KEYS),
    "blocks": counts(THREE, ALL, PER_REQUEST, idle=_same_bytes),
    "hits_of_columns": rise(THREE_SMALL, ALL_SMALL, HIT_RATIO, "heap_blocks", idle=SMALL_COLUMNS),
    "defined_heap": level(arms.DEFINED_ALL, "heap_bytes_per_row"),
    "message": counts(
        arms.DEFINED_THREE, arms.DEFINED_ALL, "message_bytes",
        idle=partial(_same_bytes, wide=arms.DEFINED_ALL, narrow=arms.DEFINED_THREE),
    ),
    "hits_of_order": percent(rise(HASH_ZIPF, LOAD_ZIPF, HIT_RATIO, "heap_blocks", idle=SMALL_ORDER)),
    "reads_of_order": counts(HASH_ZIPF, LOAD_ZIPF, READS, idle=SMALL_ORDER),
    "chance": ratio(
        (LOAD_ONE, PAGES), (LOAD_ONE, "expected_heap_pages"), aa=None, quantity=Quantity.COUNTER, idle=_same_order,
        departs=OTHER_KEYS,
    ),
    "scattered": level(LOAD_RELATED, PER_KEY, idle=_same_order, departs=OTHER_BATCH),
    "single": counts(HASH_ONE, LOAD_ONE, PAGES, idle=_same_order, departs=OTHER_KEYS),
    "gain_ratio": custom(
        _gain_ratio, Quantity.COUNTER, LOAD_ONE, HASH_ONE, SEQUENTIAL_ONE, SEQUENTIAL_AGAIN, idle=_same_order,
        departs=OTHER_KEYS,
    ),
    "values_of_columns": counts(THREE, ALL, "returned_bytes"),
    "values_of_defined": counts(arms.DEFINED_THREE, arms.DEFINED_ALL, "returned_bytes"),
    "time_of_columns": ratio(THREE, ALL, "mean_ns"),
    "toasted": counts(columns_of("all", "toasted"), columns_of("three", "toasted"), RESIDENT),
    "covered": counts(ALL, arms.COVERING, RESIDENT),
    "arrived": counts(ARRIVAL_RELATED, BUSINESS_RELATED, PER_KEY),
    "itself_resident": counts(arms.AGAIN, ALL, RESIDENT),
    "itself_blocks": counts(arms.AGAIN, ALL, PER_REQUEST),
    "itself_time": ratio(arms.AGAIN, ALL, "mean_ns"),
    **{f"pool_{name}": average(arm, "resident_pages_per_key") for name, arm in COLUMNS.items()},
    **{f"reads_{name}": average(arm, READS) for name, arm in COLUMNS_SMALL.items()},
    "hits_load": percent(share(LOAD_ZIPF, HIT_RATIO, "heap_blocks")),
    "hits_hash": percent(share(HASH_ZIPF, HIT_RATIO, "heap_blocks")),
    "pages_load": average(LOAD_RELATED, PER_KEY),
    "pages_hash": average(HASH_RELATED, PER_KEY),
    "pages_business": average(BUSINESS_RELATED, PER_KEY),
    **{f"left_{name}": percent(average(arm, KEPT)) for name, arm in UPSERTED.items()},
    **{f"within_{name}": percent(average(UPSERTED[name], "hot_update_share")) for name in TRANSACTIONS},
    "covering_blocks": average(arms.COVERING, PER_REQUEST),
    "correlation_load": average(LOAD_RELATED, "hash_correlation"),
    "correlation_hash": average(HASH_RELATED, "hash_correlation"),
    "left_most": percent(custom(_left_most, Quantity.COUNTER, arms.UPSERTS)),
    "pace": level(LARGEST, PACE, 60),
    "growth": ratio(LARGEST, _clustered(min), PACE),
}  # fmt: skip


def _printed_bytes(summary: Summary) -> pd.Series:
    """The source repository's own table sizes, per row."""
    found = notes.table("raw/lakebase_tables")
    return found["size_gb"] * 1e9 / found["rows"]


WORDS: dict[str, Callable[[Summary], Any]] = {
    "data_bytes": lambda summary: sum(summary.run.provenance[name] for name in ("heap_bytes", "index_bytes")),
    "direct": lambda summary: bool(summary.run.provenance.get("direct_io")),
    "printed_bytes": _printed_bytes,
    "index_only": lambda summary: summary.index_only(arms.COVERING),
}


def _note_claims(summary: Summary) -> pd.DataFrame:
    """What the note's own list says of its third and fourth fix."""
    found = notes.table("lakebase_fixes")
    found = found[found["fix"].isin([3, 4])][["fix", "parameter", "before", "expected_after", "unit"]]
    return found.fillna("").rename(columns={"parameter": "what", "expected_after": "expected"}).set_index("fix")


def _widths(summary: Summary) -> pd.DataFrame:
    """Of each definition in the source repository: heap per row, and values returned with all and with three."""

    def row(definition: str, share_of_30: float, heap: str, returned: str) -> dict[str, str]:
        return {
            "definition": definition, "of the 30 tables": f"{30 * share_of_30:.0f}",
            "heap per row (bytes)": summary.written(arms.DEFINED_ALL, heap),
            "values of all columns (bytes)": summary.written(arms.DEFINED_ALL, returned),
            "values of three columns (bytes)": summary.written(arms.DEFINED_THREE, returned),
        }  # fmt: skip

    rows = [
        row(f"{words} columns", SHARE_OF_30.get(name, 0), f"{name}_heap_bytes", f"{name}_returned_bytes")
        for name, words in DEFINED.items()
    ]
    rows.append(row("the 30 tables together", 1, "heap_bytes_per_row", "returned_bytes"))
    return pd.DataFrame(rows).set_index("definition")


def _cluster_cost(summary: Summary) -> pd.DataFrame:
    """Per size of table: CLUSTER's time with its interval, and per GiB."""
    columns: Columns = {
        **means(summary, "rewritten_rows", "clustered_heap_bytes", "clustered_index_bytes"),
        **levels(summary, "cluster_s", PACE),
    }
    looked_up = summary.drawn(*arms.DRAWS)
    return table([({"table": summary.label(arm)}, arm) for arm in summary.arms if arm not in looked_up], columns)


def _overview(summary: Summary) -> pd.DataFrame:
    """Per configuration that looks keys up: blocks, bytes, hit ratio and latency."""
    columns: Columns = {
        "scan": distinct(summary, "plan"),
        **means(summary, "returned_bytes", PER_REQUEST, "index_blocks_per_request"),
        **means(summary, "toast_blocks_per_request", READS, HIT_RATIO),
        **levels(summary, "mean_ns"),
    }
    return table([({"configuration": summary.label(arm)}, arm) for arm in summary.drawn(*arms.DRAWS)], columns)


TABLES = {"note_claims": _note_claims, "widths": _widths, "cluster_cost": _cluster_cost, "overview": _overview}
