"""What is said of simulated runs, kinds of host put together, and whether it is untrue."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchbook.chapters.calibration.simulation.distributions import Array

Mask = NDArray[np.bool_]
Said = NDArray[np.int8]
"""Of each run: 1 where its verdict says "above" the edge of a claim, -1 "below", 0 open."""


class Ruling(NamedTuple):
    """What is said of each run: of all blocks, of those on each kind of host, and whether these kinds lie apart.

    share: of the blocks on the second kind. No kind of its own where all ran on one: then 0, and not apart.
    """

    whole: Said
    kinds: tuple[Said, Said]
    apart: Mask
    share: Array

    def then(self, later: Ruling) -> Ruling:
        """The same where it decides, else what a later look says."""
        kept = self.decided
        kinds = [np.where(kept, *each) for each in zip(self.kinds, later.kinds, strict=True)]
        return Ruling(
            np.where(kept, self.whole, later.whole), (kinds[0], kinds[1]),
            np.where(kept, self.apart, later.apart), np.where(kept, self.share, later.share),
        )  # fmt: skip

    @property
    def decided(self) -> Mask:
        """Whether the verdict is settled, or depends on the host."""
        return np.asarray((self.final != 0) | self.depends)

    @property
    def depends(self) -> Mask:
        """Whether two settled kinds of host differ."""
        return np.asarray(self.kinds[0] * self.kinds[1] < 0)

    @property
    def final(self) -> Said:
        """One verdict for all, 0 where it is open or depends on the host; as ``claims.together.by_host``."""
        one, other = self.kinds
        agree = (one == other) & (one != 0)
        alike = ((one == 0) | (one == self.whole)) & ((other == 0) | (other == self.whole))
        stands = ~self.apart & ((self.whole == 0) | alike)
        found = np.where(stands, self.whole, np.where(agree, one, 0))
        return np.where(self.depends, 0, found).astype(np.int8)

    def untrue(self, side: int, differs: Array) -> Mask:
        """Whether the verdict says so of what stands on the edge or beyond it.

        differs: by how much the second kind's truth lies above the first one's, which is the edge. A verdict for all is
        about the states met, its truth lies between the two; one that depends on the host is about each kind.
        """
        truths = np.zeros_like(differs), differs
        wrong = [(said == side) & (side * truth <= 0) for said, truth in zip(self.kinds, truths, strict=True)]
        both = self.depends | ((self.kinds[0] == side) & (self.kinds[1] == side) & (self.final == side))
        whole = (self.final == side) & (side * self.share * differs <= 0)
        return np.asarray(np.where(both, wrong[0] | wrong[1], whole))
