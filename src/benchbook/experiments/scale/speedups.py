"""Speed-ups over SQLite: of queries, of inserts, and both mixed into one number as in the note's table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from benchbook import statistics
from benchbook.experiments.scale.arms import AS_RUN, BEFORE, SEQUENTIAL, name, short
from benchbook.experiments.scale.summary import Summary
from benchbook.experiments.shape import by_host
from benchbook.figures import with_interval
from benchbook.model import Effect, Estimate
from benchbook.statistics import intervals

QUERY, INSERT = "query_mean_ns", "insert_s"


def of(
    summary: Summary, metric: str, rows: int, *, system: str = BEFORE, base: str = AS_RUN, keys: str = SEQUENTIAL
) -> np.ndarray:
    """SQLite's time over the system's, per block, shape (blocks,): above 1 the system is faster."""
    found: np.ndarray = summary.values(name(base, rows, keys), metric) / summary.values(
        name(system, rows, keys), metric
    )
    return found


def mixed(summary: Summary, rows: int) -> np.ndarray:
    """The note's definition: the arithmetic mean of insert speed-up and query speed-up, per block."""
    found: np.ndarray = (of(summary, INSERT, rows) + of(summary, QUERY, rows)) / 2
    return found


def balanced(summary: Summary, rows: int) -> np.ndarray:
    """The same two numbers in their geometric mean, which does not depend on which system is the divisor."""
    found: np.ndarray = np.sqrt(of(summary, INSERT, rows) * of(summary, QUERY, rows))
    return found


def effect(summary: Summary, per_block: np.ndarray, confidence: float = 0.95) -> Effect:
    """Geometric mean over blocks of a comparison that was made within each, with its t interval on logs.

    per_block: ratios, shape (blocks,), > 0. 1 means the same.
    """
    return statistics.ratio(per_block, np.ones(len(per_block)), confidence=confidence, sessions=summary.sessions)


def least(summary: Summary, per_size: Mapping[int, np.ndarray], confidence: float = 0.95) -> Effect:
    """The smallest of several speed-ups, whichever it is, with an interval that holds with ``confidence``.

    per_size: ratios by size, each of shape (blocks,). Each size gets an interval at 1 - (1 - confidence) / k for k
    sizes (Bonferroni); all hold together, and then the smallest true speed-up lies between the smallest lower and the
    smallest upper end. The smallest value of each block would not do: it is too small wherever sizes are close.
    """
    each = 1 - (1 - confidence) / len(per_size)
    effects = [effect(summary, values, each) for values in per_size.values()]
    smallest = min(effects, key=lambda found: found.point)
    return Effect(
        smallest.point, min(found.low for found in effects), min(found.high for found in effects), smallest.n,
        intervals.simultaneous(smallest.method), confidence, "ratio", smallest.sd,
        by_block=tuple(comparison for found in effects for comparison in found.by_block),
    )  # fmt: skip


def having(summary: Summary, sizes: Iterable[int], *systems: str, keys: str = SEQUENTIAL) -> list[int]:
    """The sizes at which every trial of these systems has both of its times."""
    return [rows for rows in sizes if all(summary.has(name(each, rows, keys), QUERY, INSERT) for each in systems)]


def at_rows(metric: str, rows: int, **which: str) -> by_host.Compute:
    """A speed-up at one size, as what gives it for a summary. which: as ``of`` takes them."""

    def compute(summary: Summary, confidence: float) -> Effect:
        return effect(summary, of(summary, metric, rows, **which), confidence)

    return compute


def on_hosts(summary: Summary, metric: str, rows: int, **which: str) -> str:
    """The same in words, on each kind of host where these lie apart."""
    return by_host.in_words(summary, at_rows(metric, rows, **which))


def highest(summary: Summary, metric: str, rows: int, **which: str) -> float:
    """The upper end of the interval, the highest of those of hosts that lie apart."""
    compute = at_rows(metric, rows, **which)
    return max(each.high for each in by_host.numbers(summary, compute))


def both_ends(summary: Summary, sizes: Iterable[int], metric: str, **which: str) -> str:
    """A speed-up at the fewest and at the most rows, in words."""
    own = [*sizes]
    each = [f"{on_hosts(summary, metric, rows, **which)} at {short(rows)} rows" for rows in (min(own), max(own))]
    return "; ".join(each)


def ends(found: Mapping[str, Estimate] | Mapping[int, Estimate]) -> str:
    """The first and the last of a series in words. found: by number of rows, or by that in few signs."""
    each = [(rows if isinstance(rows, str) else short(rows), e) for rows, e in found.items()]
    return " and ".join(f"{with_interval(e)} at {rows}" for rows, e in (each[0], each[-1])) + " rows"
