"""What can be set, and the configurations: how often the server checkpoints, with full page images or without."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from benchbook.measuring.pgbench import parameters as family
from benchbook.model import Configuration, Scalar

HOUR, AGAIN, MINUTE, OFTEN = "hour", "hour_again", "minute", "half_minute"
SMALL_LOG, NO_IMAGES = "small_log", "half_minute_no_images"
HOUR_FREE, FREE_AGAIN, OFTEN_FREE = "hour_free", "hour_free_again", "half_minute_free"
CHECKPOINTED = (MINUTE, OFTEN, SMALL_LOG, NO_IMAGES)
"""Those that checkpoint while they are measured."""
HOUR_S, MINUTE_S, OFTEN_S = 3_600, 60, 30
"""checkpoint_timeout: the note's, and the shortest that PostgreSQL allows, with one between."""
LARGE_MB, SMALL_MB = 20_000, 48
"""max_wal_size: never reached in a trial, and about PostgreSQL's 1 GB in proportion to the note's 20 GB of data."""
POOL_OVER_DATA = 1 / 0.92
"""Of note 003 from its second round on: its data had 0.92 of the pool."""
WAL_BYTES_PER_TRANSACTION, MOST_TPS = 1_000, 10_000


class Parameters(family.StorageParameters):
    """Defaults are the standard profile: 300 MB of data, about a quarter of an hour a block."""

    blocks: int = Field(
        2,
        ge=2,
        le=100,
        description="complete blocks of a session; each measures every configuration once; further sessions add more",
    )
    scale: int = Field(20, ge=1, le=20_000, description="pgbench scale factor; 20 is 0.29 GiB of tables and indexes")
    clients: int = Field(10, ge=2, le=1_000, description="pgbench clients (the note: 100)")
    trial_seconds: int = Field(
        60,
        ge=1,
        le=36_000,
        description="length of a trial; by default two cycles of the shortest checkpoint_timeout, 30 s",
    )
    fill_seconds: int = Field(
        20, ge=0, le=3_600, description="discarded TPC-B run before a trial, on a pool that pg_prewarm filled; 0: none"
    )

    @model_validator(mode="after")
    def _nothing_delayed(self) -> Self:
        if self.storage_latency_ms:
            raise ValueError(
                f"storage_latency_ms={self.storage_latency_ms:g}: the server is started again within a trial here, "
                "and the new one would have no delay; give 0"
            )
        return self

    @property
    def log_bytes(self) -> int:
        """Estimated bytes of the log of one trial: each cycle logs every page once as a whole."""
        seconds = self.trial_seconds + self.fill_seconds
        cycles = 2 + seconds / OFTEN_S
        return int(cycles * 1.2 * self.data_bytes) + seconds * MOST_TPS * WAL_BYTES_PER_TRANSACTION

    @property
    def memory_bytes(self) -> int:
        """What a trial may use: three times the data."""
        return int(family.RAM_OVER_DATA * self.data_bytes) + 300_000_000


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every arm, in the order of the figures; what is compared stands together in a block."""
    capped = parameters.allow_slow_storage
    arms: list[Configuration] = []
    if capped:
        arms += [
            _arm(HOUR, "timeout 1 h: none"),
            _arm(AGAIN, "timeout 1 h again (A/A)"),
            _arm(MINUTE, "timeout 60 s", timeout_s=MINUTE_S),
            _arm(OFTEN, "timeout 30 s", timeout_s=OFTEN_S),
            _arm(NO_IMAGES, "timeout 30 s, full_page_writes off", timeout_s=OFTEN_S, images=False),
            _arm(SMALL_LOG, "max_wal_size 48 MB", wal_mb=SMALL_MB),
        ]
    arms.append(_arm(HOUR_FREE, "timeout 1 h, storage not capped", capped=False))
    if not capped:
        arms.append(_arm(FREE_AGAIN, "timeout 1 h, storage not capped, again (A/A)", capped=False))
    arms.append(_arm(OFTEN_FREE, "timeout 30 s, storage not capped", timeout_s=OFTEN_S, capped=False))
    return tuple(arms)


def _arm(
    name: str, label: str, *, timeout_s: int = HOUR_S, wal_mb: int = LARGE_MB, images: bool = True, capped: bool = True
) -> Configuration:
    settings: dict[str, Scalar] = {
        "checkpoint_timeout_s": timeout_s,
        "max_wal_size_mb": wal_mb,
        "full_page_writes": images,
        "capped": capped,
    }
    return Configuration(name, label, settings, "capped" if capped else "not capped")
