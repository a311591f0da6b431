"""What the chapter teaches beside its answers: SQLite at its best, and what a killed writer lost."""

from __future__ import annotations

from benchbook.experiments.shape import judging
from benchbook.experiments.shape.lessons import Teaching
from benchbook.experiments.shape.numbers import number
from benchbook.experiments.shape.processors import apart
from benchbook.experiments.shape.sides import Turn
from benchbook.experiments.sqlite_fairness import processors
from benchbook.experiments.sqlite_fairness.answers import (
    CUT,
    KILLED,
    SPEEDUP,
    SYNCS,
    sizes_together,
    speedup_over_sizes,
    worst,
)
from benchbook.experiments.sqlite_fairness.arms import AFTER, AS_RUN, BEST, ONCE, note
from benchbook.experiments.sqlite_fairness.summary import TIME, Summary


def used(summary: Summary) -> str:
    """The speed-up over SQLite by how it was used."""
    every, once, well = (number(speedup_over_sizes(summary, use)) for use in (AS_RUN, ONCE, BEST))
    return (
        f"Over four sizes, the engine is {every} times as fast as SQLite prepared for every query, {once} times as "
        f"fast as SQLite prepared once, and {well} times as fast as SQLite in one read transaction with its file "
        "mapped."
    )


def best(summary: Summary) -> str:
    """Who is ahead where SQLite is used as well as it can be."""
    rows = summary.parameters.largest
    found = summary.over(note(BEST, rows), note(AFTER, rows), TIME)
    ahead = "neither is shown to be ahead"
    if not found.low <= 1 <= found.high:
        ahead = "the note's engine is ahead" if found.low > 1 else "SQLite is ahead"
    return (
        f"At {rows:,} rows, the engine is {number(found)} times as fast as SQLite in one read transaction with its "
        f"file mapped: {ahead}."
    )


def killed(summary: Summary) -> str:
    """What a process that was killed had written."""
    reported, found = (counts.sum() for counts in summary.counted(KILLED))
    told = (
        f"Of the {reported:,.0f} rows that the engine had acknowledged before it was killed, {found:,.0f} were found."
    )
    if worst(summary) == CUT:
        reported, found = (counts.sum() for counts in summary.counted(CUT))
        return f"{told} Of {reported:,.0f} rows acknowledged before the disk lost its power, {found:,.0f} were."
    synced = summary.values(KILLED, SYNCS).any()
    return told if synced else f"{told} It had synced none of them, so this says nothing about a power cut."


BY_CLAIM = Turn(
    "O078",
    above="The engine stays ahead of SQLite with a statement prepared once: say which SQLite was beaten",
    below="SQLite with a statement prepared once is ahead: say which SQLite was beaten",
    open="Whether the engine also beats SQLite prepared once remains undecided here: say which SQLite was beaten, and "
    "on which processor",
)
BY_PROCESSOR = "Whether the engine beats SQLite prepared once depends on the processor"
SLOWER_THAN_BEST = (
    "Over four sizes SQLite used well is faster than the engine; whether SQLite that is only prepared once is "
    "faster too depends on the processor"
)


def title(summary: Summary) -> str:
    """By kind of processor where the kinds differ, else by the claim."""
    sqlite, engine = (sizes_together(summary, use) for use in (ONCE, AFTER))
    if apart(summary, sqlite, engine):
        return SLOWER_THAN_BEST if speedup_over_sizes(summary, BEST).high < 1 else BY_PROCESSOR
    return BY_CLAIM.title(judging.verdicts(summary))


LESSON = Teaching(
    title,
    figure=SPEEDUP,
    claimed="Note 004: the engine (OmenDB, a learned index before RocksDB) is 1.5 to 3 times as fast as SQLite.",
    advice="Give the comparator the same care as your own engine: prepare once, read in one transaction, map the file. "
    "And say for both what a killed process and a power cut may lose.",
    numbers=(used, processors.speedups, "O078"),
    besides=(used, processors.speedups, best, killed),
)
