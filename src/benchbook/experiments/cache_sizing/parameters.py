"""What can be set in the experiment, with bounds and the contradictions between parameters."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from benchbook.experiments.parameters import ExperimentParameters

EVENT_BYTES = 1_000
"""Bytes that an event takes on disk at most, with its index keys, the write-ahead log and a compaction under way."""


class Parameters(ExperimentParameters):
    """Defaults are the standard profile: the note's number of events, its long tests cut short."""

    events: int = Field(50_000, ge=10, le=10_000_000, description="events saved in the peak test and again in bursts")
    fewer_events: int = Field(
        10_000, ge=10, le=10_000_000, description="events of the configuration fewer_events, the note's earlier number"
    )
    workers: int = Field(8, ge=1, le=1_000, description="workers of all tests but the burst")
    bursts: int = Field(
        10, ge=1, le=1_000, description="bursts; each saves its share of the events, one goroutine each"
    )
    burst_spread_ms: float = Field(100, ge=0, le=60_000, description="time over which the saves of a burst are started")
    burst_quiet_ms: float = Field(50, ge=0, le=60_000, description="quiet after each burst (500 in the note's suite)")
    mixed_operations: int = Field(500, ge=1, le=1_000_000, description="saves and queries of the mixed test")
    query_events: int = Field(
        10_000,
        ge=0,
        le=10_000_000,
        description="events saved before the query test; a tenth before the mixed and half before the concurrent one",
    )
    query_s: float = Field(1, gt=0, le=3_600, description="length of the query test (60 in the note's suite)")
    concurrent_s: float = Field(
        1, gt=0, le=3_600, description="length of the concurrent query and store test (60 in the note's suite)"
    )
    rounds: int = Field(2, ge=1, le=20, description="rounds of the whole suite, where memory is measured")
    block_bytes: int = Field(
        4096, ge=1024, le=1 << 20, description="BlockSize: uncompressed bytes of a block, at about"
    )
    mem_table_mib: int = Field(64, ge=1, le=4096, description="MemTableSize in MiB: what is flushed as one table")
    base_table_mib: int = Field(64, ge=1, le=4096, description="BaseTableSize in MiB")
    small_mem_table_mib: int = Field(
        16, ge=1, le=4096, description="MemTableSize in MiB of the configuration small_tables"
    )
    small_base_table_mib: int = Field(8, ge=1, le=4096, description="BaseTableSize in MiB of the same")
    length_ladder_mib: tuple[int, ...] = Field(
        (1, 2, 4, 64, 2048),
        description="block cache sizes in MiB of the build that charges a block its own length; must hold 64",
    )
    kept_samples: int = Field(
        5_000, ge=100, le=1_000_000, description="burst latencies stored per trial, evenly taken from all of them"
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        for name in ("events", "fewer_events"):
            if getattr(self, name) < self.bursts:
                raise ValueError(f"{name}={getattr(self, name)} is less than one for each of bursts={self.bursts}")
        ladder = self.length_ladder_mib
        if len(set(ladder)) != len(ladder) or len(ladder) < 2 or 64 not in ladder:
            raise ValueError(f"length_ladder_mib={ladder} must name two or more sizes, each once, and 64")
        if min(ladder) < 1:
            raise ValueError(f"length_ladder_mib={ladder} must name sizes of 1 MiB and more")
        if self.small_mem_table_mib >= self.mem_table_mib and self.mem_table_mib > 1:
            raise ValueError(
                f"small_mem_table_mib={self.small_mem_table_mib} is not below mem_table_mib={self.mem_table_mib}"
            )
        return self

    @property
    def burst_events(self) -> int:
        """Events that the bursts save in all: the same number in each."""
        return self.events // self.bursts * self.bursts

    @property
    def largest_cache_mib(self) -> int:
        """The largest block cache of any configuration."""
        return max(2048, *self.length_ladder_mib)

    @property
    def store_bytes(self) -> int:
        """Disk that a trial of the whole suite takes at most."""
        tests = 3 * self.events + 2 * self.query_events + self.mixed_operations
        return self.rounds * tests * EVENT_BYTES + 8 * self.mem_table_mib * 2**20 + 600_000_000
