"""The configurations: how large the pool is, against which memory and storage, cold or warm."""

from __future__ import annotations

from collections.abc import Iterable

from benchbook.chapters.shared_buffers.parameters import LARGEST, ROUND_2_RAM_OVER_DATA, SMALL, Parameters
from benchbook.measuring.pgbench.parameters import SMALL_RAM_OVER_DATA
from benchbook.measuring.pgbench.settings import Part
from benchbook.model import Configuration, Scalar

__all__ = ["Parameters", "configurations"]

BASELINE, SCENARIO_A, REPEATED, SCENARIO_B = "baseline", "scenario_a", "scenario_a_again", "scenario_b"
A_LOCAL, B_LOCAL = "scenario_a_local_disk", "scenario_b_local_disk"
B_PREWARMED, A_COLD, B_COLD = "scenario_b_prewarmed", "scenario_a_cold_os_cache", "scenario_b_cold_os_cache"
SWEEP = (SMALL, 80, 100, LARGEST)
"""Pools in % of the data under Scenario A's other settings."""
READS = (SMALL, 80, 100)
"""Pools in % of the data of the read-only trials."""
SHARES = (12.5, 25.0, 37.5, 62.5)
"""Pools in % of the memory that server and page cache may use together, in round 2's proportions."""
QUARTER, THREE_EIGHTHS, ORDINARY_PAGES = "ram_25", "ram_37_5", "ram_25_ordinary_pages"
NO_CHECKPOINT = "ram_25_no_checkpoint"
ROUND_2, ROUND_2_COLD, ROUND_3 = "round_2", "round_2_cold", "round_3"
REVERTED = {
    "round_3_pool": "shared_buffers",
    "round_3_compression": "wal_compression",
    "round_3_multiplier": "bgwriter_lru_multiplier",
    "round_3_naptime": "autovacuum_naptime",
    "round_3_huge_pages": "vm.nr_hugepages",
}
"""Round 3 with one of its five changes taken back: configuration to the setting."""
ROUND_1_QUARTER, ROUND_1_THREE_EIGHTHS = "round_1_ram_25", "round_1_ram_37_5"


def part_of(arm: Configuration) -> Part:
    """How the trials of a configuration are run."""
    return Part(str(arm.settings["part"]))


def sweep_name(percent: int) -> str:
    """Configuration name of a pool in % of the data under Scenario A's other settings."""
    return SCENARIO_A if percent == SMALL else f"pool_{percent}"


def reads_name(percent: int) -> str:
    """Configuration name of a pool in % of the data, read only with direct I/O."""
    return f"reads_{percent}"


