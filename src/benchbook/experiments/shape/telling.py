"""Paragraphs of sentences with numbers, of which those are left out that the run cannot fill."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchbook.errors import BenchbookError
from benchbook.experiments.sentences import departing, opening
from benchbook.experiments.shape.summary import Summary
from benchbook.figures import Prose

Sentence = str | Callable[[], str]
"""A text, or what makes one and raises BenchbookError where the run holds too little."""


def tell(*sentences: Sentence, otherwise: str = "", joined: str = " ") -> Prose:
    """The sentences that the run can fill, joined; ``otherwise`` where it can fill none."""
    return Prose(joined.join(told(*sentences)) or otherwise)


def told(*sentences: Sentence) -> list[str]:
    """Those of the sentences that the run can fill with numbers, and that are not empty."""
    found = []
    for sentence in sentences:
        try:
            text = sentence if isinstance(sentence, str) else sentence()
        except BenchbookError:
            continue
        if text:
            found.append(text)
    return found


def design(summary: Summary[Any], text: str, **wording: str) -> Prose:
    """What was measured, in numbers; and, where it is not the design that the claims ask for, how it differs."""
    asked_for = summary.chapter.has("answers")  # without claims there is no design to depart from
    return Prose(f"{opening(summary.run)} {text}{departing(summary.departures(), **wording) if asked_for else ''}")
