"""What can be set, and the configurations: the ladder's first two rounds from empty caches, with few reads a second."""

from __future__ import annotations

from functools import cache
from typing import Self

from pydantic import Field, model_validator

from benchbook.engines.storage.caps import SMALLEST_IOPS
from benchbook.measuring.pgbench import parameters as family
from benchbook.measuring.pgbench.ladder import arms as ladder
from benchbook.measuring.pgbench.ladder.arms import (
    ROUND_1,
    ROUND_1_COLD,
    ROUND_1_COLD_AGAIN,
    ROUND_1_FITS,
    ROUND_2_COLD,
)
from benchbook.measuring.pgbench.ladder.parameters import (
    CLIENT_BYTES,
    EXTRA_BYTES,
    LARGEST_RAM_OVER_DATA,
    SERVER_BYTES,
    SHARED_BYTES,
    WAL_BYTES_PER_PAGE,
)
from benchbook.measuring.pgbench.parameters import (
    NOTE_CLIENTS,
    PAGES_PER_SCALE,
    SMALL_RAM_OVER_DATA,
    VOLUME_SPARE_BYTES,
)
from benchbook.model import Configuration, Scalar
from benchbook.parameters.base import asked

FREE, FREE_AGAIN = "round_1_cold_free", "round_1_cold_free_again"
NOTE_READS_PER_TRANSACTION = 1.147
"""What note 003's data volume read in a second of its first round, 554,830 reads in 60 s, for each transaction a second
of that run's best 5 s, 8,059.7: by then most clients had stopped waiting for it (its raw report)."""
NOTE_READ_AHEAD_KIB = 64
"""Of the note's data volume."""
TRANSACTIONS_PER_S = 10_000
"""More than the largest rate that was seen, for what the log may take."""
POOL_OVER_DATA, RESERVED_OVER_POOL = 0.4, 1.07


class Parameters(family.Parameters):
    """Defaults are the standard profile: 1.5 GB of data, some six minutes a block on two processors."""

    blocks: int = Field(
        3,
        ge=2,
        le=100,
        description="complete blocks of a session; each measures every configuration once; further sessions add more",
    )
    scale: int = Field(100, ge=1, le=20_000, description="pgbench scale factor; 100 is 1.5 GiB of tables and indexes")
    clients: int = asked(NOTE_CLIENTS, "clients", ge=2, le=1_000, description="pgbench clients (the note: 100)")
    threads: int = Field(4, ge=1, le=100, description="pgbench threads; the note has two for each processor")
    trial_seconds: int = Field(
        36, ge=1, le=3_600, description="length of a trial (the note: 60); a twelfth of it stands for the note's 5 s"
    )
    warm_fill_seconds: int = Field(
        2, ge=1, le=3_600, description="discarded TPC-B run before the warm trial, on a pool that pg_prewarm filled"
    )
    allow_slow_storage: bool = Field(
        True,
        description="put the data on a volume of their own (a file behind a loop device, root only) and cap the reads "
        "in the trials of all configurations but one; without it only cold starts on the disk as it is are left",
    )
    read_iops: int = Field(
        0,
        ge=0,
        le=1_000_000,
        description="reads past the page cache that may pass in a second, from 20, writes being free; 0: in note 003's "
        "proportion to the transactions that a pilot makes on a warm pool",
    )
    read_ahead_kib: int = Field(
        NOTE_READ_AHEAD_KIB,
        ge=0,
        le=16_384,
        description="how far the kernel reads ahead on the volume, in KiB (the note: 64)",
    )
    allow_vm_settings: bool = Field(
        True,
        description="reserve huge pages for the pools, as the note did, and give them back after each trial (root "
        "only); without it pools lie in ordinary pages",
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        if 0 < self.read_iops < SMALLEST_IOPS:
            raise ValueError(f"read_iops={self.read_iops} is below {SMALLEST_IOPS}, too few to be told from none")
        left = int((SMALL_RAM_OVER_DATA - RESERVED_OVER_POOL * POOL_OVER_DATA) * self.data_bytes)
        left += EXTRA_BYTES - SHARED_BYTES
        least = SERVER_BYTES + self.clients * CLIENT_BYTES
        if self.bound_memory and left < least:
            raise ValueError(
                f"scale={self.scale} leaves {left / 2**20:,.0f} MiB beside the pool within the bound; the server and "
                f"{self.clients} clients need {least / 2**20:,.0f} MiB"
            )
        return self

    @property
    def warm_seconds(self) -> int:
        """Length of a trial, under the name by which the ladder scales autovacuum_naptime."""
        return self.trial_seconds

    @property
    def log_bytes(self) -> int:
        """Estimated bytes of the log of one trial."""
        made = TRANSACTIONS_PER_S * (self.trial_seconds + self.warm_fill_seconds)
        return min(self.scale * PAGES_PER_SCALE, made) * WAL_BYTES_PER_PAGE * 3 + made * 1_000

    @property
    def volume_bytes(self) -> int:
        """Template, one restored copy, and what else lies beside them; the log is elsewhere."""
        return int(self.data_bytes * 2.4) + VOLUME_SPARE_BYTES

    @property
    def disk_bytes(self) -> int:
        """The volume, or template and copy, and the log of one trial."""
        return super().disk_bytes + (VOLUME_SPARE_BYTES if self.allow_slow_storage else 0)

    @property
    def memory_bytes(self) -> int:
        """What the configuration with the largest memory may use."""
        return int(LARGEST_RAM_OVER_DATA * self.data_bytes) + EXTRA_BYTES + 500_000_000


@cache
def _of_the_ladder() -> dict[str, Configuration]:
    found = ladder.configurations(ladder.Parameters(parts=("rounds", "states"), second_server=False))
    return {arm.name: arm for arm in found}


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Round 1 cold twice (A/A), round 2 cold, on smaller data, warm; and round 1 cold where nothing caps the reads."""
    arms = []
    if parameters.allow_slow_storage:
        arms = [
            _arm(ROUND_1_COLD, "round 1, cold"),
            _arm(ROUND_1_COLD_AGAIN, "round 1, cold, again (A/A)"),
            _arm(ROUND_2_COLD, "round 2, cold"),
            _arm(ROUND_1_FITS, "round 1, cold, data fit the pool"),
            _arm(ROUND_1, "round 1, warm"),
        ]
    arms.append(_arm(ROUND_1_COLD, "round 1, cold, reads not capped", FREE, capped=False))
    if not parameters.allow_slow_storage:
        arms.append(_arm(ROUND_1_COLD, "round 1, cold, reads not capped, again (A/A)", FREE_AGAIN, capped=False))
    return tuple(arms)


def warm_without_cap() -> Configuration:
    """What a pilot measures, to which the cap is in proportion."""
    return _arm(ROUND_1, "round 1, warm, reads not capped", capped=False)


def _arm(of: str, label: str, name: str = "", *, capped: bool = True) -> Configuration:
    """The ladder's configuration, run once. name: by default the ladder's."""
    settings: dict[str, Scalar] = {**_of_the_ladder()[of].settings, "runs": 1, "capped": capped}
    return Configuration(name or of, label, settings, "starts")
