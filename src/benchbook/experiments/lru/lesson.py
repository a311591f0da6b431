"""What the chapter teaches beside its answers: how much of the keys the cache has, and what a hit saves."""

from __future__ import annotations

from benchbook.experiments.lru.answers import SPEEDUPS, Z_LARGE, Z_SMALL
from benchbook.experiments.lru.arms import LARGE, SMALL, UNIFORM, at
from benchbook.experiments.lru.summary import TIME, Summary
from benchbook.experiments.shape.lessons import Teaching
from benchbook.experiments.shape.numbers import number
from benchbook.experiments.shape.sides import Turn


def hits(summary: Summary) -> str:
    """Hit ratios of the two caches by keys."""
    small, large = (number(summary.share(arm, "hit_ratio", "lookups"), 100) for arm in (Z_SMALL, Z_LARGE))
    uniform = number(summary.share(at(UNIFORM, LARGE), "hit_ratio", "lookups"), 100)
    return (
        f"With Zipf keys, the note's cache of a thousand rows already has {small} % of them and one of a million "
        f"{large} %; with uniform keys, the larger has {uniform} %."
    )


def uniform(summary: Summary) -> str:
    """What the larger cache does to uniform keys."""
    effect = number(summary.over(at(UNIFORM, LARGE), at(UNIFORM, SMALL), TIME))
    return f"With uniform keys, a query takes {effect} times as long with the larger cache as with the note's."


LESSON = Teaching(
    Turn(
        "O061",
        above="With hot keys, a cache of a million rows makes the engine twice as fast as SQLite as the note ran it",
        below="Even with hot keys, a cache of a million rows does not make the engine twice as fast as SQLite",
        open="Whether a cache of a million rows makes the engine twice as fast as SQLite with hot keys remains open",
        at=2.0,
    ),
    figure=SPEEDUPS,
    claimed="Note 004 recommends a larger cache of rows before index and RocksDB: a million rows instead of a "
    "thousand, 1.8 to 2.1 times SQLite's speed for hot keys, at low risk.",
    numbers=("O061", "O059", hits),
    advice="Measure a cache with keys drawn anew from the distribution that it will see, and say which; a benchmark "
    "that asks each key once cannot show what a cache does. A cache before an index also costs where it misses.",
    besides=(hits, uniform),
)
