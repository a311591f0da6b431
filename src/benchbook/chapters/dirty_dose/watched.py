"""When throughput falls, and when dirty data reach the point that slows writers, from what was seen of a trial."""

from __future__ import annotations

import numpy as np

from benchbook.engines.pgbench.kernel_waits import Seen
from benchbook.measuring.pgbench.spent import PARTS

MIB = 2**20
BIN_S = 0.5
FALLEN, KEPT_S, NEAR = 0.6, 2.0, 0.95
"""Throughput has fallen where a half second is below 60 % of the highest so far, and the next two seconds stay there on
average. Dirty data have reached a limit from 95 % of it on."""
AFTER_S = 4.0
"""For how long after the fall backends are looked at."""
FILE_LOCK, THROTTLED = "ext4_buffered_write_iter", "balance_dirty_pages"
"""Kernel functions in which a writer waits: for the lock of a file that another one writes, and at the limit."""


def metrics(seen: Seen, end_s: np.ndarray, seconds: float, slows_from_bytes: float | None) -> dict[str, float | None]:
    """Metrics of a trial. end_s: when each transaction ended, in seconds after the trial's start, ascending.

    slows_from_bytes: what waits to be written when the kernel begins to slow writers; None where nobody set a limit.
    ``waiting_NNN_mib``: of part NNN of 120.
    """
    fell = fall_s(end_s, seconds)
    waiting = seen.waiting_bytes
    reached = None
    if slows_from_bytes is not None and (near := np.flatnonzero(waiting >= NEAR * slows_from_bytes)).size:
        reached = float(seen.at_s[near[0]])
    middles = (np.arange(PARTS) + 0.5) * seconds / PARTS
    known = ~np.isnan(waiting)
    along = np.interp(middles, seen.at_s[known], waiting[known]) if known.any() else np.full(PARTS, np.nan)
    # after the fall, or where there is none at the end of the trial
    begins = max(0.0, seconds - AFTER_S) if fell is None else fell
    level = float(np.interp(begins, seen.at_s[known], waiting[known])) if known.any() else None
    return {
        "fell": float(fell is not None),
        "fell_s": fell,
        "reached": None if slows_from_bytes is None else float(reached is not None),
        "reached_s": reached,
        "waiting_peak_bytes": float(np.nanmax(waiting)) if known.any() else None,
        "waiting_at_fall_over_slowing": (
            None if fell is None or slows_from_bytes is None or level is None else level / slows_from_bytes
        ),
        "slows_from_bytes": slows_from_bytes,
        "tps_before": None if fell is None else _rate(end_s, 0.0, fell),
        "tps_after": None if fell is None else _rate(end_s, fell, seconds),
        "file_lock_share": seen.share(FILE_LOCK, begins, begins + AFTER_S),
        "throttled_share": seen.share(THROTTLED, begins, begins + AFTER_S),
        "backends_seen": float(seen.backends.max()) if seen.backends.size else None,
        **{
            f"waiting_{part + 1:03}_mib": None if np.isnan(value) else float(value) / MIB
            for part, value in enumerate(along)
        },
    }


def fall_s(end_s: np.ndarray, seconds: float) -> float | None:
    """The second in which throughput falls, to half a second; None where it does not. Arguments as above."""
    bins = int(seconds / BIN_S)
    made, _ = np.histogram(end_s, bins=bins, range=(0.0, bins * BIN_S))
    kept = int(KEPT_S / BIN_S)
    highest = np.maximum.accumulate(made)
    for place in range(1, bins - kept):
        least = FALLEN * highest[place - 1]
        if made[place] < least and made[place : place + kept].mean() < least:
            return place * BIN_S
    return None


def _rate(end_s: np.ndarray, start: float, end: float) -> float | None:
    low, high = np.searchsorted(end_s, (start, end))
    return float(high - low) / (end - start) if end > start else None
