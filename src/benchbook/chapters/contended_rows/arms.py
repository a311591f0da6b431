"""What can be set, and the configurations: two numbers of clients, each with many branches, one per client and one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from pydantic import Field, model_validator

from benchbook.measuring.pgbench import parameters as family
from benchbook.measuring.pgbench.parameters import PAGES_PER_SCALE, RAM_OVER_DATA
from benchbook.model import Configuration, Scalar

FEW, MANY = "few", "many"
WIDE, EACH, SINGLE = "wide", "each", "single"
CLIENTS, LEVELS = (FEW, MANY), (WIDE, EACH, SINGLE)
"""Of clients; and of the branches that these update: many per client, one per client, one for all."""
SERVER_BYTES, CLIENT_BYTES = 64 * 2**20, 3 * 2**20
"""What a server takes beside its pool: at all, and for each client."""
MOST_TPS, WAL_BYTES_PER_TRANSACTION, WAL_BYTES_PER_PAGE = 10_000, 1_000, 9_000


class Parameters(family.Parameters):
    """Defaults are the standard profile: 310 MB of data, about four minutes a block."""

    scale: int = Field(20, ge=1, le=20_000, description="pgbench scale factor; 20 is 0.29 GiB of tables and indexes")
    clients: int = Field(16, ge=3, le=1_000, description="pgbench clients where they are many")
    few_clients: int = Field(8, ge=2, le=999, description="pgbench clients where they are few")
    branches_per_client: float = Field(
        12.5, gt=1, le=100, description="branches per client that the clients draw from where these are many"
    )
    trial_seconds: int = Field(20, ge=1, le=3_600, description="length of a trial")
    fill_seconds: int = Field(5, ge=0, le=3_600, description="discarded run before it, on a filled pool; 0 for none")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if not self.threads <= self.few_clients < self.clients:
            asked = f"threads={self.threads}, few_clients={self.few_clients} and clients={self.clients}"
            raise ValueError(f"{asked}: there must be fewer of the few than of the many, and a client for each thread")
        return self

    @property
    def many(self) -> Mapping[str, int]:
        """How many clients FEW and MANY are."""
        return {FEW: self.few_clients, MANY: self.clients}

    @property
    def most_branches(self) -> int:
        """Branches that the tables hold in every trial."""
        return max(self.scale, round(self.branches_per_client * self.clients))

    @property
    def log_bytes(self) -> int:
        """Estimated bytes of the log of one trial, in which each page is logged once as a whole."""
        made = MOST_TPS * (self.trial_seconds + self.fill_seconds)
        return min(self.scale * PAGES_PER_SCALE, made) * WAL_BYTES_PER_PAGE + made * WAL_BYTES_PER_TRANSACTION

    @property
    def memory_bytes(self) -> int:
        """What a trial may use: room for all data in pool and page cache, and for the server's processes."""
        return int(RAM_OVER_DATA * self.data_bytes) + SERVER_BYTES + self.clients * CLIENT_BYTES


def name_of(number: str, level: str) -> str:
    """Configuration of FEW or MANY clients at a level of branches, such as many_single."""
    return f"{number}_{level}"


FIRST = name_of(MANY, WIDE)
AGAIN = f"{FIRST}_again"


def level_words(parameters: Parameters, level: str) -> str:
    """What a figure calls a level of branches."""
    wide = f"{parameters.branches_per_client:g} per client"
    return {WIDE: wide, EACH: "one per client", SINGLE: "one for all"}[level]


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Each number of clients at each level, and one of them again; all are compared, so they stand together."""
    arms = [_arm(parameters, number, level) for number in CLIENTS for level in LEVELS]
    arms.insert(4, _arm(parameters, MANY, WIDE, "_again", " again (A/A)"))
    return tuple(arms)


def _arm(p: Parameters, number: str, level: str, more: str = "", words: str = "") -> Configuration:
    clients = p.many[number]
    branches = {WIDE: round(p.branches_per_client * clients), EACH: clients, SINGLE: 1}[level]
    settings: dict[str, Scalar] = {"clients": clients, "branches": branches}
    label = f"{clients} clients, branches: {level_words(p, level)}{words}"
    return Configuration(name_of(number, level) + more, label, settings, "all")
