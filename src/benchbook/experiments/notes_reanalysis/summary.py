"""Everything that the chapter shows, computed once from data/notes and the parameters."""

from __future__ import annotations

from dataclasses import dataclass

from benchbook.experiments import notes
from benchbook.experiments.notes_reanalysis.parameters import Parameters
from benchbook.experiments.notes_reanalysis.places import TABLES
from benchbook.experiments.notes_reanalysis.repeats import Repeats, validation
from benchbook.experiments.notes_reanalysis.single_runs import Pair, pairs
from benchbook.experiments.notes_reanalysis.timelines import Timeline, timelines


@dataclass(frozen=True)
class Summary:
    """The notes' timelines, their repeated runs and their single ones, and the parameters."""

    parameters: Parameters
    timelines: list[Timeline]
    validation: Repeats
    pairs: list[Pair]

    @property
    def sd(self) -> float:
        """Standard deviation between trials of the logarithm of their level, as the parameter has it."""
        return self.parameters.between_trial_sd_percent / 100

    def data_id(self, figure_id: str) -> str:
        """What stands for a run in a figure: a hash of the tables behind it."""
        return notes.run_id(*TABLES[figure_id])


def summarize(parameters: Parameters) -> Summary:
    """Read the notes' numbers and put them in the chapter's shape."""
    return Summary(parameters, timelines(), validation(), pairs())
