"""What can be set: the dirty limit that is drawn, and how finely the buffer pool is simulated."""

from __future__ import annotations

from pydantic import Field

from benchbook.parameters.base import AnalysisParameters


class Parameters(AnalysisParameters):
    """Defaults: the limit that the reports print, and a pool simulated at a 64th of its size."""

    dirty_limit_percent: float = Field(
        4.0, ge=0.5, le=50, description="vm.dirty_ratio that Dirty is held against, in % of the available memory"
    )
    one_page_in: int = Field(
        64, ge=16, le=256, description="the simulation keeps one page and one transaction in so many; less takes longer"
    )
    seed: int = Field(20260117, ge=0, lt=2**63, description="seed of the simulated accounts")
