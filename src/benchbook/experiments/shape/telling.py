"""Paragraphs of sentences with numbers, of which those are left out that the run cannot fill."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TypeVar

from benchbook.errors import BenchbookError
from benchbook.experiments import plans
from benchbook.experiments.parameters import key_of
from benchbook.experiments.sentences import departing, opening
from benchbook.experiments.shape.summary import NotEstimableError, Summary
from benchbook.figures import Prose

T = TypeVar("T")
Sentence = str | Callable[[], str]
"""A text, or what makes one and raises BenchbookError where the run holds too little."""


def told(*sentences: Sentence) -> list[str]:
    """Those of the sentences that the run can fill with numbers, and that are not empty."""
    return [text for text in filled(*map(_asked, sentences)) if text]


def filled(*parts: Callable[[], T]) -> list[T]:
    """Those of the parts, such as sentences or headlines, that the run can fill with numbers."""
    found = []
    for part in parts:
        with contextlib.suppress(BenchbookError):
            found.append(part())
    return found


def listed(*parts: Callable[[], T]) -> list[T]:
    """The same for what a sentence lists; raises NotEstimableError where the run can fill none of them."""
    found = filled(*parts)
    if not found:
        raise NotEstimableError("this run has nothing to list", "measure more of it")
    return found


def _asked(sentence: Sentence) -> Callable[[], str]:
    return (lambda: sentence) if isinstance(sentence, str) else sentence


def design(summary: Summary, text: str, **wording: str) -> Prose:
    """What was measured, in numbers; and, where it is not the design that the claims ask for, how it differs."""
    asked_for = summary.chapter.answers.given  # without claims there is no design to depart from
    departs = departing(summary.departures(), **wording) if asked_for else ""
    return Prose(f"{opening(summary.run)} {text}{planned(summary)}{departs}")


def planned(summary: Summary) -> str:
    """How many sessions and blocks were planned before they were seen, and how many there are; "" without a plan."""
    run = summary.run
    made = [*plans.of(run.experiment, key_of(run.experiment, run.measurement_version, run.parameters))]
    if not made:
        return ""
    plan, *later = made
    amended = "".join(
        f" Amended on {each.date}, when {each.stored} blocks had been seen: {each.sessions - 1} more "
        f"session{'s' * (each.sessions > 2)} of {each.blocks} blocks, because {each.reason.rstrip('.')}."
        for each in later
    )
    sessions = int(summary.sessions[-1]) + 1
    there = "there is 1" if sessions == 1 else f"there are {sessions}"
    return (
        f" Planned on {plan.date}, after the first {plan.stored} blocks ({plan.aim}): {plan.sessions} sessions an hour "
        f"or more apart, the others of {plan.blocks} blocks.{amended} So far {there}, with {run.blocks} blocks in all."
    )
