"""Which columns are asked for, how wide rows are and in which order they lie: what a pool must hold of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, Self

import numpy as np
import pandas as pd
from pydantic import model_validator

from benchbook import kit, notes, statistics
from benchbook.measuring import features
from benchbook.measuring.features import row_bench
from benchbook.measuring.features.metric_words import LATENCIES
from benchbook.measuring.features.row_bench import MIB, ROW_BYTES, SHARE_OF_30, Trace
from benchbook.measuring.features.row_tables import DEFINITIONS, TableSet
from benchbook.numbers.estimands import Conditions, Words
from benchbook.pages.tables import distinct
from benchbook.workloads import scattered, zipf

ORDERS = {
    "load": "as the loader writes them", "arrival": "as they arrive by chance", "hash": "clustered on the hash key",
    "business": "clustered on the business key", "sequential": "by sequential key, as loaded",
    "sequential_clustered": "by sequential key, clustered",
}  # fmt: skip
"""Physical orders of a table's rows, in words."""
BY_SEQUENCE = ("sequential", "sequential_clustered")
DRAWS = {
    "uniform": "single keys", "zipf": "Zipf, small pool", "related": "related batches", "random": "random batches",
}  # fmt: skip
"""Which keys a trial asks for, in words."""
SMALL_BATCH_ROWS, ROOM_FILLFACTOR = 20, 80


