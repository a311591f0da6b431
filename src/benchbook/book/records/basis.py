"""What decides each claim, or would; and the one count of claims from which every count that is shown is made."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from benchbook.book.records.judged import Judged
from benchbook.book.records.pool_words import many
from benchbook.claims import Testable, designs
from benchbook.claims.ledger import notes_of_trial
from benchbook.errors import BenchbookError
from benchbook.figures.lesson import DECIDED, WITHOUT_DATA
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
    if judged.outcome in _WITHOUT:
        return _WITHOUT[judged.outcome]
    if judged.claim.testable is Testable.HERE or judged.verdict.evidence is Evidence.REPORT:
        return _OF[judged.verdict.evidence]
    return Basis.RECOMPUTED


_WITHOUT = {Outcome.NOT_A_MEASUREMENT: Basis.OPINION, Outcome.NOT_TESTABLE: Basis.ELSEWHERE}


_OF = {
    Evidence.MEASURED: Basis.MEASURED,
    Evidence.CONSTRUCTION: Basis.CONSTRUCTION,
    Evidence.REPORT: Basis.REPORT,
    Evidence.RECOMPUTED: Basis.RECOMPUTED,
}
OPEN = tuple(each for each in Outcome if each not in DECIDED and each not in WITHOUT_DATA)
"""The ways to be open, in the order of the protocol."""
MEANS = {
    Outcome.ONE_VISIT: "measured in one visit, and so near to the edge that another visit may say otherwise",
    Outcome.INCONCLUSIVE: "the interval reaches over the edge, or visits do not agree; further ones can decide it",
    Outcome.OPEN_HOST: "kinds of host do not say the same, and not all of them have settled it",
    Outcome.OPEN_CONDITION: "it turns on a condition that the note leaves out, or the run lacks one that it names",
    Outcome.CHECK: "trials or a session failed a check without which the number says nothing",
    Outcome.DESIGN: "the claimed cause did not act here, or no number of such visits would decide it",
}
"""In words that can follow the kind and a colon."""
OTHERWISE = {
    Outcome.ONE_VISIT: "a second visit that says the same",
    Outcome.INCONCLUSIVE: "further visits that agree",
    Outcome.OPEN_HOST: "further visits to the kinds of host that have not settled it",
    Outcome.OPEN_CONDITION: "conditions that are named before their data are there",
    Outcome.CHECK: "a session that passes its checks",
    Outcome.DESIGN: "another design, which is not named yet",
}
"""What would decide a claim of which neither visits are counted nor a design is named."""
FORESEEN: dict[Basis, tuple[Outcome, ...]] = {
    Basis.MEASURED: (*DECIDED, *OPEN, Outcome.NOT_YET_RUN),
    Basis.CONSTRUCTION: (Outcome.NO_EFFECT, Outcome.CONTRADICTED),
    Basis.REPORT: (Outcome.REPRODUCED, Outcome.DIRECTION_ONLY, Outcome.NO_EFFECT, Outcome.CONTRADICTED),
    Basis.RECOMPUTED: (Outcome.REPRODUCED, Outcome.CONTRADICTED, *OPEN, Outcome.NOT_YET_RUN),
    Basis.ELSEWHERE: (Outcome.NOT_TESTABLE,),
    Basis.OPINION: (Outcome.NOT_A_MEASUREMENT,),
}
"""How a claim can come out, by what decides it; a verdict of another kind would be counted nowhere."""
SHORT = {Basis.CONSTRUCTION: "by construction", Basis.REPORT: "note's report"}
"""What stands before an outcome that differs in this from the others in its bar."""
HERE = (Basis.MEASURED, Basis.CONSTRUCTION, Basis.REPORT)
"""Ways in which a claim that can be tested here is decided."""
DECIDING = (*HERE, Basis.RECOMPUTED)
"""Ways in which a claim is decided, each counted by itself."""
WAYS = (
    ("measured here or decided by construction", (Basis.MEASURED, Basis.CONSTRUCTION)),
    ("from the notes' own reports and numbers", (Basis.REPORT, Basis.RECOMPUTED)),
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


def tally(judged: Iterable[Judged]) -> dict[tuple[Basis, Outcome], int]:
    """How many claims came out each way that any did; raises BenchbookError for a verdict that FORESEEN has not."""
    found = Counter[tuple[Basis, Outcome]]()
    for each in judged:
        way = basis(each)
        if each.outcome not in FORESEEN[way]:
            raise BenchbookError(
                f"{each.claim.id} came out as {each.outcome}, decided {way}, which no count foresees",
                "name this outcome in FORESEEN of book/records/basis.py",
            )
        found[way, each.outcome] += 1
    return {(way, outcome): found[way, outcome] for way in Basis for outcome in Outcome if found[way, outcome]}


def parts(judged: Iterable[Judged]) -> list[Part]:
    """What was measured first, then what was recomputed, then the rest; each in the order of the protocol."""
    known, waiting = [], 0
    for (way, outcome), number in tally(judged).items():
        if outcome is Outcome.NOT_YET_RUN:
            waiting += number
        else:
            known.append(Part(way, outcome, number))
    return [*known, *([Part(None, Outcome.NOT_YET_RUN, waiting)] if waiting else [])]


def bars(found: Sequence[Part]) -> list[tuple[str, list[Part]]]:
    """The same parts by what decides them: words for a bar, and what it shows; one that would be empty is left out."""
    sorted_out = [(words, [part for part in found if part.basis in bases]) for words, bases in WAYS]
    return [(words, own) for words, own in sorted_out if own]


def sentence(judged: Sequence[Judged]) -> str:
    """How many claims there are and how they came out: "9 claims: 3 measured here (3 hold); 6 not yet run."."""
    return f"{many(len(judged), 'claim')}: {parted(judged)}."


def parted(judged: Sequence[Judged]) -> str:
    """How claims came out, each way of deciding apart, as part of a sentence."""
    by_way: dict[Basis | None, list[Outcome]] = {}
    for part in parts(judged):
        by_way.setdefault(part.basis if part.basis in DECIDING else None, []).extend([part.outcome] * part.number)
    rest = counted(by_way.pop(None, []))
    said = [f"{len(own)} {way} ({counted(own)})" for way, own in by_way.items()]
    return "; ".join([*said, *([rest] if rest else [])])


def population(judged: Sequence[Judged]) -> str:
    """What the claims of the ledger are, in numbers, and how far the book has come."""
    every = tally(judged)
    found = {way: sum(number for (own, _), number in every.items() if own is way) for way in Basis}
    here = sum(found[way] for way in HERE)
    waiting = {way: every.get((way, Outcome.NOT_YET_RUN), 0) for way in Basis}

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
    scope = ": every sentence of the five notes that says something about performance, cost or settings"
    whole = "" if notes_of_trial() else scope
    return (
        f"The ledger has {many(len(judged), 'claim')}{whole}. {'; '.join(parts)}. "
        f"{sum(each.claim.primary for each in judged)} were marked as main claims before anything was measured."
        f"{f' {late}' if (late := amended(judged)) else ''}"
    )


def amended(judged: Iterable[Judged]) -> str:
    """How many of the verdicts that measuring decided rest on what was amended later; "" where it decided none."""
    decided = [each.claim for each in judged if basis(each) is Basis.MEASURED and each.outcome in DECIDED]
    late = sum(each.amended_after_data for each in decided)
    if not decided:
        return ""
    return (
        f"Of the {len(decided)} that measuring has decided, {late} rest on a region or a quantity that was amended "
        "after data had been seen."
    )


def by_kind(judged: Sequence[Judged]) -> dict[Outcome, list[Judged]]:
    """The open claims by their kinds, in the order of the protocol; kinds without one are left out."""
    found = {kind: [each for each in judged if each.outcome is kind] for kind in OPEN}
    return {kind: own for kind, own in found.items() if own}


def would_decide(judged: Judged) -> str:
    """What would decide an open claim, as half a sentence: visits, another design, or what its kind of open lacks."""
    if needed := judged.verdict.visits_needed:
        return f"{many(needed, 'further visit')}, were point and spread to stay"
    return designs.of(judged.claim.id) or OTHERWISE[judged.outcome]
