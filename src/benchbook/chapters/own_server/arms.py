"""What can be set, and the configurations: which keys are asked for, and in which way, on a server that stays warm."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from benchbook.model import Configuration, Scalar
from benchbook.parameters.base import MEDIAN_OPERATIONS, ExperimentParameters, asked

BASELINE, REPEATED, DISJOINT = "same_keys", "same_keys_again", "disjoint"
SERIAL, SERIAL_COLD, JOINED, EMPTY = "same_keys_one_by_one", "disjoint_one_by_one", "same_keys_one_statement", "empty"
PIPELINE_WAY, SERIAL_WAY, JOINED_WAY, EMPTY_WAY = "pipeline", "serial", "one_statement", "empty"
FEW_PERCENT = 1
ROWS_BYTES, INDEX_BYTES, PAGE_BYTES = 192, 84, 8192
"""Of a row with its headers, of an entry of its index, and of a page."""


class Parameters(ExperimentParameters):
    """Defaults are the standard profile: 1.1 GB in 30 tables and at most 8 GiB in all on the server."""

    blocks: int = Field(6, ge=2, le=100, description="complete blocks; each measures every configuration once")
    n_tables: int = asked(30, "tables a request", ge=2, le=200, description="tables read per request, one row each")
    rows_per_table: int = Field(20_000, ge=1_000, le=10_000_000, description="rows of each table")
    fillfactor_percent: int = Field(
        20, ge=10, le=100,
        description="how full pages of tables and indexes are; 20 puts 8 rows on a page, so that two keys seldom "
        "share one",
    )  # fmt: skip
    hot_keys: int = Field(500, ge=10, le=1_000_000, description="keys that are warmed before each trial, once each")
    requests: int = Field(
        2_000, ge=MEDIAN_OPERATIONS, le=1_000_000,
        description="measured requests of a trial in one pipeline; a P95 needs 2,000, a P99 10,000, a P50 200",
    )  # fmt: skip
    slow_requests: int = Field(
        200,
        ge=10,
        le=1_000_000,
        description="measured requests of a trial that asks table by table, or in one statement",
    )
    hot_shares_percent: tuple[int, ...] = Field(
        (99, 90), description="shares in % of requests on the warmed keys, between 100 and 0"
    )
    filler_passes: int = Field(
        2, ge=1, le=20,
        description="how often a table larger than the buffer pool is read by its index before each trial, so that "
        "pages of other trials leave the pool",
    )  # fmt: skip
    max_gib: float = Field(
        8.0, gt=0, le=100_000, allow_inf_nan=False, description="most GiB that all our tables take on the server"
    )
    private_pool_mib: int = Field(
        256,
        ge=16,
        le=1_000_000,
        description="buffer pool in MiB of the private server that is measured where no server of your own is named",
    )

    @model_validator(mode="after")
    def _keys_and_bytes_fit(self) -> Self:
        needed = self.hot_keys + max(self.requests, self.slow_requests)
        if needed > self.rows_per_table:
            raise ValueError(
                f"hot_keys and measured requests are {needed:,} distinct keys, which do not fit into "
                f"rows_per_table={self.rows_per_table:,}"
            )
        if self.data_bytes > self.max_gib * 2**30:
            raise ValueError(
                f"max_gib={self.max_gib:g} holds no {self.data_bytes / 2**30:.2g} GiB of tables; "
                "ask for fewer tables or rows"
            )
        if any(not 0 < share < 100 for share in self.hot_shares_percent):
            raise ValueError(f"hot_shares_percent={self.hot_shares_percent} must lie between 1 and 99")
        if len(set(self.hot_shares_percent)) != len(self.hot_shares_percent):
            raise ValueError(f"hot_shares_percent={self.hot_shares_percent} names a value twice")
        return self

    @property
    def data_bytes(self) -> int:
        """Estimated bytes of heaps and indexes."""
        filled = PAGE_BYTES * self.fillfactor_percent / 100
        per_row = sum(PAGE_BYTES / max(1, filled // each) for each in (ROWS_BYTES, INDEX_BYTES))
        return int(self.n_tables * self.rows_per_table * per_row * 1.05) + 2**20

    def filler_mib(self, pool_mib: float) -> int:
        """Half as much again as the buffer pool, or what the ceiling leaves; at least 1."""
        left = self.max_gib * 1024 - self.data_bytes / 2**20
        return max(1, int(min(1.5 * pool_mib, left / 1.05)))


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Keys first, then the ways of asking."""
    few: dict[str, Scalar] = {"requests": parameters.slow_requests}
    return (
        _arm(BASELINE, "same keys (hot)", "same"),
        _arm(REPEATED, "same keys, again (A/A)", "same"),
        *(_arm(share(each), f"{each} % hot", "mix", share=each / 100) for each in parameters.hot_shares_percent),
        _arm(DISJOINT, "disjoint keys (the note's mistake)", "disjoint"),
        _arm(SERIAL, "same keys, table by table", "same", SERIAL_WAY, **few),
        _arm(SERIAL_COLD, "disjoint keys, table by table", "disjoint", SERIAL_WAY, **few),
        _arm(JOINED, "same keys, one statement", "same", JOINED_WAY, **few),
        _arm(EMPTY, "empty statement (one trip)", "same", EMPTY_WAY, **few),
    )


def _arm(name: str, label: str, draw: str, way: str = PIPELINE_WAY, **others: Scalar) -> Configuration:
    return Configuration(name, label, {"draw": draw, "way": way, **others})


def share(percent: int) -> str:
    """Configuration name of a share of requests on warmed keys, such as hot_share_99."""
    return f"hot_share_{percent}"
