"""The figures: how far ratios move from block to block, the ratios themselves, and what a turn leaves to the next."""

from __future__ import annotations

from collections.abc import Callable

from benchbook.experiments.shape.regular import Dots
from benchbook.experiments.turns.arms import ENGINES, WAYS, name
from benchbook.experiments.turns.summary import OTHERS, Summary
from benchbook.figures import with_interval
from benchbook.model import Effect, Estimate

INTERVALS = "Points with 95 % intervals"


def _spread(way: str) -> Callable[[Summary, str], Estimate]:
    return lambda summary, engine: summary.spread(engine, way)


def _times(way: str) -> Callable[[Summary, str], Effect]:
    return lambda summary, engine: summary.times(engine, way)


def _first(way: str) -> Callable[[Summary, str], Estimate]:
    return lambda summary, engine: summary.level(name(engine, way), "discarded_over_kept")


def _same(summary: Summary) -> str:
    each = (f"{label} {with_interval(summary.between(engine))}" for engine, label in OTHERS.items())
    return "; ".join(each)


def _cost(summary: Summary) -> str:
    return "; ".join(f"{label} {with_interval(summary.beside(engine))}" for engine, label in ENGINES.items())


spread = Dots(
    id="fig-turns-spread",
    title="Spread of a ratio from block to block",
    rows=OTHERS, row="over the value file",
    series={words: _spread(way) for way, words in WAYS.items()}, heading="measured",
    axis="standard deviation of the ratio over blocks (%)", quantity="standard deviation (%)", factor=100,
    replicates="blocks",
    caption="How far the ratio of an engine's time to the value file's moves from block to block, by how the two were "
    f"measured; logarithmic axis. {INTERVALS}.",
    alt="Points with intervals for {n} ratios in {series} ways of measuring on a logarithmic axis. {said} (%).",
)  # fmt: skip

ratios = Dots(
    id="fig-turns-ratios",
    title="The same ratios in both ways",
    rows=OTHERS, row="over the value file",
    series={words: _times(way) for way, words in WAYS.items()}, heading="measured",
    axis="time of a look-up / the value file's", quantity="ratio", replicates="blocks", rule=1,
    told=_same,
    caption="Time of a random look-up over that of the value file, measured in turns and one after the other. "
    f"{INTERVALS}.",
    alt="Points with intervals for {n} ratios in {series} ways of measuring on a logarithmic axis. {said}. The ratio "
    "in turns over the other, with simultaneous intervals: {more}.",
)  # fmt: skip

carry_over = Dots(
    id="fig-turns-carry-over",
    title="What a turn leaves to the next",
    rows=ENGINES, row="engine",
    series={words: _first(way) for way, words in WAYS.items()}, heading="measured",
    axis="time of a look-up at the start of a turn / later in it", quantity="ratio", rule=1,
    told=_cost,
    caption="A look-up in the first {p.discard_ms} ms of a turn, which do not count, over one in the rest: in turns "
    "the processor's caches hold what others left there. "
    f"{INTERVALS}.",
    alt="Points with intervals for {n} engines in {series} ways of measuring. {said}. A counted look-up in turns over "
    "one measured by itself: {more}.",
)  # fmt: skip

FIGURES = {"spread": spread, "ratios": ratios, "carry_over": carry_over}