def share_name(percent: float) -> str:
    """Configuration name of a pool in % of memory, such as ram_37_5."""
    return f"ram_{percent:g}".replace(".", "_")


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every arm that the claims of this chapter name, in the order of the figures.

    What is compared stands together in a block. Without slow storage the configurations of note 002 lie on the local
    disk, and those that would repeat them there are left out.
    """
    slow = parameters.allow_slow_storage
    arms = [*_three_runs(slow, "pools" in parameters.parts)]
    if slow:
        arms += [
            Configuration(A_LOCAL, "A, local disk", _restart(SMALL, capped=False), "local disk"),
            Configuration(B_LOCAL, "B, local disk", _restart(100, capped=False, lru_maxpages=1250), "local disk"),
        ]
    if "pools" in parameters.parts:
        cold: dict[str, Scalar] = {"os_cache": False}
        arms += [
            Configuration(A_COLD, "A, OS cache cold", _restart(SMALL, capped=slow) | cold, "cold"),
            Configuration(B_COLD, "B, OS cache cold", _restart(100, capped=slow, lru_maxpages=1250) | cold, "cold"),
        ]
    if "reads" in parameters.parts:
        reads: dict[str, Scalar] = {"part": str(Part.READS)}
        arms += [
            Configuration(reads_name(p), f"reads, pool {p} %", reads | {"pool_over_data": p / 100}, "reads")
            for p in READS
        ]
    if "memory" in parameters.parts:
        arms += _rounds(parameters.allow_vm_settings)
    return tuple(arms)


def _three_runs(capped: bool, pools: bool) -> Iterable[Configuration]:
    group = "three runs"
    b = _restart(100, capped=capped, lru_maxpages=1250)
    yield Configuration(BASELINE, f"baseline: 8 workers, pool {SMALL} %", _restart(SMALL, capped, workers=8), group)
    yield Configuration(SCENARIO_A, f"A: 32 workers, pool {SMALL} %", _restart(SMALL, capped), group)
    yield Configuration(REPEATED, "A again (A/A)", _restart(SMALL, capped), group)
    yield Configuration(SCENARIO_B, "B: pool 100 %, 1,250 LRU pages", b, group)
    if pools:
        for percent in SWEEP:
            if percent != SMALL:
                yield Configuration(sweep_name(percent), f"as A, pool {percent} %", _restart(percent, capped), group)
        yield Configuration(B_PREWARMED, "as B, pre-warmed", b | {"prewarm": True}, group)


def _rounds(huge: bool) -> Iterable[Configuration]:
    """Note 003's. huge: whether pools may lie in huge pages."""
    group, second, third = "rounds", _warm(25.0, huge), _warm(37.5, huge) | _ROUND_3
    yield Configuration(ROUND_2, "round 2", second, group)
    yield Configuration(ROUND_3, "round 3: five changes", third, group)
    back: dict[str, dict[str, Scalar]] = {
        "round_3_pool": {"pool_over_ram": 0.25},
        "round_3_compression": {"compressed": True},
        "round_3_multiplier": {"multiplier": 4.0},
        "round_3_naptime": {"naptime_trials": 1},
        "round_3_huge_pages": {"reserved_over_ram": 0.25, "huge_pages": False},
    }
    for name, setting in REVERTED.items():
        if huge or name != "round_3_huge_pages":
            yield Configuration(name, f"round 3, {setting} as before", third | back[name], group)
    cold: dict[str, Scalar] = {"cold": True}
    yield Configuration(ROUND_2_COLD, "round 2, both caches cold", second | cold, group)
    group = "shares of memory"
    for percent in SHARES:
        yield Configuration(share_name(percent), f"pool {percent:g} % of memory", _warm(percent, huge), group)
    no_checkpoint: dict[str, Scalar] = {"checkpoint": False}
    yield Configuration(NO_CHECKPOINT, "25 % of memory, no CHECKPOINT", second | no_checkpoint, group)
    if huge:
        yield Configuration(ORDINARY_PAGES, "25 % of memory, ordinary pages", _warm(25.0, huge=False), group)
    group, small = "round 1", {"ram_over_data": SMALL_RAM_OVER_DATA}
    yield Configuration(ROUND_1_QUARTER, "round 1's data, pool 25 %", _warm(25.0, huge=False) | small, group)
    yield Configuration(ROUND_1_THREE_EIGHTHS, "round 1's data, pool 37.5 %", _warm(37.5, huge=False) | small, group)


_ROUND_3: dict[str, Scalar] = {"compressed": False, "multiplier": 5.0, "naptime_trials": 10}


def _restart(percent: int, capped: bool, *, workers: int = 32, lru_maxpages: int = 1000) -> dict[str, Scalar]:
    return {
        "pool_over_data": percent / 100,
        "part": str(Part.RESTART),
        "workers": workers,
        "lru_maxpages": lru_maxpages,
        "capped": capped,
    }


def _warm(percent: float, huge: bool) -> dict[str, Scalar]:
    """Of round 2 but for the pool; autovacuum_naptime in lengths of a trial, as the note's minute was one."""
    return {
        "part": str(Part.WARM),
        "ram_over_data": ROUND_2_RAM_OVER_DATA,
        "pool_over_ram": percent / 100,
        "huge_pages": huge,
        "reserved_over_ram": percent / 100 if huge else 0.0,
        "compressed": True,
        "multiplier": 4.0,
        "naptime_trials": 1,
        "checkpoint": True,
        "capped": False,
    }
