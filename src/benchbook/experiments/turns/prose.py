"""The chapter's sentences with numbers, computed from the run that the page shows."""

from __future__ import annotations

from functools import partial

from benchbook.experiments.shape import telling
from benchbook.experiments.shape.telling import tell
from benchbook.experiments.turns.arms import AGAIN, ALONE, SMALL, TURNS
from benchbook.experiments.turns.summary import OTHERS, PAIRS, Summary
from benchbook.figures import Prose, with_interval
from benchbook.figures.prose import digits
from benchbook.statistics import blocks_for_half_width

HALF_WIDTH = 0.02


def design(summary: Summary) -> Prose:
    """What was measured, in numbers."""
    p = summary.parameters
    return telling.design(
        summary,
        f"{len(summary.arms)} configurations on {summary.on()}: {p.rows:,} rows with values of {p.value_bytes} bytes, "
        f"{p.rounds} turns of {p.turn_ms} ms each, of which the first {p.discard_ms} ms do not count.",
    )


def answer(summary: Summary) -> Prose:
    """How much closer together ratios lie, and what that saves."""
    return tell(*(partial(each, summary) for each in NUMBERS), otherwise="This run timed too little.")


def closer(summary: Summary) -> str:
    """How much closer together ratios lie."""
    turns, alone = (summary.pooled_spread(way) for way in (TURNS, ALONE))
    names = ["itself" if engine == AGAIN else OTHERS[engine] for engine in PAIRS]
    return (
        f"From block to block the ratio of two engines varies by {digits(100 * turns)} % in turns and by "
        f"{digits(100 * alone)} % one after the other, {with_interval(summary.closer())} times as much: over "
        f"{len(PAIRS)} pairs, the value file with {', '.join(names[:-1])} and {names[-1]}."
    )


def verdict(summary: Summary) -> str:
    """How much less ratios vary in turns, as the chapter's answer."""
    return (
        "Measured one after the other, the ratio of two engines varies from block to block "
        f"{with_interval(summary.closer())} times as much as measured in turns"
    )


def equal(summary: Summary) -> str:
    """One engine against itself, measured either way."""
    turns, alone = (with_interval(summary.times(AGAIN, way)) for way in (TURNS, ALONE))
    return f"The value file takes {turns} times as long as itself in turns, and {alone} times one after the other."


def blocks(summary: Summary) -> str:
    """What the smaller spread saves."""
    needed = [blocks_for_half_width(summary.pooled_spread(way), HALF_WIDTH) for way in (TURNS, ALONE)]
    said = [f"{each:,}" if each else "more than 10,000" for each in needed]
    return f"An interval of ±{100 * HALF_WIDTH:g} % then takes {said[0]} blocks instead of {said[1]}."


NUMBERS = (closer, equal, blocks)
"""What the page begins with."""


def lottery(summary: Summary) -> Prose:
    """What differs from process to process and stays in either way of measuring."""

    def small() -> str:
        turns, alone = (with_interval(summary.spread(SMALL, way), 100) for way in (TURNS, ALONE))
        return (
            f"The same value file with its index in small pages varies by {turns} % in turns and by {alone} % one "
            "after the other. Each process gets different pages of memory, and keeps them. Turns share the machine's "
            "state between processes, but not a process's luck; only more processes, that is more blocks, average "
            "that out."
        )

    return tell(small, otherwise="This run has no process with small pages.")


def same(summary: Summary) -> Prose:
    """Whether both ways give the same ratios."""

    def each() -> str:
        found = {label: summary.between(engine) for engine, label in OTHERS.items()}
        differ = [label for label, effect in found.items() if not effect.low <= 1 <= effect.high]
        if not differ:
            return "In turns the ratios are what they are one after the other, as far as the intervals can tell."
        return (
            f"The ratio is another one in turns for {', '.join(differ)}: an engine that lives off a cache of the "
            "processor loses it to its neighbours between turns."
        )

    return tell(each, otherwise="Whether both ways agree cannot be told from this run.")
