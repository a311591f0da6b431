"""What takes a function each: numbers that no combinator makes, why a cause did not act, what sentences list."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from benchbook import statistics
from benchbook.chapters.cache_sizing import arms
from benchbook.chapters.cache_sizing.arms import BLOCK_ONLY, MEDIUM, NO_BLOCK_CACHE, TUNED, Parameters
from benchbook.measuring.badger import notes
from benchbook.measuring.badger.request import PHASES
from benchbook.measuring.badger.summary import Summary
from benchbook.model import Estimate
from benchbook.numbers.estimands import Words
from benchbook.numbers.inert import Control, Found, cannot_act
from benchbook.numbers.summary import NotEstimableError
from benchbook.statistics import intervals

COST, LOOKUP, PEAK = "cost_per_key_bytes", "lookup_mean_ns", "peak_resident_bytes"
INDEX_LOOKUPS = "query_index_cache_lookups"
MIB = 2.0**20
TARGET = 0.85
"""The least share of hits that the note expects of its larger caches."""
PLATEAU_SHARE = 0.95
UNDER_WAY_SHARE = 0.05
"""Blocks read but not yet offered to the cache when the counters are taken look as if they were turned away."""
LEAST_HITS = 0.05
"""Difference of two hit ratios that the ledger takes for one that matters."""
LEAST_WAITS = 0.1
"""One miss in ten that reaches the device is the ledger's weakest reading of "misses cause disk I/O"."""


def around_plateau(summary: Summary[Parameters]) -> tuple[np.ndarray, np.ndarray]:
    """Resident blocks at the last rung whose hit ratio misses 95 % of the largest rung's, and at the next one.

    Each of shape (blocks,). The rungs lie apart, so that the number asked for lies between the two; where the
    first rung is enough, between nothing and that one.
    """
    rungs = [arms.length(mib) for mib in sorted(summary.parameters.length_ladder_mib)]
    ratios, resident = (
        np.array([summary.values(arm, metric) for arm in rungs]) for metric in ("hit_ratio", "resident_blocks")
    )
    first = np.argmax(ratios >= PLATEAU_SHARE * ratios[-1], axis=0)
    of = np.arange(resident.shape[1])
    below = np.where(first > 0, resident[np.maximum(first - 1, 0), of], 0.0)
    return below, resident[first, of]


def blocks_to_hold(summary: Summary[Parameters]) -> Estimate:
    """How many blocks must be resident before more of them help no further.

    As point the smallest rung that is enough, as interval from the rung below it on.
    """
    below, enough = around_plateau(summary)
    if enough.min() <= 0:
        raise NotEstimableError("no block was resident at the plateau", "raise events")
    found = summary.estimated(statistics.geometric_mean, enough)
    low = 0.0
    if below.min() > 0:
        low = summary.estimated(statistics.geometric_mean, below).low
    return replace(found, low=min(low, found.low), method=intervals.RUNGS)


def added_memory(summary: Summary) -> Estimate:
    """What the block cache adds to the peak, as a share of its size; may be negative, so no ratio of logs."""
    with_cache, without = (summary.values(arm, PEAK) for arm in (TUNED, NO_BLOCK_CACHE))
    added = (with_cache - without) / (2048 * MIB)
    return summary.estimated(statistics.arithmetic_mean, added)


def index_answers(summary: Summary) -> Estimate:
    """Difference of the shares of index look-ups that the index cache served; 0 by definition where it is not asked."""
    shares, asked = [], []
    for arm in (TUNED, BLOCK_ONLY):
        lookups = summary.values(arm, INDEX_LOOKUPS)
        if not lookups.any():
            shares.append(np.zeros(len(lookups)))
            continue
        shares.append(summary.values(arm, "query_index_cache_hit_ratio"))
        asked.append(int(lookups.min()))
    if not asked:
        return summary.estimated(statistics.difference, *shares)
    more, less = shares
    return summary.estimated(statistics.shares_difference, more, less, min(asked))


def needed(summary: Summary) -> Estimate:
    """By how much the tuned size hits more often than the note's target, or the medium one less often: the lesser.

    Above 0 only if the size reaches the target and the smaller one does not.
    """
    enough, less = (summary.values(arm, "hit_ratio") for arm in (TUNED, MEDIUM))
    fewest = int(min(summary.values(arm, "accesses").min() for arm in (TUNED, MEDIUM)))
    lesser = np.minimum(enough, 2 * TARGET - less)
    target = np.full(len(lesser), TARGET)
    return summary.estimated(statistics.shares_difference, lesser, target, fewest)


