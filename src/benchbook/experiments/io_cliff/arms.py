"""What can be set, and the configurations: workers, pool, limits of dirty data, and what starts a checkpoint."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from benchbook.engines.bounds.memory import SMALLEST_BYTES
from benchbook.experiments.families.pgbench import parameters as family
from benchbook.experiments.families.pgbench.parameters import RAM_OVER_DATA, SMALL_RAM_OVER_DATA
from benchbook.model import Configuration, Scalar

BASELINE, A, REPEATED, B = "baseline", "scenario_a", "scenario_a_again", "scenario_b"
SMALL_POOL = "scenario_a_pool_20"
A_4_1, A_10_1, B_4_1 = "scenario_a_dirty_4_1", "scenario_a_dirty_10_1", "scenario_b_dirty_4_1"
A_MACHINE = "scenario_a_machine_limits"
SPACED, DEFAULT_TIMEOUT, DEFAULT_WAL = "spaced_checkpoints", "default_timeout", "default_wal_size"
CHECKPOINTS = (SPACED, DEFAULT_TIMEOUT, DEFAULT_WAL)
CHECKPOINT_POOL_OVER_DATA = 0.4
NOTE_CHECKPOINT_SECONDS = 600
SHORTEST_CHECKPOINT_TIMEOUT_S = 30
"""PostgreSQL's own lower bound."""


class Parameters(family.Parameters):
    """Defaults are the standard profile: 750 MB of data, about 44 minutes, half of them for checkpoints."""

    trial_seconds: int = Field(
        14, ge=1, le=3_600, description="length of a trial from a restart (the note: 60); a twelfth stands for its 5 s"
    )
    checkpoint_seconds: int = Field(
        60,
        ge=0,
        le=36_000,
        description="length of a trial of the checkpoint configurations; stands for 600 s, and checkpoint_timeout is "
        "scaled alike; 0 leaves them out",
    )
    fill_seconds: int = Field(
        2, ge=1, le=3_600, description="discarded run that fills the pool before a checkpoint trial"
    )
    dirty_percent: float = Field(
        10, gt=0, le=100, description="limit of dirty data in % of the memory of server and page cache, as in the note"
    )
    dirty_background_percent: float = Field(
        5, gt=0, le=100, description="dirty data from which the kernel writes in the background, in % of that memory"
    )
    allow_vm_settings: bool = Field(
        True,
        description="set the kernel's limits of dirty data for the length of each trial and put them back (root only); "
        "without it the trials run under the machine's own limits and the other limits are left out",
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        if self.dirty_background_percent >= self.dirty_percent:
            raise ValueError(
                f"dirty_background_percent={self.dirty_background_percent:g} is not below "
                f"dirty_percent={self.dirty_percent:g}: the kernel would write at the limit only"
            )
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
    arms = [
        Configuration(BASELINE, "baseline: 8 workers, pool 80 %", _restart(80, workers=8)),
        Configuration(A, "A: 32 workers, pool 80 %", _restart(80)),
        Configuration(REPEATED, "A again (A/A)", _restart(80)),
        Configuration(B, "B: pool 100 %", _restart(100)),
        Configuration(SMALL_POOL, "A with pool 20 %", _restart(20)),
    ]
    if parameters.allow_vm_settings:
        arms += [
            Configuration(A_4_1, "A, dirty limits 4/1", _restart(80) | _limits(4, 1)),
            Configuration(A_10_1, "A, dirty limits 10/1", _restart(80) | _limits(10, 1)),
            Configuration(A_MACHINE, "A, the machine's own dirty limits", _restart(80) | {"machine_limits": True}),
            Configuration(B_4_1, "B, dirty limits 4/1", _restart(100) | _limits(4, 1)),
        ]
    if parameters.checkpoint_seconds:
        arms += [
            Configuration(SPACED, "checkpoints far apart", _checkpoints(timed=False, small_log=False)),
            Configuration(DEFAULT_TIMEOUT, "default checkpoint_timeout", _checkpoints(timed=True, small_log=False)),
            Configuration(DEFAULT_WAL, "default max_wal_size", _checkpoints(timed=False, small_log=True)),
        ]
    return tuple(arms)


def _restart(pool_percent: int, workers: int = 32) -> dict[str, Scalar]:
    return {
        "pool_over_data": pool_percent / 100,
        "workers": workers,
        "lru_maxpages": 1250 if pool_percent >= 100 else 1000,
    }


def _limits(percent: float, background_percent: float) -> dict[str, Scalar]:
    return {"dirty_percent": percent, "dirty_background_percent": background_percent}


def _checkpoints(*, timed: bool, small_log: bool) -> dict[str, Scalar]:
    return {
        "pool_over_data": CHECKPOINT_POOL_OVER_DATA,
        "warm": True,
        "machine_limits": True,
        "default_timeout": timed,
        "default_wal_size": small_log,
    }
