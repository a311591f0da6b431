"""What can be set, and the configurations: pools by their share of a memory that the data fill, or more than fill."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from benchbook.engines.bounds.memory import SMALLEST_BYTES
from benchbook.measuring.pgbench import parameters as family
from benchbook.measuring.pgbench.parameters import PAGES_PER_SCALE
from benchbook.model import Configuration, Scalar

POOLS = (12.5, 25.0, 37.5, 50.0, 62.5)
"""In % of the memory."""
CLAIMED, FILLING, PRESSING = 0.625, 0.9, 1.2
"""Data over memory: 2.5 times the pool of 25 %, as in note 003's first round; that just fit; that no longer fit."""
POOLS_BY_DATA = {CLAIMED: POOLS, FILLING: POOLS, PRESSING: POOLS, 1.8: (25.0, 62.5)}
"""Data over memory to the pools that are measured with them."""
PAIR = ((CLAIMED, 25.0), (CLAIMED, 37.5))
"""Data and pools that are always measured."""
UNCAPPED = (25.0, 62.5)
"""Pools of the configurations whose reads nothing caps; data as in PRESSING."""
SERVER_BYTES, CLIENT_BYTES = 32 * 2**20, 3 * 2**20
"""What a server takes beside its pool: at all, log buffers and lock tables included, and for each client."""
MOST_TPS, WAL_BYTES_PER_TRANSACTION, WAL_BYTES_PER_PAGE = 10_000, 1_000, 9_000


def name_of(data: float, pool: float, more: str = "") -> str:
    """Configuration name of a pool in % of the memory and of the data over it, such as data_1_2_pool_25."""
    return f"data_{data:g}_pool_{pool:g}{more}".replace(".", "_")


QUARTER, THREE_EIGHTHS = name_of(CLAIMED, 25), name_of(CLAIMED, 37.5)
AGAIN = name_of(CLAIMED, 25, "_again")
Part = Literal["pair", "map", "uncapped"]
PARTS: tuple[Part, ...] = ("pair", "map", "uncapped")


class Parameters(family.StorageParameters):
    """Defaults are the standard profile: 630 MB of data, about twenty minutes a block."""

    blocks: int = Field(
        2,
        ge=2,
        le=100,
        description="complete blocks of a session; each measures every configuration once; further sessions add more",
    )
    scale: int = Field(40, ge=1, le=20_000, description="pgbench scale factor; 40 is 0.59 GiB of tables and indexes")
    clients: int = Field(10, ge=2, le=1_000, description="pgbench clients (the note: 100)")
    bound_memory: bool = Field(
        True,
        description="bound the memory of server and page cache to the data over 0.625 to 1.8, and on top what the "
        "server takes beside its pool, by a control group; needs root, and is labelled where it cannot be done",
    )
    storage_iops: int = Field(
        0,
        ge=0,
        le=1_000_000,
        description="reads a second that the capped volume lets pass, from 20, writes being free; 0: half of what a "
        "pilot without a cap reads, so that reads decide; also by name: gp3_3000, gp3_16000 (EBS)",
    )
    parts: tuple[Part, ...] = Field(
        PARTS,
        description="what is measured: pools of 25 and 37.5 % with data of 0.625 times the memory (always), five pools "
        "with data of 0.625, 0.9 and 1.2 times and two with 1.8, and as a control two with reads that nothing caps",
    )
    trial_seconds: int = Field(28, ge=1, le=36_000, description="length of a trial (the note: 60)")
    fill_seconds: int = Field(
        18,
        ge=0,
        le=3_600,
        description="discarded TPC-B run before a trial, in which both caches settle, with reads that nothing caps; 0: "
        "none",
    )
    read_ahead_kib: int = Field(
        8,
        ge=8,
        le=65_536,
        description="most that the kernel reads at once from the volume where a page of 8 KiB is asked for",
    )

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if "pair" not in self.parts or len(set(self.parts)) != len(self.parts):
            raise ValueError(f"parts={list(self.parts)} must name pair and each part at most once")
        if self.storage_latency_ms:
            raise ValueError(
                f"storage_latency_ms={self.storage_latency_ms:g}: reads here go through the page cache, which an added "
                "delay does not reach; give 0"
            )
        smallest = int(self.data_bytes / max(POOLS_BY_DATA)) + self.own_bytes
        if self.bound_memory and smallest < SMALLEST_BYTES:
            raise ValueError(
                f"scale={self.scale} makes the smallest memory {smallest / 2**20:,.0f} MiB, in which no server starts"
            )
        return self

    @property
    def own_bytes(self) -> int:
        """What the server takes beside its pool, given to it on top of the memory that pool and page cache share."""
        return SERVER_BYTES + self.clients * CLIENT_BYTES

    @property
    def log_bytes(self) -> int:
        """Estimated bytes of the log of one trial, in which each page is logged once as a whole."""
        made = MOST_TPS * (self.trial_seconds + self.fill_seconds)
        return min(self.scale * PAGES_PER_SCALE, made) * WAL_BYTES_PER_PAGE + made * WAL_BYTES_PER_TRANSACTION

    @property
    def memory_bytes(self) -> int:
        """What the largest configuration may use."""
        return int(self.data_bytes / CLAIMED) + self.own_bytes + 300_000_000


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every arm, in the order of the figures; what is compared stands together in a block.

    Without slow storage none is capped, and those that would repeat others are left out.
    """
    capped, parts = parameters.allow_slow_storage, parameters.parts
    every = [(data, pool) for data, pools in POOLS_BY_DATA.items() for pool in pools]
    arms = [_arm(data, pool, capped) for data, pool in every if "map" in parts or (data, pool) in PAIR]
    arms.insert([arm.name for arm in arms].index(QUARTER) + 1, _arm(CLAIMED, 25, capped, "_again", " again (A/A)"))
    if "uncapped" in parts and capped:
        arms += [_arm(PRESSING, pool, False, "_not_capped", ", reads not capped") for pool in UNCAPPED]
    return tuple(arms)


def _arm(data: float, pool: float, capped: bool, more: str = "", words: str = "") -> Configuration:
    settings: dict[str, Scalar] = {
        "data_over_ram": data,
        "pool_over_ram": pool / 100,
        "pool_over_data": pool / 100 / data,
        "capped": capped,
    }
    label = f"data {data:g} of memory, pool {pool:g} %{words}"
    return Configuration(name_of(data, pool, more), label, settings, f"data {data:g} of memory")
