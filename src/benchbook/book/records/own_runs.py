"""Compare the numbers of a published run with those of a run made here: do their intervals overlap?"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path

from pydantic import TypeAdapter

from benchbook.book.records import inputs
from benchbook.book.records.pool_words import many
from benchbook.figures.lesson import WITHOUT_DATA
from benchbook.figures.numbers import with_interval
from benchbook.figures.prose import digits
from benchbook.model import Estimate, Verdict
from benchbook.parameters.profiles import QUICK

OWN_FILE = "own.json"
"""Beside the executed chapters: what kind of runs the book shows, and a record per chapter that has a run made here."""
NAMED = 6
"""So many claims whose intervals do not overlap are named in the sentence; the table has all."""
QUICK_DECIDES_NOTHING = "A quick run decides nothing: it has few blocks and often smaller data sets."


class State(StrEnum):
    """What a claim's number made here says of the published one."""

    OVERLAP = "intervals overlap"
    APART = "intervals do not overlap"
    NOT_HERE = "no number here"


@dataclass(frozen=True)
class Number:
    """One claim by a published run and by one made here. published, here: None where the run gives no number.

    verdict, verdict_here: how the claim came out; the second is "" of a quick run, which decides nothing.
    """

    claim_id: str
    published: Estimate | None
    here: Estimate | None
    verdict: str
    verdict_here: str = ""

    @property
    def state(self) -> State | None:
        """None where the published run has no interval, and where a number is counted."""
        if self.published is None or not self.published.low < self.published.high:
            return None
        if self.here is None:
            return State.NOT_HERE
        if not self.here.low < self.here.high:
            return None
        apart = self.here.high < self.published.low or self.published.high < self.here.low
        return State.APART if apart else State.OVERLAP


@dataclass(frozen=True)
class Own:
    """A chapter's run made here, beside its published one.

    published: id of the published run, "" where there is none. finished: UTC. differs: the parameters that are not
    those of the published run, its blocks among them, its seed not.
    """

    chapter: str
    published: str
    run_id: str
    profile: str
    blocks: int
    finished: str
    differs: tuple[str, ...] = ()
    numbers: tuple[Number, ...] = ()

    @property
    def decides(self) -> bool:
        """Whether the run may have verdicts."""
        return self.profile != QUICK


OWNS = TypeAdapter(list[Own])
"""Writes them as records and reads them back."""


def compared(published: Iterable[Verdict], here: Iterable[Verdict], *, decides: bool) -> tuple[Number, ...]:
    """One Number per claim that either run has a number for, in the published run's order, others after it.

    decides: whether the verdicts of the run made here are told.
    """
    first, second = ({each.claim_id: each for each in verdicts} for verdicts in (published, here))
    found = []
    for claim in dict.fromkeys([*first, *second]):
        public, own = first.get(claim), second.get(claim)
        numbers = _number(public), _number(own)
        if numbers != (None, None):
            outcomes = [str(each.outcome) if each else "" for each in (public, own)]
            found.append(Number(claim, *numbers, outcomes[0], outcomes[1] if decides else ""))
    return tuple(found)


def _number(verdict: Verdict | None) -> Estimate | None:
    """The number alone, as plain JSON can hold it, whatever kind of estimate it is."""
    found = verdict.estimate if verdict and verdict.outcome not in WITHOUT_DATA else None
    if found is None:
        return None
    plain = {each.name: getattr(found, each.name) for each in fields(Estimate)}
    return Estimate(**{name: value.item() if hasattr(value, "item") else value for name, value in plain.items()})


def counts(numbers: Iterable[Number]) -> dict[State, int]:
    """How many numbers with a published interval are in each state, zeros included."""
    found = Counter(each.state for each in numbers)
    return {state: found[state] for state in State}


def sentence(owns: Sequence[Own]) -> str:
    """How far what was measured here agrees with what is published, in one or two sentences."""
    both = [own for own in owns if own.published]
    if not both:
        return "on this machine: no run of a published chapter was made here, so there is nothing to compare"
    numbers = [each for own in both for each in own.numbers]
    found = counts(numbers)
    apart = [each.claim_id for each in numbers if each.state is State.APART]
    names = ", ".join(apart[:NAMED]) + (" ..." if len(apart) > NAMED else "")
    said = (
        f"on this machine: {many(len(both), 'chapter')} also measured here; "
        f"of {sum(found.values())} published numbers with an interval, "
        f"{found[State.OVERLAP] + found[State.APART]} have one here: {found[State.OVERLAP]} overlap the published "
        f"interval and {found[State.APART]} do not{f' ({names})' if names else ''}"
    )
    return said if any(own.decides for own in both) else f"{said}. {QUICK_DECIDES_NOTHING.rstrip('.')}"


def said(number: Estimate | None) -> str:
    """A number with its interval, or alone where it is counted; "" where there is none."""
    if number is None:
        return ""
    return with_interval(number) if number.low < number.high else digits(number.point)


def read(root: Path) -> tuple[str, list[Own]]:
    """What kind of runs the book shows, and the runs made here; an edition and nothing where there is no record."""
    content = inputs.read_json(root / "book" / "chapters" / OWN_FILE)
    return str(content.get("shown", "edition")), OWNS.validate_python(content.get("chapters", []))
