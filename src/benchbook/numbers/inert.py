"""Causes that cannot act: a counter that is zero in every trial, why, and the positive control in which it moves."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from benchbook import project, store
from benchbook.claims.evidence import Inert
from benchbook.errors import BenchbookError
from benchbook.numbers.estimands import Arm, named
from benchbook.numbers.summary import OfChapter, Summary

CONTROLS = "positive_controls"
"""The chapter that measures arms in which a counter must move, for those of other chapters that cannot."""
Found = Callable[[Any], Inert | None]


@dataclass(frozen=True)
class Control:
    """An arm in which a counter moves because it must.

    arm, metric: where the counter stands. words: a clause with {} for the least count of a trial. experiment: the one
    that measured it, of which the published runs are read; "" for the claim's own run.
    """

    arm: str
    metric: str
    words: str
    experiment: str = CONTROLS

    def shown(self, summary: Summary) -> str:
        """The clause, where the counter moved in every trial; "" where it did not, or nobody measured it."""
        found = _counts(summary, self.experiment, self.arm, self.metric)
        return self.words.format(f"{min(found):,.0f}") if found and min(found) > 0 else ""


def cannot_act(
    metric: str, arms: Iterable[Arm] | None, *, counted: str, why: str, control: Control, scope: str = "",
    refutes: bool = True, experiment: str = "",
) -> Found:  # fmt: skip
    """Why the cause cannot act in the trials of these configurations; None where the counter moved, or is lacking.

    arms: None for all configurations of the run of which every trial has the counter. experiment: as in ``Control``.
    counted: a clause with {} for the number of trials. why: from the note's text, its reports or the engine's source.
    scope, refutes: as in ``Inert``.
    """
    asked = None if arms is None else tuple(arms)

    def found(summary: Summary) -> Inert | None:
        names = summary.having(summary.arms, metric) if asked is None else [named(arm, summary) for arm in asked]
        every = [_counts(summary, experiment, name, metric) for name in names]
        values = [value for each in every for value in each]
        if not values or not all(every) or any(values):
            return None
        return Inert(counted.format(f"{len(values):,}"), why, control.shown(summary), scope, refutes)

    return found


def _counts(summary: Summary, experiment: str, arm: str, metric: str) -> tuple[float, ...]:
    """Of the claim's own run, or of the published runs of another experiment."""
    if experiment in ("", summary.chapter.name):
        return _of(summary, arm, metric)
    return published(summary.chapter, experiment, arm, metric)


def _of(summary: Summary, arm: str, metric: str) -> tuple[float, ...]:
    """A metric of each trial of a configuration; none where the run lacks it, or a trial does."""
    return tuple(summary.values(arm, metric).tolist()) if summary.has(arm, metric) else ()


def published(chapter: OfChapter, experiment: str, arm: str, metric: str) -> tuple[float, ...]:
    """A metric of each trial of a configuration in all published runs of another experiment.

    Raises BenchbookError where the chapter does not say that it reads these: its page would not change with them.
    """
    if experiment not in chapter.reads:
        raise BenchbookError(
            f"{chapter.name} reads runs of {experiment} and does not say so", "name that one in reads= of its Chapter"
        )
    folders = sorted(path.parent for path in (project.published() / experiment).glob("*/run.json"))
    return tuple(value for folder in folders for value in _stored(str(folder), arm, metric))


@lru_cache(maxsize=256)
def _stored(folder: str, arm: str, metric: str) -> tuple[float, ...]:
    """The same in one published run; published runs do not change."""
    trials = store.read_run(Path(folder), published=True).trials
    if metric not in trials:
        return ()
    return tuple(trials.loc[trials["configuration"] == arm, metric].dropna().astype(float).tolist())
