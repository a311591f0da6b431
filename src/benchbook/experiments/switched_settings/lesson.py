"""What the chapter teaches beside its answers: which settings moved anything, and how small an effect it would show."""

from __future__ import annotations

import math

import numpy as np

from benchbook.experiments.config_ladder import singles
from benchbook.experiments.shape.lessons import TOO_SHORT, Teaching
from benchbook.experiments.shape.numbers import number
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.experiments.switched_settings.answers import OF_003
from benchbook.experiments.switched_settings.summary import COMPRESSION, NOTE_003, WAITING, Summary


def title(summary: Summary) -> str:
    """Which settings change throughput by as much as the notes sell, and how many are shown not to."""
    found = singles.sort(summary)
    if not found.every:
        return TOO_SHORT
    large = [words for words, e in found.moved.items() if e.high < 1 - singles.SOLD or e.low > 1 + singles.SOLD]
    still = len(found.within(singles.SOLD))
    rest = f"the intervals of {still} lie within that, {len(found.every) - still - len(large)} are open"
    if not large:
        none = f"None of the notes' {len(found.every)} settings is shown to change the throughput"
        return f"{none} by {singles.SOLD:.0%}; {rest}"
    names = large[0] if len(large) == 1 else f"{', '.join(large[:-1])} and {large[-1]}"
    verb = "changes" if len(large) == 1 else "change"
    return f"Of the notes' {len(found.every)} settings only {names} {verb} the throughput by {singles.SOLD:.0%}; {rest}"


def precise(summary: Summary) -> str:
    """How narrow the intervals are, and how far the base differs from itself."""
    found = singles.sort(summary)
    if not found.every:
        raise NotEstimableError("this run did not measure the settings", "measure all parts")
    again = singles.ask(NOTE_003, summary, singles.NOTHING)
    reach = float(np.median([math.sqrt(e.high / e.low) - 1 for e in found.every.values()]))
    return (
        f"The median of the {len(found.every)} intervals reaches ±{reach:.1%}; the unchanged settings, measured twice, "
        f"give {number(again)}."
    )


def largest(summary: Summary) -> str:
    """The change with the largest effect."""
    found = singles.sort(summary)
    if not found.moved:
        raise NotEstimableError("no interval excludes 1", "measure more blocks")
    words, effect = next(iter(found.moved.items()))
    moved = len(found.moved)
    many = f"{moved} of the {len(found.every)} intervals exclude 1, where chance alone gives about one in twenty"
    if moved == 1:
        many = f"Only one of the {len(found.every)} intervals excludes 1, about as many as chance alone would give"
    lz4 = singles.of_lz4(summary) if words.startswith("wal_compression") else ""
    return f"{many}: the largest effect is that of {words}, with {number(effect)} times the throughput.{lz4}"


def control(summary: Summary) -> str:
    """That an effect that is there is seen."""
    return (
        "A change that is known to matter is seen: commits that do not wait for their flush give "
        f"{number(summary.effect(WAITING))} times the throughput."
    )


def agreed(summary: Summary) -> str:
    """The same change measured on servers of their own."""
    pair = NOTE_003[COMPRESSION]
    turns, alone = summary.effect(pair), summary.alone(pair)
    codec = summary.run.provenance.get("wal_compression") or "the server's codec"
    return (
        f"Switched on one server, compression of the log with {codec} gives {number(turns)} times the throughput; on "
        f"servers of their own, one after the other, {number(alone)}."
    )


LESSON = Teaching(
    title,
    figure=OF_003,
    claimed="Notes 002 and 003: single settings of the log, the background writer, autovacuum and the workers give "
    "some per cent each, together 14 to 29 %.",
    advice="Switch a setting on and off every second under your own load, in random order, and compare the seconds: "
    "within hours that makes most intervals narrower than 5 %. Most settings can be "
    "changed by a reload.",
    numbers=(largest, precise, control),
    besides=(largest, precise, agreed),
)
