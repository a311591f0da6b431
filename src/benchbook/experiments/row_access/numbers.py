"""The numbers of the chapter, each once and by name, and what its claims stand on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import pandas as pd

from benchbook import statistics
from benchbook.claims import Quantity
from benchbook.experiments import notes
from benchbook.experiments.row_access.arms import (
    AGAIN,
    ARRIVAL,
    BUSINESS,
    COVERING,
    DEFINED_ALL,
    DEFINED_THREE,
    HASH,
    LOAD,
    RELATED,
    REWRITE,
    SEQUENTIAL,
    SEQUENTIAL_CLUSTERED,
    UNIFORM,
    UPSERTS,
    UPSERTS_AT_ONCE,
    UPSERTS_NEW,
    UPSERTS_ROOM,
    UPSERTS_SMALL,
    cluster_of,
    columns_of,
    order_of,
)
from benchbook.experiments.row_access.summary import (
    ALL,
    ALL_SMALL,
    HASH_ONE,
    HASH_ZIPF,
    KEPT,
    LOAD_ONE,
    LOAD_ZIPF,
    METRICS,
    THREE,
    THREE_SMALL,
    Summary,
    fewer_bytes_small,
    ordered_small,
    other_batch,
    other_keys,
    same_bytes,
    same_order,
    transactions_decide,
)
from benchbook.experiments.row_access.tables import DEFINITIONS, SHARE_OF_30
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.estimands import Estimand, counts, custom, level, ratio, rise
from benchbook.experiments.shape.named import percent
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.experiments.shape.tables import Columns, levels, means, table
from benchbook.model import Estimate
from benchbook.statistics import Gate

__all__ = ["METRICS", "NUMBERS", "TABLES", "WORDS", "Summary", "checks"]
LOAD_RELATED, HASH_RELATED, BUSINESS_RELATED = (order_of(order, RELATED) for order in (LOAD, HASH, BUSINESS))
SEQUENTIAL_ONE, SEQUENTIAL_AGAIN = order_of(SEQUENTIAL, UNIFORM), order_of(SEQUENTIAL_CLUSTERED, UNIFORM)
PAGES, PER_KEY, RESIDENT = "distinct_heap_pages", "heap_pages_per_key", "resident_pages"
PER_REQUEST, READS, HIT_RATIO = "heap_blocks_per_request", "reads_per_request", "heap_hit_ratio"
DEFINED = {
    "numeric_3": "3 NUMERIC columns", "timestamp_4": "4 TIMESTAMPTZ columns", "numeric_10": "10 NUMERIC columns",
    "numeric_92": "92 NUMERIC columns",
}  # fmt: skip
UPSERTED = {
    "as_asked": UPSERTS, "small": UPSERTS_SMALL, "at_once": UPSERTS_AT_ONCE, "room": UPSERTS_ROOM, "new": UPSERTS_NEW,
}  # fmt: skip


def _gain_ratio(summary: Summary, confidence: float) -> Estimate:
    """By block, pages as loaded over pages clustered: of tables keyed by hash over those keyed by a sequence."""
    load, hashed, plain, again = (
        summary.values(arm, PAGES) for arm in (LOAD_ONE, HASH_ONE, SEQUENTIAL_ONE, SEQUENTIAL_AGAIN)
    )
    return statistics.ratio(load * again, hashed * plain, confidence=confidence, sessions=summary.sessions)


def _average(arm: str, metric: str) -> Estimand:
    return custom(lambda summary, confidence: summary.average(arm, metric), Quantity.COUNTER, arm)


def _clustered(pick: Callable[[Iterable[int]], int]) -> Callable[[Summary], str]:
    """The smallest or the largest table of which CLUSTER alone was timed."""

    def arm(summary: Summary) -> str:
        if not summary.parameters.cluster_rows:
            raise NotEstimableError("CLUSTER alone was not timed in this run", "name cluster_rows")
        return cluster_of(pick(summary.parameters.cluster_rows))

    return arm


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Equal counts of client and server, and of pool and row addresses."""
    arms = answer.estimand.names(summary)
    return [summary.counts_agree(arms), summary.addresses_agree(arms)]


