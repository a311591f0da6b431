"""The volumes that the notes had, as far as they can be imitated on a local disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchbook.engines.storage.caps import Cap

LONGEST_MS = 100.0
"""That a read or a flush may be delayed."""


@dataclass(frozen=True)
class Preset:
    """A volume by what it is sold as. latency_ms: what a read and a flush take longer than on a local disk."""

    name: str
    iops: int | None
    bytes_per_s: int | None
    latency_ms: float

    @property
    def cap(self) -> Cap:
        """The same in both directions."""
        return Cap.of(self.iops, self.bytes_per_s)


LOCAL = Preset("local disk", None, None, 0.0)
GP3_3000 = Preset("EBS gp3, 3,000 IOPS, 125 MB/s", 3_000, 125_000_000, 1.0)
GP3_16000 = Preset("EBS gp3, 16,000 IOPS, 1,000 MB/s", 16_000, 1_000_000_000, 1.0)

PRESETS = {"local": LOCAL, "gp3_3000": GP3_3000, "gp3_16000": GP3_16000}
"""By the names that a parameter takes."""


def iops(value: Any) -> Any:
    """A parameter's operations per second: those of the volume that it names, else the value as it is."""
    preset = PRESETS.get(value) if isinstance(value, str) else None
    return value if preset is None or preset.iops is None else preset.iops


def mb_per_s(value: Any) -> Any:
    """The same in MB per second."""
    preset = PRESETS.get(value) if isinstance(value, str) else None
    return value if preset is None or preset.bytes_per_s is None else preset.bytes_per_s // 1_000_000
