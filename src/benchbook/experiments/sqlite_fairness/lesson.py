"""What the chapter teaches beside its answers: SQLite at its best, and what a killed writer lost."""

from __future__ import annotations

from benchbook.experiments.shape import by_host, judging
from benchbook.experiments.shape.lessons import Teaching
from benchbook.experiments.shape.sides import Turn, by_claim
from benchbook.experiments.sqlite_fairness.answers import (
    CUT,
    KILLED,
    SPEEDUP,
    SYNCS,
    worst,
)
from benchbook.experiments.sqlite_fairness.arms import AS_RUN, BEST, ONCE
from benchbook.experiments.sqlite_fairness.speedup_prose import ahead, at_rows, over_four
from benchbook.experiments.sqlite_fairness.summary import Summary
from benchbook.model import Outcome


def used(summary: Summary) -> str:
    """The speed-up over SQLite by how it was used."""
    every, once, well = (by_host.in_words(summary, over_four(use)) for use in (AS_RUN, ONCE, BEST))
    return (
        f"The engine's speed-up over four sizes is {every} over SQLite prepared for every query; {once} over SQLite "
        f"prepared once; {well} over SQLite in one read transaction with its file mapped."
    )


def best(summary: Summary) -> str:
    """Who is ahead where SQLite is used as well as it can be."""
    rows = summary.parameters.largest
    return (
        f"At {rows:,} rows, the engine's speed-up over SQLite in one read transaction with its file mapped is "
        f"{by_host.in_words(summary, at_rows(BEST, rows))}: {ahead(summary, rows)}."
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
    "on which host",
)
BY_HOST = "Whether the engine beats SQLite prepared once depends on the host"
SLOWER_THAN_BEST = (
    "Over four sizes SQLite used well is faster than the engine; whether SQLite that is only prepared once is "
    "faster too depends on the host"
)


def title(summary: Summary) -> str:
    """By kind of host where the claim's kinds differ, else by the claim."""
    verdicts = judging.verdicts(summary)
    if by_claim(verdicts, ["O078"])["O078"].outcome is not Outcome.HOST:
        return BY_CLAIM.title(verdicts)
    return SLOWER_THAN_BEST if all(each.high < 1 for each in by_host.numbers(summary, over_four(BEST))) else BY_HOST


LESSON = Teaching(
    title,
    figure=SPEEDUP,
    claimed="Note 004: the engine (OmenDB, a learned index before RocksDB) is 1.5 to 3 times as fast as SQLite.",
    advice="Give the comparator the same care as your own engine: prepare once, read in one transaction, map the file. "
    "And say for both what a killed process and a power cut may lose.",
    numbers=("O078", best, killed),
    besides=(used, best, killed),
)
