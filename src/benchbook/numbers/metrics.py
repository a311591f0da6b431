"""How a reader meets a metric: in words, in a unit, as a column of a table or the axis of a figure.

Each family has one table, its chapters add what only they measure. No code that measures imports these modules, so
that other words never make a run outdated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Metric:
    """One of them.

    words: what a sentence calls it, without an article. unit: in which it is shown, "" for a number without one.
    factor: from what is stored to that unit. format: of a mean that needs no interval. heading: fewer words, for a
    column whose table says the rest.
    """

    words: str
    unit: str = ""
    factor: float = 1.0
    format: Callable[[float], str] = "{:,.0f}".format
    heading: str = ""

    @property
    def brief(self) -> str:
        """Where its unit goes without saying."""
        return self.heading or self.words

    @property
    def axis(self) -> str:
        """Title of an axis."""
        return _with_unit(self.words, self.unit)

    @property
    def column(self) -> str:
        """Heading of a column."""
        return _with_unit(self.brief, self.unit)

    def written(self, value: float) -> str:
        """A number as it is stored, in the unit."""
        return self.format(self.factor * value)

    def but(self, **changed: Any) -> Metric:
        """The same where a chapter shows it otherwise."""
        return replace(self, **changed)


Metrics = Mapping[str, Metric]
"""By name; a # in a name stands for a number, as in interval_#_tps for the throughput of each twelfth of a trial."""


def known(metrics: Metrics, name: str) -> Metric | None:
    """What a table says of a metric; None where it has no words for it."""
    return metrics.get(name) or metrics.get(re.sub(r"\d+", "#", name))


def in_words(metrics: Metrics, name: str) -> str:
    """A metric in words; one that no table knows by its name without the unit."""
    found = known(metrics, name)
    return found.words if found else re.sub(r"_(ns|s|bytes)$", "", name).replace("_", " ")


def _with_unit(words: str, unit: str) -> str:
    return f"{words} ({unit})" if unit else words