class Parameters(row_bench.RowParameters):
    """Defaults are the standard profile."""

    blocks: int = kit.common("blocks", 6)
    n_tables: int = kit.param(4, 1, 30, "tables of one width that a request reads, one row each")
    rows_per_table: int = kit.param(20_000, 500, 100_000_000, "rows of each table of one width")
    other_row_bytes: tuple[int, ...] = kit.param((170, 4096), words=f"bytes of rows in line, beside {ROW_BYTES:,}")
    toasted_row_bytes: int = kit.param(4096, 2_300, 100_000, "bytes of the rows whose further columns are TOASTed")
    order_rows: int = kit.param(200_000, 1_000, 1_000_000_000, "rows of each table of one order")
    other_orders: bool = kit.param(True, words="also rows in the order of arrival, and by the business key")
    keys: int = kit.param(1_000, 50, 1_000_000, "keys of a trial, each asked for once, then once again", asks="keys")
    batch_keys: int = kit.param(25, 2, 1_000, "keys of one request of a batch", asks="keys a batch")
    trace_requests: int = kit.param(5_000, 200, 10_000_000, "Zipf look-ups of a trial; as many before fill the pool")
    zipf_exponent: float = kit.param(0.99, high=3, above=0, words="exponent of the Zipf traces, over all rows")
    rewritten_rows: int = kit.param(100_000, 2_000, 1_000_000_000, "rows of the table that is clustered, then upserted")
    other_upserts: bool = kit.param(True, words="also small and large transactions, new keys, and pages with room")
    cluster_rows: tuple[int, ...] = kit.param(
        (100_000, 400_000), words="rows of tables on which CLUSTER alone is timed"
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        widths, percents, rows = self.other_row_bytes, self.upsert_percents, self.cluster_rows
        outside = f"other_row_bytes={widths} must lie between 170 and 8,000, without {ROW_BYTES:,}"
        kit.refuse(any(not 170 <= width <= 8_000 or width == ROW_BYTES for width in widths), outside)
        for name in ("other_row_bytes", "upsert_percents", "cluster_rows"):
            values = getattr(self, name)
            kit.refuse(len(set(values)) != len(values), f"{name}={values} names a value twice")
        none = not percents or any(not 0.1 <= percent <= 100 for percent in percents)
        kit.refuse(none, f"upsert_percents={percents} must lie between 0.1 and 100, at least one")
        outside = f"cluster_rows={rows} must lie between 2,000 and 1,000,000,000"
        kit.refuse(any(not 2_000 <= each <= 1_000_000_000 for each in rows), outside)
        odd = f"keys={self.keys} is no multiple of batch_keys={self.batch_keys}"
        kit.refuse(bool(self.keys % self.batch_keys), odd)
        fewest = min(self.rows_per_table, self.definition_rows, self.order_rows)
        many = f"keys={self.keys:,} is more than half of the {fewest:,} rows of the smallest table"
        kit.refuse(2 * self.keys > fewest, many)
        # At most five pages of heap, index and TOAST for a look-up; one more for each so many TOASTed bytes.
        needed = self.n_tables * self.keys * (5 + self.toasted_row_bytes // 4_000) * features.PAGE_BYTES / MIB
        small = (
            f"large_pool_mib={self.large_pool_mib} may not hold the pages of keys={self.keys:,} in "
            f"n_tables={self.n_tables} tables, up to {needed:,.0f} MiB"
        )
        kit.refuse(needed > self.large_pool_mib, small)
        return self

    @property
    def widths(self) -> tuple[int, ...]:
        """Bytes of the rows in line, ascending."""
        return tuple(sorted({ROW_BYTES, *self.other_row_bytes}))

    @property
    def orders(self) -> tuple[str, ...]:
        """The physical orders in which the rows of a table keyed by hash lie."""
        return ("load", "arrival", "hash", "business") if self.other_orders else ("load", "hash")

    @property
    def data_bytes(self) -> int:
        """Estimated bytes of all tables and indexes."""
        index, page, widths = 110, features.PAGE_BYTES, (*self.widths, ROW_BYTES, self.toasted_row_bytes * 1.3 + 200)
        per_width = sum(1.15 * max(width, page // max(1, page // width)) + index for width in widths)
        found = self.n_tables * self.rows_per_table * per_width
        found += self.definition_rows * (1_500 + 4 * index)
        found += (len(self.orders) + 2) * self.order_rows * (180 + index)
        found += 2.5 * max(self.rewritten_rows, *self.cluster_rows, 0) * (180 + 2 * index)
        return int(found) + 60_000_000


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """Every arm that the claims name, in the order of the figures."""
    p, rows = parameters, parameters.rewritten_rows

    def look_ups(name: str, label: str, tables: str, columns: str, draw: str = "uniform") -> kit.Configuration:
        return kit.Configuration(name, label, {"kind": "look-ups", "tables": tables, "columns": columns, "draw": draw})

    def rewrite(name: str, label: str, rows: int, **others: Any) -> kit.Configuration:
        return kit.Configuration(name, label, {"kind": "rewrite", "rows": rows, **others})

    yield look_ups("all_1024_again", "all columns, 1 KB, again (A/A)", f"width_{ROW_BYTES}", "all")
    wide = {str(each): f"{each // 1024} KB" if each % 1024 == 0 else f"{each} B" for each in p.widths}
    toasted = p.toasted_row_bytes
    wide["toasted"] = f"{f'{toasted // 1024} KB' if toasted % 1024 == 0 else f'{toasted} B'} TOASTed"
    for small, pool, draw in (("", "", "uniform"), ("_small", ", small pool", "zipf")):
        for width, words in wide.items():
            for columns in ("all", "three"):
                label = f"{columns} columns, {words}{pool}"
                yield look_ups(f"{columns}_{width}{small}", label, f"width_{width}", columns, draw)
            if width == f"{ROW_BYTES}":
                label = f"three columns from the index, 1 KB{pool}"
                yield look_ups(f"covering_{ROW_BYTES}{small}", label, "covered", "three", draw)
    for columns in ("all", "three"):
        yield look_ups(f"{columns}_defined", f"{columns} columns, repository's definitions", "defined", columns)
    for order, draw in [(o, d) for o in p.orders for d in DRAWS] + [(o, "uniform") for o in BY_SEQUENCE]:
        yield look_ups(f"{order}_{draw}", f"{ORDERS[order]}, {DRAWS[draw]}", order, "all", draw)
    yield rewrite("upserts", "existing keys, full pages", rows, upserts=True)
    if p.other_upserts:
        for name, size, batch in (("in_small_transactions", "small", SMALL_BATCH_ROWS), ("at_once", "large", rows)):
            label = f"existing keys, full pages, {size} transactions"
            yield rewrite(f"upserts_{name}", label, rows, upserts=True, batch_rows=batch)
        room = f"existing keys, pages {ROOM_FILLFACTOR} % full"
        yield rewrite("upserts_with_room", room, rows, upserts=True, fillfactor=ROOM_FILLFACTOR)
        yield rewrite("upserts_new_keys", "new keys, full pages", rows, upserts=True, new=True)
    for each in p.cluster_rows:
        yield rewrite(f"cluster_{each}", f"CLUSTER, {each:,} rows", each)


def table_sets(parameters: Parameters) -> dict[str, TableSet]:
    """All of a run, by the name that configurations call them."""
    p, chars = parameters, row_bench.characters(170)
    width = partial(
        TableSet, names=tuple(f"feature_{number:02d}" for number in range(p.n_tables)), rows=p.rows_per_table
    )
    found = [
        *(width(f"width_{each}", characters=row_bench.characters(each)) for each in p.widths),
        width("width_toasted", characters=row_bench.characters(p.toasted_row_bytes), external=True),
        width("covered", characters=row_bench.characters(ROW_BYTES), covering=True),
        TableSet("defined", tuple(DEFINITIONS), p.definition_rows, definitions=True),
        *(TableSet(each, ("feature",), p.order_rows, characters=chars, order=each) for each in p.orders),
        *(TableSet(each, ("feature",), p.order_rows, "business_id", chars, order=each) for each in BY_SEQUENCE),
    ]
    return {each.schema: each for each in found}


def trace(parameters: Parameters, draw: str, rows: int, seed: int) -> Trace:
    """What a trial asks of tables of so many rows. Trials of a block share ``seed``, hence their keys.

    Of all draws but Zipf's every key is another. Related keys are consecutive ids; the ranks of Zipf's law are
    scattered over the ids by a permutation.
    """
    generator = np.random.default_rng([seed, [*DRAWS].index(draw)])
    batch, none = parameters.batch_keys, np.zeros((0, 1), dtype=np.int64)
    if draw == "zipf":
        n = parameters.trace_requests
        ids = scattered(zipf(rows, parameters.zipf_exponent, 2 * n, generator), generator.permutation(rows))
        return Trace(ids[:n].reshape(-1, 1), ids[n:].reshape(-1, 1))
    if draw == "related":
        first = generator.choice(rows // batch, parameters.keys // batch, replace=False) * batch
        return Trace(none, first.reshape(-1, 1) + np.arange(batch))
    drawn = generator.choice(rows, parameters.keys, replace=False)
    return Trace(none, drawn.reshape(-1, 1 if draw == "uniform" else batch))


def needs(parameters: Parameters) -> kit.Needs:
    """Disk for the tables, what rewriting them takes, and the log; memory for the pool and the client."""
    disk, memory = int(1.2 * parameters.data_bytes) + 800_000_000, parameters.large_pool_mib * MIB + 1_000_000_000
    return kit.Needs(disk, memory, features.identity)


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[row_bench.RowBench]:
    """A loaded private cluster on which trials are measured; ``progress`` is told of the loading."""
    sets, traces = table_sets(parameters), partial(trace, parameters)
    with row_bench.row_session(parameters, sets, traces, needs(parameters).disk_bytes, progress) as found:
        yield found


reduce = row_bench.reduce

DEFINED = {"numeric_3": "3 NUMERIC", "timestamp_4": "4 TIMESTAMPTZ", "numeric_10": "10 NUMERIC",
           "numeric_92": "92 NUMERIC"}  # fmt: skip
"""The source repository's definitions, by the types of their feature columns."""


def alike(words: str, of: Mapping[str, str], decimals: str, unit: str = "", factor: float = 1.0) -> kit.Metrics:
    """Metrics that are written alike. of: by name the words, and after a bar fewer words."""
    parts = {name: text.partition("|") for name, text in of.items()}
    write = f"{{:{decimals}f}}".format
    return {
        name: kit.Metric(words.format(text), unit, factor, write, brief) for name, (text, _, brief) in parts.items()
    }


METRICS = {
    **LATENCIES,
    "first_mean_ns": kit.Metric("mean latency with an empty pool", "ms", features.MS),
    **alike("number of {}", {
        "requests": "requests", "keys": "keys", "heap_blocks": "heap blocks accessed",
        "index_scans": "look-ups by index", "evictions": "evicted pages", "pool_pages": "pages of the pool",
        "rewritten_rows": "rows", "table_pages": "pages of the tables and indexes",
        "heap_fetches": "heap fetches of the explained look-ups",
        "resident_pages": "pages in shared buffers", "distinct_heap_pages": "distinct heap pages",
        "heap_pages_by_address": "heap pages by row address", "upserted_rows": "upserted rows",
    }, ",.0"),
    **alike("{}", {
        "returned_bytes": "size of a row's values as returned|values returned per row",
        "message_bytes": "size of the message that returns a row", "heap_bytes_per_row": "heap space per row",
        **{f"{name}_returned_bytes": f"size of the values of a row of {words}" for name, words in DEFINED.items()},
        **{f"{name}_heap_bytes": f"heap space of a row of {words}" for name, words in DEFINED.items()},
    }, ",.0", "bytes"),
    **alike("number of {} per request", {
        "heap_blocks_per_request": "heap blocks accessed|heap blocks",
        "index_blocks_per_request": "index blocks accessed|index blocks",
        "toast_blocks_per_request": "TOAST blocks accessed|TOAST blocks",
        "reads_per_request": "blocks read into shared buffers|blocks read",
        "cold_reads_per_request": "blocks read into an empty pool",
    }, ",.3"),
    **alike("number of {} in shared buffers per key", {
        "resident_pages_per_key": "pages", "resident_map_pages_per_key": "pages of the visibility map",
        **{f"resident_{kind.lower()}_pages_per_key": f"{kind} pages|{kind} pages in the pool"
           for kind in ("heap", "index", "TOAST")},
    }, ",.2"),
    **alike("{}", {"heap_hit_ratio": "heap hit ratio"}, ".2", "%", 100),
    **alike("share of {}", {"all_visible_share": "all-visible pages"}, ",.0", "%", 100),
    **alike("share of {}", {
        "hot_update_share": "updates within the page", "correlation_kept_#": "the order that is left after upserts",
    }, ".1", "%", 100),
    **alike("{}", {
        "hash_correlation": "correlation of the hash key with the physical order",
        "correlation_after_cluster": "correlation after CLUSTER",
        "heap_pages_per_key": "number of distinct heap pages per key",
    }, ".3"),
    **alike("number of {}", {
        "keys_per_mib": "keys served from a MiB of pool", "expected_heap_pages": "heap pages expected by chance",
    }, ",.1"),
    **alike("{}", {
        "clustered_heap_bytes": "heap|heap", "clustered_index_bytes": "index|index",
        "upserted_heap_bytes": "heap after the upserts",
    }, ",.1", "MiB", 1 / MIB),
    **alike("time of {}", {"cluster_s": "CLUSTER|CLUSTER"}, ".2", "s"),
    **alike("time of {}", {
        "cluster_s_per_gib": "CLUSTER per GiB of heap|CLUSTER per GiB of heap",
    }, ".2", "min", 1 / 60),
}  # fmt: skip


class Summary(kit.Summary[Parameters]):
    """One run."""

    MEND = "see `benchbook show row_access` for what a run can leave out"

    def written(self, arm: str, metric: str) -> str:
        """Mean of a metric in its unit; "" where a trial has none."""
        return METRICS[metric].written(self.mean(arm, metric)) if self.has(arm, metric) else ""

    def drawn(self, *draws: str) -> list[str]:
        """The configurations that look keys up in one of these ways, in the order of the figures."""
        return [arm for arm, each in self.configurations.items() if each.settings.get("draw") in draws]

    def of_width(self, arm: str) -> bool:
        """Whether a configuration reads tables of one width, of which there are several alike."""
        return str(self.configurations[arm].settings["tables"]).startswith(("width", "cover"))

    def counts_agree(self, arms: Collection[str]) -> kit.Gate:
        """Whether the server counted a look-up by index for each key and table; of batches it counts otherwise."""
        differ = 0
        for arm in {*arms} & {*self.drawn("uniform", "zipf")}:
            defined = self.configurations[arm].settings["tables"] == "defined"
            tables = self.parameters.n_tables if self.of_width(arm) else len(DEFINITIONS) if defined else 1
            differ += int((self.values(arm, "index_scans") != self.values(arm, "requests") * tables).sum())
        return kit.Gate(
            "counts agree", not differ, float(differ), f"client and server counts differ in {differ} trials"
        )

    def addresses_agree(self, arms: Collection[str]) -> kit.Gate:
        """Whether the pool held just the heap pages on which the rows lie by the server's own addresses."""
        found = self.having({*arms} & {*self.drawn("uniform", "related", "random")}, "heap_pages_by_address")
        pages = [[self.values(arm, name) for name in ("heap_pages_by_address", "distinct_heap_pages")] for arm in found]
        differ = sum(int((by_address != held).sum()) for by_address, held in pages)
        return kit.Gate("pages agree", not differ, float(differ), f"pool and row addresses differ in {differ} trials")


def checks(summary: Summary, answer: kit.Answer) -> Iterable[kit.Gate]:
    """Equal counts of client and server, and of pool and row addresses."""
    return [agree(answer.estimand.names(summary)) for agree in (summary.counts_agree, summary.addresses_agree)]


def same_bytes(summary: Summary, wide: str = f"all_{ROW_BYTES}", narrow: str = f"three_{ROW_BYTES}") -> str:
    """Why asking for fewer columns did nothing: as many bytes came back; "" where fewer did."""
    fewer = float((summary.values(wide, "returned_bytes") - summary.values(narrow, "returned_bytes")).min())
    return "" if fewer >= 1 else f"three columns returned only {fewer:.1f} bytes a row less than all of them"


def same_order(summary: Summary, clustered: str = "hash_uniform", loaded: str = "load_uniform") -> str:
    """Why CLUSTER did nothing: the rows lay by hash before; "" where the order by hash differs by 0.5 at least."""
    apart = float((summary.values(clustered, "hash_correlation") - summary.values(loaded, "hash_correlation")).min())
    return "" if apart >= 0.5 else f"CLUSTER raised the correlation with the hash key by only {apart:.2f}"


def other(name: str, asked: int, words: str) -> Words:
    """Another number of keys than the claims name."""

    def why(summary: Summary) -> str:
        here = getattr(summary.parameters, name)
        return "" if here == asked else f"{here:,} {words} where {asked:,} are asked"

    return why


def in_small_pool(reason: Callable[..., str], *pair: str) -> Words:
    """A reason of a pair of configurations, or that a pool was not too small: in some block it evicted nothing."""

    def why(summary: Summary) -> str:
        whole = [summary.label(arm) for arm in pair if summary.values(arm, "evictions").min() < 1]
        return reason(summary, *pair) or (f"in one block the pool of “{whole[0]}” evicted no page" if whole else "")

    return why


def clustered(pick: Callable[[Iterable[int]], int]) -> Callable[[Summary], str]:
    """The smallest or the largest table of which CLUSTER alone was timed."""

    def arm(summary: Summary) -> str:
        if not summary.parameters.cluster_rows:
            raise kit.NotEstimableError("CLUSTER alone was not timed in this run", "name cluster_rows")
        return f"cluster_{pick(summary.parameters.cluster_rows)}"

    return arm


(ALL, THREE), (ALL_SMALL, THREE_SMALL) = (
    [f"{columns}_{ROW_BYTES}{pool}" for columns in ("all", "three")] for pool in ("", "_small")
)
COLUMNS = {"all": ALL, "three": THREE, "covering": f"covering_{ROW_BYTES}"}
UPSERTED = {
    "as_asked": "upserts", "small": "upserts_in_small_transactions", "at_once": "upserts_at_once",
    "room": "upserts_with_room", "new": "upserts_new_keys",
}  # fmt: skip
CLAIMED_PERCENT = 20
"""Share of rows whose upsert the claim about a one-time cost is judged by."""
time_of, pace, hits = (
    kit.measured("mean_ns"),
    kit.measured("cluster_s_per_gib"),
    kit.share("heap_hit_ratio", "heap_blocks"),
)
pages, per_key, held_pages, touched, reads, kept, values = map(kit.counted, (
    "distinct_heap_pages", "heap_pages_per_key", "resident_pages", "heap_blocks_per_request", "reads_per_request",
    f"correlation_kept_{CLAIMED_PERCENT}", "returned_bytes",
))  # fmt: skip


GAINED = ("load", "hash", "sequential", "sequential_clustered")


def gain_ratio(summary: Summary) -> kit.Estimate:
    """By block, pages as loaded over pages clustered: of tables keyed by hash over those keyed by a sequence."""
    load, hashed, plain, again = (summary.values(f"{order}_uniform", pages.name) for order in GAINED)
    return summary.estimated(statistics.ratio, load * again, hashed * plain)


def by_transactions(summary: Summary) -> dict[str, Callable[[Summary], kit.Estimate]]:
    """How much of the order is left, by the size of the transactions in which the rows were upserted."""
    asked, few = (f"transactions of {rows:,}" for rows in (summary.parameters.upsert_batch_rows, SMALL_BATCH_ROWS))
    sizes = {"as_asked": asked, "small": few, "at_once": "transactions of thousands of rows"}
    return {f"rows change in {words}": kept[UPSERTED[name]].compute for name, words in sizes.items()}


KEYS, BATCH = other("keys", 1_000, "keys"), other("batch_keys", 25, "keys a batch")
SMALL_COLUMNS = in_small_pool(same_bytes, ALL_SMALL, THREE_SMALL)
SMALL_ORDER = in_small_pool(same_order, "hash_zipf", "load_zipf")
AA = ("all_1024_again", ALL)
NUMBERS = {
    "keys_per_mib": (kit.counted("keys_per_mib")[THREE] / kit.counted("keys_per_mib")[ALL]).but(
        idle=same_bytes, departs=KEYS
    ),
    "related": (per_key["hash_related"] / per_key["load_related"]).but(
        departs=BATCH, idle=partial(same_order, clustered="hash_related", loaded="load_related")
    ),
    "kept": kit.percent(kept["upserts"].but(
        conditions=Conditions("the note names no size of transactions", by_transactions)
    )),
    "reads_of_columns": (reads[ALL_SMALL] / reads[THREE_SMALL]).but(idle=SMALL_COLUMNS),
    "resident": (held_pages[ALL] / held_pages[THREE]).but(idle=same_bytes, departs=KEYS),
    "blocks": (touched[THREE] / touched[ALL]).but(idle=same_bytes),
    "hits_of_columns": (hits[THREE_SMALL] - hits[ALL_SMALL]).but(idle=SMALL_COLUMNS),
    "defined_heap": kit.counted("heap_bytes_per_row")["all_defined"],
    "message": (kit.counted("message_bytes")["three_defined"] / kit.counted("message_bytes")["all_defined"]).but(
        idle=partial(same_bytes, wide="all_defined", narrow="three_defined")
    ),
    "hits_of_order": kit.percent((hits["hash_zipf"] - hits["load_zipf"]).but(idle=SMALL_ORDER)),
    "reads_of_order": (reads["hash_zipf"] / reads["load_zipf"]).but(idle=SMALL_ORDER),
    "chance": (pages["load_uniform"] / kit.counted("expected_heap_pages")["load_uniform"]).but(
        idle=same_order, departs=KEYS
    ),
    "scattered": per_key["load_related"].but(idle=same_order, departs=BATCH),
    "single": (pages["hash_uniform"] / pages["load_uniform"]).but(idle=same_order, departs=KEYS),
    "gain_ratio": kit.custom(
        gain_ratio, kit.Quantity.COUNTER, *(f"{order}_uniform" for order in GAINED), idle=same_order, departs=KEYS
    ),
    "values_of_columns": values[THREE] / values[ALL],
    "values_of_defined": values["three_defined"] / values["all_defined"],
    "time_of_columns": time_of[THREE] / time_of[ALL],
    "toasted": held_pages["all_toasted"] / held_pages["three_toasted"],
    "covered": held_pages[ALL] / held_pages[COLUMNS["covering"]],
    "arrived": per_key["arrival_related"] / per_key["business_related"],
    "itself_resident": held_pages[AA[0]] / held_pages[ALL], "itself_blocks": touched[AA[0]] / touched[ALL],
    "itself_time": time_of[AA[0]] / time_of[ALL],
    "pool": {name: kit.counted("resident_pages_per_key")[arm].mean for name, arm in COLUMNS.items()},
    "reads": {name: reads[f"{arm}_small"].mean for name, arm in COLUMNS.items()},
    "hits": {order: kit.percent(hits[f"{order}_zipf"]) for order in ("load", "hash")},
    "pages": {order: per_key[f"{order}_related"].mean for order in ("load", "hash", "business")},
    "left": {name: kit.percent(kept[arm].mean) for name, arm in UPSERTED.items()},
    "within": {name: kit.percent(kit.counted("hot_update_share")[UPSERTED[name]].mean)
               for name in ("small", "as_asked", "at_once")},
    "covering_blocks": touched[COLUMNS["covering"]].mean,
    "correlation": {order: kit.counted("hash_correlation")[f"{order}_related"].mean for order in ("load", "hash")},
    "left_most": kit.percent(kit.custom(
        lambda summary: summary.average("upserts", f"correlation_kept_{max(summary.parameters.upsert_percents):g}"),
        kit.Quantity.COUNTER, "upserts",
    )),
    "pace": pace[clustered(max)] / 60,
    "growth": pace[clustered(max)] / pace[clustered(min)],
}  # fmt: skip


def printed_bytes(summary: Summary) -> pd.Series:
    """The source repository's own table sizes, per row."""
    found = notes.table("raw/lakebase_tables")
    return found["size_gb"] * 1e9 / found["rows"]


def index_only(summary: Summary) -> bool:
    """Whether the covering index let no heap row be read in any trial: by plan, heap fetches and the map."""
    arm = COLUMNS["covering"]
    fetched, visible = summary.values(arm, "heap_fetches").max(), summary.values(arm, "all_visible_share").min()
    return set(summary.in_blocks(arm)["plan"]) == {"Index Only Scan"} and fetched == 0 and visible == 1.0


WORDS: dict[str, Callable[[Summary], Any]] = {
    "data_bytes": lambda summary: sum(summary.run.provenance[name] for name in ("heap_bytes", "index_bytes")),
    "direct": lambda summary: bool(summary.run.provenance.get("direct_io")),
    "printed_bytes": printed_bytes,
    "index_only": index_only,
}


def note_claims(summary: Summary) -> pd.DataFrame:
    """What the note's own list says of its third and fourth fix."""
    found = notes.table("lakebase_fixes")
    found = found[found["fix"].isin([3, 4])][["fix", "parameter", "before", "expected_after", "unit"]]
    return found.fillna("").rename(columns={"parameter": "what", "expected_after": "expected"}).set_index("fix")


def widths(summary: Summary) -> pd.DataFrame:
    """Of each definition in the source repository: heap per row, and values returned with all and with three."""
    rows = {f"{words} columns": (SHARE_OF_30.get(name, 0), f"{name}_heap_bytes", f"{name}_returned_bytes")
            for name, words in DEFINED.items()}  # fmt: skip
    rows["the 30 tables together"] = (1, "heap_bytes_per_row", "returned_bytes")
    told = [
        {
            "definition": definition, "of the 30 tables": f"{30 * share:.0f}",
            "heap per row (bytes)": summary.written("all_defined", heap),
            "values of all columns (bytes)": summary.written("all_defined", returned),
            "values of three columns (bytes)": summary.written("three_defined", returned),
        }
        for definition, (share, heap, returned) in rows.items()
    ]  # fmt: skip
    return pd.DataFrame(told).set_index("definition")


def cluster_cost(summary: Summary) -> pd.DataFrame:
    """Per size of table: CLUSTER's time with its interval, and per GiB."""
    columns = kit.means(summary, "rewritten_rows", "clustered_heap_bytes", "clustered_index_bytes")
    columns |= kit.levels(summary, "cluster_s", pace.name)
    arms = [arm for arm in summary.arms if arm not in summary.drawn(*DRAWS)]
    return kit.table([({"table": summary.label(arm)}, arm) for arm in arms], columns)


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration that looks keys up: blocks, bytes, hit ratio and latency."""
    told = ("returned_bytes", touched.name, "index_blocks_per_request", "toast_blocks_per_request", reads.name)
    columns = {"scan": distinct(summary, "plan"), **kit.means(summary, *told, "heap_hit_ratio")}
    columns |= kit.levels(summary, "mean_ns")
    return kit.table([({"configuration": summary.label(arm)}, arm) for arm in summary.drawn(*DRAWS)], columns)


TABLES = {"note_claims": note_claims, "widths": widths, "cluster_cost": cluster_cost, "overview": overview}


def written(metric: str, arm: str = "{}") -> Callable[[Summary, str], str]:
    """A column of a figure's table."""
    return lambda summary, key: summary.written(arm.format(key), metric)


def by_width(draw: str) -> Callable[[Summary], list[str]]:
    """Configurations by width and columns, with the covering index behind its width."""
    return lambda summary: [arm for arm in summary.drawn(draw) if summary.of_width(arm) and arm != AA[0]]


NO_ORDERS = "No tables of several orders were read in this run"
FIGURES = {
    "resident": kit.Dots(
        rows=by_width("uniform"), series={"": kit.counted("resident_pages_per_key")["{}"].mean},
        axis="pages in the pool per key asked for", quantity="pages per key", heading="", scale="zero",
        more={
            "heap": written("resident_heap_pages_per_key"), "index": written("resident_index_pages_per_key"),
            "TOAST": written("resident_toast_pages_per_key"), "bytes of values per row": written("returned_bytes"),
        },
        nothing="No pool was looked at in this run",
    ),
    "reads": kit.Dots(
        rows=by_width("zipf"), series={"": reads["{}"].mean},
        axis="blocks read per request", quantity="blocks read", heading="", scale="zero",
        more={
            "heap hit ratio (%)": written("heap_hit_ratio"), "pages of the pool": written("pool_pages"),
            "pages of tables and indexes": written("table_pages"), "evicted pages": written("evictions"),
        },
        nothing="No pool was too small in this run",
    ),
    "order": kit.Dots(
        rows=lambda summary: {each: ORDERS[each] for each in (*summary.parameters.orders, *BY_SEQUENCE)},
        row="order of the rows",
        series={DRAWS[draw]: per_key[f"{{}}_{draw}"].mean for draw in ("uniform", "random", "related")},
        axis="distinct heap pages per key", quantity="pages per key", heading="keys", scale="zero", nothing=NO_ORDERS,
    ),
    "order_hits": kit.Dots(
        rows=lambda summary: {each: ORDERS[each] for each in summary.parameters.orders},
        row="order of the rows", series={"": hits["{}_zipf"]}, heading="", factor=100, scale="plain",
        axis="heap hit ratio (%)", quantity="heap hit ratio (%)", nothing=NO_ORDERS,
        more={"blocks read per request": written(reads.name, "{}_zipf"),
              "evicted pages": written("evictions", "{}_zipf")},
    ),
    "upserts": kit.Lines(
        over=lambda summary: sorted(summary.parameters.upsert_percents),
        across="rows upserted after CLUSTER (% of the table)", column="rows upserted (%)",
        series={words: kit.counted("correlation_kept_{:g}")[UPSERTED[name]].mean for name, words in {
            "as_asked": "existing keys, full pages", "small": "the same, small transactions",
            "at_once": "the same, large transactions", "room": "existing keys, pages with room", "new": "new keys",
        }.items()},
        axis="order of the hash key that is left (%)", quantity="order left (%)", heading="upserts", factor=100,
        scale="plain", rule=95.0, nothing="No rows were upserted in this run",
    ),
    "claims": kit.ClaimFigure(only=lambda answer: answer.figure == "fig-row-access-claims"),
}  # fmt: skip
