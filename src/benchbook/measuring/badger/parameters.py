"""What can be set in any chapter on the event suite, and in one that goes through all of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from pydantic import field_validator, model_validator

from benchbook.engines.storage import presets
from benchbook.engines.storage.caps import SMALLEST_BYTES_PER_S, SMALLEST_IOPS, Cap
from benchbook.model import Scalar
from benchbook.parameters.base import ExperimentParameters, param, refuse

EVENT_BYTES, MB = 1_000, 1_000_000
"""Bytes that an event takes on disk at most, with its index keys, the write-ahead log and a compaction under way."""


class Stored(ExperimentParameters):
    """Of chapters whose stores may lie on a volume that is made slow."""

    allow_slow_storage: bool = param(
        True, words="put the stores on a volume of their own (a file behind a loop device) and cap it (root only); "
        "without it nothing is capped, and configurations that need it are left out",
    )  # fmt: skip
    storage_iops: int = param(
        3_000, SMALLEST_IOPS, 1_000_000, "reads a second, and as many writes, that the capped volume lets pass; also "
        "by name: gp3_3000 and gp3_16000 are EBS volumes of 3,000 and 16,000 a second",
    )  # fmt: skip
    storage_mb_per_s: int = param(
        125, -(-SMALLEST_BYTES_PER_S // MB), 100_000, "the same in MB a second; gp3_3000 has 125, gp3_16000 has 1,000"
    )

    _iops_of_a_known_volume = field_validator("storage_iops", mode="before")(presets.iops)
    _bytes_of_a_known_volume = field_validator("storage_mb_per_s", mode="before")(presets.mb_per_s)

    @property
    def cap(self) -> Cap:
        return Cap.of(self.storage_iops, self.storage_mb_per_s * MB)


class Bursts(ExperimentParameters):
    """Of the peak test and the bursts. Defaults are the note's, but for the quiet between bursts."""

    events: int = param(
        50_000, 10, 10_000_000, "events saved in the peak test and again in bursts", asks="events"
    )  # fmt: skip
    workers: int = param(8, 1, 1_000, "workers of all tests but the burst")
    bursts: int = param(10, 1, 1_000, "bursts; each saves its share of the events, one goroutine each")
    burst_spread_ms: float = param(100, 0, 60_000, "time over which the saves of a burst are started")
    burst_quiet_ms: float = param(50, 0, 60_000, "quiet after each burst (500 in the note's suite)")
    block_bytes: int = param(
        4096, 1024, 1 << 20, "BlockSize: uncompressed bytes of a block, at about", asks="byte blocks"
    )
    mem_table_mib: int = param(
        64, 1, 4096, "MemTableSize in MiB: what is flushed as one table", asks="MiB memtables"
    )  # fmt: skip
    base_table_mib: int = param(64, 1, 4096, "BaseTableSize in MiB", asks="MiB tables")
    kept_samples: int = param(
        5_000, 100, 1_000_000, "burst latencies stored per trial, evenly taken from all of them"
    )  # fmt: skip

    @model_validator(mode="after")
    def _an_event_for_each_burst(self) -> Self:
        refuse(self.events < self.bursts, f"events={self.events} is less than one for each of bursts={self.bursts}")
        return self

    @property
    def store_bytes(self) -> int:
        return self._store_bytes(2 * self.events)

    def _store_bytes(self, events: int) -> int:
        return events * EVENT_BYTES + 8 * self.mem_table_mib * 2**20 + 600_000_000

    def table_sizes_mib(self, settings: Mapping[str, Scalar]) -> tuple[int, int]:
        """MemTableSize and BaseTableSize of a configuration, in MiB."""
        return self.mem_table_mib, self.base_table_mib


class OneRound(Bursts):
    """Of all tests, once. Defaults are the note's suite with its long tests cut short."""

    mixed_operations: int = param(500, 1, 1_000_000, "saves and queries of the mixed test")
    query_events: int = param(
        10_000, 0, 10_000_000,
        "events saved before the query test; a tenth before the mixed and half before the concurrent one",
    )  # fmt: skip
    query_s: float = param(1, None, 3_600, "length of the query test (60 in the note's suite)", above=0)
    concurrent_s: float = param(
        1, None, 3_600, "length of the concurrent query and store test (60 in the note's suite)", above=0
    )


class Suite(OneRound):
    """The same in rounds."""

    rounds: int = param(2, 1, 20, "rounds of the whole suite, where memory is measured", asks="round(s)")

    @property
    def store_bytes(self) -> int:
        tests = 3 * self.events + 2 * self.query_events + self.mixed_operations
        return self._store_bytes(self.rounds * tests)


class LookedUp(Stored, Suite):
    """Of all tests, and of look-ups in stores that are filled before."""

    lookup_rows: int = param(
        2_400_000, 1_000, 1_000_000_000, "rows of 400 bytes in the stores for look-ups", asks="rows"
    )
    lookup_memory_mib: int = param(
        256, 64, 1 << 20, "memory of process and page cache where it is bounded, in MiB (a control group, root only)",
        asks="MiB of memory",
    )  # fmt: skip
    lookup_warm_s: float = param(2, None, 3_600, "look-ups before the measured ones, on an uncapped disk", above=0)
    lookup_s: float = param(3, None, 60, "measured look-ups of a trial", above=0)
