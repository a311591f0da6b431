"""What can be set, and the configurations: where RocksDB keeps the filter, by the size of its block cache."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from benchbook.measuring.kv.options import MIB
from benchbook.measuring.kv.parameters import TurnParameters
from benchbook.model import Configuration

KIB = 1 << 10
SHARD_BYTES_AT_LEAST, SHARDS_AT_MOST = 512 * KIB, 64
"""How RocksDB divides an LRU cache whose number of shards nobody sets (``GetDefaultCacheShardBits`` in its
cache/sharded_cache.cc): the largest power of two that keeps to both."""

CACHED, PINNED, OUTSIDE = "cached", "pinned", "outside"
WAYS = {CACHED: "in the cache", PINNED: "pinned in the cache", OUTSIDE: "outside of the cache"}
"""Where the filter is kept, and what figures call it."""
AGAIN = "outside_again"


class Parameters(TurnParameters):
    """Defaults are the standard profile: a filter of 1.25 MB, and shards of 0.5 to 4 MiB."""

    blocks: int = Field(10, ge=2, le=100, description="complete blocks; each measures every configuration once")
    rows: int = Field(1_000_000, ge=1_000, le=100_000_000, description="rows of the store, all in one file")
    value_bytes: int = Field(16, ge=8, le=4096, description="length of a value")
    filter_bits: int = Field(10, ge=1, le=100, description="bits of the filter for each row")
    cache_mib: tuple[Annotated[int, Field(ge=1, le=65_536)], ...] = Field(
        (16, 32, 64, 80, 96, 128, 256), min_length=1, description="sizes of the block cache in MiB, growing"
    )
    control_kib: int = Field(
        512, ge=64, le=1_048_576, description="a cache in KiB that is smaller than the filter, however it is divided"
    )
    lookups: int = Field(500, ge=8, le=1_000_000, description="look-ups of a trial that count at least")
    warm_lookups: int = Field(
        20_000, ge=8, le=100_000_000, description="look-ups that warm a store before its first turn"
    )
    kept_samples: int = Field(
        500, ge=100, le=1_000_000, description="times stored per trial, evenly taken from all of them"
    )

    @model_validator(mode="after")
    def _control_is_smaller(self) -> Self:
        if list(self.cache_mib) != sorted(set(self.cache_mib)):
            raise ValueError(f"cache_mib={list(self.cache_mib)} must grow")
        most = min(self.rows * self.filter_bits // 8, self.cache_mib[0] * MIB) // KIB
        if self.control_kib >= most:
            raise ValueError(
                f"control_kib={self.control_kib} must be less than {most}: than the filter, by rows and filter_bits, "
                "and than the smallest of cache_mib"
            )
        return self

    @property
    def cache_kib(self) -> tuple[int, ...]:
        """All sizes of the cache, that of the control first."""
        return (self.control_kib, *(mib * KIB for mib in self.cache_mib))


def shards(cache_bytes: int) -> int:
    """Into how many parts RocksDB divides a cache."""
    most = min(SHARDS_AT_MOST, max(1, cache_bytes // SHARD_BYTES_AT_LEAST))
    return 1 << (int(most).bit_length() - 1)


def shard_mib(cache_kib: int) -> float:
    """Size of each part of a cache."""
    return cache_kib * KIB / shards(cache_kib * KIB) / MIB


def at(way: str, cache_kib: int) -> str:
    """Configuration name."""
    return f"{way}_{cache_kib}"


def sized(cache_kib: int) -> str:
    """What figures call a cache."""
    return f"{cache_kib / KIB:g} MiB = {shards(cache_kib * KIB)} × {shard_mib(cache_kib):g}"


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every way at every size; the filter outside of the smallest cache twice. All take turns with each other."""

    def arm(way: str, kib: int, name: str = "", more: str = "") -> Configuration:
        label = f"{WAYS[way]}, {sized(kib)}{more}"
        return Configuration(name or at(way, kib), label, {"way": way, "cache_kib": kib}, "turns")

    return (
        *(arm(way, kib) for kib in parameters.cache_kib for way in WAYS),
        arm(OUTSIDE, parameters.cache_kib[1], AGAIN, " (A/A)"),
    )
