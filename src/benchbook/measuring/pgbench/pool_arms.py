"""What can be set where pools of several sizes are compared, and the configurations: against which memory and storage,
cold or warm.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, Self

from pydantic import model_validator

from benchbook import kit
from benchbook.measuring.pgbench import parameters as family
from benchbook.measuring.pgbench.ladder.parameters import VM
from benchbook.measuring.pgbench.parameters import RAM_OVER_DATA, SMALL_RAM_OVER_DATA
from benchbook.measuring.pgbench.settings import Part, Settings
from benchbook.model import Configuration

SMALL = 20
"""The smallest pool in % of the data; it was in force in note 002, which says 80."""
SWEEP = {20: "scenario_a", 80: "pool_80", 100: "pool_100", 120: "pool_120"}
"""Pools in % of the data under Scenario A's other settings."""
READS = {20: "reads_20", 80: "reads_80", 100: "reads_100"}
"""Pools in % of the data of the read-only trials."""
SHARES = {12.5: "ram_12_5", 25.0: "ram_25", 37.5: "ram_37_5", 62.5: "ram_62_5"}
"""Pools in % of the memory that server and page cache may use together, in round 2's proportions."""
ROUND_2_RAM_OVER_DATA = 4 / 0.92
"""Note 003's second and third rounds: data of 0.92 of a pool that is a quarter of the memory."""
REVERTED: dict[str, tuple[str, Settings]] = {
    "round_3_pool": ("shared_buffers", {"pool_over_ram": 0.25}),
    "round_3_compression": ("wal_compression", {"compressed": True}),
    "round_3_multiplier": ("bgwriter_lru_multiplier", {"multiplier": 4.0}),
    "round_3_naptime": ("autovacuum_naptime", {"naptime_trials": 1}),
    "round_3_huge_pages": ("vm.nr_hugepages", {"reserved_over_ram": 0.25, "huge_pages": False}),
}
"""Round 3 with one of its five changes taken back: configuration to the setting, and what it was before."""


class Parameters(family.StorageParameters):
    """Defaults are the standard profile: 390 MB of data, half an hour a session on two processors and a local disk."""

    blocks: int = kit.common("blocks", 3)
    scale: int = kit.common("scale", 25)
    clients: int = kit.common("clients", 10)
    parts: tuple[Literal["three_runs", "pools", "reads", "memory"], ...] = kit.param(
        ("three_runs", "pools", "reads", "memory"),
        words="what is measured: note 002's three runs (always), its pool sizes, pool sizes under reads with direct "
        "I/O, note 003's rounds and shares of memory",
    )
    tpcb_seconds: int = kit.param(
        18, 1, 3_600, "length of a TPC-B trial from a restart (note 002: 60); a twelfth of it stands for the note's 5 s"
    )
    warm_seconds: int = kit.param(10, 1, 3_600, "length of a TPC-B trial after a warm start (note 003: 60)")
    warm_fill_seconds: int = kit.common(
        "warm_fill_seconds", 2, 1, words="discarded TPC-B run before it, on a pool that pg_prewarm filled"
    )
    read_seconds: int = kit.param(8, 1, 3_600, "length of a read-only trial with direct I/O")
    read_fill_seconds: int = kit.param(2, 0, 3_600, "discarded reads before it, on a pool that pg_prewarm filled")
    allow_vm_settings: bool = kit.param(True, words=VM)

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        wrong = "three_runs" not in self.parts or len(set(self.parts)) != len(self.parts)
        kit.refuse(wrong, f"parts={list(self.parts)} must name three_runs and each part at most once")
        # Round 1's largest pool leaves least beside it.
        beside = (1 - 0.375) * SMALL_RAM_OVER_DATA if "memory" in self.parts else RAM_OVER_DATA - max(SWEEP) / 100
        family.check_room(self, int(beside * self.data_bytes), smallest=SMALL / 100)
        return self

    @property
    def log_bytes(self) -> int:
        return family.log_bytes(self, max(self.tpcb_seconds, self.warm_seconds + self.warm_fill_seconds))

    @property
    def memory_bytes(self) -> int:
        ram = ROUND_2_RAM_OVER_DATA if "memory" in self.parts else RAM_OVER_DATA
        return int(ram * self.data_bytes) + 500_000_000


def part_of(arm: Configuration) -> Part:
    return Part(str(arm.settings["part"]))


