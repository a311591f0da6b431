"""Everything that the chapter shows, computed once from data/notes and the parameters."""

from __future__ import annotations

from functools import cached_property

from benchbook.experiments.notes_reanalysis.arms import Parameters
from benchbook.experiments.notes_reanalysis.runs import Pair, Repeats, Timeline, pairs, timelines, validation
from benchbook.experiments.shape.analysis import Analysis


class Summary(Analysis[Parameters]):
    """The notes' timelines, their repeated runs and their single ones, and the parameters."""

    @cached_property
    def timelines(self) -> list[Timeline]:
        """The six runs of notes 002 and 003."""
        return timelines()

    @cached_property
    def validation(self) -> Repeats:
        """The five validation runs of note 003."""
        return validation()

    @cached_property
    def pairs(self) -> list[Pair]:
        """The changes that the notes report from one run each."""
        return pairs()

    @property
    def sd(self) -> float:
        """Standard deviation between trials of the logarithm of their level, as the parameter has it."""
        return self.parameters.between_trial_sd_percent / 100
