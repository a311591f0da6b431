"""What can be set in any chapter on feature serving."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Self

from pydantic import model_validator

from benchbook.model import Scalar
from benchbook.parameters.base import MEDIAN_OPERATIONS, ExperimentParameters, common, param, refuse

PAGE_BYTES, PAGE_HEADER_BYTES = 8192, 24
TUPLE_OVERHEAD_BYTES = 28
KEY_BYTES = 65
INDEX_ENTRY_BYTES = 84
OWN, ALIKE = "own", "alike"
"""Layouts of the tables: each with an order and with rows of its own, or all of them with the same."""


class Features(ExperimentParameters):
    """Defaults are the standard profile: 10 GB in 30 tables, a pool that holds the warmed pages but not all."""

    blocks: int = common("blocks", 6, words="complete blocks; each measures every configuration once")
    n_tables: int = param(30, 1, 200, "tables read per request, one row each", asks="tables a request")
    rows_per_table: int = param(100_000, 1_000, 100_000_000, "rows that every table has")
    own_rows_percent: int = param(
        50,
        0,
        1_000,
        "most rows that a table has beside them and no other has, in % of them; how many is drawn by table",
    )
    fillfactor_percent: int = param(
        10, 10, 100, "how full pages of tables and indexes are; 10 puts 4 rows on a page, so that two keys share pages "
        "as seldom as in tables ten times as large",
    )  # fmt: skip
    n_features: int = param(
        10, 1, 92, "feature columns of 8 bytes per row, beside the 64-character key (10: 184-byte rows)"
    )
    shared_buffers_mib: int = param(
        2048, 1, 1_000_000, "PostgreSQL's buffer pool in MiB, in all configurations but *_large_pool"
    )
    client_mode: Literal["pipeline", "serial"] = param(
        "pipeline", words="all look-ups of a request in one psycopg pipeline, or one round trip each"
    )
    warmup_requests: int = param(1_000, 1, 1_000_000, "requests before the measured ones", asks="requests before them")
    measured_requests: int = param(
        10_000, MEDIAN_OPERATIONS, 1_000_000,
        "measured requests per trial; a P99 needs 10,000, a P95 2,000, a P50 200",
    )  # fmt: skip
    window_requests: int = param(1_000, 50, 1_000_000, "requests per counter window; the note measured 1,000 in all")
    hot_set_keys: int = param(
        1_000, 1, 1_000_000, "keys in the hot set, which the warm-up asks for", asks="warmed keys"
    )  # fmt: skip
    key_existence: Literal["all_tables", "first_table"] = param(
        "all_tables", words="whether the keys asked for exist in every table or only in the first (the *_first_table "
        "configurations always use the latter)",
    )  # fmt: skip
    direct_io: bool = param(
        True, words="read past the OS page cache, so that each miss in the pool reaches the device (PostgreSQL 16+)"
    )
    pin_cores: bool = param(
        True, words="keep the client on one processor core and the server on the others (Linux, 2 cores or more)"
    )

    @model_validator(mode="after")
    def _keys_and_windows_fit(self) -> Self:
        rows, measured = f"rows_per_table={self.rows_per_table:,}", self.measured_requests
        refuse(
            self.hot_set_keys > self.rows_per_table,
            f"hot_set_keys={self.hot_set_keys:,} exceeds the key space of {rows}",
        )
        needed = self.hot_set_keys + measured
        refuse(
            needed > self.rows_per_table, f"hot_set_keys + measured_requests = {needed:,} distinct keys do not fit "
            f"into {rows}: disjoint keys must exist",
        )  # fmt: skip
        multiple = f"measured_requests={measured} is no multiple of window_requests={self.window_requests}"
        refuse(bool(measured % self.window_requests), multiple)
        return self

    @property
    def row_bytes(self) -> int:
        return TUPLE_OVERHEAD_BYTES + KEY_BYTES + 7 + 8 * (self.n_features + 1)

    @property
    def first_table_extra_rows(self) -> int:
        """Rows that only the first table holds, at least: a warm-up set and as many disjoint measured keys."""
        return self.hot_set_keys + self.measured_requests

    @property
    def most_own_rows(self) -> int:
        return max(self.rows_per_table * self.own_rows_percent // 100, self.first_table_extra_rows)

    @property
    def layouts(self) -> tuple[str, ...]:
        return (OWN,)

    @property
    def data_bytes(self) -> int:
        """Estimated bytes of heaps and indexes, for the check before loading."""
        own = self.rows_per_table * self.own_rows_percent / 200
        rows = {OWN: self.n_tables * (self.rows_per_table + own) + self.first_table_extra_rows}
        rows[ALIKE] = self.n_tables * self.rows_per_table
        return int(sum(rows[layout] for layout in self.layouts) * self._bytes_per_row * 1.02) + 40_000_000

    @property
    def _bytes_per_row(self) -> float:
        """Of the heap and of the index, pages as full as they are asked to be."""
        filled = PAGE_BYTES * self.fillfactor_percent / 100 - PAGE_HEADER_BYTES
        return sum(PAGE_BYTES / max(1, filled // each) for each in (self.row_bytes, INDEX_ENTRY_BYTES))

    @property
    def largest_pool_mib(self) -> int:
        return self.shared_buffers_mib

    def pool_mib(self, settings: Mapping[str, Scalar]) -> int:
        return self.shared_buffers_mib
