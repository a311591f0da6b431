"""What can be set, and the configurations: the ladder's settings, each switched to on a server that is under load.

A group has one server. It starts as the group's base; every other configuration of the group is what the ladder's
configuration of the same name changes of that base.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal, Self

from pydantic import Field, model_validator

from benchbook.measuring.pgbench import parameters as family
from benchbook.measuring.pgbench.ladder import arms as ladder
from benchbook.measuring.pgbench.ladder.parameters import EXTRA_BYTES, LARGEST_RAM_OVER_DATA, WAL_BYTES_PER_PAGE
from benchbook.measuring.pgbench.parameters import PAGES_PER_SCALE
from benchbook.model import Configuration, Scalar

Part = Literal["round_2", "round_1", "scenario_b", "codecs", "alone"]
PARTS: tuple[Part, ...] = ("round_2", "round_1", "scenario_b", "codecs", "alone")
AGAIN, CONTROL = "_again", "no_wait"
"""End of a base's second name (A/A); and what is known to matter: a commit that does not wait for its flush."""
NO_WAIT: Mapping[str, Scalar] = {"synchronous_commit": False}
ALONE = "alone_"
"""Beginning of the names of configurations that have a server of their own, beside the same in turns."""
ALONE_TIMES = 3
"""As many times as long is one under load that has a server of its own: it must last for more than one CHECKPOINT."""
TRANSACTIONS_PER_S = 10_000
"""More than the largest rate that was seen, for what the log may take."""


@dataclass(frozen=True)
class Group:
    """Settings that are switched on one server. base: the ladder's name of what it starts as; members: of the others.

    control: whether the setting that is known to matter is among them.
    """

    base: str
    members: tuple[str, ...]
    control: bool = False


GROUPS: Mapping[str, Group] = {
    "round_2": Group(
        ladder.ROUND_2,
        (
            ladder.OFF, ladder.MULTIPLIER_5, ladder.WRITER_200, ladder.COST_4, ladder.BGWRITER_200, ladder.OPTION_B,
            *ladder.DELAYS.values(),
        ),
        control=True,
    ),
    "round_1": Group(
        ladder.ROUND_1_BASE, (ladder.MULTIPLIER_4, ladder.MAXPAGES_500, ladder.SIBLINGS_3, ladder.FLUSH_2MB)
    ),
    "scenario_b": Group(ladder.B, tuple(ladder.B_DEFAULTS)),
    "codecs": Group(ladder.CODECS["off"], tuple(name for codec, name in ladder.CODECS.items() if codec != "off")),
}  # fmt: skip
LARGEST_GROUP = max(2 + len(group.members) + group.control for group in GROUPS.values())
ALONE_AS = (ladder.ROUND_2, ladder.OFF, CONTROL)


