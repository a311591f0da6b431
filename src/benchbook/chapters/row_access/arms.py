"""What can be set, and the configurations: which columns are asked for, how wide rows are, in which order they lie."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from benchbook.model import Configuration, Scalar
from benchbook.parameters.base import ExperimentParameters, asked

ROW_BYTES = 1024
"""Width of the rows of which the claims speak."""
AGAIN, COVERING = "all_1024_again", "covering_1024"
DEFINED_ALL, DEFINED_THREE = "all_defined", "three_defined"
LOAD, ARRIVAL, HASH, BUSINESS = "load", "arrival", "hash", "business"
SEQUENTIAL, SEQUENTIAL_CLUSTERED = "sequential", "sequential_clustered"
ORDERS = {
    LOAD: "as the loader writes them",
    ARRIVAL: "as they arrive by chance",
    HASH: "clustered on the hash key",
    BUSINESS: "clustered on the business key",
    SEQUENTIAL: "by sequential key, as loaded",
    SEQUENTIAL_CLUSTERED: "by sequential key, clustered",
}
"""Physical orders of a table's rows, in words."""
UNIFORM, ZIPF, RELATED, RANDOM = "uniform", "zipf", "related", "random"
DRAWS = {
    UNIFORM: "single keys",
    ZIPF: "Zipf, small pool",
    RELATED: "related batches",
    RANDOM: "random batches",
}
"""Which keys a trial asks for, in words."""
LOOKUPS, REWRITE = "look-ups", "rewrite"
UPSERTS, UPSERTS_ROOM, UPSERTS_NEW = "upserts", "upserts_with_room", "upserts_new_keys"
UPSERTS_SMALL, UPSERTS_AT_ONCE = "upserts_in_small_transactions", "upserts_at_once"
SMALL_BATCH_ROWS = 20
CLAIMED_PERCENT = 20
"""Share of rows whose upsert the claim about a one-time cost is judged by."""
ROOM_FILLFACTOR = 80
PAGE_BYTES = 8192
_FIXED_BYTES = 144
"""Of a row beside its further columns: header, key, business key, three features, time, pointer."""
_PAGES_PER_ROW, _TOASTED_PAGE_BYTES = 5, 4_000
"""Pages of heap, index and TOAST that a look-up brings in at most, as a bound for the large pool; one more for each so
many TOASTed bytes."""


