"""A number on each kind of host, where the kinds lie apart, and its words: no pooled one is then told (item 20d2)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from benchbook.claims.ground import Host
from benchbook.experiments.shape import hosts
from benchbook.experiments.shape.summary import Summary
from benchbook.figures import with_interval
from benchbook.model import Estimate

Compute = Callable[[Any], Estimate]
"""A summary to an interval."""


def in_words(summary: Summary, compute: Compute, factor: float = 1.0, unit: str = "") -> str:
    """The number with its interval; of kinds of host that lie apart, that of each with its name.

    factor: to the unit of the words, 100 for a share in %. unit: follows each number, such as " %".
    """
    return each_in_words(apart(summary, compute), factor, unit) or f"{with_interval(compute(summary), factor)}{unit}"


def each_in_words(found: tuple[Host, ...], factor: float = 1.0, unit: str = "") -> str:
    """Each kind's number with its name; "" for none."""
    return " and ".join(f"{with_interval(each.estimates[0], factor)}{unit} on {each.name}" for each in found)


def numbers(summary: Summary, compute: Compute) -> list[Estimate]:
    """Those of kinds of host that lie apart, or the one of all blocks."""
    return [each.estimates[0] for each in apart(summary, compute)] or [compute(summary)]


def apart(summary: Summary, compute: Compute) -> tuple[Host, ...]:
    """The number on each kind of host; none where the kinds do not lie apart, or there is one alone."""

    def on(left_out: frozenset[int]) -> tuple[Estimate, Estimate]:
        found = compute(hosts.rest(summary, left_out))
        return found, found

    return hosts.apart(summary, on, partial(hosts.points, summary, compute))
