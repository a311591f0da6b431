"""The figures: how far ratios move from block to block, the ratios themselves, and what a turn leaves to the next."""

from __future__ import annotations

from collections.abc import Callable

from benchbook.chapters.turns.arms import ENGINES, WAYS, name
from benchbook.chapters.turns.numbers import CARRIED, OTHERS, Summary
from benchbook.drawing.regular import Dots
from benchbook.model import Effect, Estimate


def _spread(way: str) -> Callable[[Summary, str], Estimate]:
    return lambda summary, engine: summary.spread(engine, way)


def _times(way: str) -> Callable[[Summary, str], Effect]:
    return lambda summary, engine: summary.times(engine, way)


def _first(way: str) -> Callable[[Summary, str], Estimate]:
    return lambda summary, engine: summary.level(name(engine, way), CARRIED)


spread = Dots(
    rows=OTHERS, row="over the value file",
    series={words: _spread(way) for way, words in WAYS.items()}, heading="measured",
    axis="standard deviation of the ratio over blocks (%)", quantity="standard deviation (%)", factor=100,
    replicates="blocks",
)  # fmt: skip
ratios = Dots(
    rows=OTHERS, row="over the value file",
    series={words: _times(way) for way, words in WAYS.items()}, heading="measured",
    axis="time of a look-up ÷ the value file's (above 1: slower)", quantity="ratio", replicates="blocks", rule=1,
)  # fmt: skip
carry_over = Dots(
    rows=ENGINES, row="engine",
    series={words: _first(way) for way, words in WAYS.items()}, heading="measured",
    axis="start of a turn ÷ later in it (above 1: slower)", quantity="ratio", rule=1,
)  # fmt: skip

FIGURES = {"spread": spread, "ratios": ratios, "carry_over": carry_over}
