"""What can be set in the experiment, with bounds and the contradictions between parameters."""

from __future__ import annotations

import math
from typing import Literal, Self

from pydantic import Field, model_validator

from benchbook.experiments.parameters import ExperimentParameters

BLOCK_BYTES = 8192
TUPLE_OVERHEAD_BYTES = 28
KEY_BYTES = 65
INDEX_ENTRY_BYTES = 84


class Parameters(ExperimentParameters):
    """Defaults are the standard profile: 3.3 GB in 30 tables, a pool that holds the warmed pages but not all."""

    n_tables: int = Field(30, ge=1, le=200, description="tables read per request, one row each")
    rows_per_table: int = Field(400_000, ge=1_000, le=100_000_000, description="rows in each table")
    n_features: int = Field(
        10,
        ge=1,
        le=92,
        description="feature columns of 8 bytes per row, beside the 64-character key (10: 184-byte rows)",
    )
    shared_buffers_mib: int = Field(
        1792, ge=1, le=1_000_000, description="PostgreSQL's buffer pool in MiB, in all configurations but *_large_pool"
    )
    large_pool_mib: int = Field(
        3584,
        ge=1,
        le=1_000_000,
        description="buffer pool in MiB of the *_large_pool configurations; should hold all data",
    )
    client_mode: Literal["pipeline", "serial"] = Field(
        "pipeline", description="all look-ups of a request in one psycopg pipeline, or one round trip each"
    )
    warmup_requests: int = Field(1_000, ge=1, le=1_000_000, description="requests before the measured ones")
    measured_requests: int = Field(
        10_000, ge=100, le=1_000_000, description="measured requests per trial; a P99 needs 10,000, a P95 2,000"
    )
    window_requests: int = Field(
        1_000, ge=50, le=1_000_000, description="requests per counter window; the note measured 1,000 in all"
    )
    hot_set_keys: int = Field(1_000, ge=1, le=1_000_000, description="keys in the hot set, which the warm-up asks for")
    hot_shares_percent: tuple[int, ...] = Field(
        (90, 80, 50), description="shares in % of requests on the hot set, between 100 (same keys) and 0 (disjoint)"
    )
    zipf_exponents: tuple[float, ...] = Field(
        (0.8, 0.99, 1.2), description="exponents of the Zipf configurations, over all keys of a table"
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
    def _no_contradiction(self) -> Self:
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
        if self.large_pool_mib < self.shared_buffers_mib:
            raise ValueError(
                f"large_pool_mib={self.large_pool_mib} is smaller than shared_buffers_mib={self.shared_buffers_mib}"
            )
        if any(not 0 < share < 100 for share in self.hot_shares_percent):
            raise ValueError(f"hot_shares_percent={self.hot_shares_percent} must lie between 1 and 99")
        if any(not 0 < exponent < math.inf for exponent in self.zipf_exponents):
            raise ValueError(f"zipf_exponents={self.zipf_exponents} must be above 0 and finite")
        for name in ("hot_shares_percent", "zipf_exponents"):
            values = getattr(self, name)
            if len({f"{value:g}" for value in values}) != len(values):  # as their configurations are named
                raise ValueError(f"{name}={values} names a value twice")
        return self

    @property
    def row_bytes(self) -> int:
        """Bytes of one heap row with its headers."""
        return TUPLE_OVERHEAD_BYTES + KEY_BYTES + 7 + 8 * (self.n_features + 1)

    @property
    def first_table_extra_rows(self) -> int:
        """Rows that only the first table holds: enough for a warm-up set and as many disjoint measured keys."""
        return self.hot_set_keys + self.measured_requests

    @property
    def data_bytes(self) -> int:
        """Estimated bytes of heaps and indexes, for the check before loading."""
        rows = self.n_tables * self.rows_per_table + self.first_table_extra_rows
        return int(rows * (self.row_bytes + INDEX_ENTRY_BYTES / 0.9) * 1.02) + 40_000_000
