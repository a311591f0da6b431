"""A run in, what every chapter asks of it out: values of a configuration in block order, and whether it has them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchbook import statistics
from benchbook.errors import BenchbookError
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.figures import with_interval
from benchbook.model import Estimate, Run
from benchbook.statistics import Gate

NOT_ESTIMABLE = "not estimable"


@dataclass(frozen=True)
class PerBlock(ABC):
    """One run, asked by configuration; the base of the chapters' summaries."""

    run: Run

    @abstractmethod
    def missing(self, arm: str, metric: str) -> NotEstimableError:
        """What to say where the run lacks a configuration or a trial a metric, with the mend that helps."""

    @abstractmethod
    def origin(self) -> str:
        """Half a sentence for captions: which run, how many blocks, on what."""

    def in_blocks(self, arm: str) -> pd.DataFrame:
        """The trials of a configuration in block order; none where the run left it out."""
        return self.run.trials[self.run.trials["configuration"] == arm].sort_values("block")

    def values(self, arm: str, metric: str) -> np.ndarray:
        """Per-block values in block order, shape (blocks,).

        Raises NotEstimableError when the run lacks the configuration, or a trial the metric.
        """
        rows = self.in_blocks(arm)
        if not len(rows) or metric not in rows or rows[metric].isna().any():
            raise self.missing(arm, metric)
        return rows[metric].to_numpy(dtype=float)

    def level(self, arm: str, metric: str, unit: float = 1.0) -> Estimate:
        """Geometric mean over trials in a unit, with its interval: 1e6 for milliseconds of a metric in ns."""
        return statistics.geometric_mean(self.values(arm, metric) / unit)

    def aa_gate(self, again: str, first: str, metric: str, *, pairs: int = 1) -> Gate:
        """The baseline's second label against its first, with 99 %; together with 99 % for so many pairs (Bonferroni).

        Fails, saying so, where the pair cannot be compared.
        """
        confidence = 1 - (1 - statistics.AA_CONFIDENCE) / pairs
        try:
            return statistics.aa_gate(
                statistics.ratio(self.values(again, metric), self.values(first, metric), confidence=confidence)
            )
        except BenchbookError as error:  # a trial of it failed, or it holds a 0
            return Gate("A/A", False, 0.0, f"the baseline cannot be held against itself: {error.problem}")

    def has(self, arm: str, *metrics: str) -> bool:
        """Whether the run holds a configuration, and every trial of it these metrics."""
        try:
            for metric in metrics:
                self.values(arm, metric)
        except NotEstimableError:
            return False
        return True


def check_whole(run: Run, names: Iterable[str], what: str = "configuration") -> None:
    """Raise BenchbookError when the run does not hold each configuration once per block, and no other."""
    counts = run.trials.groupby("configuration").size()
    if set(counts.index) != set(names) or not (counts == run.blocks).all():
        raise BenchbookError(f"run {run.id} does not hold each {what} once per block", "see `benchbook verify`")


def in_words(metric: str) -> str:
    """The name of a metric without its unit."""
    return metric.removesuffix("_ns").removesuffix("_s").removesuffix("_bytes").replace("_", " ")


def shown(ask: Callable[..., Estimate], *arguments: object, factor: float = 1.0) -> str:
    """The number that ``ask(*arguments)`` gives, with its interval, or "not estimable"."""
    try:
        return with_interval(ask(*arguments), factor)
    except BenchbookError:
        return NOT_ESTIMABLE


def cells(columns: Mapping[str, Callable[[str], str]], arm: str) -> dict[str, str]:
    """A configuration's cells of a table, empty where the run holds too little. columns: heading to text."""
    found = {}
    for name, text in columns.items():
        try:
            found[name] = text(arm)
        except NotEstimableError:
            found[name] = ""
    return found
