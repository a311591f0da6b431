"""What is measured as one: a trial alone, or the trials of a group in one block."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from benchbook.model import PlannedTrial


def units(trials: Sequence[PlannedTrial]) -> list[list[PlannedTrial]]:
    """Planned trials in their order, those that follow each other in one group and block as one unit."""

    def unit(trial: PlannedTrial) -> tuple[int, object]:
        return trial.block, trial.configuration.group or (trial.configuration.name, trial.index)

    return [list(found) for _, found in groupby(trials, key=unit)]
