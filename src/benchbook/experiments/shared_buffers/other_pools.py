"""What stands beside a comparison of a small pool with a large one: a pool of 80 %, and the same without the cap."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from benchbook.experiments.shape.numbers import number
from benchbook.experiments.shape.telling import filled
from benchbook.experiments.shared_buffers.arms import A_LOCAL, B_LOCAL, SCENARIO_B, sweep_name
from benchbook.experiments.shared_buffers.parameters import SMALL
from benchbook.experiments.shared_buffers.summary import Summary

Words = Callable[[Summary], str]
STATED = 80
"""The pool that note 002 states, in % of the data."""
FOLLOWS = "the size follows from the cap, which we set in the note's proportion of writes to transactions"


def beside(metric: str = "tps", *, large: str = SCENARIO_B, turned: bool = False) -> Words:
    """The same ratio over the pool that the note states, and over the small one without a cap, as clauses.

    turned: with the larger pool below.
    """
    pairs = ((large, sweep_name(STATED)), (B_LOCAL, A_LOCAL))

    def said(summary: Summary) -> str:
        return "; ".join((*_ratios(summary, pairs, metric, turned), FOLLOWS))

    return said


def before(metric: str = "tps", *, large: str = SCENARIO_B, turned: bool = False) -> Words:
    """The same at the beginning of a verdict's reason, before the number itself."""

    def said(summary: Summary) -> str:
        clauses = beside(metric, large=large, turned=turned)(summary)
        return f"{clauses[:1].upper()}{clauses[1:]}; against a pool of {SMALL} % under the cap"

    return said


def _ratios(summary: Summary, pairs: Iterable[tuple[str, str]], metric: str, turned: bool) -> Iterable[str]:
    words = (
        f"against a pool of {STATED} %, which the note states, {{}}",
        f"against one of {SMALL} % without a cap {{}}",
    )

    def ratio(text: str, top: str, bottom: str) -> str:
        above, below = (bottom, top) if turned else (top, bottom)
        return text.format(number(summary.gain(above, below, metric)))

    return filled(*(partial(ratio, text, *pair) for text, pair in zip(words, pairs, strict=True)))
