"""What can be set in any chapter on the event suite, and in one that goes through all of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from pydantic import Field, field_validator, model_validator

from benchbook.engines.storage import presets
from benchbook.engines.storage.caps import SMALLEST_BYTES_PER_S, SMALLEST_IOPS, Cap
from benchbook.model import Scalar
from benchbook.parameters.base import ExperimentParameters, asked

EVENT_BYTES = 1_000
"""Bytes that an event takes on disk at most, with its index keys, the write-ahead log and a compaction under way."""


MB = 1_000_000


class Stored(ExperimentParameters):
    """Of chapters whose stores may lie on a volume that is made slow."""

    allow_slow_storage: bool = Field(
        True,
        description="put the stores on a volume of their own (a file behind a loop device) and cap it (root only); "
        "without it nothing is capped, and configurations that need it are left out",
    )
    storage_iops: int = Field(
        3_000, ge=SMALLEST_IOPS, le=1_000_000,
        description="reads a second, and as many writes, that the capped volume lets pass; also by name: gp3_3000 and "
        "gp3_16000 are EBS volumes of 3,000 and 16,000 a second",
    )  # fmt: skip
    storage_mb_per_s: int = Field(
        125, ge=-(-SMALLEST_BYTES_PER_S // MB), le=100_000,
        description="the same in MB a second; gp3_3000 has 125, gp3_16000 has 1,000",
    )  # fmt: skip

    _iops_of_a_known_volume = field_validator("storage_iops", mode="before")(presets.iops)
    _bytes_of_a_known_volume = field_validator("storage_mb_per_s", mode="before")(presets.mb_per_s)

    @property
    def cap(self) -> Cap:
        """Of the capped volume, the same in both directions."""
        return Cap.of(self.storage_iops, self.storage_mb_per_s * MB)


class Bursts(ExperimentParameters):
    """Of the peak test and the bursts. Defaults are the note's, but for the quiet between bursts."""

    events: int = asked(
        50_000, "events", ge=10, le=10_000_000, description="events saved in the peak test and again in bursts"
    )
    workers: int = Field(8, ge=1, le=1_000, description="workers of all tests but the burst")
    bursts: int = Field(
        10, ge=1, le=1_000, description="bursts; each saves its share of the events, one goroutine each"
    )
    burst_spread_ms: float = Field(100, ge=0, le=60_000, description="time over which the saves of a burst are started")
    burst_quiet_ms: float = Field(50, ge=0, le=60_000, description="quiet after each burst (500 in the note's suite)")
    block_bytes: int = asked(
        4096, "byte blocks", ge=1024, le=1 << 20, description="BlockSize: uncompressed bytes of a block, at about"
    )
    mem_table_mib: int = asked(
        64, "MiB memtables", ge=1, le=4096, description="MemTableSize in MiB: what is flushed as one table"
    )
    base_table_mib: int = asked(64, "MiB tables", ge=1, le=4096, description="BaseTableSize in MiB")
    kept_samples: int = Field(
        5_000, ge=100, le=1_000_000, description="burst latencies stored per trial, evenly taken from all of them"
    )

    @model_validator(mode="after")
    def _an_event_for_each_burst(self) -> Self:
        if self.events < self.bursts:
            raise ValueError(f"events={self.events} is less than one for each of bursts={self.bursts}")
        return self

    @property
    def store_bytes(self) -> int:
        """Disk that a trial takes at most."""
        return self._store_bytes(2 * self.events)

    def _store_bytes(self, events: int) -> int:
        return events * EVENT_BYTES + 8 * self.mem_table_mib * 2**20 + 600_000_000

    def table_sizes_mib(self, settings: Mapping[str, Scalar]) -> tuple[int, int]:
        """MemTableSize and BaseTableSize of a configuration, in MiB."""
        return self.mem_table_mib, self.base_table_mib


class Suite(Bursts):
    """Of all tests. Defaults are the note's suite with its long tests cut short."""

    mixed_operations: int = Field(500, ge=1, le=1_000_000, description="saves and queries of the mixed test")
    query_events: int = Field(
        10_000, ge=0, le=10_000_000,
        description="events saved before the query test; a tenth before the mixed and half before the concurrent one",
    )  # fmt: skip
    query_s: float = Field(1, gt=0, le=3_600, description="length of the query test (60 in the note's suite)")
    concurrent_s: float = Field(
        1, gt=0, le=3_600, description="length of the concurrent query and store test (60 in the note's suite)"
    )
    rounds: int = asked(2, "round(s)", ge=1, le=20, description="rounds of the whole suite, where memory is measured")

    @property
    def store_bytes(self) -> int:
        """Disk that a trial of all tests takes at most."""
        tests = 3 * self.events + 2 * self.query_events + self.mixed_operations
        return self._store_bytes(self.rounds * tests)


class LookedUp(Stored, Suite):
    """Of all tests, and of look-ups in stores that are filled before."""

    lookup_rows: int = asked(
        2_400_000, "rows", ge=1_000, le=1_000_000_000, description="rows of 400 bytes in the stores for look-ups"
    )
    lookup_memory_mib: int = asked(
        256, "MiB of memory", ge=64, le=1 << 20,
        description="memory of process and page cache in bounded configurations, in MiB (a control group, root only)",
    )  # fmt: skip
    lookup_warm_s: float = Field(
        2, gt=0, le=3_600, description="look-ups before the measured ones, on an uncapped disk"
    )
    lookup_s: float = Field(3, gt=0, le=60, description="measured look-ups of a trial")
