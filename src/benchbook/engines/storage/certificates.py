"""What a volume really does, measured on the very device; a cap that it does not keep fails the trial."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from benchbook.engines.storage import loads
from benchbook.engines.storage.caps import Cap
from benchbook.engines.storage.volumes import Volume
from benchbook.errors import MachineError

BLOCK_BYTES = 8192
LARGE_BYTES = 2**20
TOLERANCE = 0.20
_FILE_BYTES = 64 * 2**20
_LARGE_DEPTH = 4


@dataclass(frozen=True)
class Certificate:
    """Of direct operations on 8 KiB at random places. Latencies: one at a time. IOPS: ``depth`` at any time.

    bytes_per_s: of operations on 1 MiB.
    """

    depth: int
    read_p50_us: float
    read_p99_us: float
    read_iops: float
    read_bytes_per_s: float
    write_p50_us: float
    write_p99_us: float
    write_iops: float
    write_bytes_per_s: float

    def record(self) -> dict[str, float]:
        """For the trial's record; names with units."""
        return asdict(self)

    def departures(self, cap: Cap) -> list[str]:
        """Where the volume did more or less than the cap by more than a fifth, in words; empty when it keeps it."""
        said = []
        for direction in ("read", "write"):
            for block, kind in ((BLOCK_BYTES, "8 KiB"), (LARGE_BYTES, "1 MiB")):
                due = cap.operations_per_s(direction, block)
                if due is None or (block == LARGE_BYTES and getattr(cap, f"{direction}_bytes_per_s") is None):
                    continue
                done: float = getattr(self, f"{direction}_iops")
                if block == LARGE_BYTES:
                    done = getattr(self, f"{direction}_bytes_per_s") / LARGE_BYTES
                if abs(done / due - 1) > TOLERANCE:
                    said.append(f"{done:,.0f} {direction}s of {kind} a second instead of {due:,.0f}")
        return said

    def confirm(self, cap: Cap) -> None:
        """Raise MachineError, which fails the trial, unless the volume keeps the cap within 20 %."""
        departures = self.departures(cap)
        if departures:
            raise MachineError(
                f"the storage does not keep its cap: {'; '.join(departures)}",
                "measure on a disk that is faster or less busy, or ask for a lower cap",
            )


def certify(volume: Volume, *, duration_s: float = 1.0, depth: int = 32) -> Certificate:
    """Measure a volume as it is now, capped or not; takes about six times duration_s and a quarter of its free room.

    Ask while nothing else uses it. Raises OSError without room, which ``volume`` turns into its own words.
    """
    measured: dict[str, float] = {}
    with loads.target(volume.folder, _FILE_BYTES) as target:
        for direction in ("read", "write"):
            latencies_ns = target.latencies_ns(direction, BLOCK_BYTES, duration_s)
            p50, p99 = np.quantile(latencies_ns, [0.5, 0.99]) / 1000
            measured[f"{direction}_p50_us"], measured[f"{direction}_p99_us"] = float(p50), float(p99)
            measured[f"{direction}_iops"] = target.rate_per_s(direction, BLOCK_BYTES, duration_s, depth)
            large = target.rate_per_s(direction, LARGE_BYTES, duration_s, _LARGE_DEPTH)
            measured[f"{direction}_bytes_per_s"] = large * LARGE_BYTES
    return Certificate(depth=depth, **measured)
