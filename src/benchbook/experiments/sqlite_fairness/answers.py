"""The claims of the chapter: how each number comes from the trials, which figure shows it, what is said of it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from benchbook import statistics
from benchbook.claims import Quantity
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.estimands import custom, ratio
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.experiments.sqlite_fairness.arms import (
    AFTER,
    AS_RUN,
    CLAIMED_ROWS,
    CLAIMED_SIZES,
    ONCE,
    ONE_WRITE,
    POWER_CUT,
    UNSYNCED,
    at,
    note,
    note_again,
)
from benchbook.experiments.sqlite_fairness.summary import COUNTED, TIME, Summary
from benchbook.model import Estimate
from benchbook.statistics import Gate

SPEEDUP, DURABILITY, OUTLIVED, CLAIMED = (
    f"fig-sqlite-fairness-{each}" for each in ("speedup", "durability", "outlived", "claims")
)
KILLED, CUT = at(ONE_WRITE, UNSYNCED), at(POWER_CUT, UNSYNCED)
"""The insert path as the note ran it: with a killed writer, and with a disk that then lost its power."""
SYNCS = "write_syncs_per_commit"


AA = (lambda summary: note_again(summary.parameters), lambda summary: note(ONCE, summary.parameters.largest))
"""SQLite prepared once at the largest size, a second and a first time."""


def sizes_together(summary: Summary, use: str) -> np.ndarray:
    """Geometric mean over the claimed sizes of the mean look-up in one use, in ns, shape (blocks,)."""
    return np.asarray(
        np.exp(np.mean([np.log(summary.values(note(use, rows), TIME)) for rows in CLAIMED_SIZES], axis=0))
    )


def speedup_over_sizes(summary: Summary, use: str, confidence: float = 0.95) -> Estimate:
    """Geometric mean over the claimed sizes of SQLite's mean look-up in one use over the note's engine's after."""
    sqlite, omendb = (sizes_together(summary, each) for each in (use, AFTER))
    return statistics.ratio(sqlite, omendb, confidence=confidence, sessions=summary.sessions)


def _prepared_once(summary: Summary, confidence: float) -> Estimate:
    return speedup_over_sizes(summary, ONCE, confidence)


def worst(summary: Summary) -> str:
    """The configuration that says most of durability in this run: a loss of power, else a kill."""
    return CUT if CUT in summary.configurations else KILLED


def _all_recovered(summary: Summary, confidence: float) -> Estimate:
    """1 when every acknowledged row was found in every trial of the insert path as run; else 0."""
    acknowledged, recovered = summary.counted(worst(summary))
    if acknowledged.min() < 1:
        raise NotEstimableError("no row was acknowledged before the end", "raise one_write_rows")
    return statistics.exact(float((recovered == acknowledged).all()))


def not_durable(summary: Summary) -> str:
    """Why a kill that lost nothing does not test whether the log makes rows durable; "" where they had been synced."""
    if worst(summary) == CUT:
        return ""
    acknowledged, recovered = summary.counted(KILLED)
    unsynced = int((summary.values(KILLED, SYNCS) < 1).sum())
    if not unsynced or (recovered < acknowledged).any():
        return ""
    return (
        f"in {unsynced} of {len(recovered)} trials the insert path acknowledged its rows without waiting for the disk, "
        "so they outlived the kill in the kernel's memory, which a power cut empties"
    )


def _recovered_words(summary: Summary) -> str:
    arm = worst(summary)
    acknowledged, recovered = summary.counted(arm)
    whole = int((recovered == acknowledged).sum())
    syncs = summary.values(arm, SYNCS).mean()
    how = "the disk lost its power" if arm == CUT else "kill -9"
    return (
        f"{recovered.sum():,.0f} of {acknowledged.sum():,.0f} acknowledged rows were found after {how}, all of them "
        f"in {whole} of {len(recovered)} trials, with {syncs:.1f} syncs per batch"
    )


ANSWERS = (
    Answer(
        "O078",
        custom(
            _prepared_once, Quantity.COMPARISON, *(note(use, rows) for rows in CLAIMED_SIZES for use in (ONCE, AFTER)),
            aa=TIME,
        ),
        SPEEDUP,
        said="the engine is 1.5 to 3 times as fast as SQLite",
        seen="with SQLite's query prepared once, it is {} times as fast over four sizes",
        lead=True, brief="with SQLite's query prepared once, {} times",
        row="query speed-up: SQLite prepared once ÷ engine",
    ),
    Answer(
        "O015", ratio(note(AS_RUN, CLAIMED_ROWS), note(ONCE, CLAIMED_ROWS), TIME), CLAIMED,
        said="5.655 µs is the time of SQLite's look-up, not of preparing it",
        seen="when its statement is prepared for every query, a look-up takes {} times as long",
        row="mean query: SQLite prepared each time ÷ once",
    ),
    Answer(
        "O094",
        custom(_all_recovered, Quantity.COUNTER, worst, working=_recovered_words, idle=not_durable),
        OUTLIVED,
    ),
)  # fmt: skip


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Of times every check; of what a kill left only what was counted."""
    gates = summary.consistency_gates(answer.estimand.names(summary))
    return gates if answer.estimand.metric else [gate for gate in gates if gate.name == COUNTED]
