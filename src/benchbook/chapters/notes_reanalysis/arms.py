"""What can be set in the reanalysis: how far runs differ from each other, and what shall be seen with them."""

from __future__ import annotations

from pydantic import Field

from benchbook.parameters.base import AnalysisParameters


class Parameters(AnalysisParameters):
    """Defaults: the spread between trials that the calibration chapter simulates."""

    between_trial_sd_percent: float = Field(
        5.0,
        ge=0.1,
        le=50,
        description="standard deviation between trials of the logarithm of a trial's level, in %",
    )
    most_runs: int = Field(20, ge=3, le=200, description="largest number of runs per configuration that is shown")
