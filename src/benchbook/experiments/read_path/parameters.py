"""What can be set in the experiment, with bounds and the contradictions between parameters."""

from __future__ import annotations

import math
from typing import Self

from pydantic import Field, model_validator

from benchbook.experiments.parameters import ExperimentParameters

BATCH_OPERATIONS = 256
"""Look-ups that the probe times as one where it measures throughput."""


class Parameters(ExperimentParameters):
    """Defaults are the standard profile: the note's ten million rows."""

    blocks: int = Field(6, ge=2, le=100, description="complete blocks; each measures every configuration once")
    rows: int = Field(10_000_000, ge=30_000, le=100_000_000, description="rows of the stores that are looked up in")
    value_bytes: int = Field(
        100, ge=8, le=4096, description="length of a value in the comparison of engines; the note's own are value_<key>"
    )
    stride: int = Field(
        100, ge=1, le=1_000_000, description="distance in rows between look-ups that follow the note; one pass is timed"
    )
    warm_stride: int = Field(
        37, ge=2, le=1_000_000, description="distance in rows between the look-ups that warm every store; one pass"
    )
    operations: int = Field(
        100_000, ge=1_000, le=100_000_000, description="uniform look-ups timed one by one in the comparison of engines"
    )
    existence_keys: int = Field(
        1_000_000,
        ge=1_000,
        le=100_000_000,
        description="present, and as many absent, keys that the index alone answers",
    )
    durable_rows: int = Field(
        300_000,
        ge=1_000,
        le=100_000_000,
        description="rows of the stores that are written durably, reopened, scanned",
    )
    durable_batch_rows: int = Field(
        1_000, ge=1, le=1_000_000, description="rows of a write that must have reached the disk before the next one"
    )
    scans: int = Field(10_000, ge=200, le=10_000_000, description="range scans timed one by one")
    scan_rows: int = Field(100, ge=1, le=100_000, description="rows that a range scan reads in the order of keys")
    option_a_cache_mib: int = Field(
        2048, ge=8, le=1_000_000, description="block cache in MiB where RocksDB is tuned further, as the note proposes"
    )
    kept_samples: int = Field(
        4_000, ge=100, le=1_000_000, description="times stored per trial, evenly taken from all of them"
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        if self.rows // self.stride < BATCH_OPERATIONS:
            raise ValueError(
                f"rows={self.rows} at stride={self.stride} give {self.rows // self.stride} look-ups, fewer than the "
                f"{BATCH_OPERATIONS} of one batch"
            )
        if self.rows // self.warm_stride < 1:
            raise ValueError(f"warm_stride={self.warm_stride} is more than rows={self.rows}")
        if math.gcd(self.stride, self.warm_stride) != 1:
            raise ValueError(
                f"stride={self.stride} and warm_stride={self.warm_stride} have a common divisor, so the warm-up would "
                "ask for the keys that are measured"
            )
        for name in ("durable_batch_rows", "scan_rows"):
            if getattr(self, name) > self.durable_rows:
                raise ValueError(f"{name}={getattr(self, name)} is more than durable_rows={self.durable_rows}")
        return self

    @property
    def stride_operations(self) -> int:
        """Look-ups of one pass at the note's stride."""
        return self.rows // self.stride

    @property
    def warm_operations(self) -> int:
        """Look-ups of one pass of the warm-up."""
        return self.rows // self.warm_stride
