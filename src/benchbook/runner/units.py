"""What is measured as one: a trial alone, or the trials of a group in one block that take turns."""

from collections.abc import Sequence
from itertools import groupby

from benchbook.model import PlannedTrial


def units(trials: Sequence[PlannedTrial], *, turns: bool) -> list[list[PlannedTrial]]:
    """Planned trials in their order, those that follow each other in one group and block as one unit.

    turns: whether the session measures a group in turns; else every trial is a unit, with looks at the machine around
    it, and a group only stands together in its block.
    """

    def unit(trial: PlannedTrial) -> tuple[int, object]:
        if not turns:
            return trial.block, trial.index
        return trial.block, trial.configuration.group or (trial.configuration.name, trial.index)

    return [list(found) for _, found in groupby(trials, key=unit)]
