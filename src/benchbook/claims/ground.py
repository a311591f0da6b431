"""What a verdict stands on beside its interval: the kind of quantity, the visits, the checks, the treatment."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from benchbook.model import Estimate
from benchbook.statistics.gates import Gate
from benchbook.statistics.movement import Movement


class Quantity(StrEnum):
    """What kind of number a claim is about; decides what a moving machine may do to its verdict (protocol, item 20)."""

    COUNTER = "a count"
    COMPARISON = "a comparison of configurations"
    PARTS = "a comparison of parts of one trial"
    LEVEL = "a level of one configuration"
    SHAPE = "a shape in time"
    DISPERSION = "a dispersion"
    SHARE_OF_TRIALS = "a share of trials"

    @property
    def moves(self) -> bool:
        """Whether a visit could have carried it, by so much as visits move comparisons."""
        return self in (Quantity.COMPARISON, Quantity.PARTS)

    @property
    def by_visit(self) -> bool:
        """Whether each visit has to give the same verdict, since a machine's state shows in it directly."""
        return self in (Quantity.LEVEL, Quantity.SHAPE, Quantity.DISPERSION, Quantity.SHARE_OF_TRIALS)


@dataclass(frozen=True)
class Ground:
    """What a verdict stands on.

    visits: behind the interval; equal: how many of equal length they are worth, 0 for all. blocks: of all its
    visits; a_visit: that a further one would have, by the plan. each: of what every visit has to say the same, the
    95 % and the 90 % estimate of each. processors: models that it was measured on. left_out: sessions that were left
    out, and why. failed: checks that the trials did not pass. sound: where these look at trials one by one and
    enough blocks have none that failed, the 95 % and the 90 % estimate of those alone. borne: by how much a check
    was missed that a comparison can bear, as a logarithm. mechanism: why the claimed cause did not act; departure:
    what the claim names and the run does not have; few: that it has too few blocks; "" where none of these holds.
    design: the design that would decide what this one does not. bounded: the quantity lies on its side of "the
    same" by definition, so that this side proves nothing. quiet: how far the machine stood from its quiet level,
    which decides nothing.
    """

    quantity: Quantity = Quantity.COUNTER
    visits: int = 1
    equal: float = 0.0
    blocks: int = 0
    a_visit: int = 0
    each: tuple[tuple[Estimate, Estimate], ...] = ()
    processors: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    failed: tuple[Gate, ...] = ()
    sound: tuple[Estimate, Estimate] | None = None
    borne: float = 0.0
    mechanism: str = ""
    departure: str = ""
    few: str = ""
    design: str = ""
    bounded: bool = False
    quiet: Movement | None = None

    @property
    def unsound(self) -> str:
        """What the checks say that failed; "" where all passed."""
        return "; ".join(f"{gate.name}: {gate.reason}" for gate in self.failed)
