"""A run of several sessions and a comparison in, w out: of the states that were met, and of a quiet machine (20d)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from benchbook import statistics, store
from benchbook.errors import BenchbookError
from benchbook.experiments import environment
from benchbook.model import Estimate, Run
from benchbook.statistics import Movement
from benchbook.statistics.inputs import SESSIONS
from benchbook.statistics.movement import DATES, LARGER, SMALL

CONTENDED = 2.0
"""Times its quiet level from which a block's direct reads say that the disk was not ours alone."""


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

    @cached_property
    def dates(self) -> int:
        """On how many UTC dates its sessions began."""
        trials = self.run.trials
        begun = pd.to_datetime(trials["started_at"], utc=True, format="ISO8601")
        first = begun.groupby(self.sessions[trials["block"].to_numpy()]).min()
        return int(first.dt.date.nunique())

    @cached_property
    def contended(self) -> tuple[int, ...]:
        """Blocks in which a direct read took more than twice its quiet time: somebody else had the disk.

        They stay in every number; a reader should know of them. None where quiet times or looks are not known.
        """
        try:
            shifts, _ = _by_block(self.run, environment.READING)
        except BenchbookError:
            return ()
        return tuple(np.flatnonzero(shifts > math.log(CONTENDED)).tolist())

    def movement(self, otherwise: Movement, *, turns: bool, alike: bool) -> Movement:
        """What w is for a comparison about the machine in the states that it was met in (item 20d).

        otherwise: what w is with fewer than four sessions, and where arms are of different engines or cache states and
        the sessions lie on fewer than three dates. turns, alike: whether the arms took turns, and are not so different.
        """
        count = int(self.sessions.max()) + 1
        if count < SESSIONS:
            return otherwise
        states = f"{count} sessions on {self.dates} date{'' if self.dates == 1 else 's'} met this machine in its states"
        if turns or self.dates >= DATES:
            return Movement(SMALL, f"{states}{', and the configurations took turns' if turns else ''}")
        if alike:
            return Movement(LARGER, states)
        return replace(
            otherwise, reason=f"{otherwise.reason}; {states}, too few dates for arms of another engine or cache state"
        )

    def quiet(self, estimate: Estimate, otherwise: Movement) -> Movement | None:
        """What w would have to be for a quiet machine, by the canary's level and slope; None below four sessions.

        otherwise: what it is where a session's quiet level is not known, or the number does not say what it compared in
        each block.
        """
        if int(self.sessions.max()) + 1 < SESSIONS:
            return None
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
    for part in store.parts(run):
        shifts = environment.shifts(part, reading, levels)
        if not shifts.size:
            raise BenchbookError(
                f"how fast the processor of run {part.id} is when quiet is not known", "measure more often on it"
            )
        looks = environment.looks(part).assign(shift=shifts).groupby("block")["shift"].agg(["mean", "size"])
        missing = [block for block in range(part.blocks) if block not in looks.index]
        if missing:
            raise BenchbookError(
                f"nobody looked at the canary in {len(missing)} of {part.blocks} blocks of run {part.id}",
                "measure these blocks again",
            )
        looks = looks.reindex(range(part.blocks))
        found.append(looks["mean"].to_numpy(dtype=float))
        counts.append(looks["size"].to_numpy(dtype=float))
    return np.concatenate(found), np.concatenate(counts)