class Parameters(family.Parameters):
    """Defaults are the standard profile: 300 MB of data, some six minutes a block on two processors."""

    blocks: int = Field(
        4,
        ge=2,
        le=500,
        description="complete blocks of a session; each switches every setting; later sessions add more",
    )
    scale: int = Field(20, ge=1, le=20_000, description="pgbench scale factor; 20 is 0.29 GiB of tables and indexes")
    clients: int = Field(10, ge=2, le=1_000, description="pgbench clients (the notes: 100)")
    parts: tuple[Part, ...] = Field(
        PARTS,
        description="what is measured: note 003's settings around its second round (always), around its first, note "
        "002's Scenario B, compression on a second server, and three configurations on servers of their own as well",
    )
    rounds: int = Field(8, ge=2, le=10_000, description="rounds in a block; each gives every setting one turn")
    turn_ms: int = Field(1_000, ge=100, le=600_000, description="length of a turn in ms")
    discard_ms: int = Field(
        250, ge=20, le=300_000, description="first part of a turn that does not count, in ms: the switch takes effect"
    )
    checkpoint_seconds: int = Field(
        10, ge=1, le=86_400, description="a round begins with a CHECKPOINT when this time has passed since the last one"
    )
    warm_fill_seconds: int = Field(
        3, ge=1, le=3_600, description="discarded TPC-B run before the turns, on a pool that pg_prewarm filled"
    )
    second_server: bool = Field(
        True,
        description="measure the codecs of wal_compression on a second PostgreSQL of this system that has lz4 "
        "(Debian's package); without it those configurations are left out",
    )
    allow_vm_settings: bool = Field(
        True,
        description="set the kernel's limits of dirty data to note 002's, reserve huge pages for note 003's pools, and "
        "put both back after each trial (root only); without it the machine's own limits and ordinary pages are used",
    )

    @model_validator(mode="after")
    def _something_counts(self) -> Self:
        if self.discard_ms >= self.turn_ms:
            raise ValueError(f"discard_ms={self.discard_ms} leaves nothing of a turn of {self.turn_ms} ms")
        if "round_2" not in self.parts or len(set(self.parts)) != len(self.parts):
            raise ValueError(f"parts={list(self.parts)} must name round_2 and each part at most once")
        return self

    @property
    def has_second(self) -> bool:
        """Whether some configurations lie on a second server."""
        return self.second_server and "codecs" in self.parts

    def rounds_of(self, group: str) -> int:
        """Rounds of a group; "" for a configuration with a server of its own."""
        return self.rounds if group else ALONE_TIMES * self.rounds

    def load_s(self, arms: int, group: str) -> float:
        """How long so many configurations of a group take turns in a block, in seconds."""
        return arms * self.rounds_of(group) * self.turn_ms / 1_000

    @property
    def warm_seconds(self) -> int:
        """Length of the longest load in whole seconds: what stands for the note's trial in autovacuum_naptime."""
        return math.ceil(self.load_s(LARGEST_GROUP, "round_2"))

    @property
    def log_bytes(self) -> int:
        """Estimated bytes of the log of the longest load."""
        made = TRANSACTIONS_PER_S * (self.warm_seconds + self.warm_fill_seconds)
        return min(self.scale * PAGES_PER_SCALE, made) * WAL_BYTES_PER_PAGE * 3 + made * 1_000

    @property
    def disk_bytes(self) -> int:
        """The family's, and template and copy of the second server."""
        return super().disk_bytes + (int(2.4 * self.data_bytes) + 300_000_000 if self.has_second else 0)

    @property
    def memory_bytes(self) -> int:
        """What the largest configuration may use."""
        return int(LARGEST_RAM_OVER_DATA * self.data_bytes) + EXTRA_BYTES + 500_000_000


@cache
def _of_the_ladder() -> Mapping[str, Configuration]:
    found = ladder.configurations(ladder.Parameters(second_server=True))
    return {arm.name: arm for arm in found}


def base_of(group: str) -> str:
    """The configuration as which a group's server starts."""
    return GROUPS[group].base


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every group's base, the same again (A/A) and its other settings; and three with a server of their own."""
    arms: list[Configuration] = []
    for part in parameters.parts:
        if part == "alone":
            arms += [_alone(name) for name in ALONE_AS]
        elif part != "codecs" or parameters.has_second:
            arms += _group(part, GROUPS[part])
    return tuple(arms)


def _group(name: str, group: Group) -> Iterable[Configuration]:
    known = _of_the_ladder()
    base = known[group.base]
    yield Configuration(base.name, base.label, base.settings, name)
    yield Configuration(f"{base.name}{AGAIN}", f"{base.label} again (A/A)", base.settings, name)
    for member in group.members:
        yield Configuration(member, known[member].label, known[member].settings, name)
    if group.control:
        yield _control(base, CONTROL, name)


def _control(base: Configuration, name: str, group: str = "") -> Configuration:
    return Configuration(name, f"{base.label}, commits that do not wait", {**base.settings, **NO_WAIT}, group)


def _alone(name: str) -> Configuration:
    known = _of_the_ladder()
    found = _control(known[ladder.ROUND_2], CONTROL) if name == CONTROL else known[name]
    return Configuration(f"{ALONE}{name}", f"{found.label}, alone", found.settings)
