"""A chapter that recomputes the notes' numbers: its summary, how such a number comes about, and the verdict on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, NamedTuple

from typing_extensions import TypeVar

from benchbook import notes, statistics
from benchbook.claims import Claim, Quantity, Rule, judge, judge_without_data
from benchbook.claims.evidence import by_report
from benchbook.model import Estimate, Evidence, Verdict
from benchbook.numbers.answers import Answer, Answered, Answers
from benchbook.numbers.estimands import Estimand
from benchbook.numbers.keeping import Keeping
from benchbook.numbers.summary import OfChapter, Summary
from benchbook.parameters.base import AnalysisParameters

P = TypeVar("P", bound=AnalysisParameters, covariant=True, default=AnalysisParameters)


@dataclass(frozen=True)
class Term:
    """A number of a note, read when it is asked for; sums of terms, or of one and a constant, are terms too."""

    read: Callable[[], float]

    def __call__(self) -> float:
        return self.read()

    def __mul__(self, other: Term | float) -> Term:
        return Term(lambda: self() * _value(other))

    def __truediv__(self, other: Term | float) -> Term:
        return Term(lambda: self() / _value(other))

    def __add__(self, other: Term | float) -> Term:
        return Term(lambda: self() + _value(other))

    def __sub__(self, other: Term | float) -> Term:
        return Term(lambda: self() - _value(other))


def _value(other: Term | float) -> float:
    return other() if isinstance(other, Term) else other


class _Written(float):
    """A term as words have it where they ask for no other format."""

    def __format__(self, spec: str) -> str:
        return format(float(self), spec or ",.10g")


class Working(NamedTuple):
    """A recomputed number with the sum behind it, in words for the verdict's reason."""

    value: float
    text: str


@dataclass(frozen=True, eq=False)
class Analysis(Keeping, Generic[P]):
    """What such a chapter shows, from data/notes and its parameters; the base of the chapters' own."""

    chapter: OfChapter
    parameters: P

    def origin(self) -> str:
        """Half a sentence under figures: nothing was measured for them."""
        return "computed from the notes' own numbers"


Summarized = Summary | Analysis
"""What any chapter shows."""


def recomputed(work: Callable[[], Working]) -> Estimand:
    """A number from data/notes alone, each time anew, whatever the parameters are."""

    def exact(summary: Analysis) -> Estimate:
        return statistics.exact(float(work().value))

    return Estimand(exact, Quantity.COUNTER, working=lambda summary: work().text)


def formula(words: str, compute: Callable[..., float], **terms: Callable[[], float]) -> Estimand:
    """A sum of a note done again. words: the sum, with each term's name in braces. compute: takes them by name."""

    def work() -> Working:
        found = {name: term() for name, term in terms.items()}
        return Working(compute(**found), words.format(**{name: _Written(value) for name, value in found.items()}))

    return recomputed(work)


def quotient(top: Callable[[], float], bottom: Callable[[], float], unit: str = "") -> Estimand:
    """One number of a note over another. unit: of both, for the words."""
    return formula(f"{{top}} / {{bottom}}{unit}", lambda top, bottom: top / bottom, top=top, bottom=bottom)


def cell(name: str, column: str, /, **where: object) -> Term:
    """A number of a table, read when it is asked for."""
    return Term(lambda: notes.number(name, column, **where))


def cells(name: str, column: str, key: str) -> Callable[[object], Term]:
    """What gives the number of a table's column by what stands in another."""
    return lambda value: cell(name, column, **{key: value})


def rows(name: str, *keys: str) -> Callable[..., Term]:
    """What gives the number of a table's row by a column and what stands in others. keys: these others."""
    return lambda column, *values: cell(name, column, **dict(zip(keys, values, strict=True)))


def read(name: str) -> Estimand:
    """A fact that was read in a note's repository, with the place."""

    def work() -> Working:
        found = notes.table("readings").set_index("id").loc[name]
        return Working(notes.reading(name), f"{found['source']} ({found['working']})")

    return recomputed(work)


def answer(summary: Summarized, own: Answers, claim: Claim, given: Answer | None) -> Answered:
    """The claim as the notes' own numbers answer it.

    summary: of the chapter, which may measure other claims.
    """
    if given is None or claim.rule is Rule.PROSE:
        verdict, closing = judge_without_data(claim), own.would_decide.get(claim.id)
        if closing:
            verdict = Verdict(claim.id, verdict.outcome, f"{verdict.reason.rstrip('.')}: {closing}.")
        return Answered(claim.id, given, None, "", verdict)
    found, words = given.estimand.compute(summary), given.estimand.working
    shown = given.estimand.report() if given.estimand.report else None
    if shown is not None:
        return Answered(claim.id, given, found, "", by_report(claim, shown, found, given.figure))
    working = words(summary) if words else ""
    verdict = judge(claim, found, working=working, figure_id=given.figure)
    return Answered(claim.id, given, found, "", replace(verdict, evidence=Evidence.RECOMPUTED))
