"""A run of several sessions and a comparison in, w from the canary's level and slope out (item 20d)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchbook import statistics, store
from benchbook.errors import BenchbookError
from benchbook.experiments import environment
from benchbook.model import Estimate, Run
from benchbook.statistics import Movement, intervals


def movement(run: Run, estimate: Estimate, *, device: bool, otherwise: Movement) -> Movement:
    """What w is for a comparison: by the rule for several sessions where these are its replicates.

    device: whether direct reads count beside hashing; the worse of them does. otherwise: what w is for any comparison
    of the run. It holds for what is not over sessions, and, with the reason, where a session's quiet level is not known
    or the number does not say what it compared in each block.
    """
    if not intervals.over_sessions(estimate.method):
        return otherwise
    sessions = store.sessions_of(run)
    try:
        if not environment.around_trials(run):
            # simulated: bursts then hide between the looks, and up to 9 % of the runs decide falsely (calibration)
            raise BenchbookError("the canary was not looked at around each trial", "measure such sessions")
        if any(len(comparison) != len(sessions) for comparison in estimate.by_block) or not estimate.by_block:
            raise BenchbookError("this number is not a comparison within each block", "compare block by block")
        spreads = environment.published_spreads()
        found = []
        for reading in environment.readings(device=device):
            canary, looks = _by_block(run, reading)
            for comparison in estimate.by_block:
                seen = statistics.session_movement(comparison, canary, sessions, spreads.get(reading), looks)
                found.append(replace(seen, reason=f"{seen.reason} ({environment.READINGS[reading]})"))
    except BenchbookError as error:
        return replace(
            otherwise, reason=f"{otherwise.reason}; the rule for several sessions does not hold: {error.problem}"
        )
    return max(found, key=lambda each: each.w)


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
        looks = part.canary.assign(shift=shifts).groupby("block")["shift"].agg(["mean", "size"])
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
