"""Which metrics a run's figures, verdicts and lesson ask for, noted while they are made."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from benchbook.experiments.shape import summary as shape
from benchbook.experiments.shape.metrics import Metrics, known
from benchbook.model import Run

Asked = dict[str, set[str]]
"""Metric to the figures that ask for it, or "lesson"."""


def asked(module: Any, run: Run) -> Asked:
    """What figures and lesson ask of the run's trials, whether it is there or not. module: the run's chapter."""
    found: Asked = defaultdict(set)
    asking = ["the summary"]
    values = shape.Summary.values

    def noted(self: Any, arm: str, metric: str) -> np.ndarray:
        found[metric].add(asking[0])
        return values(self, arm, metric)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shape.Summary, "values", noted)
        summary = module.summarize(run)
        for name, draw in module.part("figures").FIGURES.items():
            asking[0] = f"figure {name}"
            draw(summary)
        asking[0] = "lesson"
        module.lesson(summary)
    for answer in module.part("answers").ANSWERS if module.has("answers") else ():
        if answer.estimand.metric:
            found[answer.estimand.metric].add(f"answer {answer.claim}")
    return found


def wordless(table: Metrics, found: Asked) -> list[str]:
    """The metrics among them that have no words in the chapter's table, each with who asks for it."""
    return [f"{', '.join(sorted(who))}: {metric}" for metric, who in found.items() if not known(table, metric)]