def shown_of_needed(summary: Summary) -> str:
    """The hit ratios that this stands on, for the verdict's reason."""
    found, sizes = (
        " and ".join(words(arm) for arm in (TUNED, MEDIUM))
        for words in (lambda arm: f"{100 * summary.mean(arm, 'hit_ratio'):.1f} %", summary.label)
    )
    return f"Caches of {sizes} MiB hit on {found} of the look-ups, and the target is {100 * TARGET:.0f} %"


def same_work(one: str, other: str) -> Words:
    """Two cache sizes that hit alike, or look-ups that wait for no device, so that no hit could save a wait.

    Whether more hits make fewer look-ups wait is the claim's own business, and not asked here.
    """

    def why(summary: Summary) -> str:
        hits = {arm: summary.mean(arm, "lookup_hit_ratio") for arm in (one, other)}
        charged = [summary.values(arm, "lookup_charged_bytes").min() for arm in (one, other)]
        waits = summary.mean(min(hits, key=lambda arm: hits[arm]), "lookup_waits")
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


def no_misses(arm: str) -> Words:
    """A block cache that missed nothing in the burst."""

    def why(summary: Summary) -> str:
        return "" if summary.values(arm, "burst_misses").all() else "the block cache missed nothing in some burst"

    return why


def index_never_asked(metric: str, *arms: str, scope: str = "", refutes: bool = True) -> Found:
    """Index caches that were not asked once. metric: counts their look-ups. scope, refutes: as in ``Inert``."""
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
        scope=scope,
        refutes=refutes,
    )


def other_sizes(names: Iterable[str]) -> Words:
    """That another store, memory or disk than a claim names shows nothing of it: a few events fit into any cache."""
    wanted = {name: Parameters.model_fields[name].default for name in names}

    def why(summary: Summary) -> str:
        other = {name: had for name in wanted if (had := getattr(summary.parameters, name)) != wanted[name]}
        return " and ".join(
            f"{name.replace('_', ' ')} of {had:,} where the claim names {wanted[name]:,}" for name, had in other.items()
        )

    return why


def evicted(summary: Summary, arm: str) -> dict[str, Any]:
    """What the charge does to what the cache can keep."""
    blocks, evicted = (summary.mean(arm, metric) for metric in ("resident_blocks", "evicted_share"))
    soon = summary.mean(arm, "evicted_within_2s_share") if summary.has(arm, "evicted_within_2s_share") else None
    away = summary.mean(arm, "turned_away_share") if summary.has(arm, "turned_away_share") else 0.0
    found = {"label": summary.label(arm), "blocks": blocks, "evicted": evicted, "soon": soon}
    return found | {"turned_away": away if away > UNDER_WAY_SHARE else None}


def charged(summary: Summary) -> list[dict[str, Any]]:
    """The uncompressed settings whose charge was counted; how far each is from the note's, as a ratio's logarithm."""
    return [
        {"label": summary.label(arm), "cost": (cost := summary.cost(arm).point), "hits": summary.hit_ratio(arm).point}
        | {"apart": abs(math.log(cost / notes.cost_per_key_bytes()))}
        for arm in summary.having(summary.arms, COST, "hit_ratio")
        if arm in arms.PLAIN
    ]


def held_back_ms(summary: Summary) -> float:
    """The longest look-up where a mean is twice the P95: there the slowest twentieth takes more than half."""
    above = [
        arm
        for arm in summary.having(summary.arms, "lookup_p95_ns")
        if (summary.values(arm, LOOKUP) > 2 * summary.values(arm, "lookup_p95_ns")).all()
    ]
    if not above:
        raise NotEstimableError("no look-up was held back", "see the chapter")
    return max(float(summary.values(arm, "lookup_max_ns").max()) for arm in above) / 1e6


def along(summary: Summary[Parameters]) -> dict[str, list[float]]:
    """The tuned setting's hit ratio test by test in %: ``until`` its end since opening, and ``within`` it alone."""
    steps = [(number, phase) for number in range(1, summary.parameters.rounds + 1) for phase in PHASES]
    found = {
        kind: [
            100 * summary.mean(TUNED, name)
            for number, phase in steps
            if summary.has(TUNED, name := f"hit_ratio_{kind}_{number}_{phase}")
        ]
        for kind in ("until", "within")
    }
    if not all(found.values()):
        raise NotEstimableError("the tuned setting's cache was not used in every test", summary.MEND)
    return found
