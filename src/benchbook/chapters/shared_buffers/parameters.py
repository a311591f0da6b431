"""What can be set in this chapter."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from benchbook.measuring.pgbench import parameters as family
from benchbook.measuring.pgbench.parameters import PAGES_PER_SCALE, RAM_OVER_DATA, SMALL_RAM_OVER_DATA

SMALL, LARGEST = 20, 120
"""The smallest and the largest pool in % of the data; 20 was in force in note 002, which says 80."""
ROUND_2_RAM_OVER_DATA = 4 / 0.92
"""Note 003's second and third rounds: data of 0.92 of a pool that is a quarter of the memory."""
ROUND_1_POOL_OVER_RAM = 0.375
"""The largest pool in its first round's proportions, which leave the least memory beside it."""
WAL_BYTES_PER_PAGE = 9_000
"""Log written per changed page at most, with its full image: for the estimate of disk."""
MIN_POOL_KIB = 1024
SERVER_BYTES, CLIENT_BYTES = 64 * 2**20, 3 * 2**20
"""What a server takes beside its pool: at all, and per connection."""


class Parameters(family.StorageParameters):
    """Defaults are the standard profile: 390 MB of data, half an hour a session on two processors and a local disk."""

    blocks: int = Field(
        3,
        ge=2,
        le=100,
        description="complete blocks of a session; each measures every configuration once; further sessions add more",
    )
    scale: int = Field(25, ge=1, le=20_000, description="pgbench scale factor; 25 is 0.37 GiB of tables and indexes")
    clients: int = Field(10, ge=2, le=1_000, description="pgbench clients (the notes: 100)")
    parts: tuple[Literal["three_runs", "pools", "reads", "memory"], ...] = Field(
        ("three_runs", "pools", "reads", "memory"),
        description="what is measured: note 002's three runs (always), its pool sizes, pool sizes under reads with "
        "direct I/O, note 003's rounds and shares of memory",
    )
    tpcb_seconds: int = Field(
        18,
        ge=1,
        le=3_600,
        description="length of a TPC-B trial from a restart (note 002: 60); a twelfth of it stands for the note's 5 s",
    )
    warm_seconds: int = Field(
        10, ge=1, le=3_600, description="length of a TPC-B trial after a warm start (note 003: 60)"
    )
    warm_fill_seconds: int = Field(
        2, ge=1, le=3_600, description="discarded TPC-B run before it, on a pool that pg_prewarm filled"
    )
    read_seconds: int = Field(8, ge=1, le=3_600, description="length of a read-only trial with direct I/O")
    read_fill_seconds: int = Field(
        2, ge=0, le=3_600, description="discarded reads before it, on a pool that pg_prewarm filled"
    )
    allow_vm_settings: bool = Field(
        True,
        description="set the kernel's limits of dirty data to note 002's, reserve huge pages for note 003's pools, and "
        "put both back after each trial (root only); without it the machine's own limits and ordinary pages are used",
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        if "three_runs" not in self.parts or len(set(self.parts)) != len(self.parts):
            raise ValueError(f"parts={list(self.parts)} must name three_runs and each part at most once")
        if self.bound_memory:
            least = SERVER_BYTES + self.clients * CLIENT_BYTES
            beside = RAM_OVER_DATA - LARGEST / 100
            if "memory" in self.parts:
                beside = (1 - ROUND_1_POOL_OVER_RAM) * SMALL_RAM_OVER_DATA
            left = int(beside * self.data_bytes)
            if left < least:
                raise ValueError(
                    f"scale={self.scale} leaves {left / 2**20:,.0f} MiB beside the largest pool within the bound; "
                    f"the server and {self.clients} clients need {least / 2**20:,.0f} MiB"
                )
        smallest_pool_kib = self.data_bytes * SMALL // 100 // 1024
        if smallest_pool_kib < MIN_POOL_KIB:
            raise ValueError(
                f"scale={self.scale} makes the smallest pool, {SMALL} % of the data, {smallest_pool_kib} KiB; "
                f"PostgreSQL pins pages for {self.clients} clients and needs {MIN_POOL_KIB} KiB"
            )
        return self

    @property
    def needs_huge_pages(self) -> bool:
        """Whether there are configurations with huge pages."""
        return self.allow_vm_settings and "memory" in self.parts

    @property
    def log_bytes(self) -> int:
        """Estimated bytes of the log of the longest trial."""
        transactions = 10_000 * max(self.tpcb_seconds, self.warm_seconds + self.warm_fill_seconds)
        return min(self.scale * PAGES_PER_SCALE, transactions) * WAL_BYTES_PER_PAGE + transactions * 1_000

    @property
    def memory_bytes(self) -> int:
        """What the largest configuration may use, or pool and a little when nothing bounds it."""
        ram = ROUND_2_RAM_OVER_DATA if "memory" in self.parts else RAM_OVER_DATA
        return int(ram * self.data_bytes) + 500_000_000
