"""What can be set in the experiment, with bounds and the contradictions between parameters; what a run will take."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from benchbook.experiments.parameters import ExperimentParameters

MOST_ROWS = 100_000_000
DISK_BYTES_PER_ROW = 150
"""Table and write-ahead log of either engine, twice what sequential keys take, since random ones fill pages less."""
MEMORY_BYTES_PER_ROW = 250
"""RocksDB's memtable of one batch and the note's tree, or the batch while it is written; the largest of them."""
PROCESS_BYTES = 700_000_000
"""The probe beside that: code, SQLite's and RocksDB's caches."""


class Parameters(ExperimentParameters):
    """Defaults are the standard profile: the note's sizes and look-ups, 10 million rows with sequential keys only."""

    blocks: int = Field(8, ge=2, le=100, description="complete blocks; each measures every configuration once")
    rows: tuple[int, ...] = Field(
        (10_000, 100_000, 1_000_000, 10_000_000),
        description="numbers of rows with sequential keys; all four systems at each",
    )
    random_rows: tuple[int, ...] = Field(
        (10_000, 100_000, 1_000_000),
        description="numbers of rows with random keys; the state before the options and both uses of SQLite at each",
    )
    again_rows: tuple[int, ...] = Field(
        (10_000, 100_000, 1_000_000, 10_000_000),
        description="of rows, the sizes at which the state before the options is measured a second time (A/A)",
    )
    lookups: int = Field(1_000, ge=100, le=1_000_000, description="look-ups at a fixed stride, each key once, unwarmed")
    batch_lookups: int = Field(
        100, ge=10, le=65_536, description="look-ups between two readings of the clock; must divide lookups"
    )
    tail_rows: int = Field(
        1_000_000, ge=1_000, le=MOST_ROWS, description="rows of the trials that time each look-up, sequential keys"
    )
    tail_lookups: int = Field(
        100_000, ge=1_000, le=10_000_000, description="look-ups of these, uniform and timed one by one"
    )
    tail_warm_lookups: int = Field(10_000, ge=0, le=10_000_000, description="look-ups by the same law before them")
    kept_samples: int = Field(
        5_000, ge=100, le=1_000_000, description="times of single look-ups stored per trial, evenly taken from all"
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        for name, least in (("rows", 2), ("random_rows", 0), ("again_rows", 1)):
            sizes: tuple[int, ...] = getattr(self, name)
            if len(sizes) < least or len(set(sizes)) != len(sizes):
                raise ValueError(f"{name}={list(sizes)} must name at least {least} sizes, each once")
            if sizes and not (min(sizes) >= self.lookups and max(sizes) <= MOST_ROWS):
                raise ValueError(
                    f"{name}={list(sizes)} must lie between lookups={self.lookups:,}, since each key is asked for "
                    f"once, and {MOST_ROWS:,}"
                )
        if not set(self.again_rows) <= set(self.rows):
            raise ValueError(f"again_rows={list(self.again_rows)} must be among rows={list(self.rows)}")
        if self.lookups % self.batch_lookups:
            raise ValueError(f"lookups={self.lookups} is no multiple of batch_lookups={self.batch_lookups}")
        return self

    @property
    def most_rows(self) -> int:
        """Rows of the largest store."""
        return max(*self.rows, *self.random_rows, self.tail_rows)

    @property
    def store_bytes(self) -> int:
        """Disk that the largest store takes at most."""
        return self.most_rows * DISK_BYTES_PER_ROW + 200_000_000

    @property
    def memory_bytes(self) -> int:
        """Memory that the largest trial takes at most."""
        return self.most_rows * MEMORY_BYTES_PER_ROW + PROCESS_BYTES
