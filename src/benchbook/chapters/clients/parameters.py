"""What can be set in this chapter, and what contradicts itself."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from benchbook.measuring.pgbench import parameters as family
from benchbook.measuring.pgbench.parameters import (
    NOTE_CLIENTS,
    NOTE_SECONDS,
    PAGES_PER_SCALE,
    RESERVED_CONNECTIONS,
    SMALL_RAM_OVER_DATA,
)
from benchbook.parameters.base import asked

DATA_OVER_POOL = 2.5
"""Of note 003's first round, which the claims of this chapter take for its second one too."""
MOST_BACKENDS, MANY_CLIENTS = 250, 1_000
SERVER_BYTES, CLIENT_BYTES = 64 * 2**20, 3 * 2**20
"""What a server takes beside its pool: at all, and per connection."""
WAL_BYTES_PER_PAGE = 9_000
"""Log written per changed page at most, with its full image: for the estimate of disk."""


class Parameters(family.Parameters):
    """Defaults are the standard profile: 1.5 GB of data, half an hour a session on two processors."""

    blocks: int = Field(
        3,
        ge=2,
        le=100,
        description="complete blocks of a session; each measures every configuration once; further sessions add more",
    )
    scale: int = Field(100, ge=1, le=20_000, description="pgbench scale factor; 100 is 1.5 GiB of tables and indexes")
    clients: int = Field(NOTE_CLIENTS, ge=2, le=1_000, description="pgbench clients of the baseline (the note: 100)")
    threads: int = Field(
        2, ge=1, le=50, description="pgbench threads that match the processors; the baseline has twice as many"
    )
    parts: tuple[Literal["counts", "protocols", "pooled", "waits"], ...] = Field(
        ("counts", "protocols", "pooled", "waits"),
        description="what is measured: numbers of clients (always), protocols and threads, a pooler, the trial from a "
        "cold start",
    )
    counts: tuple[int, ...] = Field(
        (1, 4, 8, 16, 32, 250, 1_000),
        min_length=1,
        max_length=12,
        description="numbers of clients beside the baseline's, increasing; those above it are predicted from the rest",
    )
    seconds: int = Field(8, ge=1, le=3_600, description="length of a trial after a warm start")
    fill_seconds: int = Field(
        2, ge=0, le=3_600, description="discarded TPC-B run before it, on a pool that pg_prewarm filled; 0: none"
    )
    waits_seconds: int = asked(
        NOTE_SECONDS, "seconds from a cold start", ge=2, le=3_600, description="length of the trial from a cold start"
    )
    server_connections: int = Field(
        1_020, ge=20, le=10_000, description="max_connections of every server; 20 of them are for observers"
    )
    pool_backends: int = Field(
        100, ge=1, le=MOST_BACKENDS, description="connections of the pooler to the server (the note: 100 to 250)"
    )
    few_backends: int = Field(20, ge=1, le=MOST_BACKENDS, description="the same in one more trial; 20 is its default")
    pooled_counts: tuple[int, ...] = Field(
        (16, 250), max_length=8, description="numbers of clients that go through the pooler beside the baseline's"
    )
    many_clients: int = asked(
        MANY_CLIENTS, "clients through the pooler", ge=2, le=9_000, description="most clients through the pooler"
    )
    many_seconds: int = asked(
        NOTE_SECONDS, "seconds with most clients through the pooler", ge=1, le=3_600, description="length of that trial"
    )
    pooled_prepared: bool = Field(
        False, description="measure prepared statements through the pooler too; needs PgBouncer 1.21"
    )
    allow_vm_settings: bool = Field(
        True,
        description="reserve huge pages for the pools, as the note did, and give them back after each trial (root "
        "only); without it pools lie in ordinary pages",
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        if "counts" not in self.parts or len(set(self.parts)) != len(self.parts):
            raise ValueError(f"parts={list(self.parts)} must name counts and each part at most once")
        for name in ("counts", "pooled_counts"):
            given = list(getattr(self, name))
            if given != sorted(set(given)) or (given and given[0] < 1):
                raise ValueError(f"{name}={given} must be whole numbers from 1 that increase")
        if self.clients in (*self.counts, *self.pooled_counts):
            raise ValueError(f"counts and pooled_counts must not name clients={self.clients}, which is measured anyway")
        alone = [count for count in self.pooled_counts if count not in self.counts]
        if alone:
            raise ValueError(f"pooled_counts={alone} are not in counts: nothing without a pooler to compare them with")
        if self.few_backends > self.pool_backends:
            raise ValueError(f"few_backends={self.few_backends} exceeds pool_backends={self.pool_backends}")
        if self.many_clients <= max(self.clients, *self.pooled_counts, 0):
            raise ValueError(f"many_clients={self.many_clients} must exceed the other numbers through the pooler")
        needed = max(self.most_direct, self.pool_backends) + RESERVED_CONNECTIONS
        if needed > self.server_connections:
            raise ValueError(
                f"{needed - RESERVED_CONNECTIONS} connections and {RESERVED_CONNECTIONS} for observers are {needed}, "
                f"more than server_connections={self.server_connections}"
            )
        return self

    @property
    def most_direct(self) -> int:
        """The most clients that connect to the server themselves."""
        return max(self.clients, *self.counts)

    @property
    def most_clients(self) -> int:
        """The most clients of any trial."""
        return max(self.most_direct, self.many_clients if "pooled" in self.parts else 0)

    @property
    def max_connections(self) -> int:
        """What every server allows, so that all have the same arrays of processes."""
        return self.server_connections

    @property
    def needs_huge_pages(self) -> bool:
        """Whether pools lie in huge pages."""
        return self.allow_vm_settings

    @property
    def log_bytes(self) -> int:
        """Estimated bytes of the log of the longest trial."""
        transactions = 5_000 * max(self.waits_seconds, self.many_seconds, self.seconds + self.fill_seconds)
        return min(self.scale * PAGES_PER_SCALE, transactions) * WAL_BYTES_PER_PAGE + transactions * 1_000

    @property
    def memory_bytes(self) -> int:
        """What the trial with the most connections may use."""
        return int(SMALL_RAM_OVER_DATA * self.data_bytes) + self.most_direct * CLIENT_BYTES + 500_000_000
