"""What can be set, and the configurations: ways to use SQLite and the note's engine, by what is added to each call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import Field, model_validator

from benchbook.measuring.kv import uses
from benchbook.measuring.kv.options import BEFORE, ENGINE, Options
from benchbook.measuring.kv.parameters import TurnParameters
from benchbook.model import Configuration

AS_RUN, ONCE, HELD, BEST, OMEN, FILE = "as_run", "once", "held", "best", "engine", "value_file"
USES: Mapping[str, tuple[str, Options]] = {
    AS_RUN: ("SQLite, prepared for every query", {**uses.SQLITE_AUTOCOMMIT, "prepare": "query"}),
    ONCE: ("SQLite, prepared once", uses.SQLITE_AUTOCOMMIT),
    HELD: ("SQLite, one read transaction", {**uses.SQLITE_AUTOCOMMIT, "transaction": "read"}),
    BEST: ("SQLite, one read transaction, file mapped", uses.SQLITE_BEST),
    OMEN: ("the note's engine", {**ENGINE, "index_load": "single", **BEFORE}),
    FILE: ("value file", {**uses.VALUE_FILE, **uses.FASTER_LOADING["value_file"]}),
}
"""Use to its label and options. The note's engine is ALEX before RocksDB; its rows stay in the memtable."""
ASKING = (AS_RUN, ONCE, HELD)
"""Ways in which a look-up asks the kernel: for locks, or at least for a page that the cache lacks."""
GROUP = "look-ups"
AGAIN = "once_again"
NOTHING = -1
"""In place of ns: a process without the library that lengthens calls."""


class Parameters(TurnParameters):
    """Defaults are the standard profile: about three quarters of a minute a block."""

    blocks: int = Field(6, ge=2, le=100, description="complete blocks; each measures every configuration once")
    rows: int = Field(500_000, ge=1_000, le=100_000_000, description="rows of each store")
    value_bytes: int = Field(100, ge=8, le=4096, description="length of a value")
    warm_lookups: int = Field(
        20_000, ge=1, le=100_000_000, description="uniform look-ups that warm a store before its first turn"
    )
    added_ns: tuple[Annotated[int, Field(ge=0, le=100_000)], ...] = Field(
        (0, 250, 500, 1_000), min_length=2, description="by how many ns each system call takes longer, growing from 0"
    )
    kept_samples: int = Field(
        500, ge=100, le=1_000_000, description="times stored per trial, evenly taken from all of them"
    )

    @model_validator(mode="after")
    def _growing(self) -> Self:
        if self.added_ns[0] or [*self.added_ns] != sorted(set(self.added_ns)):
            raise ValueError(f"added_ns={self.added_ns} must grow, from 0")
        return self

    @property
    def most_ns(self) -> int:
        """The most that is added."""
        return self.added_ns[-1]


def at(use: str, ns: int = NOTHING) -> str:
    """Configuration name of a use with so much added to each call; without the library unless given."""
    return use if ns == NOTHING else f"{use}_{ns}"


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every use as it is and with the most that is added, those that ask the kernel with all of it, one twice (A/A)."""
    p = parameters

    def arm(use: str, ns: int = NOTHING, name: str = "", more: str = "") -> Configuration:
        added = "" if ns == NOTHING else f", each call {ns:,} ns longer" if ns else ", calls counted"
        return Configuration(name or at(use, ns), f"{USES[use][0]}{added}{more}", {"use": use, "ns": ns}, GROUP)

    return (
        *(arm(use) for use in USES),
        *(arm(use, ns) for use in ASKING for ns in p.added_ns),
        *(arm(use, p.most_ns) for use in USES if use not in ASKING),
        arm(ONCE, NOTHING, AGAIN, ", again (A/A)"),
    )
