"""A run in, why what the claims name as the cause did not act in it out; and how far it departs from what they name."""

from __future__ import annotations

from collections.abc import Iterable

from benchbook.experiments.io_cliff.arms import A, B
from benchbook.experiments.io_cliff.summary import Summary

NOTE_SECONDS, NOTE_CLIENTS, CHECKPOINT_SECONDS = 60, 100, 600


def nothing_evicted(summary: Summary) -> str:
    """Neither pool evicted a page, so that both did the same work; "" where one did."""
    evicted = sum(float(summary.values(arm, "evictions").sum()) for arm in (A, B))
    if evicted:
        return ""
    trials = sum(len(summary.in_blocks(arm)) for arm in (A, B))
    return f"neither pool evicted a page in any of {trials} trials, so both held what they touched"


def limits_not_reached(summary: Summary, arms: Iterable[str]) -> str:
    """So little waited to be written that no limit of these configurations was in force; "" where one was."""
    nearest = 0.0
    for arm in arms:
        shares = summary.values(arm, "dirty_peak_bytes") / summary.values(arm, "dirty_background_bytes")
        nearest = max(nearest, float(shares.max()))
    if nearest >= 1:
        return ""
    return (
        f"what waited to be written came to {100 * nearest:.0f} % at most of the limit from which the kernel writes, "
        "so that no limit was in force"
    )


def shorter(summary: Summary) -> str:
    """Trials that are shorter, or have fewer clients, than the claims name."""
    p = summary.parameters
    return _departure(p.trial_seconds, NOTE_SECONDS, p.clients)


def checkpoints_shorter(summary: Summary) -> str:
    """The same for the claims on checkpoints, which name longer trials."""
    p = summary.parameters
    return _departure(p.checkpoint_seconds, CHECKPOINT_SECONDS, p.clients)


def _departure(seconds: int, named_seconds: int, clients: int) -> str:
    found = []
    if seconds < named_seconds:
        found.append(f"trials of {seconds} s where the claim names {named_seconds} s")
    if clients != NOTE_CLIENTS:
        found.append(f"{clients} clients where the note has {NOTE_CLIENTS}")
    return " and ".join(found)
