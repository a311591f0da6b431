"""What a verdict stands on beside its interval: the kind of quantity, the machine, the sessions, the treatment."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from benchbook.model import Estimate
from benchbook.statistics.gates import Gate
from benchbook.statistics.movement import STILL, Movement


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
        """Whether the machine's movement between two trials or looks could have carried it."""
        return self in (Quantity.COMPARISON, Quantity.PARTS)

    @property
    def by_session(self) -> bool:
        """Whether it takes two sessions with the same verdict, since a machine's state shows in it directly."""
        return self in (Quantity.LEVEL, Quantity.SHAPE, Quantity.DISPERSION, Quantity.SHARE_OF_TRIALS)


@dataclass(frozen=True)
class Host:
    """One kind of host and the 95 % and the 90 % estimate of its blocks alone; name, told as in ``OnHost``."""

    name: str
    told: str
    estimates: tuple[Estimate, Estimate]
    blocks: int
    sessions: int


@dataclass(frozen=True)
class Ground:
    """What a verdict stands on.

    movement: of the machine, for comparisons and parts. sessions: for what takes several, the 95 % and the 90 %
    estimate of each measuring session. failed: checks that the trials did not pass. sound: where these look at trials
    one by one and enough blocks have none that failed, the 95 % and the 90 % estimate of those blocks alone. mechanism:
    why the claimed cause did not act; departure: what the claim names and the run does not have; "" where neither
    holds.
    bounded: the quantity lies on its side of "the same" by definition, so that this side proves nothing. hosts: where
    kinds of host lie apart, the numbers of each. quiet: the movement that a verdict about a quiet machine would have to
    bear, where this one is about the states that were met. borne: how much of the widening is for checks that were
    missed by little, which no further session takes away.
    """

    quantity: Quantity = Quantity.COUNTER
    movement: Movement = STILL
    sessions: tuple[tuple[Estimate, Estimate], ...] = ()
    failed: tuple[Gate, ...] = ()
    sound: tuple[Estimate, Estimate] | None = None
    mechanism: str = ""
    departure: str = ""
    bounded: bool = False
    hosts: tuple[Host, ...] = ()
    quiet: Movement | None = None
    borne: float = 0.0

    @property
    def unsound(self) -> str:
        """What the checks say that failed; "" where all passed."""
        return "; ".join(f"{gate.name}: {gate.reason}" for gate in self.failed)

    @property
    def w(self) -> float:
        """The widening that the verdict has to bear."""
        return self.movement.w if self.quantity.moves else 0.0
