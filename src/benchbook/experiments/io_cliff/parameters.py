"""What can be set in the experiment, with bounds and the contradictions between parameters."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from benchbook.engines.bounds.memory import SMALLEST_BYTES
from benchbook.experiments.parameters import ExperimentParameters

BYTES_PER_SCALE = 15_750_000
"""Heap and indexes of one unit of pgbench's scale, fresh; the run measures it too."""
RAM_OVER_DATA, CHECKPOINT_RAM_OVER_DATA = 3.0, 1.6
"""Note 002 has 61 GiB for some 20 GiB of data; in note 003 data are 2.5 times a pool of a quarter of the memory."""
NOTE_SECONDS, NOTE_CHECKPOINT_SECONDS = 60, 600
SHORTEST_CHECKPOINT_TIMEOUT_S = 30
"""PostgreSQL's own lower bound."""
RESERVED_CONNECTIONS = 20
SECONDS_BESIDE, BYTES_PER_SECOND_BESIDE = 4.0, 250e6
"""A trial's start and stop, and the rate at which its data are put back, written out and read once: an estimate."""


class Parameters(ExperimentParameters):
    """Defaults are the standard profile: 750 MB of data, about 44 minutes, half of them for checkpoints."""

    blocks: int = Field(6, ge=2, le=100, description="complete blocks; each measures every configuration once")
    scale: int = Field(50, ge=1, le=20_000, description="pgbench scale factor; 50 is 0.73 GiB of tables and indexes")
    clients: int = Field(20, ge=2, le=1_000, description="pgbench clients (the note: 100)")
    threads: int = Field(2, ge=1, le=100, description="pgbench threads")
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
    bound_memory: bool = Field(
        True,
        description="bound the memory of server and page cache to 3 times the data (1.6 in the checkpoint "
        "configurations) by a control group; needs root, and is labelled where it cannot be done",
    )
    allow_vm_settings: bool = Field(
        True,
        description="set the kernel's limits of dirty data for the length of each trial and put them back (root only); "
        "without it the trials run under the machine's own limits and the other limits are left out",
    )
    keep_going: bool = Field(
        True, description="record a trial whose server or pgbench died as failed and go on, instead of ending the run"
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        if self.threads > self.clients:
            raise ValueError(f"threads={self.threads} exceeds clients={self.clients}: each thread needs a client")
        if self.dirty_background_percent >= self.dirty_percent:
            raise ValueError(
                f"dirty_background_percent={self.dirty_background_percent:g} is not below "
                f"dirty_percent={self.dirty_percent:g}: the kernel would write at the limit only"
            )
        ram = (CHECKPOINT_RAM_OVER_DATA if self.checkpoint_seconds else RAM_OVER_DATA) * self.data_bytes
        if self.bound_memory and ram < SMALLEST_BYTES:
            raise ValueError(
                f"scale={self.scale} bounds memory to {ram / 2**20:.0f} MiB, and no server starts in less than "
                f"{SMALLEST_BYTES / 2**20:.0f}"
            )
        return self

    @property
    def max_connections(self) -> int:
        """What the server allows: the note's 300, or what the clients and the observers need."""
        return max(300, self.clients + RESERVED_CONNECTIONS)

    @property
    def data_bytes(self) -> int:
        """Estimated bytes of heap and indexes, for the checks before loading."""
        return self.scale * BYTES_PER_SCALE

    @property
    def checkpoint_timeout_s(self) -> int:
        """PostgreSQL's default of 5 min, scaled as the trial is; no shorter than the server allows."""
        return max(SHORTEST_CHECKPOINT_TIMEOUT_S, round(300 * self.checkpoint_seconds / NOTE_CHECKPOINT_SECONDS))

    @property
    def disk_bytes(self) -> int:
        """Template, one restored copy and the log of one trial, whose changed pages each come with a full image."""
        seconds = max(self.trial_seconds, self.checkpoint_seconds + self.fill_seconds)
        log = int(min(self.data_bytes, seconds * 10_000 * 9_000) * 1.2 + seconds * 10_000 * 1_000)
        return int(self.data_bytes * 2.4) + log + 300_000_000

    @property
    def memory_bytes(self) -> int:
        """What the largest configuration may use: three times the data."""
        return 3 * self.data_bytes + 300_000_000

    def seconds(self, trials: int, checkpoint_trials: int) -> float:
        """Estimated length of the whole run with so many trials of each kind."""
        beside = SECONDS_BESIDE + 2 * self.data_bytes / BYTES_PER_SECOND_BESIDE
        each = self.trial_seconds + beside, self.checkpoint_seconds + self.fill_seconds + beside
        return trials * each[0] + checkpoint_trials * each[1] + 3 * self.data_bytes / 100e6
