"""How much a volume may do in a second, by direction."""

from __future__ import annotations

from dataclasses import dataclass, fields

from benchbook.errors import BenchbookError

SMALLEST_IOPS = 20
"""The kernel counts in tenths of a second; fewer operations than two in each of them cannot be told from a burst."""
SMALLEST_BYTES_PER_S = 2**20


@dataclass(frozen=True)
class Cap:
    """Most operations and bytes in a second; None: as fast as the disk below.

    Reads and writes are capped apart, since the kernel does so; a cloud volume counts them together.
    """

    read_iops: int | None = None
    write_iops: int | None = None
    read_bytes_per_s: int | None = None
    write_bytes_per_s: int | None = None

    @classmethod
    def of(cls, iops: int | None = None, bytes_per_s: int | None = None) -> Cap:
        return cls(iops, iops, bytes_per_s, bytes_per_s)

    def __bool__(self) -> bool:
        return any(getattr(self, field.name) is not None for field in fields(self))

    def __str__(self) -> str:
        parts = []
        for direction in ("read", "write"):
            iops, bytes_per_s = getattr(self, f"{direction}_iops"), getattr(self, f"{direction}_bytes_per_s")
            said = [f"{iops:,} {direction}s/s"] if iops is not None else []
            said += [f"{bytes_per_s / 1e6:,.0f} MB/s of {direction}s"] if bytes_per_s is not None else []
            parts += said
        return ", ".join(parts) or "not capped"

    def check(self) -> None:
        """Raise BenchbookError for a cap that the kernel could not keep."""
        for field in fields(self):
            value = getattr(self, field.name)
            smallest = SMALLEST_IOPS if field.name.endswith("iops") else SMALLEST_BYTES_PER_S
            if value is not None and value < smallest:
                raise BenchbookError(
                    f"{field.name}={value} is below {smallest:,}, which the kernel cannot keep evenly",
                    "give more, or leave it out for no cap",
                )

    def operations_per_s(self, direction: str, block_bytes: int) -> float | None:
        """What operations of this size can come to; direction: "read" or "write"; None where nothing is capped."""
        iops, bytes_per_s = getattr(self, f"{direction}_iops"), getattr(self, f"{direction}_bytes_per_s")
        limits = [] if iops is None else [float(iops)]
        if bytes_per_s is not None:
            limits.append(bytes_per_s / block_bytes)
        return min(limits, default=None)
