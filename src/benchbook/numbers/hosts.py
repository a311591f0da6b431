"""A claim's number on each kind of host that a pooled run was measured on, where the kinds lie apart (item 20d2)."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchbook import store
from benchbook.errors import BenchbookError
from benchbook.figures import with_interval
from benchbook.model import Estimate, Part
from benchbook.numbers.summary import Summary
from benchbook.statistics import laws
from benchbook.statistics.visits import LEAST_BLOCKS, LEVEL

Compute = Callable[[Any], Estimate]
"""A summary to an interval."""


@dataclass(frozen=True)
class Kind:
    """A kind of host: what tells it from others in few words, what else is known of it, and its blocks by place."""

    name: str
    told: str
    blocks: frozenset[int]
    parts: tuple[int, ...]


def kinds(summary: Summary) -> tuple[Kind, ...]:
    """The kinds of host of a run, by processor model and stepping (item 20d2).

    Kernel builds and what a system call costs are told beside it and tell none apart. Of 98 numbers that one model gave
    on two builds none lay apart, and on one model and build a call cost 328 to 586 ns from session to session. Kinds
    with fewer than two blocks are left out.
    """

    def find() -> tuple[Kind, ...]:
        parts = summary.run.parts
        models = [store.model_of(part.provenance) for part in parts]
        of_block = store.part_of_blocks(summary.run)
        found = []
        for model in dict.fromkeys(models):
            own = [place for place, each in enumerate(models) if each == model]
            blocks = np.flatnonzero(np.isin(of_block, own)).tolist()
            if len(blocks) >= LEAST_BLOCKS:
                told = _told([parts[place] for place in own])
                found.append(Kind(model or "an unnamed processor", told, frozenset(blocks), tuple(own)))
        return tuple(found)

    return summary.once("kinds", find)


def lie_apart(summary: Summary, found: Mapping[Kind, Estimate], compute: Compute) -> bool:
    """Whether kinds of host lie apart: two of their intervals have nothing in common, and sessions of one kind agree
    better than the kinds do, the F test of the sessions' points being below 5 %.

    Else one session that is unlike the others would pass for a host. found: the number of each kind that has one.
    """
    wide = [*found.values()]
    if len(wide) < 2 or max(each.low for each in wide) <= min(each.high for each in wide):
        return False
    every = points(summary, compute)
    return _differ([[every[place] for place in kind.parts if place in every] for kind in found])


def on_kind(summary: Summary, kind: Kind) -> Summary:
    """The summary of this kind's blocks alone."""
    return rest(summary, frozenset(range(summary.run.blocks)) - kind.blocks)


def rest(summary: Summary, left_out: frozenset[int]) -> Summary:
    """The summary of all blocks but these."""
    if not left_out:
        return summary

    def without() -> Summary:
        found: Summary = summary.chapter.summarize(store.without(summary.run, left_out))
        return found

    return summary.once(f"without {sorted(left_out)}", without)


def parts(summary: Summary) -> dict[int, Summary]:
    """The summary of each part of the run that has one, by its place; none for a run of a single part."""
    run = summary.run

    def every() -> dict[int, Summary]:
        found = {}
        for place, part in enumerate(store.parts(run) if run.pool else ()):
            with contextlib.suppress(BenchbookError):  # what cannot be summarized has no number
                found[place] = summary.chapter.summarize(part)
        return found

    return summary.once("parts", every)


def points(summary: Summary, compute: Compute) -> dict[int, float]:
    """Each part's own number, on the scale on which numbers are compared; those without one are left out."""
    found = {}
    for place, part in parts(summary).items():
        with contextlib.suppress(BenchbookError):
            point = compute(part).point
            found[place] = math.log(point) if point > 0 else point
    return found


def in_words(found: Mapping[str, Estimate], factor: float = 1.0, unit: str = "") -> str:
    """Each kind's number with its name; "" for none."""
    return " and ".join(f"{with_interval(each, factor)}{unit} on {name}" for name, each in found.items())


def apart(summary: Summary, compute: Compute) -> dict[str, Estimate]:
    """The number on each kind of host by its name; none where the kinds do not lie apart, or there is one alone."""
    found = {}
    for kind in kinds(summary):
        with contextlib.suppress(BenchbookError):  # this kind has too little for the number
            found[kind] = compute(on_kind(summary, kind))
    return {kind.name: each for kind, each in found.items()} if lie_apart(summary, found, compute) else {}


def _told(parts: Sequence[Part]) -> str:
    """What else is known of a kind of host: kernel builds, and the cost of a system call where it was recorded."""
    builds = dict.fromkeys(str(part.provenance.get("system", "")).removeprefix("Linux ") for part in parts)
    costs = [float(cost) for part in parts if (cost := part.provenance.get("system_call_ns"))]
    words = [f"kernel {', '.join(filter(None, builds))}"] if any(builds) else []
    if costs:
        low, high = min(costs), max(costs)
        words.append(f"a system call costs {low:.0f}{f' to {high:.0f}' if high > low else ''} ns")
    return ", ".join(words) or "nothing else known"


def _differ(by_kind: Sequence[Sequence[float]]) -> bool:
    """Whether the points of sessions differ more between kinds than within; not without two sessions of some kind."""
    groups = [np.asarray(each) for each in by_kind if len(each)]
    if len(groups) < 2 or sum(len(each) for each in groups) <= len(groups):
        return False
    if all(float(np.ptp(each)) == 0 for each in groups):  # no test without any spread, and none needed
        return len({float(each[0]) for each in groups}) > 1
    p = laws.means_alike(groups)
    return math.isfinite(p) and p < LEVEL