LARGEST, PACE = _clustered(max), "cluster_s_per_gib"
NUMBERS = {
    "keys_per_mib": counts(THREE, ALL, "keys_per_mib", idle=same_bytes, departs=other_keys),
    "related": counts(
        HASH_RELATED, LOAD_RELATED, PER_KEY, departs=other_batch,
        idle=partial(same_order, clustered=HASH_RELATED, loaded=LOAD_RELATED),
    ),
    "kept": percent(level(UPSERTS, KEPT, departs=transactions_decide)),
    "reads_of_columns": counts(ALL_SMALL, THREE_SMALL, READS, idle=fewer_bytes_small),
    "resident": counts(ALL, THREE, RESIDENT, idle=same_bytes, departs=other_keys),
    "blocks": counts(THREE, ALL, PER_REQUEST, idle=same_bytes),
    "hits_of_columns": rise(THREE_SMALL, ALL_SMALL, HIT_RATIO, "heap_blocks", idle=fewer_bytes_small),
    "defined_heap": level(DEFINED_ALL, "heap_bytes_per_row"),
    "message": counts(
        DEFINED_THREE, DEFINED_ALL, "message_bytes", idle=partial(same_bytes, wide=DEFINED_ALL, narrow=DEFINED_THREE)
    ),
    "hits_of_order": percent(rise(HASH_ZIPF, LOAD_ZIPF, HIT_RATIO, "heap_blocks", idle=ordered_small)),
    "reads_of_order": counts(HASH_ZIPF, LOAD_ZIPF, READS, idle=ordered_small),
    "chance": ratio(
        (LOAD_ONE, PAGES), (LOAD_ONE, "expected_heap_pages"), aa=None, quantity=Quantity.COUNTER, idle=same_order,
        departs=other_keys,
    ),
    "scattered": level(LOAD_RELATED, PER_KEY, idle=same_order, departs=other_batch),
    "single": counts(HASH_ONE, LOAD_ONE, PAGES, idle=same_order, departs=other_keys),
    "gain_ratio": custom(
        _gain_ratio, Quantity.COUNTER, LOAD_ONE, HASH_ONE, SEQUENTIAL_ONE, SEQUENTIAL_AGAIN, idle=same_order,
        departs=other_keys,
    ),
    "values_of_columns": counts(THREE, ALL, "returned_bytes"),
    "values_of_defined": counts(DEFINED_THREE, DEFINED_ALL, "returned_bytes"),
    "time_of_columns": ratio(THREE, ALL, "mean_ns"),
    "toasted": counts(columns_of("all", "toasted"), columns_of("three", "toasted"), RESIDENT),
    "covered": counts(ALL, COVERING, RESIDENT),
    "arrived": counts(order_of(ARRIVAL, RELATED), BUSINESS_RELATED, PER_KEY),
    "itself_resident": counts(AGAIN, ALL, RESIDENT),
    "itself_blocks": counts(AGAIN, ALL, PER_REQUEST),
    "itself_time": ratio(AGAIN, ALL, "mean_ns"),
    "pages_load": _average(LOAD_RELATED, PER_KEY),
    "pages_hash": _average(HASH_RELATED, PER_KEY),
    "pages_business": _average(BUSINESS_RELATED, PER_KEY),
    **{f"left_{name}": percent(_average(arm, KEPT)) for name, arm in UPSERTED.items()},
    "pace": level(LARGEST, PACE, 60),
    "growth": ratio(LARGEST, _clustered(min), PACE),
}  # fmt: skip


def _mean(arm: str, metric: str) -> Callable[[Summary], float]:
    return lambda summary: summary.mean(arm, metric)


