"""The configurations: how large the pool is, against which memory, started cold or warm, under which workload."""

from __future__ import annotations

from enum import StrEnum

from benchbook.experiments.planning import blocked
from benchbook.experiments.shared_buffers.parameters import Parameters
from benchbook.model import Configuration, Plan, Scalar


class Part(StrEnum):
    """How a trial is run.

    RESTART: TPC-B from a restart, with the OS cache in play (note 002); it holds the data unless an arm says
    otherwise. BY_HAND: the same by a plain pgbench command. READS: read only with direct I/O, after a fill.
    WARM: TPC-B after a discarded run (note 003).
    """

    RESTART = "restart"
    BY_HAND = "by_hand"
    READS = "reads"
    WARM = "warm"


BASELINE, SCENARIO_A, REPEATED, SCENARIO_B = "baseline", "scenario_a", "scenario_a_again", "scenario_b"
B_LARGE, B_PREWARMED, BY_HAND = "scenario_b_120", "scenario_b_prewarmed", "scenario_a_by_hand"
A_COLD, B_COLD = "scenario_a_cold_os_cache", "scenario_b_cold_os_cache"
SWEEP = (10, 20, 40, 60, 80, 100, 120)
"""Pools in % of the data; 80 is Scenario A."""
SHARES = (12.5, 25.0, 37.5, 50.0, 62.5)
"""Pools in % of the memory that server and page cache may use together."""
RAM_OVER_DATA = {Part.RESTART: 3.0, Part.BY_HAND: 3.0, Part.READS: 3.0, Part.WARM: 1.6}
"""Note 002 has 61 GiB for some 20 GiB of data. In note 003 data are 2.5 times a pool of a quarter of the memory."""
QUARTER, THREE_EIGHTHS = "ram_25", "ram_37_5"
QUARTER_HUGE, THREE_EIGHTHS_HUGE = "ram_25_huge_pages", "ram_37_5_huge_pages"
NO_CHECKPOINT = "ram_25_no_checkpoint"


def sweep_name(percent: int) -> str:
    """Configuration name of a pool in % of the data under Scenario A's other settings."""
    return SCENARIO_A if percent == 80 else f"pool_{percent}"


def reads_name(percent: int) -> str:
    """Configuration name of a pool in % of the data, read only with direct I/O."""
    return f"reads_{percent}"


def share_name(percent: float) -> str:
    """Configuration name of a pool in % of memory, such as ram_37_5."""
    return f"ram_{percent:g}".replace(".", "_")


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every arm that the claims of this chapter name, in the order of the figures."""
    arms = [
        Configuration(BASELINE, "baseline: 8 workers, pool 80 %", _restart(80, workers=8)),
        Configuration(SCENARIO_A, "A: 32 workers, pool 80 %", _restart(80)),
        Configuration(REPEATED, "A again (A/A)", _restart(80)),
        Configuration(SCENARIO_B, "B: pool 100 %, 1,250 LRU pages", _restart(100, lru_maxpages=1250)),
        Configuration(BY_HAND, "A by hand (plain pgbench)", _restart(80) | {"part": str(Part.BY_HAND)}),
    ]
    if "pools" in parameters.parts:
        arms += _pools()
    if "reads" in parameters.parts:
        arms += [
            Configuration(
                reads_name(percent), f"reads, pool {percent} %", _of_data(percent) | {"part": str(Part.READS)}
            )
            for percent in SWEEP
        ]
    if "memory" in parameters.parts:
        arms += _memory(huge_pages=parameters.needs_huge_pages)
    return tuple(arms)


def plan(parameters: Parameters) -> Plan:
    """All configurations once per block, in an order drawn from the seed."""
    return blocked(configurations(parameters), parameters.blocks, parameters.seed)


def estimated_minutes(parameters: Parameters) -> float:
    """How long a run takes, without loading: pgbench's seconds and what restoring, reading and looking add.

    The rest was measured: about 1 s a trial and 2 s per GiB of data, on two processors and a local disk.
    """
    p = parameters
    spent = {
        Part.RESTART: p.tpcb_seconds + 1,
        Part.BY_HAND: p.tpcb_seconds,
        Part.READS: p.read_fill_seconds + p.read_seconds + 1,
        Part.WARM: p.warm_fill_seconds + p.warm_seconds + 2,
    }
    rest = 1 + 2 * p.data_bytes / 2**30
    each = [spent[Part(str(arm.settings["part"]))] + rest for arm in configurations(p)]
    return p.blocks * sum(each) / 60


def _pools() -> list[Configuration]:
    return [
        *(
            Configuration(sweep_name(percent), f"as A, pool {percent} %", _restart(percent))
            for percent in SWEEP
            if percent != 80
        ),
        Configuration(B_LARGE, "as B, pool 120 %", _restart(120, lru_maxpages=1250)),
        Configuration(B_PREWARMED, "as B, pre-warmed", _restart(100, lru_maxpages=1250) | {"prewarm": True}),
        Configuration(A_COLD, "A, OS cache cold", _restart(80) | {"os_cache": False}),
        Configuration(B_COLD, "B, OS cache cold", _restart(100, lru_maxpages=1250) | {"os_cache": False}),
    ]


def _memory(*, huge_pages: bool) -> list[Configuration]:
    arms = [
        *(Configuration(share_name(percent), f"pool {percent:g} % of memory", _warm(percent)) for percent in SHARES),
        Configuration(NO_CHECKPOINT, "25 % of memory, no CHECKPOINT", _warm(25.0) | {"checkpoint": False}),
    ]
    if huge_pages:
        arms += [
            Configuration(QUARTER_HUGE, "25 % of memory, huge pages", _warm(25.0) | {"huge_pages": True}),
            Configuration(THREE_EIGHTHS_HUGE, "37.5 % of memory, huge pages", _warm(37.5) | {"huge_pages": True}),
        ]
    return arms


def _of_data(percent: int) -> dict[str, Scalar]:
    return {"pool_over_data": percent / 100}


def _restart(percent: int, *, workers: int = 32, lru_maxpages: int = 1000) -> dict[str, Scalar]:
    return _of_data(percent) | {"part": str(Part.RESTART), "workers": workers, "lru_maxpages": lru_maxpages}


def _warm(percent: float) -> dict[str, Scalar]:
    return {"part": str(Part.WARM), "pool_over_ram": percent / 100, "checkpoint": True}