def configurations(parameters: Parameters) -> Iterator[Configuration]:
    """Every arm that the claims of this chapter name, in the order of the figures.

    What is compared stands together in a block. Without slow storage the configurations of note 002 lie on the local
    disk, and those that would repeat them there are left out.
    """
    slow, parts, group = parameters.allow_slow_storage, parameters.parts, "three runs"
    a, b = _restart(SMALL, slow), _restart(100, slow, lru_maxpages=1250)
    yield Configuration("baseline", f"baseline: 8 workers, pool {SMALL} %", _restart(SMALL, slow, workers=8), group)
    yield Configuration("scenario_a", f"A: 32 workers, pool {SMALL} %", a, group)
    yield Configuration("scenario_a_again", "A again (A/A)", a, group)
    yield Configuration("scenario_b", "B: pool 100 %, 1,250 LRU pages", b, group)
    if "pools" in parts:
        for percent in (80, 100, 120):
            yield Configuration(SWEEP[percent], f"as A, pool {percent} %", _restart(percent, slow), group)
        yield Configuration("scenario_b_prewarmed", "as B, pre-warmed", b | {"prewarm": True}, group)
    if slow:
        yield Configuration("scenario_a_local_disk", "A, local disk", a | {"capped": False}, "local disk")
        yield Configuration("scenario_b_local_disk", "B, local disk", b | {"capped": False}, "local disk")
    if "pools" in parts:
        yield Configuration("scenario_a_cold_os_cache", "A, OS cache cold", a | {"os_cache": False}, "cold")
        yield Configuration("scenario_b_cold_os_cache", "B, OS cache cold", b | {"os_cache": False}, "cold")
    if "reads" in parts:
        for percent, name in READS.items():
            own: Settings = {"part": "reads", "pool_over_data": percent / 100}
            yield Configuration(name, f"reads, pool {percent} %", own, "reads")
    if "memory" in parts:
        yield from _of_003(huge=parameters.allow_vm_settings)


def _of_003(*, huge: bool) -> Iterator[Configuration]:
    """Note 003's rounds, and shares of memory. huge: whether pools may lie in huge pages."""
    second = _warm(25.0, huge=huge)
    third = _warm(37.5, huge=huge) | {"compressed": False, "multiplier": 5.0, "naptime_trials": 10}
    yield Configuration("round_2", "round 2", second, "rounds")
    yield Configuration("round_3", "round 3: five changes", third, "rounds")
    for name, (setting, before) in REVERTED.items():
        if huge or name != "round_3_huge_pages":
            yield Configuration(name, f"round 3, {setting} as before", third | before, "rounds")
    yield Configuration("round_2_cold", "round 2, both caches cold", second | {"cold": True}, "rounds")
    group, small = "shares of memory", {"ram_over_data": SMALL_RAM_OVER_DATA}
    for percent, name in SHARES.items():
        yield Configuration(name, f"pool {percent:g} % of memory", _warm(percent, huge=huge), group)
    yield Configuration("ram_25_no_checkpoint", "25 % of memory, no CHECKPOINT", second | {"checkpoint": False}, group)
    ordinary = _warm(25.0, huge=False)
    if huge:
        yield Configuration("ram_25_ordinary_pages", "25 % of memory, ordinary pages", ordinary, group)
    yield Configuration("round_1_ram_25", "round 1's data, pool 25 %", ordinary | small, "round 1")
    larger = _warm(37.5, huge=False) | small
    yield Configuration("round_1_ram_37_5", "round 1's data, pool 37.5 %", larger, "round 1")


def _restart(percent: int, capped: bool, *, workers: int = 32, lru_maxpages: int = 1000) -> Settings:
    own: Settings = {"pool_over_data": percent / 100, "part": "restart", "workers": workers}
    return own | {"lru_maxpages": lru_maxpages, "capped": capped}


def _warm(percent: float, *, huge: bool) -> Settings:
    """Of round 2 but for the pool; autovacuum_naptime in lengths of a trial, as the note's minute was one."""
    return {
        "part": "warm", "ram_over_data": ROUND_2_RAM_OVER_DATA, "pool_over_ram": percent / 100, "huge_pages": huge,
        "reserved_over_ram": percent / 100 if huge else 0.0, "compressed": True, "multiplier": 4.0,
        "naptime_trials": 1, "checkpoint": True, "capped": False,
    }  # fmt: skip
