"""What can be set in the experiment, with bounds and the contradictions between parameters."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from benchbook.experiments.cache_sizing.parameters import EVENT_BYTES
from benchbook.experiments.cache_sizing.parameters import Parameters as SuiteParameters
from benchbook.experiments.parameters import ExperimentParameters

LABELS = 6
SAMPLE_BYTES = 8


class Parameters(ExperimentParameters):
    """Defaults are the standard profile: the note's events and cache sizes, and short rests between bursts."""

    blocks: int = Field(20, ge=2, le=200, description="complete blocks; each runs the six labels once in random order")
    events: int = Field(50_000, ge=10, le=10_000_000, description="events saved in the peak test and again in bursts")
    workers: int = Field(8, ge=1, le=1_000, description="workers of the peak test, which fills the store")
    bursts: int = Field(
        10, ge=1, le=1_000, description="bursts; each saves its share of the events, one goroutine each"
    )
    burst_spread_ms: float = Field(100, ge=0, le=60_000, description="time over which the saves of a burst are started")
    burst_quiet_ms: float = Field(50, ge=0, le=60_000, description="quiet after each burst (500 in the note's suite)")
    rest_s: float = Field(
        5, ge=0, le=3_600, description="rest of the machine before the first label of a block; the later ones have none"
    )
    block_cache_mib: int = Field(64, ge=0, le=1 << 20, description="block cache of every label in MiB")
    index_cache_mib: int = Field(32, ge=0, le=1 << 20, description="index cache of every label in MiB")
    block_bytes: int = Field(
        4096, ge=1024, le=1 << 20, description="BlockSize: uncompressed bytes of a block, at about"
    )
    mem_table_mib: int = Field(64, ge=1, le=4096, description="MemTableSize in MiB: what is flushed as one table")
    base_table_mib: int = Field(64, ge=1, le=4096, description="BaseTableSize in MiB")
    kept_samples: int = Field(
        5_000, ge=100, le=1_000_000, description="burst latencies stored per trial, evenly taken from all of them"
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        if self.events < self.bursts:
            raise ValueError(f"events={self.events} is less than one for each of bursts={self.bursts}")
        return self

    @property
    def suite(self) -> SuiteParameters:
        """The same for the suite of ``cache_sizing``, whose peak and burst tests are run here."""
        shared = [
            "events", "workers", "bursts", "burst_spread_ms", "burst_quiet_ms", "block_bytes", "mem_table_mib",
            "base_table_mib", "kept_samples",
        ]  # fmt: skip
        others = {"fewer_events": self.events, "small_mem_table_mib": 1, "small_base_table_mib": 1}
        return SuiteParameters.given({name: getattr(self, name) for name in shared} | others)

    @property
    def disk_bytes(self) -> int:
        """One trial's store at most, and the latencies that the run keeps."""
        store = 2 * self.events * EVENT_BYTES + 8 * self.mem_table_mib * 2**20 + 600_000_000
        return store + self.blocks * LABELS * self.kept_samples * SAMPLE_BYTES
