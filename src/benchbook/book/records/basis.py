"""What decides each claim: measuring here, the note's own text, another machine, or nobody."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from benchbook.book.records.judged import Judged
from benchbook.claims import Testable
from benchbook.claims.ledger import notes_of_trial
from benchbook.figures.prose import counted, of_many
from benchbook.model import Evidence, Outcome


class Basis(StrEnum):
    """What decides a claim. The first four are counted apart: a sum that comes out shows nothing of a cache."""

    MEASURED = "measured here"
    CONSTRUCTION = "by construction"
    REPORT = "from the note's own report"
    RECOMPUTED = "recomputed from the note's own text"
    ELSEWHERE = "needs another machine"
    OPINION = "opinion or advice"


def basis(judged: Judged) -> Basis:
    """By what the ledger says, and by the verdict of a claim that something else has decided than it asks for."""
    if judged.claim.testable is Testable.HERE or judged.verdict.evidence is Evidence.REPORT:
        return _OF[judged.verdict.evidence]
    if judged.outcome is Outcome.NOT_A_MEASUREMENT:
        return Basis.OPINION
    return Basis.ELSEWHERE if judged.outcome is Outcome.NOT_TESTABLE else Basis.RECOMPUTED


_OF = {
    Evidence.MEASURED: Basis.MEASURED,
    Evidence.CONSTRUCTION: Basis.CONSTRUCTION,
    Evidence.REPORT: Basis.REPORT,
    Evidence.RECOMPUTED: Basis.RECOMPUTED,
}
SHORT = {Basis.CONSTRUCTION: "by construction", Basis.REPORT: "note's report"}
"""What stands before an outcome that differs in this from the others in its bar."""
DECIDING = (Basis.MEASURED, Basis.CONSTRUCTION, Basis.REPORT, Basis.RECOMPUTED)
"""Ways in which a claim is decided, each counted by itself."""
WAYS = (
    ("measured here", (Basis.MEASURED, Basis.CONSTRUCTION)),
    ("recomputed from the notes' own numbers", (Basis.REPORT, Basis.RECOMPUTED)),
    ("not judged", (Basis.ELSEWHERE, Basis.OPINION, None)),
)
"""What a bar of its own shows: a sum that comes out is not beside what a database did."""


@dataclass(frozen=True)
class Part:
    """So many claims that came out one way. basis: None of claims that nobody has decided yet."""

    basis: Basis | None
    outcome: Outcome
    number: int

    @property
    def words(self) -> str:
        """The outcome as it stands beside the number."""
        short = SHORT.get(self.basis) if self.basis else None
        outcome = of_many(self.outcome, self.number)
        return f"{short}: {outcome}" if short else outcome


def parts(judged: Iterable[Judged]) -> list[Part]:
    """What was measured first, then what was recomputed, then the rest; each in the order of the protocol."""
    found = Counter((None if each.outcome is Outcome.NOT_YET_RUN else basis(each), each.outcome) for each in judged)
    order = [(way, outcome) for way in (*Basis, None) for outcome in Outcome]
    return [Part(way, outcome, found[way, outcome]) for way, outcome in order if found[way, outcome]]


def bars(found: Sequence[Part]) -> list[tuple[str, list[Part]]]:
    """The same parts by what decides them: words for a bar, and what it shows; one that would be empty is left out."""
    sorted_out = [(words, [part for part in found if part.basis in bases]) for words, bases in WAYS]
    return [(words, own) for words, own in sorted_out if own]


def sentence(judged: Sequence[Judged]) -> str:
    """How many claims there are and how they came out: "9 claims: 3 measured here (3 hold); 6 not yet run."."""
    return f"{_claims(len(judged))}: {parted(judged)}."


def parted(judged: Sequence[Judged]) -> str:
    """How claims came out, each way of deciding apart, as part of a sentence."""
    decided = {way: [each for each in judged if _decided(each, way)] for way in DECIDING}
    said = [f"{len(own)} {way} ({counted(each.outcome for each in own)})" for way, own in decided.items() if own]
    known = {each.claim.id for own in decided.values() for each in own}
    rest = counted(each.outcome for each in judged if each.claim.id not in known)
    return "; ".join([*said, *([rest] if rest else [])])


def population(judged: Sequence[Judged]) -> str:
    """What the claims of the ledger are, in numbers, and how far the book has come."""
    found = Counter(basis(each) for each in judged)
    here = sum(found[way] for way in DECIDING[:3])
    waiting = Counter(basis(each) for each in judged if each.outcome is Outcome.NOT_YET_RUN)

    def so_far(way: Basis) -> str:
        return f" ({waiting[way]} not yet)" if waiting[way] else ""

    judged_by = [
        (Basis.MEASURED, " are judged by what was measured", waiting[Basis.MEASURED]),
        (Basis.CONSTRUCTION, " by construction, since what they name cannot act on the note's own workload", 0),
        (Basis.REPORT, " by the note's own raw reports", 0),
    ]
    tested = ", ".join(f"{found[way] - less}{words}" for way, words, less in judged_by if found[way])
    others = [
        (
            Basis.RECOMPUTED,
            f" are recomputed from the note's own text{so_far(Basis.RECOMPUTED)}, which shows whether it agrees with "
            "itself but nothing about a database",
        ),
        (Basis.ELSEWHERE, " need a machine or a service that we do not have"),
        (Basis.OPINION, " are opinion or advice, which no measurement decides"),
    ]
    parts = [f"{here} can be tested here{so_far(Basis.MEASURED)}: {tested}"] if here else []
    parts += [f"{found[way]}{words}" for way, words in others if found[way]]
    every = ": every sentence of the five notes that says something about performance, cost or settings"
    whole = "" if notes_of_trial() else every
    return (
        f"The ledger has {_claims(len(judged))}{whole}. {'; '.join(parts)}. "
        f"{sum(each.claim.primary for each in judged)} were marked as main claims before anything was measured."
    )


def _decided(judged: Judged, way: Basis) -> bool:
    return basis(judged) is way and judged.outcome is not Outcome.NOT_YET_RUN


def _claims(number: int) -> str:
    return "1 claim" if number == 1 else f"{number} claims"
