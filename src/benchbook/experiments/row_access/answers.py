"""The claims: how each number comes from the stored trials, which figure shows it, what is said of it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from benchbook import statistics
from benchbook.claims import Quantity
from benchbook.errors import BenchbookError
from benchbook.experiments.row_access.arms import (
    CLAIMED_PERCENT,
    DEFINED_ALL,
    DEFINED_THREE,
    HASH,
    LOAD,
    RELATED,
    ROW_BYTES,
    SEQUENTIAL,
    SEQUENTIAL_CLUSTERED,
    UNIFORM,
    UPSERTS,
    UPSERTS_AT_ONCE,
    UPSERTS_SMALL,
    ZIPF,
    columns_of,
    order_of,
)
from benchbook.experiments.row_access.summary import Summary
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.estimands import Words, counts, custom, level, ratio, rise
from benchbook.model import Estimate
from benchbook.statistics import Gate

CLAIMED, RESIDENT, READS = "fig-row-access-claims", "fig-row-access-resident", "fig-row-access-reads"
ORDER, HITS, UPSERTED = "fig-row-access-order", "fig-row-access-order-hits", "fig-row-access-upserts"
ALL, THREE = columns_of("all", ROW_BYTES), columns_of("three", ROW_BYTES)
ALL_SMALL, THREE_SMALL = columns_of("all", ROW_BYTES, small=True), columns_of("three", ROW_BYTES, small=True)
LOAD_ONE, HASH_ONE = order_of(LOAD, UNIFORM), order_of(HASH, UNIFORM)
LOAD_ZIPF, HASH_ZIPF = order_of(LOAD, ZIPF), order_of(HASH, ZIPF)
LOAD_RELATED, HASH_RELATED = order_of(LOAD, RELATED), order_of(HASH, RELATED)
SEQUENTIAL_ONE, SEQUENTIAL_AGAIN = order_of(SEQUENTIAL, UNIFORM), order_of(SEQUENTIAL_CLUSTERED, UNIFORM)
LEAST_CORRELATION = 0.5
"""By so much at least the order by hash must differ between tables of which one is said to be clustered on it."""
PAGES = "distinct_heap_pages"
KEPT = f"correlation_kept_{CLAIMED_PERCENT}"
LEFT_AT_LEAST = 0.95
"""Of the order, for a cost that is paid once."""


def first_of(*reasons: Words) -> Words:
    """The first reason that there is."""
    return lambda summary: next(filter(None, (reason(summary) for reason in reasons)), "")


def same_bytes(summary: Summary, wide: str = ALL, narrow: str = THREE) -> str:
    """Why asking for fewer columns did nothing: as many bytes came back; "" where fewer did."""
    fewer = float((summary.values(wide, "returned_bytes") - summary.values(narrow, "returned_bytes")).min())
    return "" if fewer >= 1 else f"three columns returned only {fewer:.1f} bytes a row less than all of them"


def nothing_evicted(*arms: str) -> Words:
    """Why a pool was not too small: it evicted nothing; "" where every trial evicted pages."""

    def why(summary: Summary) -> str:
        for arm in arms:
            if summary.values(arm, "evictions").min() < 1:
                return f"in one block the pool of “{summary.label(arm)}” evicted no page"
        return ""

    return why


def same_order(summary: Summary, clustered: str = HASH_ONE, loaded: str = LOAD_ONE) -> str:
    """Why CLUSTER did nothing: the rows lay by hash before; "" where they did not."""
    apart = float((summary.values(clustered, "hash_correlation") - summary.values(loaded, "hash_correlation")).min())
    return "" if apart >= LEAST_CORRELATION else f"CLUSTER raised the correlation with the hash key by only {apart:.2f}"


def other_keys(summary: Summary) -> str:
    """Another number of keys than the claims name."""
    p = summary.parameters
    return "" if p.keys == 1_000 else f"{p.keys:,} keys where 1,000 are asked"


def other_batch(summary: Summary) -> str:
    """Another number of related keys than the claims name."""
    p = summary.parameters
    return "" if p.batch_keys == 25 else f"{p.batch_keys} keys a batch where 25 are asked"


def transactions_decide(summary: Summary) -> str:
    """That the size of transactions, which the claim does not name, decides it; or that no other was measured."""
    try:
        kept = [float(summary.values(arm, KEPT).mean()) for arm in (UPSERTS_SMALL, UPSERTS, UPSERTS_AT_ONCE)]
    except BenchbookError:
        return "upserts were not measured in transactions of several sizes"
    if len({share > LEFT_AT_LEAST for share in kept}) == 1:
        return ""
    return (
        f"the claim names no size of transactions, and that decides: {kept[0]:.1%} of the order is left where they "
        f"are small, {kept[-1]:.1%} where they are large"
    )


def _gain_ratio(summary: Summary, confidence: float) -> Estimate:
    """By block, pages as loaded over pages clustered: of tables keyed by hash over those keyed by a sequence."""
    load, hashed, plain, again = (
        summary.values(arm, PAGES) for arm in (LOAD_ONE, HASH_ONE, SEQUENTIAL_ONE, SEQUENTIAL_AGAIN)
    )
    return statistics.ratio(load * again, hashed * plain, confidence=confidence, sessions=summary.sessions)


fewer_bytes_small = first_of(
    partial(same_bytes, wide=ALL_SMALL, narrow=THREE_SMALL), nothing_evicted(ALL_SMALL, THREE_SMALL)
)
ordered_small = first_of(
    partial(same_order, clustered=HASH_ZIPF, loaded=LOAD_ZIPF), nothing_evicted(LOAD_ZIPF, HASH_ZIPF)
)

ANSWERS = (
    Answer(
        "L030", counts(THREE, ALL, "keys_per_mib", idle=same_bytes, departs=other_keys), CLAIMED,
        said="asking for three columns keeps ten times as many rows in the cache",
        seen="the keys that a MiB of pool serves with three columns, over those with all: {}",
        lead=True, brief="keys in a MiB, with three columns over all: {}",
        row="keys per MiB: three ÷ all",
    ),
    Answer(
        "L035",
        counts(HASH_RELATED, LOAD_RELATED, "heap_pages_per_key", idle=partial(same_order, clustered=HASH_RELATED,
               loaded=LOAD_RELATED), departs=other_batch),
        CLAIMED,
        said="CLUSTER on the hash key brings related keys together",
        seen="25 related keys then lie on {} times as many pages as in load order",
        row="pages of related keys: clustered ÷ load order",
    ),
    Answer(
        "L085", level(UPSERTS, KEPT, departs=transactions_decide), UPSERTED,
        said="the cost of CLUSTER is paid once",
        seen="after upserts of 20 % of the rows {} % of the order is left", factor=100,
    ),
    Answer(
        "L074", counts(ALL_SMALL, THREE_SMALL, "reads_per_request", idle=fewer_bytes_small), CLAIMED,
        said="column projection makes the cache ten times as efficient",
        seen="blocks read into a pool that is too small, all columns over three: {}",
        row="blocks read: all ÷ three columns",
    ),
    Answer(
        "L028", counts(ALL, THREE, "resident_pages", idle=same_bytes, departs=other_keys), CLAIMED,
        said="SELECT * bloats what a row takes of the cache",
        seen="pages that the same keys fill, all columns over three: {}",
        row="pages in the pool: all ÷ three columns",
    ),
    Answer("L027", counts(THREE, ALL, "heap_blocks_per_request", idle=same_bytes), CLAIMED,
           row="heap blocks: three ÷ all columns"),
    Answer("L031", rise(THREE_SMALL, ALL_SMALL, "heap_hit_ratio", "heap_blocks", idle=fewer_bytes_small), READS),
    Answer(
        "L026", level(DEFINED_ALL, "heap_bytes_per_row"), "",
        said="rows of the feature tables are 1 to 4 KB wide",
        seen="with the source repository's definitions a row takes {} bytes of heap",
    ),
    Answer(
        "L029", counts(DEFINED_THREE, DEFINED_ALL, "message_bytes",
                       idle=partial(same_bytes, wide=DEFINED_ALL, narrow=DEFINED_THREE)), CLAIMED,
        said="three columns shrink a returned row to a tenth or so",
        seen="a returned row takes {} of the bytes that it takes with all columns",
        row="bytes returned: three ÷ all columns",
    ),
    Answer(
        "L037", rise(HASH_ZIPF, LOAD_ZIPF, "heap_hit_ratio", "heap_blocks", idle=ordered_small), HITS,
        said="clustering on the hash key makes cache locality dramatically better",
        seen="the heap hit ratio changes by {} percentage points", factor=100,
    ),
    Answer("L087", counts(HASH_ZIPF, LOAD_ZIPF, "reads_per_request", idle=ordered_small), CLAIMED,
           row="blocks read: clustered ÷ load order"),
    Answer(
        "L033",
        ratio((LOAD_ONE, PAGES), (LOAD_ONE, "expected_heap_pages"), aa=None, quantity=Quantity.COUNTER,
              idle=same_order, departs=other_keys),
        CLAIMED,
        said="hashed keys mean random heap access",
        seen="keys drawn at random touch {} times the pages expected by chance, as they would in any order",
        row="pages of single keys: load order ÷ chance",
    ),
    Answer(
        "L034", level(LOAD_RELATED, "heap_pages_per_key", idle=same_order, departs=other_batch), ORDER,
        said="related keys are scattered across pages",
        seen="in load order 25 consecutive keys lie on {} pages a key",
    ),
    Answer("L036", counts(HASH_ONE, LOAD_ONE, PAGES, idle=same_order, departs=other_keys), CLAIMED,
           row="pages of single keys: clustered ÷ load order"),
    Answer(
        "L038",
        custom(_gain_ratio, Quantity.COUNTER, LOAD_ONE, HASH_ONE, SEQUENTIAL_ONE, SEQUENTIAL_AGAIN, idle=same_order,
               departs=other_keys),
        CLAIMED, row="gain by CLUSTER: hashed ÷ sequential keys",
    ),
)  # fmt: skip


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Equal counts of client and server, and of pool and row addresses."""
    arms = answer.estimand.names(summary)
    return [summary.counts_agree(arms), summary.addresses_agree(arms)]
