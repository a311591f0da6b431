"""What can be set, and the configurations: cache sizes, compression, table size, and which build of the probe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

from pydantic import Field, model_validator

from benchbook.engines.badger import Build
from benchbook.measuring.badger.parameters import LookedUp
from benchbook.measuring.badger.request import LOOKUPS, QUERY, SUITE, arm
from benchbook.model import Configuration, Scalar

STATED = "stated"
AGAIN = "stated_again"
BLOCK_ONLY = "block_cache_alone"
TUNED = "tuned"
MEDIUM = "medium"
MINIMAL = "minimal"
NO_BLOCK_CACHE = "no_block_cache"
SNAPPY = "snappy"
ZSTD = "zstd"
SMALL_TABLES = "small_tables"
CURRENT = "current_version"
FEWER = "fewer_events"
PLAIN = (STATED, "badger_default", MINIMAL, "relay_before", MEDIUM, TUNED)
"""The note's version without compression, by growing block cache."""
SLOW, SLOW_AGAIN, SLOW_MINIMAL, SLOW_BEFORE = "slow_stated", "slow_stated_again", "slow_minimal", "slow_relay_before"
SLOW_MEDIUM, SLOW_BLOCK_ONLY, SLOW_TUNED = "slow_medium", "slow_block_cache_alone", "slow_tuned"
SLOW_NONE, SLOW_LENGTH = "slow_no_block_cache", "slow_own_length"
SLOW_SNAPPY_SMALL, SLOW_SNAPPY = "slow_snappy_small", "slow_snappy"
DROPPED, FREE, FREE_TUNED = "dropped_stated", "free_stated", "free_tuned"
SNAPPY_SMALL_MIB, SNAPPY_MIB = 4, 64
"""Its blocks are in memory of their own, so that the cache has to fit into what is bounded."""


