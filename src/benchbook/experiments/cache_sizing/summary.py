"""What a run of this chapter is asked beside what every run of the suite is: how many blocks the cache must hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchbook import statistics
from benchbook.experiments.cache_sizing.arms import Parameters, length, of_the_suite
from benchbook.experiments.families.badger import summary
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.model import Estimate
from benchbook.statistics import intervals

PLATEAU_SHARE = 0.95


class Summary(summary.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    def departures(self) -> list[str]:
        """The family's, and configurations that the machine or the parameters left out."""
        p, found = self.parameters, super().departures()
        if not p.allow_slow_storage:
            found.append("no look-ups on a capped disk (allow_slow_storage=false)")
        elif (p.storage_iops, p.storage_mb_per_s) != (3_000, 125):
            found.append(
                f"a disk capped at {p.storage_iops:,} operations and {p.storage_mb_per_s:,} MB a second where 3,000 "
                "and 125 are asked"
            )
        return found

    @property
    def suite_arms(self) -> list[str]:
        """The configurations that run the relay's benchmark, in the order of the figures."""
        return [arm.name for arm in of_the_suite([*self.configurations.values()])]

    @property
    def lookup_arms(self) -> list[str]:
        """Those that look up rows of a store that is there."""
        return [arm for arm in self.arms if arm not in self.suite_arms]

    def block_mib(self, arm: str) -> int:
        """The note's size of the block cache in a configuration."""
        return int(str(self.configurations[arm].settings["block_mib"]))

    def lookup_hits(self, arm: str) -> Estimate:
        """The block cache's hit ratio in the measured look-ups."""
        return self.share(arm, "lookup_hit_ratio", "lookup_accesses")

    def waits(self, arm: str) -> Estimate:
        """Share of the measured look-ups that waited for the device."""
        return self.share(arm, "lookup_waits", "lookups_asked")

    @property
    def rungs(self) -> list[str]:
        """The configurations of the build that charges a block its own length, smallest cache first."""
        return [length(mib) for mib in sorted(self.parameters.length_ladder_mib)]

    def around_plateau(self) -> tuple[np.ndarray, np.ndarray]:
        """Resident blocks at the last rung whose hit ratio misses 95 % of the largest rung's, and at the next one.

        Each of shape (blocks,). The rungs lie apart, so that the number asked for lies between the two; where the
        first rung is enough, between nothing and that one.
        """
        ratios, resident = (
            np.array([self.values(arm, metric) for arm in self.rungs]) for metric in ("hit_ratio", "resident_blocks")
        )
        first = np.argmax(ratios >= PLATEAU_SHARE * ratios[-1], axis=0)
        of = np.arange(resident.shape[1])
        below = np.where(first > 0, resident[np.maximum(first - 1, 0), of], 0.0)
        return below, resident[first, of]

    def blocks_to_hold(self, confidence: float = 0.95) -> Estimate:
        """How many blocks must be resident before more of them help no further.

        As point the smallest rung that is enough, as interval from the rung below it on.
        """
        below, enough = self.around_plateau()
        if enough.min() <= 0:
            raise NotEstimableError("no block was resident at the plateau", "raise events")
        found = statistics.geometric_mean(enough, confidence=confidence, sessions=self.sessions)
        low = 0.0
        if below.min() > 0:
            low = statistics.geometric_mean(below, confidence=confidence, sessions=self.sessions).low
        return replace(found, low=min(low, found.low), method=intervals.RUNGS)
