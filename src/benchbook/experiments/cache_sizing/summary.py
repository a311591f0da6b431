"""What a run of this chapter is asked beside what every run of the suite is, and why a cause did not act in it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchbook import statistics
from benchbook.experiments.cache_sizing.arms import TUNED, Parameters, length, of_the_suite
from benchbook.experiments.families.badger import notes, summary
from benchbook.experiments.families.badger.request import PHASES
from benchbook.experiments.shape.estimands import Words
from benchbook.experiments.shape.inert import Control, Found, cannot_act
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.figures import with_interval
from benchbook.model import Estimate
from benchbook.statistics import intervals

PLATEAU_SHARE = 0.95
LEAST_HITS = 0.05
"""Difference of two hit ratios that the ledger takes for one that matters."""
LEAST_WAITS = 0.1
"""One miss in ten that reaches the device is the ledger's weakest reading of "misses cause disk I/O"."""


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


def noted_blocks() -> tuple[float, float]:
    """How few and how many blocks a cache must hold by the note."""
    found = notes.counted()
    return float(found["blocks_to_hold_lo"]), float(found["blocks_to_hold_hi"])


def to_hold(summary: Summary) -> str:
    """How many blocks a cache must hold here, without a full stop."""
    try:
        least = with_interval(summary.blocks_to_hold())
    except NotEstimableError as error:
        return error.problem
    return f"Of the sizes tried, the smallest one that reaches 95 % of the plateau holds {least} blocks"


def moves(summary: Summary) -> str:
    """How far the tuned setting's ratio of each test is from the one since opening, without a full stop."""
    since, alone = (
        [
            100 * summary.mean(TUNED, name)
            for number in range(1, summary.parameters.rounds + 1)
            for phase in PHASES
            if summary.has(TUNED, name := f"hit_ratio_{kind}_{number}_{phase}")
        ]
        for kind in ("until", "within")
    )
    if not since or not alone:
        return "The tuned setting's cache was not used in every test"
    return (
        f"With the tuned setting the tests alone range from {min(alone):.0f} to {max(alone):.0f} %, while the ratio "
        f"since opening, the one that Badger prints, ends at {since[-1]:.0f} %"
    )
