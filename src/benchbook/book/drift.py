"""Verdicts of published runs and of runs made here go in; which of them hold, differ or are left open comes out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from benchbook.model import Outcome

DRIFT_FILE = "drift.json"
"""Beside the executed chapters: the profile, and a record per chapter that could be compared."""
DECIDED = frozenset({Outcome.REPRODUCED, Outcome.DIRECTION_ONLY, Outcome.CONTRADICTED})
OPEN = frozenset({Outcome.INCONCLUSIVE, Outcome.ENVIRONMENT})
NAMED = 6
"""So many claims that differ are named in the sentence; the table has all."""


class State(StrEnum):
    """What became of one verdict. Fewer blocks leave more open, which is no contradiction and is counted apart."""

    HOLDS = "holds here"
    DIFFERS = "differs here"
    OPEN_HERE = "left open here"
    DECIDED_HERE = "decided here alone"
    OPEN = "open in both"


@dataclass(frozen=True)
class Kept:
    """One claim, judged by a published run and by one made here."""

    claim_id: str
    published: Outcome
    here: Outcome
    state: State


@dataclass(frozen=True)
class ChapterDrift:
    """All claims of one chapter that data can decide. published, here: ids of the two runs."""

    chapter: str
    published: str
    here: str
    claims: tuple[Kept, ...]

    def record(self) -> dict[str, Any]:
        """As plain JSON."""
        return asdict(self)

    @classmethod
    def of_record(cls, record: Mapping[str, Any]) -> ChapterDrift:
        """From what ``record`` gave."""
        claims = tuple(
            Kept(each["claim_id"], Outcome(each["published"]), Outcome(each["here"]), State(each["state"]))
            for each in record["claims"]
        )
        return cls(record["chapter"], record["published"], record["here"], claims)


def compared(published: Mapping[str, Outcome], here: Mapping[str, Outcome]) -> tuple[Kept, ...]:
    """One Kept per claim that either run judged from its data, in the published run's order, others after it.

    A claim that the other run does not judge counts as open there. Claims that no data decide are left out.
    """
    found = []
    for claim in dict.fromkeys([*published, *here]):
        first = published.get(claim, Outcome.NOT_YET_RUN)
        second = here.get(claim, Outcome.NOT_YET_RUN)
        if first in DECIDED | OPEN or second in DECIDED | OPEN:
            found.append(Kept(claim, first, second, _state(first, second)))
    return tuple(found)


def _state(published: Outcome, here: Outcome) -> State:
    if published in DECIDED and here in DECIDED:
        return State.HOLDS if published == here else State.DIFFERS
    if published in DECIDED:
        return State.OPEN_HERE
    return State.DECIDED_HERE if here in DECIDED else State.OPEN


def counts(claims: Iterable[Kept]) -> dict[State, int]:
    """How many claims are in each state, zeros included."""
    found = Counter(each.state for each in claims)
    return {state: found[state] for state in State}


def sentence(chapters: Sequence[ChapterDrift]) -> str:
    """How many published verdicts hold here, in one line; what to do where nothing can be compared."""
    if not chapters:
        return "drift: no chapter has both a published run and one of this profile made here, so nothing is compared"
    claims = [each for chapter in chapters for each in chapter.claims]
    found = counts(claims)
    decided = found[State.HOLDS] + found[State.DIFFERS] + found[State.OPEN_HERE]
    differ = [each.claim_id for each in claims if each.state is State.DIFFERS]
    names = ", ".join(differ[:NAMED]) + (" ..." if len(differ) > NAMED else "")
    where = "1 chapter" if len(chapters) == 1 else f"{len(chapters)} chapters"
    return (
        f"drift: of {decided} verdicts that the published runs of {where} decide, {found[State.HOLDS]} hold here, "
        f"{found[State.DIFFERS]} differ{f' ({names})' if names else ''} and {found[State.OPEN_HERE]} are left open; "
        f"{found[State.DECIDED_HERE]} more are decided here alone and {found[State.OPEN]} by neither"
    )
