"""What can be set in the experiment, with bounds and the contradictions between parameters."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from benchbook.experiments.parameters import ExperimentParameters


class Parameters(ExperimentParameters):
    """Defaults are the standard profile: the note's ten million rows where a claim asks for them."""

    blocks: int = Field(6, ge=2, le=100, description="complete blocks; each measures every configuration once")
    rows: int = Field(10_000_000, ge=2_000, le=200_000_000, description="rows of the note's scale, in most arms")
    law_rows: int = Field(
        1_000_000, ge=2_000, le=200_000_000, description="rows where key patterns and a compacted store are compared"
    )
    between_rows: tuple[int, ...] = Field(
        (100_000,), description="further numbers of rows of the breakdown, between small_rows and law_rows"
    )
    small_rows: int = Field(10_000, ge=1_000, le=200_000_000, description="rows from which growth is counted")
    index_rows: int = Field(1_000_000, ge=1_000, le=200_000_000, description="keys where all indexes are compared")
    lookups: int = Field(100_000, ge=256, le=100_000_000, description="look-ups of a trial, over the whole key space")
    tool_lookups: int = Field(
        10_000, ge=256, le=100_000_000, description="look-ups of the note's diagnostic program, at every 100th key"
    )
    tool_batch_rows: int = Field(
        100, ge=1, le=100_000, description="rows of one write of that program's store; the program itself wrote one"
    )
    benchmark_lookups: int = Field(
        1_000, ge=1, le=65_536, description="look-ups of the note's benchmark, evenly over all keys, without warm-up"
    )
    row_cache_entries: int = Field(1_000, ge=1, le=100_000_000, description="rows of the engine's cache before both")
    zipf_exponent: float = Field(0.99, gt=0, lt=20, description="exponent of the Zipf pattern")
    kept_samples: int = Field(
        500, ge=100, le=1_000_000, description="times stored per trial, evenly taken from all of them"
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        between = self.between_rows
        if len(set(between)) != len(between) or any(not self.small_rows < each < self.law_rows for each in between):
            raise ValueError(
                f"between_rows={between} must lie between small_rows={self.small_rows} and law_rows={self.law_rows}, "
                "each number once"
            )
        if not self.small_rows < self.law_rows <= self.rows:
            raise ValueError(
                f"small_rows={self.small_rows}, law_rows={self.law_rows} and rows={self.rows} must rise in this order; "
                "the last two may be equal"
            )
        if self.index_rows > self.rows:
            raise ValueError(f"index_rows={self.index_rows} is above rows={self.rows}")
        return self

    @property
    def ladder(self) -> tuple[int, ...]:
        """Numbers of rows at which the parts of a query are timed, rising."""
        return tuple(sorted({self.small_rows, *self.between_rows, self.law_rows, self.rows}))

    @property
    def store_bytes(self) -> int:
        """Disk that a trial takes at most: a log and one generation of files, or two generations when compacting."""
        return max(90 * self.rows, 200 * self.law_rows) + 300_000_000

    @property
    def memory_bytes(self) -> int:
        """Memory of the largest trial: rows, one write of all of them, the memtable, the note's tree with its gaps."""
        return 450 * self.rows + 500_000_000
