"""What can be set, and the configurations: pool, limits of dirty data, cap of the storage, and checkpoints."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from benchbook.engines.bounds.memory import SMALLEST_BYTES
from benchbook.measuring.pgbench import parameters as family
from benchbook.measuring.pgbench.parameters import RAM_OVER_DATA, SMALL_RAM_OVER_DATA
from benchbook.model import Configuration, Scalar

BASELINE, A, REPEATED, B = "baseline", "scenario_a", "scenario_a_again", "scenario_b"
A_80 = "scenario_a_pool_80"
A_10_1, A_10_5, B_10_5 = "scenario_a_dirty_10_1", "scenario_a_dirty_10_5", "scenario_b_dirty_10_5"
A_FREE, FREE_AGAIN, B_FREE = "scenario_a_free", "scenario_a_free_again", "scenario_b_free"
A_10_5_FREE, B_10_5_FREE = "scenario_a_dirty_10_5_free", "scenario_b_dirty_10_5_free"
SPACED, DEFAULT_TIMEOUT, DEFAULT_WAL = "spaced_checkpoints", "default_timeout", "default_wal_size"
CHECKPOINTS = (SPACED, DEFAULT_TIMEOUT, DEFAULT_WAL)
SMALL, LARGE, UNCAPPED, SPACING = "small pool", "large pool", "storage not capped", "checkpoints"
"""Groups: what is compared with each other stands together in its block."""
IN_FORCE = (4, 1)
"""The note's limits of dirty data by its raw reports, in % of memory: the limit, and that of the background."""
CHECKPOINT_POOL_OVER_DATA = 0.4
NOTE_CHECKPOINT_SECONDS = 600
SHORTEST_CHECKPOINT_TIMEOUT_S = 30
"""PostgreSQL's own lower bound."""


class Parameters(family.StorageParameters):
    """Defaults are the standard profile: 750 MB of data, about 45 minutes a session."""

    blocks: int = Field(
        3,
        ge=2,
        le=100,
        description="complete blocks of a session; each measures every configuration once; further sessions add more",
    )
    trial_seconds: int = Field(
        60, ge=1, le=3_600, description="length of a trial from a restart; a twelfth stands for the note's 5 s"
    )
    checkpoint_seconds: int = Field(
        0,
        ge=0,
        le=36_000,
        description="length of a trial of the checkpoint configurations; stands for 600 s, and checkpoint_timeout is "
        "scaled alike; 0 leaves them out",
    )
    fill_seconds: int = Field(
        2, ge=1, le=3_600, description="discarded run that fills the pool before a checkpoint trial"
    )
    allow_vm_settings: bool = Field(
        True,
        description="set the kernel's limits of dirty data for the length of each trial and put them back (root only); "
        "without it the trials run under the machine's own limits and the other limits are left out",
    )

    @model_validator(mode="after")
    def _possible(self) -> Self:
        ram = (SMALL_RAM_OVER_DATA if self.checkpoint_seconds else RAM_OVER_DATA) * self.data_bytes
        if self.bound_memory and ram < SMALLEST_BYTES:
            raise ValueError(
                f"scale={self.scale} bounds memory to {ram / 2**20:.0f} MiB, and no server starts in less than "
                f"{SMALLEST_BYTES / 2**20:.0f}"
            )
        return self

    @property
    def checkpoint_timeout_s(self) -> int:
        """PostgreSQL's default of 5 min, scaled as the trial is; no shorter than the server allows."""
        return max(SHORTEST_CHECKPOINT_TIMEOUT_S, round(300 * self.checkpoint_seconds / NOTE_CHECKPOINT_SECONDS))

    @property
    def log_bytes(self) -> int:
        """Estimated bytes of the log of the longest trial."""
        seconds = max(self.trial_seconds, self.checkpoint_seconds + self.fill_seconds)
        return int(min(self.data_bytes, seconds * 10_000 * 9_000) * 1.2 + seconds * 10_000 * 1_000)

    @property
    def memory_bytes(self) -> int:
        """What the largest configuration may use: three times the data."""
        return 3 * self.data_bytes + 300_000_000


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every arm that the claims name, as far as the parameters let it be run, in the order of the figures."""
    capped, limited = parameters.allow_slow_storage, parameters.allow_vm_settings
    arms = []
    if capped:
        arms += [
            Configuration(A, "A: pool 20 %", _restart(20), SMALL),
            Configuration(REPEATED, "A again (A/A)", _restart(20), SMALL),
            Configuration(BASELINE, "baseline: as A, 8 workers", _restart(20, workers=8), SMALL),
            Configuration(B, "B: pool 100 %", _restart(100), LARGE),
            Configuration(A_80, "A with pool 80 %", _restart(80), LARGE),
        ]
    if capped and limited:
        arms += [
            Configuration(A_10_1, "A, dirty limits 10/1", _restart(20, limits=(10, 1)), SMALL),
            Configuration(A_10_5, "A, dirty limits 10/5", _restart(20, limits=(10, 5)), SMALL),
            Configuration(B_10_5, "B, dirty limits 10/5", _restart(100, limits=(10, 5)), LARGE),
        ]
    arms.append(Configuration(A_FREE, "A, not capped", _restart(20, capped=False), UNCAPPED))
    if not capped:
        arms.append(Configuration(FREE_AGAIN, "A, not capped, again (A/A)", _restart(20, capped=False), UNCAPPED))
    arms.append(Configuration(B_FREE, "B, not capped", _restart(100, capped=False), UNCAPPED))
    if limited:
        free = (
            (A_10_5_FREE, "A, 10/5, not capped", 20),
            (B_10_5_FREE, "B, 10/5, not capped", 100),
        )
        arms += [
            Configuration(name, label, _restart(pool, limits=(10, 5), capped=False), UNCAPPED)
            for name, label, pool in free
        ]
    if parameters.checkpoint_seconds:
        arms += [
            Configuration(SPACED, "checkpoints far apart", _checkpoints(), SPACING),
            Configuration(DEFAULT_TIMEOUT, "default checkpoint_timeout", _checkpoints(timed=True), SPACING),
            Configuration(DEFAULT_WAL, "default max_wal_size", _checkpoints(small_log=True), SPACING),
        ]
    return tuple(arms)


def _restart(
    pool_percent: int, *, workers: int = 32, limits: tuple[int, int] = IN_FORCE, capped: bool = True
) -> dict[str, Scalar]:
    return {
        "pool_over_data": pool_percent / 100,
        "workers": workers,
        "lru_maxpages": 1250 if pool_percent >= 100 else 1000,
        "dirty_percent": limits[0],
        "dirty_background_percent": limits[1],
        "capped": capped,
    }


def _checkpoints(*, timed: bool = False, small_log: bool = False) -> dict[str, Scalar]:
    return {
        "pool_over_data": CHECKPOINT_POOL_OVER_DATA,
        "warm": True,
        "default_timeout": timed,
        "default_wal_size": small_log,
        "capped": False,
    }
