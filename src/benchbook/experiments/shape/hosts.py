"""A claim's number on each kind of host that a pooled run was measured on, where the kinds lie apart (item 20d2)."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from benchbook import store
from benchbook.claims.ground import Host
from benchbook.errors import BenchbookError
from benchbook.experiments.shape import processors
from benchbook.experiments.shape.summary import Summary
from benchbook.model import Estimate, Part
from benchbook.statistics import laws

LEVEL = 0.05
"""Error with which sessions of one kind may be taken to agree better than the kinds do."""
Compute = Callable[[frozenset[int]], tuple[Estimate, Estimate]]
"""Blocks to set aside, to the 95 % and the 90 % estimate of the others."""


def apart(summary: Summary, compute: Compute, known: Callable[[], Mapping[int, float]]) -> tuple[Host, ...]:
    """The number on each kind of host, where the kinds lie apart; none where they do not, or there is one alone.

    A kind of host is what tells one processor from another; its kernel builds and what a system call costs there are
    told beside it. Kinds lie apart when two of their intervals have nothing in common, and sessions of one kind agree
    better than the kinds do: the F test of the sessions' points is below 5 %. Else one session that is unlike the
    others would pass for a host.
    known: gives each part of the run its own number, on the scale on which numbers are compared; those without one
    are left out.
    """
    blocks = processors.every(summary)
    if len(blocks) < 2:
        return ()
    places = {name: _places(summary, own) for name, own in blocks.items()}
    found = []
    for name, own in blocks.items():
        try:
            estimates = compute(frozenset(np.flatnonzero(~own).tolist()))
        except BenchbookError:  # this kind has too little for the number
            continue
        told = _told([summary.run.parts[place] for place in places[name]])
        sessions = len({*summary.sessions[own].tolist()})
        found.append(Host(name, told, estimates, int(own.sum()), sessions))
    wide = [each.estimates[0] for each in found]
    if len(found) < 2 or max(each.low for each in wide) <= min(each.high for each in wide):
        return ()
    every = known()
    by_kind = [[every[place] for place in each if place in every] for each in places.values()]
    return tuple(found) if _differ(by_kind) else ()


def rest(summary: Summary, left_out: frozenset[int]) -> Summary:
    """The summary of all blocks but these."""

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


def points(summary: Summary, compute: Callable[[Any], Estimate]) -> dict[int, float]:
    """Each part's own number, on the scale on which numbers are compared; those without one are left out."""
    found = {}
    for place, part in parts(summary).items():
        with contextlib.suppress(BenchbookError):
            point = compute(part).point
            found[place] = math.log(point) if point > 0 else point
    return found


def _places(summary: Summary, blocks: np.ndarray) -> list[int]:
    """The places of the run's parts that these blocks, bool of shape (blocks,), belong to."""
    of_block = np.repeat(range(len(summary.run.parts)), [part.blocks for part in summary.run.parts])
    return sorted({*of_block[blocks].tolist()})


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
