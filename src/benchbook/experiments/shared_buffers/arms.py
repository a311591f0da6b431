"""What can be set, and the configurations: how large the pool is, against which memory, cold or warm, workload."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, Self

from pydantic import Field, model_validator

from benchbook.experiments.families.pgbench import parameters as family
from benchbook.experiments.families.pgbench.parameters import PAGES_PER_SCALE
from benchbook.model import Configuration, Scalar


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
QUARTER, THREE_EIGHTHS = "ram_25", "ram_37_5"
QUARTER_HUGE, THREE_EIGHTHS_HUGE = "ram_25_huge_pages", "ram_37_5_huge_pages"
NO_CHECKPOINT = "ram_25_no_checkpoint"
WAL_BYTES_PER_PAGE = 9_000
"""Log written per changed page at most, with its full image: for the estimate of disk."""
MIN_POOL_KIB = 1024
SERVER_BYTES, CLIENT_BYTES = 64 * 2**20, 3 * 2**20
"""What a server takes beside its pool: at all, and per connection."""


class Parameters(family.Parameters):
    """Defaults are the standard profile: 750 MB of data, about 40 minutes on two processors and a local disk."""

    parts: tuple[Literal["three_runs", "pools", "reads", "memory"], ...] = Field(
        ("three_runs", "pools", "reads", "memory"),
        description="what is measured: note 002's three runs (always), its pool sizes, pool sizes under reads with "
        "direct I/O, note 003's shares of memory",
    )
    tpcb_seconds: int = Field(
        12,
        ge=1,
        le=3_600,
        description="length of a TPC-B trial from a restart (note 002: 60); a twelfth of it stands for the note's 5 s",
    )
    warm_seconds: int = Field(
        6, ge=1, le=3_600, description="length of a TPC-B trial after a warm start (note 003: 60)"
    )
    warm_fill_seconds: int = Field(
        2, ge=1, le=3_600, description="discarded TPC-B run before it, on a pool that pg_prewarm filled"
    )
    read_seconds: int = Field(3, ge=1, le=3_600, description="length of a read-only trial with direct I/O")
    read_fill_seconds: int = Field(2, ge=0, le=3_600, description="discarded reads before it, to fill the pool")
    allow_vm_settings: bool = Field(
        True,
        description="reserve huge pages for the configurations that need them and give them back (root only; without "
        "it those configurations are left out)",
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        if "three_runs" not in self.parts or len(set(self.parts)) != len(self.parts):
            raise ValueError(f"parts={list(self.parts)} must name three_runs and each part at most once")
        if self.bound_memory:
            least = SERVER_BYTES + self.clients * CLIENT_BYTES
            left = int(0.6 * self.data_bytes if "memory" in self.parts else 1.8 * self.data_bytes)
            if left < least:
                raise ValueError(
                    f"scale={self.scale} leaves {left / 2**20:,.0f} MiB beside the largest pool within the bound; "
                    f"the server and {self.clients} clients need {least / 2**20:,.0f} MiB"
                )
        smallest_pool_kib = self.data_bytes // 10 // 1024
        if smallest_pool_kib < MIN_POOL_KIB:
            raise ValueError(
                f"scale={self.scale} makes the smallest pool, 10 % of the data, {smallest_pool_kib} KiB; "
                f"PostgreSQL pins pages for {self.clients} clients and needs {MIN_POOL_KIB} KiB"
            )
        return self

    @property
    def needs_huge_pages(self) -> bool:
        """Whether there are configurations with huge pages."""
        return self.allow_vm_settings and "memory" in self.parts

    @property
    def log_bytes(self) -> int:
        """Estimated bytes of the log of the longest trial."""
        transactions = 10_000 * max(self.tpcb_seconds, self.warm_seconds + self.warm_fill_seconds)
        return min(self.scale * PAGES_PER_SCALE, transactions) * WAL_BYTES_PER_PAGE + transactions * 1_000

    @property
    def memory_bytes(self) -> int:
        """What the largest configuration may use: three times the data, or pool and a little when nothing bounds it."""
        return 3 * self.data_bytes + 500_000_000


def part_of(arm: Configuration) -> Part:
    """How the trials of a configuration are run."""
    return Part(str(arm.settings["part"]))


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
        arms += [
            *(Configuration(sweep_name(p), f"as A, pool {p} %", _restart(p)) for p in SWEEP if p != 80),
            Configuration(B_LARGE, "as B, pool 120 %", _restart(120, lru_maxpages=1250)),
            Configuration(B_PREWARMED, "as B, pre-warmed", _restart(100, lru_maxpages=1250) | {"prewarm": True}),
            Configuration(A_COLD, "A, OS cache cold", _restart(80) | {"os_cache": False}),
            Configuration(B_COLD, "B, OS cache cold", _restart(100, lru_maxpages=1250) | {"os_cache": False}),
        ]
    if "reads" in parameters.parts:
        arms += [
            Configuration(reads_name(p), f"reads, pool {p} %", {"pool_over_data": p / 100, "part": str(Part.READS)})
            for p in SWEEP
        ]
    if "memory" in parameters.parts:
        arms += [
            *(Configuration(share_name(p), f"pool {p:g} % of memory", _warm(p)) for p in SHARES),
            Configuration(NO_CHECKPOINT, "25 % of memory, no CHECKPOINT", _warm(25.0) | {"checkpoint": False}),
        ]
    if parameters.needs_huge_pages:
        arms += [
            Configuration(QUARTER_HUGE, "25 % of memory, huge pages", _warm(25.0) | {"huge_pages": True}),
            Configuration(THREE_EIGHTHS_HUGE, "37.5 % of memory, huge pages", _warm(37.5) | {"huge_pages": True}),
        ]
    return tuple(arms)


def _restart(percent: int, *, workers: int = 32, lru_maxpages: int = 1000) -> dict[str, Scalar]:
    return {
        "pool_over_data": percent / 100,
        "part": str(Part.RESTART),
        "workers": workers,
        "lru_maxpages": lru_maxpages,
    }


def _warm(percent: float) -> dict[str, Scalar]:
    return {"part": str(Part.WARM), "pool_over_ram": percent / 100, "checkpoint": True}
