"""Two runs of one experiment beside each other: every number that both have, and how the parameters differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchbook import statistics
from benchbook.errors import BenchbookError
from benchbook.experiments.manifest import Chapter
from benchbook.model import Run
from benchbook.numbers.summary import Summary
from benchbook.reuse.estimates import Found, common_scale, estimates, named
from benchbook.statistics.between import Between, between
from benchbook.statistics.multiplicity import LEVEL


@dataclass(frozen=True)
class Pair:
    """One number in both runs. p: adjusted by Holm for all numbers that are compared; None where both are counted."""

    first: Found
    second: Found
    between: Between
    p: float | None

    @property
    def apart(self) -> bool:
        """Whether the runs differ by more than chance explains; counted numbers, wherever they differ."""
        return self.p < LEVEL if self.p is not None else self.between.point != self.between.same


@dataclass(frozen=True)
class Compared:
    """parameters: name to both values, of those that differ. alone: names of numbers that one run alone has, by run.

    outcomes: claim to its outcome by each run, "" where a run does not judge it. times: numbers that are not compared.
    """

    first: Run
    second: Run
    parameters: dict[str, tuple[Any, Any]]
    pairs: tuple[Pair, ...]
    alone: tuple[tuple[str, ...], tuple[str, ...]]
    outcomes: dict[str, tuple[str, str]]
    times: tuple[str, ...] = ()


def compare(module: Chapter, first: Run, second: Run, wanted: Sequence[str] = ()) -> Compared:
    """Every number that both runs have, compared; ratios across runs, never times, so that hosts may differ.

    wanted: names of numbers, or of claims; by default all. Raises BenchbookError where the runs share blocks or have no
    number in common, and for an unknown name.
    """
    shared = {part.id for part in first.parts} & {part.id for part in second.parts}
    if shared:
        raise BenchbookError(
            f"both have the blocks of run {sorted(shared)[0]}, so they are not independent",
            "compare runs that have nothing in common; `benchbook runs` lists them",
        )
    summaries = [module.summarize(run) for run in (first, second)]
    names = named(module, wanted) or None
    one, other = ({each.name: each for each in estimates(module, summary, names)} for summary in summaries)
    both = {name: (one[name], other[name]) for name in one if name in other and not one[name].time}
    if not both:
        raise BenchbookError(
            f"runs {first.id} and {second.id} have no number in common that is no time",
            "compare runs that measured the same parts, by ratios and shares",
        )
    found = {name: between(a.estimate, b.estimate, common_scale(a, b)) for name, (a, b) in both.items()}
    raw = {name: each.p for name, each in found.items() if each.p is not None}
    adjusted = statistics.holm(raw) if raw else {}
    pairs = tuple(Pair(*both[name], each, adjusted.get(name)) for name, each in found.items())
    alone = tuple(name for name in one if name not in other), tuple(name for name in other if name not in one)
    times = tuple(name for name in one if name in other and one[name].time)
    return Compared(first, second, _differing(first, second), pairs, alone, _outcomes(module, summaries), times)


def _differing(first: Run, second: Run) -> dict[str, tuple[Any, Any]]:
    names = dict.fromkeys([*first.parameters, *second.parameters])
    values = {name: (first.parameters.get(name), second.parameters.get(name)) for name in names}
    return {name: pair for name, pair in values.items() if pair[0] != pair[1]}


def _outcomes(module: Chapter, summaries: Sequence[Summary]) -> dict[str, tuple[str, str]]:
    judged = [module.judge(summary) if module.answers.given else [] for summary in summaries]
    one, other = ({each.claim_id: str(each.outcome) for each in verdicts} for verdicts in judged)
    return {claim: (one.get(claim, ""), other.get(claim, "")) for claim in dict.fromkeys([*one, *other])}