class Parameters(ExperimentParameters):
    """Defaults are the standard profile."""

    blocks: int = Field(6, ge=2, le=100, description="complete blocks; each measures every configuration once")
    n_tables: int = Field(4, ge=1, le=30, description="tables of one width that a request reads, one row each")
    rows_per_table: int = Field(20_000, ge=500, le=100_000_000, description="rows of each table of one width")
    other_row_bytes: tuple[int, ...] = Field(
        (170, 4096), description=f"widths in bytes of rows in line, beside the {ROW_BYTES:,} of the claims"
    )
    toasted_row_bytes: int = Field(
        4096, ge=2_300, le=100_000, description="width in bytes of the rows whose further columns are TOASTed"
    )
    definition_rows: int = Field(
        20_000, ge=500, le=100_000_000, description="rows of each table defined as in the source repository"
    )
    order_rows: int = Field(200_000, ge=1_000, le=1_000_000_000, description="rows of each table of one order")
    other_orders: bool = Field(
        True, description="also rows that lie as they arrive by chance, and those clustered on the business key"
    )
    keys: int = asked(
        1_000, "keys", ge=50, le=1_000_000, description="keys of a trial, each asked for once, then once again"
    )
    batch_keys: int = asked(25, "keys a batch", ge=2, le=1_000, description="keys of one request of a batch")
    trace_requests: int = Field(
        5_000, ge=200, le=10_000_000, description="measured Zipf look-ups of a trial; as many before fill the pool"
    )
    zipf_exponent: float = Field(0.99, gt=0, le=3, description="exponent of the Zipf traces, over all rows")
    small_pool_percent: float = Field(
        20, ge=1, le=90, description="buffer pool of the Zipf traces, in % of the tables and indexes that they read"
    )
    large_pool_mib: int = Field(256, ge=8, le=1_000_000, description="buffer pool in MiB of all other trials")
    rewritten_rows: int = Field(
        100_000, ge=2_000, le=1_000_000_000, description="rows of the table that is clustered and then upserted"
    )
    upsert_percents: tuple[float, ...] = Field(
        (1, 5, 10, 20), description="rows upserted in all after CLUSTER, in % of the table, one after the other"
    )
    upsert_batch_rows: int = Field(
        500, ge=1, le=1_000_000, description="rows of one statement, which is a transaction, when rows are upserted"
    )
    other_upserts: bool = Field(
        True,
        description="also upserts in small and in large transactions, of new keys, and into pages with room: filled to "
        f"{ROOM_FILLFACTOR} %",
    )
    cluster_rows: tuple[int, ...] = Field(
        (100_000, 400_000), description="rows of the tables on which CLUSTER alone is timed; none: it is not"
    )
    direct_io: bool = Field(
        True, description="read past the OS page cache, so that each miss in the pool reaches the device"
    )
    pin_cores: bool = Field(
        True,
        description="keep the client on one processor core and the server on the others (Linux, 2 cores or more)",
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        if any(not 170 <= width <= 8_000 or width == ROW_BYTES for width in self.other_row_bytes):
            raise ValueError(
                f"other_row_bytes={self.other_row_bytes} must lie between 170 and 8,000, without {ROW_BYTES:,}"
            )
        for name in ("other_row_bytes", "upsert_percents", "cluster_rows"):
            values = getattr(self, name)
            if len(set(values)) != len(values):
                raise ValueError(f"{name}={values} names a value twice")
        if not self.upsert_percents or any(not 0.1 <= percent <= 100 for percent in self.upsert_percents):
            raise ValueError(f"upsert_percents={self.upsert_percents} must lie between 0.1 and 100, at least one")
        if any(not 2_000 <= rows <= 1_000_000_000 for rows in self.cluster_rows):
            raise ValueError(f"cluster_rows={self.cluster_rows} must lie between 2,000 and 1,000,000,000")
        if self.keys % self.batch_keys:
            raise ValueError(f"keys={self.keys} is no multiple of batch_keys={self.batch_keys}")
        fewest = min(self.rows_per_table, self.definition_rows, self.order_rows)
        if 2 * self.keys > fewest:
            raise ValueError(f"keys={self.keys:,} is more than half of the {fewest:,} rows of the smallest table")
        pages = _PAGES_PER_ROW + self.toasted_row_bytes // _TOASTED_PAGE_BYTES
        needed = self.n_tables * self.keys * pages * PAGE_BYTES / 2**20
        if needed > self.large_pool_mib:
            raise ValueError(
                f"large_pool_mib={self.large_pool_mib} may not hold the pages of keys={self.keys:,} in "
                f"n_tables={self.n_tables} tables, up to {needed:,.0f} MiB"
            )
        return self

    @property
    def widths(self) -> tuple[int, ...]:
        """Bytes of the rows in line, ascending."""
        return tuple(sorted({ROW_BYTES, *self.other_row_bytes}))

    @property
    def orders(self) -> tuple[str, ...]:
        """The physical orders in which the rows of a table keyed by hash lie."""
        return (LOAD, ARRIVAL, HASH, BUSINESS) if self.other_orders else (LOAD, HASH)

    @property
    def data_bytes(self) -> int:
        """Estimated bytes of all tables and indexes."""
        index, widths = 110, (*self.widths, ROW_BYTES, self.toasted_row_bytes * 1.3 + 200)
        per_width = sum(1.15 * max(width, PAGE_BYTES // max(1, PAGE_BYTES // width)) + index for width in widths)
        found = self.n_tables * self.rows_per_table * per_width
        found += self.definition_rows * (1_500 + 4 * index)
        found += (len(self.orders) + 2) * self.order_rows * (180 + index)
        found += 2.5 * max(self.rewritten_rows, *self.cluster_rows, 0) * (180 + 2 * index)
        return int(found) + 60_000_000


def columns_of(columns: str, width: int | str, *, small: bool = False) -> str:
    """Configuration name of a width: columns is "all" or "three"; width in bytes, or "toasted"."""
    return f"{columns}_{width}{'_small' if small else ''}"


def order_of(order: str, draw: str) -> str:
    """Configuration name of an order of rows and of which keys are asked for."""
    return f"{order}_{draw}"


def cluster_of(rows: int) -> str:
    """Configuration name of a CLUSTER that is timed."""
    return f"cluster_{rows}"


def payload(width: int) -> int:
    """Characters of the further columns, so that a row with its pointer takes about so many bytes."""
    return width - _FIXED_BYTES


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every arm that the claims name, in the order of the figures."""
    found = [_look_ups(AGAIN, "all columns, 1 KB, again (A/A)", f"width_{ROW_BYTES}", "all")]
    widths: tuple[int | str, ...] = (*parameters.widths, "toasted")
    for small in (False, True):
        pool = ", small pool" if small else ""
        draw = ZIPF if small else UNIFORM
        for width in widths:
            words = f"{_words(parameters.toasted_row_bytes)} TOASTed" if isinstance(width, str) else _words(width)
            for columns in ("all", "three"):
                name = columns_of(columns, width, small=small)
                found.append(_look_ups(name, f"{columns} columns, {words}{pool}", f"width_{width}", columns, draw))
            if width == ROW_BYTES:
                name = f"{COVERING}{'_small' if small else ''}"
                label = f"three columns from the index, 1 KB{pool}"
                found.append(_look_ups(name, label, "covered", "three", draw))
    found.append(_look_ups(DEFINED_ALL, "all columns, repository's definitions", "defined", "all"))
    found.append(_look_ups(DEFINED_THREE, "three columns, repository's definitions", "defined", "three"))
    for order in parameters.orders:
        for draw, words in DRAWS.items():
            found.append(_look_ups(order_of(order, draw), f"{ORDERS[order]}, {words}", order, "all", draw))
    for order in (SEQUENTIAL, SEQUENTIAL_CLUSTERED):
        found.append(_look_ups(order_of(order, UNIFORM), f"{ORDERS[order]}, single keys", order, "all"))
    found.append(_rewrite(UPSERTS, "existing keys, full pages", parameters.rewritten_rows, upserts=True))
    if parameters.other_upserts:
        rows = parameters.rewritten_rows
        few, at_once = (f"existing keys, full pages, {size} transactions" for size in ("small", "large"))
        found.append(_rewrite(UPSERTS_SMALL, few, rows, upserts=True, batch_rows=SMALL_BATCH_ROWS))
        found.append(_rewrite(UPSERTS_AT_ONCE, at_once, rows, upserts=True, batch_rows=rows))
        room = f"existing keys, pages {ROOM_FILLFACTOR} % full"
        found.append(_rewrite(UPSERTS_ROOM, room, rows, upserts=True, fillfactor=ROOM_FILLFACTOR))
        found.append(_rewrite(UPSERTS_NEW, "new keys, full pages", rows, upserts=True, new=True))
    found += [_rewrite(cluster_of(n), f"CLUSTER, {n:,} rows", n) for n in parameters.cluster_rows]
    return tuple(found)


def _look_ups(name: str, label: str, tables: str, columns: str, draw: str = UNIFORM) -> Configuration:
    return Configuration(name, label, {"kind": LOOKUPS, "tables": tables, "columns": columns, "draw": draw})


def _rewrite(name: str, label: str, rows: int, **others: Scalar) -> Configuration:
    return Configuration(name, label, {"kind": REWRITE, "rows": rows, **others})


def _words(width: int) -> str:
    return f"{width // 1024} KB" if width % 1024 == 0 else f"{width} B"
