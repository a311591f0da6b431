"""What can be set in every chapter whose trials run on copies of pgbench's tables, with their memory bounded."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from benchbook.experiments.parameters import ExperimentParameters

BYTES_PER_SCALE = 15_750_000
"""Heap and indexes of one unit of pgbench's scale, fresh; the run measures it too."""
PAGES_PER_SCALE = 1_640
"""Pages of pgbench_accounts in one unit of scale."""
RAM_OVER_DATA, SMALL_RAM_OVER_DATA = 3.0, 1.6
"""Note 002 has 61 GiB for some 20 GiB of data; in note 003 data are 2.5 times a pool of a quarter of the memory."""
NOTE_SECONDS, NOTE_CLIENTS = 60, 100
INTERVALS = 12
"""A trial is cut into as many parts as the note's 60 s held intervals of 5 s."""
RESERVED_CONNECTIONS = 20
"""For superusers, the observer and the samplers, beside the clients."""


class Parameters(ExperimentParameters):
    """Defaults are those of the standard profiles: 750 MB of data."""

    blocks: int = Field(6, ge=2, le=100, description="complete blocks; each measures every configuration once")
    scale: int = Field(50, ge=1, le=20_000, description="pgbench scale factor; 50 is 0.73 GiB of tables and indexes")
    clients: int = Field(20, ge=2, le=1_000, description="pgbench clients (the note: 100)")
    threads: int = Field(2, ge=1, le=100, description="pgbench threads")
    bound_memory: bool = Field(
        True,
        description="bound the memory of server and page cache to 3 times the data (1.6 in the configurations of note "
        "003) by a control group; needs root, and is labelled where it cannot be done",
    )
    keep_going: bool = Field(
        True, description="record a trial whose server or pgbench died as failed and go on, instead of ending the run"
    )

    @model_validator(mode="after")
    def _a_client_for_each_thread(self) -> Self:
        if self.threads > self.clients:
            raise ValueError(f"threads={self.threads} exceeds clients={self.clients}: each thread needs a client")
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
    def log_bytes(self) -> int:
        """Estimated bytes of the log of one trial, whose changed pages each come with a full image."""
        raise NotImplementedError

    @property
    def disk_bytes(self) -> int:
        """Template, one restored copy and the log of one trial."""
        return int(self.data_bytes * 2.4) + self.log_bytes + 300_000_000
