"""What can be set, and the configurations: compression, memory over the store's size, the block cache's part of it."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from benchbook.measuring.badger.request import LOOKUPS, arm
from benchbook.model import Configuration
from benchbook.parameters.base import ExperimentParameters

NONE, SNAPPY, ZSTD = "none", "snappy", "zstd"
COMPRESSIONS = {NONE: "not compressed", SNAPPY: "Snappy", ZSTD: "ZSTD"}
SMALL, LARGE = "small", "large"
CACHES = {SMALL: 0.125, LARGE: 0.5}
"""Part of the memory that the block cache is allowed; the rest is the kernel's for the files, and the process's own."""
AGAIN = "again"
ROW_BYTES = 428
"""What a row takes in a table, as for all look-ups of the family."""
LEAST_MEMORY_MIB = 64
"""Below that no process starts in a bounded memory."""


class Parameters(ExperimentParameters):
    """Defaults are the standard profile: a store of 2.1 GB, of many tables."""

    blocks: int = Field(
        2, ge=2, le=100, description="complete blocks of a session; each measures every configuration once"
    )
    lookup_rows: int = Field(
        5_000_000, ge=1_000, le=1_000_000_000, description="rows of 400 bytes in each of the stores"
    )
    memory_percent: tuple[Annotated[int, Field(ge=5, le=400)], ...] = Field(
        (25, 50, 100), min_length=1, description="memory of process and page cache, in % of the store, growing"
    )
    workers: int = Field(8, ge=1, le=1_000, description="workers that look up at the same time")
    lookup_warm_s: float = Field(10, gt=0, le=3_600, description="look-ups before the measured ones")
    lookup_s: float = Field(3, gt=0, le=60, description="measured look-ups of a trial")
    block_bytes: int = Field(
        4096, ge=1024, le=1 << 20, description="BlockSize: uncompressed bytes of a block, at about"
    )
    mem_table_mib: int = Field(64, ge=1, le=4096, description="MemTableSize in MiB: what is flushed as one table")
    base_table_mib: int = Field(64, ge=1, le=4096, description="BaseTableSize in MiB")
    kept_samples: int = Field(
        5_000, ge=100, le=1_000_000, description="latencies stored per trial, evenly taken from all of them"
    )
    allow_slow_storage: bool = Field(
        True,
        description="put the stores on a volume of their own (a file behind a loop device, root only) with the usual "
        "read-ahead of 128 KiB; without it they lie on this machine's disk as it is",
    )

    @model_validator(mode="after")
    def _shares_grow(self) -> Self:
        if list(self.memory_percent) != sorted(set(self.memory_percent)):
            raise ValueError(f"memory_percent={list(self.memory_percent)} must grow")
        if (least := memory_mib(self, self.memory_percent[0])) < LEAST_MEMORY_MIB:
            raise ValueError(
                f"memory_percent={list(self.memory_percent)} begins with {least} MiB, less than "
                f"{LEAST_MEMORY_MIB}, for lookup_rows={self.lookup_rows}"
            )
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
    return parameters.lookup_rows * ROW_BYTES * percent // 100 >> 20


def _arm(p: Parameters, name: str, compression: str, percent: int, cache: str, more: str = "") -> Configuration:
    label = f"{COMPRESSIONS[compression]}, memory {percent} %, {cache} cache{more}"
    return arm(
        name, label, 0, 0, scope=LOOKUPS, compression=compression, memory_percent=percent, cache=cache,
        in_proportion=False, bounded=True, capped=False, dropped=False,
    )  # fmt: skip
