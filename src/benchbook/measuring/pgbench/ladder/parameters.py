"""What can be set where configurations of the ladder are measured."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from benchbook import kit
from benchbook.measuring.pgbench import parameters as family
from benchbook.measuring.pgbench.parameters import SMALL_RAM_OVER_DATA

Part = Literal["rounds", "states", "singles", "workers", "scenario_b", "flushes", "compression", "screening"]
PARTS: tuple[Part, ...] = (
    "rounds", "states", "singles", "workers", "scenario_b", "flushes", "compression", "screening",
)  # fmt: skip
LARGEST_RAM_OVER_DATA = 4 / 0.92
"""Note 003 from its second round on: data of 0.92 of a pool that is a quarter of the memory."""
EXTRA_BYTES, SHARED_BYTES = 192 * 2**20, 160 * 2**20
"""Given to note 003's trials on top of a memory that shrinks with the data, as its 128 MB of log buffers do not; and
what of shared memory is not the pool."""
SECOND = (
    "measure the codecs of wal_compression on a second PostgreSQL of this system that has lz4 (Debian's package); "
    "without it those configurations are left out"
)
VM = (
    "set the kernel's limits of dirty data to note 002's, reserve huge pages for note 003's pools, and put both back "
    "after each trial (root only); without it the machine's own limits and ordinary pages are used"
)


def check_smallest(p: family.Parameters) -> None:
    """Refuse data too small for the ladder's pools, of 0.2 to 0.6 of the data."""
    left = int((SMALL_RAM_OVER_DATA - 0.6) * p.data_bytes) + EXTRA_BYTES - SHARED_BYTES
    family.check_room(p, left, smallest=0.2)


class Parameters(family.StorageParameters):
    """Defaults are the standard profile: 300 MB of data, some 25 minutes a block on two processors and a local disk."""

    blocks: int = kit.common("blocks", 2)
    scale: int = kit.common("scale", 20)
    clients: int = kit.common("clients", 10)
    parts: tuple[Part, ...] = kit.param(
        PARTS,
        words="what is measured: note 003's first two rounds (always), its third and smaller data, its settings one at "
        "a time, note 002's workers, its Scenario B one setting at a time, commit_delay on slow flushes, compression "
        "on a second server, fifteen settings in sixteen combinations",
    )
    restart_seconds: int = kit.param(
        15, 1, 3_600, "length of a trial from a restart (note 002: 60); a twelfth of it stands for the note's 5 s"
    )
    warm_seconds: int = kit.param(
        10, 1, 3_600, "length of a trial of note 003's configurations, cold or warm (the note: 60)"
    )
    warm_fill_seconds: int = kit.common("warm_fill_seconds", 2)
    flush_ms: float = kit.param(
        1.0, high=100, above=0, words="added to each flush of the log in the configurations on slow flushes, in ms"
    )
    second_server: bool = kit.param(True, words=SECOND)
    allow_vm_settings: bool = kit.param(True, words=VM)

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        wrong = "rounds" not in self.parts or len(set(self.parts)) != len(self.parts)
        kit.refuse(wrong, f"parts={list(self.parts)} must name rounds and each part at most once")
        check_smallest(self)
        return self

    @property
    def has_second(self) -> bool:
        """Whether some configurations lie on a second server."""
        return self.second_server and "compression" in self.parts

    @property
    def log_bytes(self) -> int:
        seconds = max(self.restart_seconds, 3 * self.warm_seconds + self.warm_fill_seconds)
        return family.log_bytes(self, seconds, images=3)

    @property
    def disk_bytes(self) -> int:
        return super().disk_bytes + (int(2.4 * self.data_bytes) + 300_000_000 if self.has_second else 0)

    @property
    def memory_bytes(self) -> int:
        return int(LARGEST_RAM_OVER_DATA * self.data_bytes) + 500_000_000
