"""What each pairing of cache states says, and what a cold cache costs each store, in sentences."""

from __future__ import annotations

from functools import partial

from benchbook.experiments.comparators.arms import COLD, DISJOINT, HOT, LABELS, POSTGRES, STAND_IN, name_of
from benchbook.experiments.comparators.summary import Summary, store_label
from benchbook.experiments.shape import read_ahead
from benchbook.experiments.shape.telling import filled, tell, told
from benchbook.figures import Prose, with_interval
from benchbook.model import Estimate

SAME = 1.25
"""Penalties of two stores that differ by less are called alike."""


def pairings(summary: Summary) -> Prose:
    """What each pairing of cache states says, and by how much the note's pairing misleads."""

    def verdicts() -> str:
        mixed, hot = (summary.pairing(STAND_IN, ours, HOT) for ours in (COLD, HOT))
        return (
            f"Against a hot {LABELS[STAND_IN]}, a cold PostgreSQL takes {with_interval(mixed)} times as long by mean "
            f"latency, a hot one {with_interval(hot)} times."
        )

    def both_cold() -> str:
        cold, hot = (summary.pairing(STAND_IN, state, state) for state in (COLD, HOT))
        if cold.high < hot.low:
            words = f"so against {LABELS[STAND_IN]} PostgreSQL is less far behind with both cold than with both hot"
        elif cold.low > hot.high:
            words = f"so against {LABELS[STAND_IN]} PostgreSQL is further behind with both cold than with both hot"
        else:
            words = "which does not differ clearly from both hot"
        return f"With both cold it is {with_interval(cold)} times, {words}."

    def cancels() -> str:
        tail = summary.tail
        return (
            f"The store cancels: whichever one stands on the other side, the note's pairing multiplies the ratio of "
            f"{summary.tail_heading} by {with_interval(summary.mismatch(tail))}, and that of the mean by "
            f"{with_interval(summary.mismatch('mean_ns'))}. It is PostgreSQL's own price of a cold cache, booked as a "
            "difference between two systems."
        )

    return tell(verdicts, both_cold, cancels)


def penalties(summary: Summary) -> Prose:
    """Whether PostgreSQL suffers more from a cold cache than the others, and what they read."""

    def spread() -> str:
        found = {store: summary.penalty(store) for store in summary.cold_stores()}
        own = found.pop(POSTGRES)
        above = [store_label(store) for store, each in found.items() if each.low > SAME * own.high]
        below = [store_label(store) for store, each in found.items() if each.high * SAME < own.low]
        parts = [f"PostgreSQL takes {with_interval(own)} times as long cold as hot"]
        if above:
            parts.append(f"being cold costs {_listed(above)} more than that, in proportion")
        if below:
            parts.append(f"it costs {_listed(below)} less")
        return f"{'; '.join(parts)}."

    def read(store: str) -> str:
        return f"{store_label(store)} {summary.kib(name_of(store, COLD)).point:,.0f}"

    def volumes() -> str:
        each = told(*(partial(read, store) for store in summary.cold_stores()))
        if not each:
            return ""
        asked = summary.parameters.n_tables
        return (
            f"KiB read from the device for one cold request of {asked} look-ups: {', '.join(each)}. A look-up in "
            f"PostgreSQL needs two blocks of 8 KiB, in all {16 * asked:,} KiB. An embedded store that read one page "
            f"of 4 KiB a look-up would read {4 * asked:,}; what is far above that was read ahead by the kernel, as far "
            f"as {read_ahead.in_words(summary.run)}, allows, and serves later requests. So what LMDB and Badger read "
            "here is a number of this machine's setting; no other was tried."
        )

    return tell(spread, volumes)


def warming(summary: Summary) -> Prose:
    """Which cold stores warm themselves while they are measured: their first 100 requests against the others."""

    def first(store: str) -> tuple[str, Estimate]:
        arm = name_of(store, COLD) if store != POSTGRES else DISJOINT
        return store_label(store), summary.ratio((arm, "first_100_mean_ns"), (arm, "rest_mean_ns"))

    found = filled(*(partial(first, store) for store in summary.cold_stores()))
    slower = [f"{label} {with_interval(each)}" for label, each in found if each.low > SAME]
    if not found:
        return Prose("")
    if not slower:
        return Prose("In no cold store are the first 100 requests clearly slower than the others.")
    return Prose(
        "Some cold stores warm themselves while they are measured. The first 100 requests take this many times as long "
        f"as the others: {', '.join(slower)}."
    )


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
