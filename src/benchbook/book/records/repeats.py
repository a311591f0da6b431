"""How far the numbers of two runs of one chapter with the same parameters agree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchbook.book.records import inputs
from benchbook.figures.prose import digits
from benchbook.model import Estimate, Verdict
from benchbook.statistics import laws

REPEATS_FILE = "repeats.json"
"""Beside the executed chapters: the key of all that it rests on, and a record per two runs."""


@dataclass(frozen=True)
class Twice:
    """One claim's number by two runs, in the claim's unit."""

    claim_id: str
    first: Estimate
    later: Estimate

    @property
    def overlap(self) -> bool:
        """Whether the intervals have a value in common."""
        return self.first.low <= self.later.high and self.later.low <= self.first.high

    @property
    def inside(self) -> bool:
        """Whether the later value lies in the first interval."""
        return self.first.low <= self.later.point <= self.first.high

    @property
    def wider(self) -> float:
        """How many times as wide as the first interval the later one is."""
        return (self.later.high - self.later.low) / (self.first.high - self.first.low)


@dataclass(frozen=True)
class Repeat:
    """Two published runs of a chapter with the same parameters, one after the other. first, later: their ids."""

    chapter: str
    first: str
    later: str
    numbers: tuple[Twice, ...]

    @classmethod
    def of_record(cls, record: Mapping[str, Any]) -> Repeat:
        """From plain JSON."""
        numbers = tuple(
            Twice(each["claim_id"], Estimate(**each["first"]), Estimate(**each["later"])) for each in record["numbers"]
        )
        return cls(record["chapter"], record["first"], record["later"], numbers)


def compared(first: Iterable[Verdict], later: Iterable[Verdict]) -> tuple[Twice, ...]:
    """One Twice per claim that has a number with an interval in both; what is counted has none and is left out."""
    found = {each.claim_id: number for each in later if (number := _number(each))}
    return tuple(
        Twice(each.claim_id, number, found[each.claim_id])
        for each in first
        if (number := _number(each)) and each.claim_id in found
    )


def _number(verdict: Verdict) -> Estimate | None:
    """The number alone, as plain JSON can hold it, whatever kind of estimate it is."""
    found = verdict.estimate
    if found is None or not found.low < found.high:
        return None
    return Estimate(float(found.point), float(found.low), float(found.high), int(found.n), found.method)


def read(root: Path) -> list[Repeat]:
    """What was written last; nothing before a build."""
    content = inputs.read_json(root / "book" / "chapters" / REPEATS_FILE)
    return [Repeat.of_record(each) for each in content.get("repeats", [])]


def alike(numbers: Iterable[Twice]) -> float:
    """In how many pairs the later value would lie in the first interval if nothing had changed and both were as exact.

    The difference of two such means of n values has the square root of two times the standard error of one, so that of
    Student's t intervals P(|t| < t(0.975) / sqrt(2)) hold it: 0.871 for n = 6, 0.834 for many.
    """
    freedom = [max(each.first.n - 1, 1) for each in numbers]
    return float(sum(1 - 2 * laws.student_above(laws.student_quantile(0.975, n) / 2**0.5, n) for n in freedom))


def sentence(repeats: Sequence[Repeat]) -> str:
    """How far such runs agree, and how far they would if the days were alike."""
    numbers = [each for repeat in repeats for each in repeat.numbers]
    if not numbers:
        return "No chapter has been published twice with the same parameters yet."
    times = "Once a chapter was" if len(repeats) == 1 else f"{len(repeats)} times a chapter was"
    overlap, inside = (sum(getattr(each, name) for each in numbers) for name in ("overlap", "inside"))
    return (
        f"{times} published again with the same parameters. Of {len(numbers)} numbers, the two intervals overlap in "
        f"{overlap}, and the later value lies in the first interval in {inside}; if the days were alike, it would in "
        f"about {alike(numbers):.0f}. Fewer means that something changed that no interval of one run includes. In the "
        f"median, the later interval is {digits(median(each.wider for each in numbers))} times as wide as the first."
    )
