"""Every number of a chapter, by its name, of one run: what a program can ask for instead of a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from benchbook.errors import BenchbookError
from benchbook.experiments.shape import named
from benchbook.experiments.shape.manifest import Chapter
from benchbook.experiments.shape.summary import Summary
from benchbook.model import Effect, Estimate
from benchbook.statistics import intervals


@dataclass(frozen=True)
class Found:
    """A number of a run.

    name: in the chapter's numbers. arms, metric: whose trials it is computed from, and from which of their metrics;
    "" where it takes more than one. kind: of quantity, as the methods page has them. claims: of the ledger that it
    decides.
    """

    name: str
    estimate: Estimate
    arms: tuple[str, ...]
    metric: str
    kind: str
    claims: tuple[str, ...] = ()

    @property
    def scale(self) -> str:
        """Whether two of them differ by a ratio or by a difference: a share or a slope may be 0."""
        plain = isinstance(self.estimate, Effect) and self.estimate.scale == "difference"
        shares = intervals.of_blocks(self.estimate.method) in intervals.ON_LOGITS
        return "difference" if plain or shares or self.estimate.low <= 0 else "ratio"


def common_scale(*found: Found) -> str:
    """On which all of them can be compared."""
    return "ratio" if all(each.scale == "ratio" for each in found) else "difference"


def estimates(module: Chapter, summary: Summary) -> Iterator[Found]:
    """The numbers that a run gives, in the chapter's order; those for which it measured too little are left out."""
    decided: dict[str, list[str]] = {}
    for claim, said in module.page.page.front.claims.items():
        decided.setdefault(said.number, []).append(claim)
    for name, number in module.page.names.numbers.items():
        try:
            found = named.estimate(summary, name, number)
        except BenchbookError:
            continue
        own = number.estimand
        arms = tuple(sorted(own.names(summary)))
        yield Found(name, found, arms, own.metric or "", str(own.quantity), tuple(decided.get(name, ())))
