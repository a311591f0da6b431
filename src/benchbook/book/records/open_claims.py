"""What each kind of open claim means, and what would decide it."""

from collections.abc import Sequence

from benchbook.book.records.basis import OPEN
from benchbook.book.records.judged import Judged
from benchbook.book.records.pool_words import many
from benchbook.claims import designs
from benchbook.model import Outcome

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


def by_kind(judged: Sequence[Judged]) -> dict[Outcome, list[Judged]]:
    """The open claims by their kinds, in the order of the protocol; kinds without one are left out."""
    found = {kind: [each for each in judged if each.outcome is kind] for kind in OPEN}
    return {kind: own for kind, own in found.items() if own}


def would_decide(judged: Judged) -> str:
    """What would decide an open claim, as half a sentence: visits, another design, or what its kind of open lacks."""
    needed = judged.verdict.visits_needed
    if needed:
        return f"{many(needed, 'further visit')}, were point and spread to stay"
    return designs.of(judged.claim.id) or OTHERWISE[judged.outcome]
