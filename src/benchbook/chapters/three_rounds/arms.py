"""What can be set, and the configurations: note 003's three rounds, warm, and the first two from empty caches."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from benchbook.measuring.pgbench import parameters as family
from benchbook.measuring.pgbench.ladder import arms, parameters
from benchbook.model import Configuration

NAMES = (
    arms.ROUND_2, arms.ROUND_2_AGAIN, arms.ROUND_1, arms.ROUND_3,
    arms.ROUND_1_COLD, arms.ROUND_1_COLD_AGAIN, arms.ROUND_2_COLD,
)  # fmt: skip
"""Of the ladder's configurations, those that are measured here."""


class Parameters(family.Parameters):
    """Defaults are the standard profile: 300 MB of data, six minutes a block on two processors and a local disk."""

    blocks: int = Field(
        4,
        ge=2,
        le=100,
        description="complete blocks of a session; each measures every configuration once; further sessions add more",
    )
    scale: int = Field(20, ge=1, le=20_000, description="pgbench scale factor; 20 is 0.29 GiB of tables and indexes")
    clients: int = Field(10, ge=2, le=1_000, description="pgbench clients (the note: 100)")
    trial_seconds: int = Field(
        30, ge=1, le=3_600, description="length of a run (the note: 60); a twelfth of it stands for the note's 5 s"
    )
    fill_seconds: int = Field(
        5,
        ge=0,
        le=3_600,
        description="discarded TPC-B run before a warm trial, on a pool that pg_prewarm filled; 0: none",
    )
    allow_vm_settings: bool = Field(
        True,
        description="reserve huge pages for the pools, as the note did, and free them after each trial (root only); "
        "without it ordinary pages are used",
    )

    @model_validator(mode="after")
    def _fits_the_ladder(self) -> Self:
        assert self.ladder
        return self

    @property
    def ladder(self) -> parameters.Parameters:
        """The same for the ladder, whose trials are made here."""
        shared = {name: getattr(self, name) for name in family.Parameters.model_fields}
        return parameters.Parameters.given(
            shared
            | {
                "parts": ["rounds", "states"], "warm_seconds": self.trial_seconds,
                "warm_fill_seconds": self.fill_seconds, "restart_seconds": 1, "second_server": False,
                "allow_slow_storage": False, "allow_vm_settings": self.allow_vm_settings,
            }
        )  # fmt: skip

    @property
    def log_bytes(self) -> int:
        """Estimated bytes of the log of the longest trial."""
        return self.ladder.log_bytes

    @property
    def memory_bytes(self) -> int:
        """What the largest configuration may use."""
        return int(family.SMALL_RAM_OVER_DATA * self.data_bytes) + parameters.EXTRA_BYTES + 300_000_000


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """The rounds, in the order of NAMES; what is compared stands together in a block."""
    known = {arm.name: arm for arm in arms.configurations(parameters.ladder)}
    return tuple(known[name] for name in NAMES)
