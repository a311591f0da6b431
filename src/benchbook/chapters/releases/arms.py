"""What can be set, and the configurations: six settings of pool, log and background writer, each on two releases."""

from __future__ import annotations

from pydantic import Field

from benchbook.measuring.pgbench import parameters as family
from benchbook.model import Configuration, Scalar

OURS, NOTES = "ours", "notes"
RELEASES = {OURS: "the book's release", NOTES: "the notes' release"}
SMALL, FULL = 20, 150
"""Pools in % of the data."""
CASES: dict[str, tuple[str, dict[str, Scalar]]] = {
    "full": ("TPC-B, pool for all", {"pool": FULL}),
    "small": ("TPC-B, small pool", {"pool": SMALL}),
    "compressed": ("TPC-B, pool for all, log compressed", {"pool": FULL, "compressed": True}),
    "unwritten": ("TPC-B, small pool, background writer off", {"pool": SMALL, "lru_maxpages": 0}),
    "reads_full": ("reads, pool for all", {"pool": FULL, "reads": True}),
    "reads_small": ("reads, small pool", {"pool": SMALL, "reads": True}),
}
"""What is measured, with its label and settings."""
COMPARED = {
    "pool": ("TPC-B: small pool ÷ pool for all", "small", "full"),
    "reads": ("reads: small pool ÷ pool for all", "reads_small", "reads_full"),
    "compression": ("log compressed ÷ not", "compressed", "full"),
    "writer": ("background writer off ÷ on", "unwritten", "small"),
}
"""Comparisons of settings: label, and the two configurations."""
AGAIN = "ours_full_again"


class Parameters(family.Parameters):
    """Defaults are the standard profile: 300 MB of data on each release, five minutes a block."""

    blocks: int = Field(4, ge=2, le=100, description="complete blocks; each measures every configuration once")
    scale: int = Field(20, ge=1, le=20_000, description="pgbench scale factor; 20 is 0.29 GiB of tables and indexes")
    clients: int = Field(10, ge=2, le=1_000, description="pgbench clients (the notes: 100)")
    trial_seconds: int = Field(12, ge=1, le=3_600, description="length of a measured run")
    fill_seconds: int = Field(
        3, ge=0, le=3_600, description="discarded run before it, on a pool that pg_prewarm filled"
    )

    @property
    def log_bytes(self) -> int:
        """Estimated bytes of the log of one trial, whose changed pages each come with a full image."""
        return self.data_bytes + (self.trial_seconds + self.fill_seconds) * 60_000_000

    @property
    def disk_bytes(self) -> int:
        """Of both releases."""
        return 2 * super().disk_bytes

    @property
    def memory_bytes(self) -> int:
        """What the largest configuration may use."""
        return int(family.RAM_OVER_DATA * self.data_bytes) + 300_000_000


def at(release: str, case: str) -> str:
    """Configuration name."""
    return f"{release}_{case}"


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every case on both releases, those that are compared together in a block, and one twice (A/A)."""

    def arm(release: str, case: str, name: str = "", more: str = "") -> Configuration:
        label, own = CASES[case]
        settings: dict[str, Scalar] = {
            "release": release, "reads": False, "compressed": False, "lru_maxpages": 1_250, **own,
        }  # fmt: skip
        return Configuration(name or at(release, case), f"{label}, {RELEASES[release]}{more}", settings)

    return (*(arm(release, case) for case in CASES for release in RELEASES), arm(OURS, "full", AGAIN, ", again (A/A)"))