def _printed_bytes(summary: Summary) -> pd.Series:
    """The source repository's own table sizes, per row."""
    found = notes.table("raw/lakebase_tables")
    return found["size_gb"] * 1e9 / found["rows"]


def _data_gib(summary: Summary) -> float:
    where = summary.run.provenance
    return float(where["heap_bytes"] + where["index_bytes"]) / 2**30


WORDS: dict[str, Callable[[Summary], Any]] = {
    "data_gib": _data_gib,
    "direct": lambda summary: bool(summary.run.provenance.get("direct_io")),
    "printed_bytes": _printed_bytes,
    "index_only": lambda summary: summary.index_only(COVERING),
    "covering_blocks": _mean(COVERING, PER_REQUEST),
    "correlation_load": _mean(LOAD_RELATED, "hash_correlation"),
    "correlation_hash": _mean(HASH_RELATED, "hash_correlation"),
    **{f"within_{name}": _mean(UPSERTED[name], "hot_update_share") for name in ("as_asked", "small", "at_once")},
}


def _note_claims(summary: Summary) -> pd.DataFrame:
    """What the note's own list says of its third and fourth fix."""
    found = notes.table("lakebase_fixes")
    found = found[found["fix"].isin([3, 4])][["fix", "parameter", "before", "expected_after", "unit"]]
    found = found.fillna("").rename(columns={"parameter": "what", "expected_after": "expected"})
    return found.set_index("fix")


def _widths(summary: Summary) -> pd.DataFrame:
    """Of each definition in the source repository: heap per row, and values returned with all and with three."""
    arms = {"all": DEFINED_ALL, "three": DEFINED_THREE}

    def row(definition: str, share: float, heap: str, returned: str) -> dict[str, str]:
        found = {"definition": definition, "of the 30 tables": f"{30 * share:.0f}"}
        found["heap per row (bytes)"] = summary.written(DEFINED_ALL, heap)
        return found | {
            f"values of {each} columns (bytes)": summary.written(arm, returned) for each, arm in arms.items()
        }

    rows = [
        row(DEFINED[name], SHARE_OF_30.get(name, 0), f"{name}_heap_bytes", f"{name}_returned_bytes")
        for name in DEFINITIONS
    ]
    rows.append(row("the 30 tables together", 1, "heap_bytes_per_row", "returned_bytes"))
    return pd.DataFrame(rows).set_index("definition")


def _of_kind(summary: Summary, heading: str, columns: Columns, *, rewritten: bool) -> pd.DataFrame:
    """A table of the configurations that rewrite tables, or of those that look keys up."""
    every = summary.configurations.items()
    arms = [arm for arm, each in every if (each.settings["kind"] == REWRITE) is rewritten]
    return table([({heading: summary.label(arm)}, arm) for arm in arms], columns)


def _cluster_cost(summary: Summary) -> pd.DataFrame:
    """Per size of table: CLUSTER's time with its interval, and per GiB."""
    columns: Columns = {
        **means(summary, "rewritten_rows", "clustered_heap_bytes", "clustered_index_bytes"),
        **levels(summary, "cluster_s", PACE),
    }
    return _of_kind(summary, "table", columns, rewritten=True)


def _overview(summary: Summary) -> pd.DataFrame:
    """Per configuration that looks keys up: blocks, bytes, hit ratio and latency."""
    columns: Columns = {
        "scan": lambda arm: ", ".join(sorted(set(summary.in_blocks(arm)["plan"]))),
        **means(summary, "returned_bytes", PER_REQUEST, "index_blocks_per_request"),
        **means(summary, "toast_blocks_per_request", READS, HIT_RATIO),
        **levels(summary, "mean_ns"),
    }
    return _of_kind(summary, "configuration", columns, rewritten=False)


TABLES = {"note_claims": _note_claims, "widths": _widths, "cluster_cost": _cluster_cost, "overview": _overview}
