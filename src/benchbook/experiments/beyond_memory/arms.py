"""What can be set, and the configurations: compression, memory over the store's size, and the block cache's part of it."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from benchbook.experiments.families.badger.parameters import LookedUp
from benchbook.experiments.families.badger.request import LOOKUPS, arm
from benchbook.model import Configuration

NONE, SNAPPY, ZSTD = "none", "snappy", "zstd"
COMPRESSIONS = {NONE: "not compressed", SNAPPY: "Snappy", ZSTD: "ZSTD"}
SMALL, LARGE = "small", "large"
CACHES = {SMALL: 0.125, LARGE: 0.5}
"""Part of the memory that the block cache is allowed; the rest is the kernel's for the files, and the process's own."""
AGAIN = "again"
LEAST_CACHE_MIB = 1


class Parameters(LookedUp):
    """Defaults are the standard profile: a store of 2.1 GB, of many tables."""

    blocks: int = Field(4, ge=2, le=100, description="complete blocks; each measures every configuration once")
    lookup_rows: int = Field(
        5_000_000, ge=1_000, le=1_000_000_000, description="rows of 400 bytes in each of the stores"
    )
    memory_percent: tuple[Annotated[int, Field(ge=5, le=400)], ...] = Field(
        (25, 50, 100), min_length=1, description="memory of process and page cache, in % of the store, growing"
    )

    @model_validator(mode="after")
    def _shares_grow(self) -> Self:
        if list(self.memory_percent) != sorted(set(self.memory_percent)):
            raise ValueError(f"memory_percent={list(self.memory_percent)} must grow")
        return self


def at(compression: str, percent: int, cache: str) -> str:
    """Configuration name."""
    return f"{compression}_{percent}_{cache}"


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Each compression with each memory and each block cache, the first of them twice."""
    first = parameters.memory_percent[0]
    return (
        *(
            _arm(parameters, at(compression, percent, cache), compression, percent, cache)
            for compression in COMPRESSIONS
            for percent in parameters.memory_percent
            for cache in CACHES
        ),
        _arm(parameters, AGAIN, NONE, first, SMALL, " (A/A)"),
    )


def memory_mib(parameters: Parameters, percent: int) -> int:
    """Of a configuration, from its share of the store."""
    from benchbook.experiments.families.badger.lookups import size_bytes  # late: it brings numpy

    return max(1, size_bytes(parameters.lookup_rows) * percent // 100 >> 20)


def _arm(p: Parameters, name: str, compression: str, percent: int, cache: str, more: str = "") -> Configuration:
    label = f"{COMPRESSIONS[compression]}, memory {percent} %, {cache} cache{more}"
    return arm(
        name, label, 0, 0, scope=LOOKUPS, compression=compression, memory_percent=percent, cache=cache,
        in_proportion=False, bounded=True, capped=False, dropped=False,
    )  # fmt: skip
