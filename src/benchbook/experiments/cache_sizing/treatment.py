"""Why a cause that the claims name did not act in a run: the counter that must differ, and did not."""

from __future__ import annotations

from collections.abc import Callable

from benchbook.experiments.cache_sizing.summary import Summary
from benchbook.experiments.shape.inert import Control, Found, cannot_act

Words = Callable[[Summary], str]
LEAST_HITS = 0.05
"""Difference of two hit ratios that the ledger takes for one that matters."""
LEAST_WAITS = 0.1
"""One miss in ten that reaches the device is the ledger's weakest reading of "misses cause disk I/O"."""


def same_work(one: str, other: str) -> Words:
    """Two cache sizes that hit alike, or look-ups that wait for no device, so that no hit could save a wait.

    Whether more hits make fewer look-ups wait is the claim's own business, and not asked here.
    """

    def why(summary: Summary) -> str:
        hits = {arm: summary.mean(arm, "lookup_hit_ratio") for arm in (one, other)}
        charged = [summary.values(arm, "lookup_charged_bytes").min() for arm in (one, other)]
        fewer = min(hits, key=lambda arm: hits[arm])
        waits = summary.mean(fewer, "lookup_waits")
        if not all(charged):
            return "a block cache was charged nothing, so it took no part"
        apart = abs(hits[one] - hits[other])
        if apart < LEAST_HITS:
            return (
                f"the hit ratios differ by {100 * apart:.1f} percentage points where {100 * LEAST_HITS:.0f} are the "
                "least that matters, so both did the same work"
            )
        if waits < LEAST_WAITS:
            return (
                f"{100 * waits:.1f} % of the look-ups waited for the device where fewer hit, so there was nothing "
                "that a hit could save"
            )
        return ""

    return why


def nothing_admitted(*arms: str) -> Words:
    """Caches of which one admitted no block."""

    def why(summary: Summary) -> str:
        idle = [summary.label(arm) for arm in arms if not summary.values(arm, "keys_added").all()]
        return f"the block cache of {' and of '.join(idle)} admitted no block in some trial" if idle else ""

    return why


def workload_unknown(summary: Summary) -> str:
    """Why no run can be held against the note's own counters: they are of a workload that it does not describe."""
    return (
        "the note says neither how many events it saved nor in what order nor with what keys, and this counter depends "
        "on all three"
    )


def no_misses(arm: str) -> Words:
    """A block cache that missed nothing in the burst."""

    def why(summary: Summary) -> str:
        return "" if summary.values(arm, "burst_misses").all() else "the block cache missed nothing in some burst"

    return why


def index_never_asked(metric: str, *arms: str) -> Found:
    """Index caches that were not asked once. metric: counts their look-ups."""
    return cannot_act(
        metric,
        arms,
        counted="the index cache was not asked once in {} trials",
        why="Badger asks its index cache only for encrypted tables, and the note encrypts none",
        control=Control(
            "index_encrypted_1024",
            "index_cache_lookups",
            "with an encryption key it was asked at least {} times a trial",
        ),
    )
