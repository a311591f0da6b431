"""A chapter with answers and checks and no other part, for tests of what is judged."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from benchbook.experiments.chapter_kinds import Kind
from benchbook.experiments.parameters import ExperimentParameters
from benchbook.experiments.shape.answers import Answers
from benchbook.experiments.shape.summary import OfChapter, Summary
from benchbook.model import Configuration, Run

NAME = "noise_floor"
"""Whose claims it has."""
Asked = Summary[ExperimentParameters]


@dataclass(frozen=True)
class Chapter:
    """arms: the configurations that its runs hold."""

    answers: Answers
    arms: Iterable[str] = ()
    name: str = NAME
    engine: str = "made up"
    device: bool = False
    reads: tuple[str, ...] = ()
    kind: Kind = Kind.MEASUREMENT

    def summarize(self, given: Run) -> Asked:
        chapter: OfChapter = self
        return Summary(chapter, given, ExperimentParameters(), {each: Configuration(each, each) for each in self.arms})
