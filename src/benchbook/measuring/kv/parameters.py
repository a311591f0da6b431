"""What can be set in every chapter whose configurations take turns."""

from __future__ import annotations

from pydantic import Field

from benchbook.parameters.base import ExperimentParameters


class TurnParameters(ExperimentParameters):
    """Base of the Parameters of chapters whose configurations take turns."""

    rounds: int = Field(
        40,
        ge=2,
        le=10_000,
        description="turns that each configuration takes in a block, at least two; more where its look-ups need them",
    )
    turn_ms: int = Field(
        25, ge=2, le=10_000, description="measured time of a turn in ms, at least 2 and a batch's beyond discard_ms"
    )
    discard_ms: int = Field(
        5, ge=0, le=5_000, description="of it, at its beginning, made but not counted, in ms, at least 0"
    )
