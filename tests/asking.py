"""What a chapter makes of a run: figures and lesson, and which metrics they ask for, noted while they are made."""

import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchbook.experiments import parts
from benchbook.figures import Figure, Lesson
from benchbook.numbers import summary as shape
from benchbook.numbers.metrics import Metrics, known

Asked = dict[str, set[str]]
"""Metric to the figures that ask for it, or "lesson"."""


_ASKED = re.compile(r'\bchapter\.(\w+)\(summary(?:, \\?"(\w+)\\?")?\)')


def by_notebook(root: Path, name: str) -> list[tuple[str, str]]:
    """What a chapter's notebook asks it for, in order: such as ``say`` or ``table``, and the name of the part or ""."""
    return _ASKED.findall((root / "notebooks" / f"{name}.ipynb").read_text("utf-8"))


@dataclass(frozen=True)
class Made:
    """What a chapter makes of a run, and what that asks of the run's trials, whether it is there or not."""

    summary: Any
    figures: dict[str, Figure]
    lesson: Lesson
    asked: Asked


def made(module: Any, given: Any) -> Made:
    """All of it. module: the chapter. given: its run, or for an analysis its parameters."""
    found: Asked = defaultdict(set)
    asking = ["the summary"]
    values = shape.Summary.values

    def noted(self: Any, arm: str, metric: str) -> np.ndarray:
        found[metric].add(asking[0])
        return values(self, arm, metric)

    def named(name: str, draw: Callable[[Any], Figure]) -> Callable[[Any], Figure]:
        def drawn(summary: Any) -> Figure:
            asking[0] = f"figure {name}"
            return draw(summary)

        return drawn

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shape.Summary, "values", noted)
        summary = module.summarize(given)
        every, page = parts.module(module.package).FIGURES, module.page
        for name, draw in [*every.items()]:
            patch.setitem(every, name, named(name, page.figure(name, draw)))
        figures = module.figures(summary)
        asking[0] = "lesson"
        lesson = module.lesson(summary)
    for answer in module.answers.given:
        if answer.estimand.metric:
            found[answer.estimand.metric].add(f"answer {answer.claim}")
    return Made(summary, figures, lesson, found)


def wordless(table: Metrics, found: Asked) -> list[str]:
    """The metrics among them that have no words in the chapter's table, each with who asks for it."""
    return [f"{', '.join(sorted(who))}: {metric}" for metric, who in found.items() if not known(table, metric)]
