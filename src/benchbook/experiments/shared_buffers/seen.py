"""What was seen of the notes' pools, in sentences with intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np

from benchbook.experiments.families.pgbench.parameters import INTERVALS, NOTE_SECONDS
from benchbook.experiments.notes import table as note
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.experiments.shape.telling import tell
from benchbook.experiments.shared_buffers.arms import (
    A_COLD,
    A_LOCAL,
    B_COLD,
    B_LOCAL,
    B_PREWARMED,
    QUARTER,
    ROUND_1_QUARTER,
    ROUND_1_THREE_EIGHTHS,
    ROUND_2,
    ROUND_2_COLD,
    SCENARIO_A,
    SCENARIO_B,
    THREE_EIGHTHS,
    reads_name,
    sweep_name,
)
from benchbook.experiments.shared_buffers.parameters import SMALL
from benchbook.experiments.shared_buffers.summary import Summary
from benchbook.figures import Prose, with_interval

_SEEN = (
    (
        SCENARIO_B, SCENARIO_A, "tps",
        f"B has {{}} times the TPS of A with the pool that really was in force, {SMALL} % of the "
        "data; the note has 1.31.",
    ),
    (
        SCENARIO_B, sweep_name(80), "tps",
        "Against a pool of 80 %, which the note states, B has {} times the TPS.",
    ),
    (B_LOCAL, A_LOCAL, "tps", "On the local disk without a cap, B gives {} times the TPS of A."),
    (B_COLD, A_COLD, "tps", "With the OS cache cold at the start, {}."),
    (
        reads_name(100), reads_name(SMALL), "tps",
        f"In read-only trials, where each miss goes to the device, 100 % of the data gives {{}} times the TPS of "
        f"{SMALL} %.",
    ),
    (
        SCENARIO_B, B_PREWARMED, "growth",
        "Within a trial, TPS grows {} times as much when the pool starts empty as when it starts full.",
    ),
)  # fmt: skip
"""Two configurations, a metric, and the sentence on their ratio."""
_ROUNDS = (
    (
        THREE_EIGHTHS, QUARTER, "tps",
        "With nothing else changed, 37.5 % of memory gives {} times the TPS of 25 %; note 003 blames it for −23 %.",
    ),
    (
        ROUND_1_THREE_EIGHTHS, ROUND_1_QUARTER, "tps",
        "With the data of round 1, 2.5 times the smaller pool, the same comparison gives {}.",
    ),
    (
        ROUND_2_COLD, ROUND_2, "tps",
        "Round 2 right after a restart, with both caches cold, has {} times its TPS after a "
        "warm start: so much can be lost to the restart that another pool size needs.",
    ),
)  # fmt: skip


FELL = 0.7
"""Share of its highest throughput so far below which a course has fallen: the rule for a cliff."""


def answer(summary: Summary) -> Prose:
    """What was seen of note 002's pools, in a few sentences with intervals."""
    seen = [*_said(summary, _SEEN)]
    return tell(
        seen[0], partial(_fell_early, summary), *seen[1:],
        otherwise="This run has too few configurations for an answer.",
    )  # fmt: skip


def _fell_early(summary: Summary) -> str:
    """When A falls here and in the note: the longer it is slow, the larger the ratio."""
    noted = note("c8gb_timeline").query("run == 2")
    here = _falls(summary.timeline(SCENARIO_A).mean(axis=0), np.linspace(0, 1, INTERVALS + 1)[:-1])
    there = _falls(noted["tps"].to_numpy(), noted["t_s"].to_numpy() / NOTE_SECONDS - 1 / INTERVALS)
    return (
        "How much of a trial is slow counts in this ratio: A has fallen in the twelfth that begins after "
        f"{here:.0%} of it, and in the note in the one that begins after {there:.0%}. The size itself follows from the "
        "cap."
    )


def _falls(tps: np.ndarray, shares: np.ndarray) -> float:
    fallen = tps < FELL * np.maximum.accumulate(tps)
    if not fallen.any():
        raise NotEstimableError("throughput does not fall", "use slower storage")
    return float(shares[np.argmax(fallen)])


def rounds(summary: Summary) -> Prose:
    """The same of note 003's rounds."""
    return tell(*_said(summary, _ROUNDS), otherwise="This run did not measure note 003's rounds.")


def _said(summary: Summary, sentences: Iterable[tuple[str, str, str, str]]) -> Iterable[Callable[[], str]]:
    def seen(top: str, bottom: str, metric: str, text: str) -> str:
        return text.format(with_interval(summary.gain(top, bottom, metric)))

    return (partial(seen, *each) for each in sentences)
