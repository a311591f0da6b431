"""What can be set: up to how many reads a run counts as one without reads."""

from __future__ import annotations

from pydantic import Field

from benchbook.parameters.base import AnalysisParameters


class Parameters(AnalysisParameters):
    """Default: a handful of reads in a minute is none."""

    few_reads: int = Field(
        10, ge=0, le=1_000, description="reads from disk in a minute up to which a run counts as warm"
    )
