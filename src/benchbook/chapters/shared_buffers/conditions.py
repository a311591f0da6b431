"""What holds in a trial of a configuration: its memory, its pool, the server's settings, the limits of dirty data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from benchbook.chapters.shared_buffers.arms import Parameters, part_of
from benchbook.engines import dirty_limits
from benchbook.engines.dirty_limits import DirtyLimits
from benchbook.measuring.pgbench.parameters import RAM_OVER_DATA
from benchbook.measuring.pgbench.settings import NOTE_002, NOTE_003, Part, Settings, pool_blocks, restarted
from benchbook.measuring.pgbench.tables import Tables
from benchbook.model import Configuration, Scalar

RESERVED_OVER_POOL = 1.07
"""Note 003 reserved 4,400 huge pages of 2 MB for a pool of 8 GB, and 6,600 for one of 12 GB."""
DIRTY_PERCENT, DIRTY_BACKGROUND_PERCENT = 4, 1
DIRTY_EXPIRE_CENTISECS, DIRTY_WRITEBACK_CENTISECS = 200, 100
"""Of note 002's raw reports: limits in % of the memory, and the ages that go with them."""
_LEAST_WAL_BUFFERS_MIB, _RAM_OVER_WAL_BUFFERS = 16, 256
"""The notes' log buffers would be a tenth of the small memory of a bound: they shrink with it, down to the default."""
_LOG_003: Settings = {"max_wal_size": "50GB", "min_wal_size": "2GB", "checkpoint_timeout": "1h"}


@dataclass(frozen=True)
class Conditions:
    """Of one configuration on these tables."""

    parameters: Parameters
    tables: Tables
    arm: Configuration

    @property
    def ram_bytes(self) -> int:
        """Memory that server and page cache may use together."""
        return int(float(self.arm.settings.get("ram_over_data") or RAM_OVER_DATA) * self.tables.data_bytes)

    @property
    def pool_blocks(self) -> int:
        """Shared buffers in blocks of 8 KiB."""
        own = self.arm.settings
        if "pool_over_ram" in own:
            return pool_blocks(float(own["pool_over_ram"] or 0) * self.ram_bytes)
        return pool_blocks(float(own["pool_over_data"] or 0) * self.tables.data_bytes)

    @property
    def reserved_bytes(self) -> int:
        """Huge pages that are kept from everything else, whether the pool lies in them or not."""
        return int(RESERVED_OVER_POOL * float(self.arm.settings.get("reserved_over_ram") or 0) * self.ram_bytes)

    @property
    def settings(self) -> Settings:
        """The two notes' own settings, as far as the server has them, and what the configuration varies."""
        own, part = self.arm.settings, part_of(self.arm)
        scaled = max(_LEAST_WAL_BUFFERS_MIB, self.ram_bytes // _RAM_OVER_WAL_BUFFERS // 2**20)
        common: Settings = {
            "shared_buffers": f"{self.pool_blocks * 8}kB",
            "wal_buffers": f"{min(128 if part is Part.WARM else 64, scaled)}MB",
            "max_connections": self.parameters.max_connections,
            "wal_compression": self.tables.wal_compression,
            "huge_pages": "on" if own.get("huge_pages") else "off",
        }
        if part is Part.WARM:
            return NOTE_003 | _LOG_003 | common | self._round(own)
        if part is Part.RESTART:
            return restarted(int(own["workers"] or 0), own["lru_maxpages"]) | common
        past = self.tables.cluster.direct_io_possible and self.tables.binaries.has_direct_io
        return NOTE_002 | common | ({"debug_io_direct": "data"} if past else {})

    def _round(self, own: Mapping[str, Scalar]) -> Settings:
        """What note 003 changed between its second and third rounds, beside the pool."""
        settings: Settings = {
            "bgwriter_lru_multiplier": own["multiplier"],
            "autovacuum": True,
            "autovacuum_max_workers": 2,
            "autovacuum_naptime": f"{int(own['naptime_trials'] or 0) * self.parameters.warm_seconds}s",
        }
        return settings if own["compressed"] else settings | {"wal_compression": "off"}

    @property
    def limits(self) -> DirtyLimits | None:
        """Note 002's limits of dirty data, scaled to the memory of its trials; None leaves the machine's own."""
        if part_of(self.arm) is not Part.RESTART or not self.parameters.allow_vm_settings:
            return None
        found = dirty_limits.of_memory(self.ram_bytes, DIRTY_PERCENT, DIRTY_BACKGROUND_PERCENT)
        return replace(found, expire_centisecs=DIRTY_EXPIRE_CENTISECS, writeback_centisecs=DIRTY_WRITEBACK_CENTISECS)

    @property
    def os_cache(self) -> bool:
        """Whether the OS page cache is filled with the data before the server starts."""
        cold = self.arm.settings.get("cold") or not self.arm.settings.get("os_cache", True)
        return part_of(self.arm) is not Part.READS and not cold
