"""What can be set in any chapter on feature serving."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Self

from pydantic import Field, model_validator

from benchbook.model import Scalar
from benchbook.parameters.base import MEDIAN_OPERATIONS, ExperimentParameters, asked

PAGE_BYTES, PAGE_HEADER_BYTES = 8192, 24
TUPLE_OVERHEAD_BYTES = 28
KEY_BYTES = 65
INDEX_ENTRY_BYTES = 84
OWN, ALIKE = "own", "alike"
"""Layouts of the tables: each with an order and with rows of its own, or all of them with the same."""


class Features(ExperimentParameters):
    """Defaults are the standard profile: 10 GB in 30 tables, a pool that holds the warmed pages but not all."""

    blocks: int = Field(6, ge=2, le=100, description="complete blocks; each measures every configuration once")
    n_tables: int = asked(30, "tables a request", ge=1, le=200, description="tables read per request, one row each")
    rows_per_table: int = Field(100_000, ge=1_000, le=100_000_000, description="rows that every table has")
    own_rows_percent: int = Field(
        50, ge=0, le=1_000,
        description="most rows that a table has beside them and no other has, in % of them; how many is drawn by table",
    )  # fmt: skip
    fillfactor_percent: int = Field(
        10, ge=10, le=100,
        description="how full pages of tables and indexes are; 10 puts 4 rows on a page, so that two keys share pages "
        "as seldom as in tables ten times as large",
    )  # fmt: skip
    n_features: int = Field(
        10,
        ge=1,
        le=92,
        description="feature columns of 8 bytes per row, beside the 64-character key (10: 184-byte rows)",
    )
    shared_buffers_mib: int = Field(
        2048, ge=1, le=1_000_000, description="PostgreSQL's buffer pool in MiB, in all configurations but *_large_pool"
    )
    client_mode: Literal["pipeline", "serial"] = Field(
        "pipeline", description="all look-ups of a request in one psycopg pipeline, or one round trip each"
    )
    warmup_requests: int = asked(
        1_000, "requests before them", ge=1, le=1_000_000, description="requests before the measured ones"
    )
    measured_requests: int = Field(
        10_000,
        ge=MEDIAN_OPERATIONS,
        le=1_000_000,
        description="measured requests per trial; a P99 needs 10,000, a P95 2,000, a P50 200",
    )
    window_requests: int = Field(
        1_000, ge=50, le=1_000_000, description="requests per counter window; the note measured 1,000 in all"
    )
    hot_set_keys: int = asked(
        1_000, "warmed keys", ge=1, le=1_000_000, description="keys in the hot set, which the warm-up asks for"
    )
    key_existence: Literal["all_tables", "first_table"] = Field(
        "all_tables",
        description="whether the keys asked for exist in every table or only in the first (the *_first_table "
        "configurations always use the latter)",
    )
    direct_io: bool = Field(
        True,
        description="read past the OS page cache, so that each miss in the pool reaches the device (PostgreSQL 16+)",
    )
    pin_cores: bool = Field(
        True,
        description="keep the client on one processor core and the server on the others (Linux, 2 cores or more)",
    )

    @model_validator(mode="after")
    def _keys_and_windows_fit(self) -> Self:
        if self.hot_set_keys > self.rows_per_table:
            raise ValueError(
                f"hot_set_keys={self.hot_set_keys:,} exceeds the key space of rows_per_table={self.rows_per_table:,}"
            )
        needed = self.hot_set_keys + self.measured_requests
        if needed > self.rows_per_table:
            raise ValueError(
                f"hot_set_keys + measured_requests = {needed:,} distinct keys do not fit into "
                f"rows_per_table={self.rows_per_table:,}: disjoint keys must exist"
            )
        if self.measured_requests % self.window_requests:
            raise ValueError(
                f"measured_requests={self.measured_requests} is no multiple of window_requests={self.window_requests}"
            )
        return self

    @property
    def row_bytes(self) -> int:
        """Bytes of one heap row with its headers."""
        return TUPLE_OVERHEAD_BYTES + KEY_BYTES + 7 + 8 * (self.n_features + 1)

    @property
    def first_table_extra_rows(self) -> int:
        """Rows that only the first table holds, at least: a warm-up set and as many disjoint measured keys."""
        return self.hot_set_keys + self.measured_requests

    @property
    def most_own_rows(self) -> int:
        """Rows that a table may have beyond those of all tables."""
        return max(self.rows_per_table * self.own_rows_percent // 100, self.first_table_extra_rows)

    @property
    def layouts(self) -> tuple[str, ...]:
        """The layouts in which the tables are loaded."""
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
        """The largest buffer pool of any configuration."""
        return self.shared_buffers_mib

    def pool_mib(self, settings: Mapping[str, Scalar]) -> int:
        """The buffer pool of a configuration."""
        return self.shared_buffers_mib
