"""A number on each kind of host, where the kinds lie apart, and its words: no pooled one is then told (item 20d2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from benchbook.errors import BenchbookError
from benchbook.figures import with_interval
from benchbook.model import Estimate
from benchbook.numbers import hosts
from benchbook.numbers.summary import Summary

Compute = Callable[[Any], Estimate]
"""A summary to an interval."""


def in_words(summary: Summary, compute: Compute, factor: float = 1.0, unit: str = "") -> str:
    """The number with its interval; of kinds of host that lie apart, that of each with its name.

    factor: to the unit of the words, 100 for a share in %. unit: follows each number, such as " %".
    """
    return each_in_words(apart(summary, compute), factor, unit) or f"{with_interval(compute(summary), factor)}{unit}"


def each_in_words(found: Mapping[str, Estimate], factor: float = 1.0, unit: str = "") -> str:
    """Each kind's number with its name; "" for none."""
    return " and ".join(f"{with_interval(each, factor)}{unit} on {name}" for name, each in found.items())


def numbers(summary: Summary, compute: Compute) -> list[Estimate]:
    """Those of kinds of host that lie apart, or the one of all blocks."""
    return [*apart(summary, compute).values()] or [compute(summary)]


def apart(summary: Summary, compute: Compute) -> dict[str, Estimate]:
    """The number on each kind of host by its name; none where the kinds do not lie apart, or there is one alone."""
    found = of_kinds(summary, compute)
    return {kind.name: each for kind, each in found.items()} if hosts.apart(summary, found, compute) else {}


def of_kinds(summary: Summary, compute: Compute) -> dict[hosts.Kind, Estimate]:
    """The number of each kind of host that has one."""
    found = {}
    for kind in hosts.kinds(summary):
        with suppress(BenchbookError):
            found[kind] = compute(hosts.on_kind(summary, kind))
    return found
