"""A run of several sessions and a comparison in, w from the canary's level and slope out (item 20d)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from benchbook import statistics, store
from benchbook.errors import BenchbookError
from benchbook.experiments import environment
from benchbook.model import Estimate, Run
from benchbook.statistics import Movement, intervals


@dataclass(frozen=True)
class Canaries:
    """A run's sessions and the canary of its blocks, found when a comparison first asks for them.

    device: whether direct reads count beside hashing; the worse of them does.
    """

    run: Run
    device: bool

    @cached_property
    def sessions(self) -> np.ndarray:
        """Each block's session, shape (blocks,)."""
        return store.sessions_of(self.run)

    @cached_property
    def readings(self) -> tuple[Canary, ...]:
        """The canary by reading. Raises BenchbookError where a session's quiet level is not known."""
        if not environment.around_trials(self.run):
            # simulated: bursts then hide between the looks, and up to 9 % of the runs decide falsely (calibration)
            raise BenchbookError("the canary was not looked at around each trial", "measure such sessions")
        spreads = environment.published_spreads()
        return tuple(
            Canary(environment.READINGS[reading], *_by_block(self.run, reading), spreads.get(reading))
            for reading in environment.readings(device=self.device)
        )

    def movement(self, estimate: Estimate, otherwise: Movement) -> Movement:
        """What w is for a comparison: by the rule for several sessions where these are its replicates.

        otherwise: what w is for any comparison of the run. It holds for what is not over sessions, and, with the
        reason, where a session's quiet level is not known or the number does not say what it compared in each block.
        """
        if not intervals.over_sessions(estimate.method):
            return otherwise
        try:
            readings, by_block = self.readings, estimate.by_block
            if any(len(comparison) != len(self.sessions) for comparison in by_block) or not by_block:
                raise BenchbookError("this number is not a comparison within each block", "compare block by block")
            found = []
            for each in readings:
                for comparison in by_block:
                    seen = statistics.session_movement(comparison, each.shifts, self.sessions, each.spread, each.looks)
                    found.append(replace(seen, reason=f"{seen.reason} ({each.words})"))
        except BenchbookError as error:
            return replace(
                otherwise, reason=f"{otherwise.reason}; the rule for several sessions does not hold: {error.problem}"
            )
        return max(found, key=lambda each: each.w)


@dataclass(frozen=True)
class Canary:
    """One reading. shifts: ln(mean / quiet level) of each block; looks: how many are in the mean; spread: of one."""

    words: str
    shifts: np.ndarray
    looks: np.ndarray
    spread: float | None


def _by_block(run: Run, reading: str) -> tuple[np.ndarray, np.ndarray]:
    """ln(mean reading / quiet level) of each block, of its part's processor, and its readings; shape (blocks,) each.

    The level is that of blocks' means, or of single readings, which is lower, where too few blocks are known.
    """
    local = not run.published
    levels = environment.quiet_levels(local=local) | environment.quiet_block_levels(local=local)
    found, counts = [], []
    for place, own in enumerate(run.parts):
        part = store.part(run, place)
        shifts = environment.shifts(part, reading, levels)
        if not shifts.size:
            raise BenchbookError(
                f"how fast the processor of run {own.id} is when quiet is not known", "measure more often on it"
            )
        looks = environment.looks(part).assign(shift=shifts).groupby("block")["shift"].agg(["mean", "size"])
        missing = [block for block in range(part.blocks) if block not in looks.index]
        if missing:
            raise BenchbookError(
                f"nobody looked at the canary in {len(missing)} of {part.blocks} blocks of run {own.id}",
                "measure these blocks again",
            )
        looks = looks.reindex(range(part.blocks))
        found.append(looks["mean"].to_numpy(dtype=float))
        counts.append(looks["size"].to_numpy(dtype=float))
    return np.concatenate(found), np.concatenate(counts)
