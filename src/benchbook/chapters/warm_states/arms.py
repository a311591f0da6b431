"""What can be set, and the states into which one warm server is put for some seconds at a time."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Self

from pydantic import Field, model_validator

from benchbook.measuring.pgbench import parameters as family
from benchbook.measuring.pgbench.parameters import PAGES_PER_SCALE
from benchbook.model import Configuration

GROUP = "one server"
POOL_OVER_DATA = 1 / 0.92
"""Of note 003 from its second round on: its data had 0.92 of the pool."""
TRANSACTIONS_PER_S, WAL_BYTES_PER_PAGE = 10_000, 9_000
"""More than the largest rate that was seen, and what a page logs at its first change, for what the log may take."""


class State(StrEnum):
    """What is done to the server meanwhile."""

    NOTHING = "nothing"
    HALF = "half_processor"
    BUSY = "two_programs"
    SNAPSHOT = "snapshot"
    VACUUM = "vacuum"
    OS_CACHE = "os_cache"
    COLD = "cold"


AGAIN = "nothing_again"
TAKEN = {State.HALF: (1, 0.5), State.BUSY: (2, 1.0)}
"""Other programs, and the processor that each of them takes at most; what they got is counted."""
LABELS = {
    State.NOTHING: "nothing",
    State.HALF: "another program takes half a processor",
    State.BUSY: "two other programs compute",
    State.SNAPSHOT: "an idle transaction keeps a snapshot",
    State.VACUUM: "VACUUM of the accounts, again and again",
    State.OS_CACHE: "OS cache dropped, pool kept",
    State.COLD: "OS cache and pool dropped",
}


class Parameters(family.Parameters):
    """Defaults are the standard profile: 750 MB of data, about eight minutes a block."""

    blocks: int = Field(
        3,
        ge=2,
        le=100,
        description="complete blocks of a session; each measures every state once; further sessions add more",
    )
    clients: int = Field(10, ge=2, le=1_000, description="pgbench clients (the note: 100)")
    rounds: int = Field(2, ge=2, le=10_000, description="rounds in a block; each puts the server into every state once")
    turn_ms: int = Field(25_000, ge=200, le=600_000, description="length of a turn in ms")
    discard_ms: int = Field(
        2_000, ge=50, le=300_000, description="first part of a turn that does not count, in ms: the state begins"
    )
    rest_ms: int = Field(
        2_000, ge=0, le=600_000, description="time after a turn in which nothing is done to the server, in ms"
    )
    fill_seconds: int = Field(
        5, ge=1, le=3_600, description="discarded TPC-B run before the turns, on a pool that pg_prewarm filled"
    )

    @model_validator(mode="after")
    def _something_counts(self) -> Self:
        if self.discard_ms >= self.turn_ms:
            raise ValueError(f"discard_ms={self.discard_ms} leaves nothing of a turn of {self.turn_ms} ms")
        return self

    @property
    def load_seconds(self) -> int:
        """How long a block's load lasts, in whole seconds, with some for the pool to be filled again."""
        turns = len(configurations(self)) * self.rounds
        return math.ceil(turns * (self.turn_ms + self.rest_ms) / 1_000 * 1.2) + 10

    @property
    def log_bytes(self) -> int:
        """Estimated bytes of the log of a block: no checkpoint lies in it, so each page is logged once."""
        made = TRANSACTIONS_PER_S * (self.load_seconds + self.fill_seconds)
        return min(self.scale * PAGES_PER_SCALE, made) * WAL_BYTES_PER_PAGE * 2 + made * 1_000

    @property
    def memory_bytes(self) -> int:
        """What a trial may use: three times the data."""
        return int(family.RAM_OVER_DATA * self.data_bytes) + 300_000_000


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every state, and nothing twice (A/A)."""
    found = [Configuration(str(state), label, {"state": str(state)}, GROUP) for state, label in LABELS.items()]
    found.insert(1, Configuration(AGAIN, "nothing again (A/A)", {"state": str(State.NOTHING)}, GROUP))
    return tuple(found)


def state_of(arm: Configuration) -> State:
    """The state that a configuration stands for."""
    return State(str(arm.settings["state"]))
