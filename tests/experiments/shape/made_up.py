"""A chapter with answers and checks and no other part, for tests of what is judged."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from benchbook.experiments.chapter_kinds import Kind
from benchbook.experiments.parameters import ExperimentParameters
from benchbook.experiments.shape.summary import OfChapter, Summary
from benchbook.model import Configuration, Run

NAME = "noise_floor"
"""Whose claims it has."""
Asked = Summary[ExperimentParameters]


@dataclass(frozen=True)
class Chapter:
    """answers: what a chapter's module of that name has. arms: the configurations that its runs hold."""

    answers: Any
    arms: Iterable[str] = ()
    name: str = NAME
    engine: str = "made up"
    device: bool = False
    kind: Kind = Kind.MEASUREMENT

    def has(self, name: str) -> bool:
        return name == "answers"

    def part(self, name: str) -> Any:
        assert name == "answers"
        return self.answers

    def summarize(self, given: Run) -> Asked:
        chapter: OfChapter = self
        return Summary(chapter, given, ExperimentParameters(), {each: Configuration(each, each) for each in self.arms})
