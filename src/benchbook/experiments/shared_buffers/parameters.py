"""What can be set in the experiment, with bounds and the contradictions between parameters."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from benchbook.experiments.parameters import ExperimentParameters

BYTES_PER_SCALE = 15_750_000
"""Heap and indexes of one unit of pgbench's scale, fresh; the run measures it too."""
PAGES_PER_SCALE = 1_640
"""Pages of pgbench_accounts in one unit of scale."""
WAL_BYTES_PER_PAGE = 9_000
"""Log written per changed page at most, with its full image: for the estimate of disk."""
RESERVED_CONNECTIONS = 20
"""For superusers, the observer and the samplers, beside the clients."""
MIN_POOL_KIB = 1024
SERVER_BYTES, CLIENT_BYTES = 64 * 2**20, 3 * 2**20
"""What a server takes beside its pool: at all, and per connection."""
INTERVALS = 12
"""A trial is cut into as many parts as the note's 60 s held intervals of 5 s."""


class Parameters(ExperimentParameters):
    """Defaults are the standard profile: 750 MB of data, about 40 minutes on two processors and a local disk."""

    blocks: int = Field(6, ge=2, le=100, description="complete blocks; each measures every configuration once")
    parts: tuple[Literal["three_runs", "pools", "reads", "memory"], ...] = Field(
        ("three_runs", "pools", "reads", "memory"),
        description="what is measured: note 002's three runs (always), its pool sizes, pool sizes under reads with "
        "direct I/O, note 003's shares of memory",
    )
    scale: int = Field(50, ge=1, le=20_000, description="pgbench scale factor; 50 is 0.73 GiB of tables and indexes")
    clients: int = Field(
        20, ge=2, le=1_000, description="pgbench clients in TPC-B and read-only trials (the note: 100)"
    )
    threads: int = Field(2, ge=1, le=100, description="pgbench threads")
    tpcb_seconds: int = Field(
        12,
        ge=1,
        le=3_600,
        description="length of a TPC-B trial from a restart (note 002: 60); a twelfth of it stands for the note's 5 s",
    )
    warm_seconds: int = Field(
        6, ge=1, le=3_600, description="length of a TPC-B trial after a warm start (note 003: 60)"
    )
    warm_fill_seconds: int = Field(
        2, ge=1, le=3_600, description="discarded TPC-B run before it, on a pool that pg_prewarm filled"
    )
    read_seconds: int = Field(3, ge=1, le=3_600, description="length of a read-only trial with direct I/O")
    read_fill_seconds: int = Field(2, ge=0, le=3_600, description="discarded reads before it, to fill the pool")
    bound_memory: bool = Field(
        True,
        description="bound the memory of server and page cache to 3 (note 002) or 1.6 (note 003) times the data, by a "
        "control group; needs root, and is labelled where it cannot be done",
    )
    allow_vm_settings: bool = Field(
        True,
        description="reserve huge pages for the configurations that need them and give them back (root only; without "
        "it those configurations are left out)",
    )
    keep_going: bool = Field(
        True, description="record a trial whose server or pgbench died as failed and go on, instead of ending the run"
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        if "three_runs" not in self.parts or len(set(self.parts)) != len(self.parts):
            raise ValueError(f"parts={list(self.parts)} must name three_runs and each part at most once")
        if self.threads > self.clients:
            raise ValueError(f"threads={self.threads} exceeds clients={self.clients}: each thread needs a client")
        if self.bound_memory:
            least = SERVER_BYTES + self.clients * CLIENT_BYTES
            left = int(0.6 * self.data_bytes if "memory" in self.parts else 1.8 * self.data_bytes)
            if left < least:
                raise ValueError(
                    f"scale={self.scale} leaves {left / 2**20:,.0f} MiB beside the largest pool within the bound; "
                    f"the server and {self.clients} clients need {least / 2**20:,.0f} MiB"
                )
        if self.smallest_pool_kib < MIN_POOL_KIB:
            raise ValueError(
                f"scale={self.scale} makes the smallest pool, 10 % of the data, {self.smallest_pool_kib} KiB; "
                f"PostgreSQL pins pages for {self.clients} clients and needs {MIN_POOL_KIB} KiB"
            )
        return self

    @property
    def needs_huge_pages(self) -> bool:
        """Whether there are configurations with huge pages."""
        return self.allow_vm_settings and "memory" in self.parts

    @property
    def smallest_pool_kib(self) -> int:
        """Pool of 10 % of the data, in KiB."""
        return self.data_bytes // 10 // 1024

    @property
    def max_connections(self) -> int:
        """What the server allows: the note's 300, or what the clients and the observers need."""
        return max(300, self.clients + RESERVED_CONNECTIONS)

    @property
    def data_bytes(self) -> int:
        """Estimated bytes of heap and indexes, for the checks before loading."""
        return self.scale * BYTES_PER_SCALE

    @property
    def disk_bytes(self) -> int:
        """Template, one restored copy and the log of one trial, whose changed pages each come with a full image."""
        transactions = 10_000 * max(self.tpcb_seconds, self.warm_seconds + self.warm_fill_seconds)
        pages = min(self.scale * PAGES_PER_SCALE, transactions)
        log = int(pages * WAL_BYTES_PER_PAGE + transactions * 1_000)
        return int(self.data_bytes * 2.4) + log + 300_000_000

    @property
    def memory_bytes(self) -> int:
        """What the largest configuration may use: three times the data, or pool and a little when nothing bounds it."""
        return 3 * self.data_bytes + 500_000_000
