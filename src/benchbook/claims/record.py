"""A claim of a note as the ledger fixed it, before any data were looked at."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Rule(StrEnum):
    """How a claim is decided; the protocol's item 19 defines each."""

    INSIDE = "inside"
    GREATER = "greater"
    LESS = "less"
    NO_DIFFERENCE = "no_difference"
    EXISTS = "exists"
    ARITHMETIC = "arithmetic"
    PROSE = "prose"


COUNTED = frozenset({Rule.EXISTS, Rule.ARITHMETIC})
"""Rules of what is counted or recomputed: such a number has no interval."""


class Testable(StrEnum):
    """Where a claim can be decided: by measuring here or elsewhere, by reading the sources, or not at all."""

    __test__ = False  # pytest takes the name for a test class

    HERE = "here"
    ELSEWHERE = "elsewhere"
    BY_READING = "by_reading"
    NO = "no"


@dataclass(frozen=True)
class Amendment:
    """One change to one column of a claim, made after the ledger was fixed; shown beside the verdict.

    data_seen: whether data that bear on the claim had been seen when the change was made.
    """

    claim_id: str
    column: str
    old: str
    new: str
    date: str
    reason: str
    data_seen: bool


JUDGING = frozenset({"estimand", "low", "high", "rule", "margin"})
"""Columns that say what is computed and where it must lie."""


@dataclass(frozen=True)
class Claim:
    """One row of the ledger, amendments applied.

    estimand: what is computed, in words. low, high: the region, in ``unit``; None where the rule has no such edge.
    margin: what must be exceeded on top of an edge: relative for ratios, absolute for shares and differences.
    experiment: ids such as "L1;L9". elsewhere: what is needed where ``testable`` is elsewhere.
    reading: why the note's words are read as this region.
    """

    id: str
    note: str
    section: str
    quote: str
    kind: str
    chapter: str
    experiment: str
    metric: str
    unit: str
    estimand: str
    rule: Rule
    low: float | None
    high: float | None
    margin: float | None
    family: str
    primary: bool
    testable: Testable
    portable: bool
    elsewhere: str
    reading: str
    amendments: tuple[Amendment, ...] = ()

    @property
    def experiments(self) -> tuple[str, ...]:
        """The experiments that bear on the claim, one by one."""
        return tuple(self.experiment.split(";")) if self.experiment else ()

    @property
    def amended_after_data(self) -> bool:
        """Whether its quantity or its region was amended after data that bear on it had been seen."""
        return any(each.data_seen and each.column in JUDGING for each in self.amendments)