class Parameters(LookedUp):
    """Defaults are the standard profile: the note's number of events, its long tests cut short."""

    blocks: int = Field(6, ge=2, le=100, description="complete blocks; each measures every configuration once")
    fewer_events: int = Field(
        10_000, ge=10, le=10_000_000, description="events of the configuration fewer_events, the note's earlier number"
    )
    small_mem_table_mib: int = Field(
        16, ge=1, le=4096, description="MemTableSize in MiB of the configuration small_tables"
    )
    small_base_table_mib: int = Field(8, ge=1, le=4096, description="BaseTableSize in MiB of the same")
    length_ladder_mib: tuple[int, ...] = Field(
        (1, 2, 4, 64, 2048),
        description="block cache sizes in MiB of the build that charges a block its own length; must hold 64",
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        if self.fewer_events < self.bursts:
            raise ValueError(f"fewer_events={self.fewer_events} is less than one for each of bursts={self.bursts}")
        ladder = self.length_ladder_mib
        if len(set(ladder)) != len(ladder) or len(ladder) < 2 or 64 not in ladder:
            raise ValueError(f"length_ladder_mib={ladder} must name two or more sizes, each once, and 64")
        if min(ladder) < 1:
            raise ValueError(f"length_ladder_mib={ladder} must name sizes of 1 MiB and more")
        if self.small_mem_table_mib >= self.mem_table_mib and self.mem_table_mib > 1:
            raise ValueError(
                f"small_mem_table_mib={self.small_mem_table_mib} is not below mem_table_mib={self.mem_table_mib}"
            )
        return self

    def table_sizes_mib(self, settings: Mapping[str, Scalar]) -> tuple[int, int]:
        """Those of the change in the configuration of small tables."""
        small = self.small_mem_table_mib, self.small_base_table_mib
        return small if settings.get("small_tables") else super().table_sizes_mib(settings)


def length(mib: int) -> str:
    """Configuration name of a size in the build that charges a block its own length."""
    return f"own_length_{mib}"


def of_the_suite(arms: Sequence[Configuration]) -> tuple[Configuration, ...]:
    """Those that run the relay's benchmark."""
    return tuple(each for each in arms if each.settings["scope"] != LOOKUPS)


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every arm that the claims of this chapter name, in the order of the figures."""
    ladder = sorted(parameters.length_ladder_mib)
    return (
        arm(STATED, "64 / 32 (as stated)", 64, 32, scope=QUERY),
        arm(AGAIN, "64 / 32, again (A/A)", 64, 32, scope=QUERY),
        arm(BLOCK_ONLY, "2048 / 32", 2048, 32, scope=QUERY),
        arm(TUNED, "2048 / 1024 (tuned)", 2048, 1024, scope=SUITE),
        arm(MEDIUM, "1024 / 512 (medium)", 1024, 512, scope=SUITE),
        arm("relay_before", "512 / 256 (relay before)", 512, 256),
        arm(MINIMAL, "384 / 128 (minimal)", 384, 128, scope=SUITE),
        arm("badger_default", "256 / 0 (Badger's default)", 256, 0),
        arm(NO_BLOCK_CACHE, "0 / 1024", 0, 1024, scope=SUITE),
        arm("no_index_cache", "2048 / 0", 2048, 0),
        arm(SMALL_TABLES, "64 / 32, small tables", 64, 32, small_tables=True),
        arm(FEWER, f"64 / 32, {parameters.fewer_events:,} events", 64, 32, events=parameters.fewer_events),
        arm(CURRENT, "2048 / 1024, current Badger", 2048, 1024, build=Build.CURRENT),
        arm(SNAPPY, "64 / 32, Snappy", 64, 32, compression="snappy"),
        arm(ZSTD, "64 / 32, ZSTD", 64, 32, compression="zstd"),
        *(arm(length(mib), f"{mib} / 32, own length", mib, 32, build=Build.LENGTH) for mib in ladder),
        *(_capped() if parameters.allow_slow_storage else ()),
        _looking(DROPPED, "look-ups 64 / 32, page cache dropped", 64, 32, capped=False, dropped=True),
        _looking(FREE, "look-ups 64 / 32, all in memory", 64, 32, capped=False, bounded=False),
        _looking(FREE_TUNED, "look-ups 2048 / 1024, all in memory", 2048, 1024, capped=False, bounded=False),
    )


def _capped() -> tuple[Configuration, ...]:
    """Memory bounded, disk capped: a miss costs."""
    return (
        _looking(SLOW, "look-ups 64 / 32", 64, 32),
        _looking(SLOW_AGAIN, "look-ups 64 / 32, again (A/A)", 64, 32),
        _looking(SLOW_MINIMAL, "look-ups 384 / 128", 384, 128),
        _looking(SLOW_BEFORE, "look-ups 512 / 256", 512, 256),
        _looking(SLOW_MEDIUM, "look-ups 1024 / 512", 1024, 512),
        _looking(SLOW_BLOCK_ONLY, "look-ups 2048 / 32", 2048, 32),
        _looking(SLOW_TUNED, "look-ups 2048 / 1024", 2048, 1024),
        _looking(SLOW_NONE, "look-ups 0 / 1024", 0, 1024),
        _looking(SLOW_LENGTH, "look-ups 2048 / 32, own length", 2048, 32, build=Build.LENGTH),
        *(
            _looking(name, f"look-ups {mib} MiB, Snappy", mib, 0, compression="snappy", in_proportion=False)
            for name, mib in ((SLOW_SNAPPY_SMALL, SNAPPY_SMALL_MIB), (SLOW_SNAPPY, SNAPPY_MIB))
        ),
    )


def _looking(name: str, label: str, block_mib: int, index_mib: int, **others: Scalar) -> Configuration:
    """Sizes as the note has them; in_proportion: taken in proportion to the store."""
    held = {"in_proportion": True, "bounded": True, "capped": True, "dropped": False}
    return arm(name, label, block_mib, index_mib, scope=LOOKUPS, **(held | others))
