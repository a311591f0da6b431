"""What can be set, and the configurations: limits of dirty data, the background writer, a bound on memory, the pool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from pydantic import Field, model_validator

from benchbook.measuring.pgbench import parameters as family
from benchbook.model import Configuration, Scalar

MIB = 2**20
LIMITS: Mapping[str, tuple[int, int]] = {"90": (90, 22), "225": (225, 112), "450": (450, 225), "1600": (1600, 800)}
"""Limits of dirty data in MiB, and those from which the kernel writes in the background."""
LOWEST, MIDDLE, HIGH, HIGHEST = LIMITS
PLAIN, NOTED, AHEAD, BOUND = "plain", "noted", "ahead", "bound"
"""Beginnings of names: PostgreSQL's own background writer; the note's; the data read ahead into the OS cache, in large
pieces, and not page by page; the same in a bound on memory with the note's background writer, as in io_cliff."""
AGAIN, LARGE, FREE = f"{PLAIN}_{MIDDLE}_again", "pool_100", "not_capped"
DOSE = tuple(f"{PLAIN}_{each}" for each in LIMITS)
POOL_OVER_DATA = 0.2
WAL_BYTES_PER_TRANSACTION, MOST_TPS = 9_000, 10_000


class Parameters(family.StorageParameters):
    """Defaults are the standard profile: 750 MB of data, about ten minutes a block."""

    blocks: int = Field(
        2,
        ge=2,
        le=100,
        description="complete blocks of a session; each measures every configuration once; further sessions add more",
    )
    trial_seconds: int = Field(25, ge=1, le=3_600, description="length of a trial from a restart with an empty pool")
    allow_vm_settings: bool = Field(
        True,
        description="set the kernel's limits of dirty data for the length of each trial and put them back (root only); "
        "without it nothing but the pool and the cap can be varied",
    )

    @model_validator(mode="after")
    def _nothing_delayed(self) -> Self:
        if self.storage_latency_ms:
            raise ValueError(
                f"storage_latency_ms={self.storage_latency_ms:g}: nothing is delayed in this chapter; give 0"
            )
        return self

    @property
    def log_bytes(self) -> int:
        """Estimated bytes of the log of one trial."""
        return int(self.data_bytes * 1.2) + self.trial_seconds * MOST_TPS * WAL_BYTES_PER_TRANSACTION // 4

    @property
    def memory_bytes(self) -> int:
        """What a trial may use: three times the data."""
        return int(family.RAM_OVER_DATA * self.data_bytes) + 300_000_000


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every arm that the parameters let be run, in the order of the figures; what is compared stands together."""
    capped, limited = parameters.allow_slow_storage, parameters.allow_vm_settings
    arms: list[Configuration] = []
    if capped and limited:
        arms += [_arm(f"{PLAIN}_{each}", f"limit {each} MiB", each) for each in LIMITS]
        arms.insert(2, _arm(AGAIN, f"limit {MIDDLE} MiB again (A/A)", MIDDLE))
        arms += [
            _arm(f"{NOTED}_{each}", f"limit {each} MiB, note 002's background writer", each, "note", noted=True)
            for each in (LOWEST, HIGH)
        ]
        arms += [
            _arm(f"{AHEAD}_{each}", f"limit {each} MiB, data read ahead", each, "read ahead", ahead=True)
            for each in (LOWEST, HIGH, HIGHEST)
        ]
        if parameters.bound_memory:
            arms += [
                _arm(f"{BOUND}_{each}", f"limit {each} MiB, as in the I/O cliff", each, "read ahead", noted=True,
                     ahead=True, bound=True)
                for each in (LOWEST, HIGH)
            ]  # fmt: skip
    if capped:
        arms.append(_arm(LARGE, "pool of all the data", MIDDLE, "control", pool=1.2))
    else:
        arms.append(_arm(f"{FREE}_again", "storage not capped, again (A/A)", MIDDLE, "control", capped=False))
    arms.append(_arm(FREE, "storage not capped", MIDDLE, "control", capped=False))
    return tuple(arms)


def _arm(
    name: str, label: str, limit: str, group: str = "dose", *, noted: bool = False, ahead: bool = False,
    bound: bool = False, pool: float = POOL_OVER_DATA, capped: bool = True,
) -> Configuration:  # fmt: skip
    dirty, background = LIMITS[limit]
    settings: dict[str, Scalar] = {
        "dirty_mib": dirty,
        "dirty_background_mib": background,
        "noted_writer": noted,
        "read_ahead": ahead,
        "bound": bound,
        "pool_over_data": pool,
        "capped": capped,
    }
    return Configuration(name, label, settings, group)
