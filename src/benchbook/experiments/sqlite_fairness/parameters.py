"""What can be set in the experiment, with bounds and the contradictions between parameters."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from benchbook.experiments.parameters import ExperimentParameters


class Parameters(ExperimentParameters):
    """Defaults are the standard profile: the note's sizes and its 1,000 look-ups, and more look-ups at one size."""

    blocks: int = Field(6, ge=2, le=100, description="complete blocks; each measures every configuration once")
    sizes: tuple[int, ...] = Field(
        (10_000, 100_000, 1_000_000, 10_000_000),
        description="rows at which the note's benchmark is repeated, growing",
    )
    queries: int = Field(1_000, ge=100, le=10_000_000, description="its look-ups: at a fixed stride, none before them")
    ladder_rows: int = Field(
        1_000_000, ge=1_000, le=1_000_000_000, description="rows at which SQLite's settings are changed one at a time"
    )
    ladder_queries: int = Field(
        100_000, ge=1_024, le=100_000_000, description="uniform look-ups there, in batches or dependent on each other"
    )
    warm_queries: int = Field(50_000, ge=0, le=100_000_000, description="look-ups before them, by the same law")
    timed_queries: int = Field(
        100_000, ge=1_000, le=10_000_000, description="look-ups there with a time stamp each, in trials of their own"
    )
    commit_rows: int = Field(1_000, ge=1, le=1_000_000, description="rows of a commit where many are written")
    commits: int = Field(
        100, ge=2, le=1_000_000, description="commits of them; the writer is killed in the second half"
    )
    one_write_rows: int = Field(
        100_000, ge=1_000, le=1_000_000_000, description="rows of the one commit after which the writer is killed"
    )
    kept_samples: int = Field(
        2_000, ge=100, le=1_000_000, description="times stored per trial, evenly taken from all of them"
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        sizes = self.sizes
        if not sizes or list(sizes) != sorted(set(sizes)):
            raise ValueError(f"sizes={sizes} must name one size or more, each once, growing")
        if min(sizes) < self.queries:
            raise ValueError(f"sizes={sizes} must each hold the queries={self.queries} different rows that are asked")
        if max(sizes) > 1_000_000_000:
            raise ValueError(f"sizes={sizes} must not go beyond 1,000,000,000 rows")
        return self

    @property
    def largest(self) -> int:
        """Rows of the largest repetition of the note's benchmark."""
        return self.sizes[-1]
