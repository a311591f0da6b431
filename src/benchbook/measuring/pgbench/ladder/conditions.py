"""What holds in a trial of a configuration: its memory, its pool, the server's settings, the limits of dirty data."""

from __future__ import annotations

from dataclasses import dataclass, replace

from benchbook.engines import dirty_limits
from benchbook.engines.dirty_limits import DirtyLimits
from benchbook.measuring.pgbench.ladder.arms import TRIAL, Parameters, Start, start_of
from benchbook.measuring.pgbench.ladder.parameters import EXTRA_BYTES
from benchbook.measuring.pgbench.settings import Settings, pool_blocks
from benchbook.measuring.pgbench.tables import Tables
from benchbook.model import Configuration

RESERVED_OVER_POOL = 1.07
"""Note 003 reserved 4,400 huge pages of 2 MB for a pool of 8 GB, and 6,600 for one of 12 GB."""
DIRTY_PERCENT, DIRTY_BACKGROUND_PERCENT = 4, 1
DIRTY_EXPIRE_CENTISECS, DIRTY_WRITEBACK_CENTISECS = 200, 100
"""Of note 002's raw reports: limits in % of the memory, and the ages that go with them."""


@dataclass(frozen=True)
class Conditions:
    """Of one configuration on these tables."""

    parameters: Parameters
    tables: Tables
    arm: Configuration

    @property
    def restarted(self) -> bool:
        """Whether it is note 002's: from a restart, with the data in the OS cache."""
        return start_of(self.arm) is Start.RESTART

    @property
    def ram_bytes(self) -> int:
        """Memory that server and page cache may use together."""
        own = int(self._number("ram_over_data") * self.tables.data_bytes)
        return own if self.restarted else own + EXTRA_BYTES

    @property
    def pool_blocks(self) -> int:
        """Shared buffers in blocks of 8 KiB."""
        return pool_blocks(self._number("pool_over_data") * self.tables.data_bytes)

    @property
    def huge_pages(self) -> bool:
        """Whether the pool lies in huge pages."""
        return not self.restarted and self.parameters.allow_vm_settings

    @property
    def reserved_bytes(self) -> int:
        """Huge pages that are kept from everything else, as note 003 reserved them."""
        return int(RESERVED_OVER_POOL * self.pool_blocks * 8192) if self.huge_pages else 0

    @property
    def settings(self) -> Settings:
        """The server's: those of the configuration as they are, and those that follow from sizes and lengths."""
        own = self.arm.settings
        given = {name: value for name, value in own.items() if name not in TRIAL}
        given |= {
            "shared_buffers": f"{self.pool_blocks * 8}kB",
            "max_connections": self.parameters.max_connections,
            "huge_pages": "on" if self.huge_pages else "off",
            "effective_cache_size": f"{int(self._number('cache_over_data') * self.tables.data_bytes) // 1024}kB",
        }
        if given.get("wal_compression") is None:
            given["wal_compression"] = self.tables.wal_compression
        if "naptime_trials" in own:
            given["autovacuum_naptime"] = f"{int(self._number('naptime_trials')) * self.parameters.warm_seconds}s"
        return given

    @property
    def limits(self) -> DirtyLimits | None:
        """Note 002's limits of dirty data, scaled to the memory of its trials; None leaves the machine's own."""
        if not self.restarted or not self.parameters.allow_vm_settings:
            return None
        found = dirty_limits.of_memory(self.ram_bytes, DIRTY_PERCENT, DIRTY_BACKGROUND_PERCENT)
        return replace(found, expire_centisecs=DIRTY_EXPIRE_CENTISECS, writeback_centisecs=DIRTY_WRITEBACK_CENTISECS)

    def _number(self, name: str) -> float:
        return float(self.arm.settings[name] or 0)
