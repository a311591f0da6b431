"""What is asked at a size: speed-ups over SQLite of queries, of inserts and of both mixed; and where the rows were."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from benchbook import statistics
from benchbook.claims import Quantity
from benchbook.experiments.environment import cache_bytes
from benchbook.experiments.families.kv.options import MIB
from benchbook.experiments.scale.arms import (
    AFTER,
    AGAIN,
    AS_RUN,
    BEFORE,
    RANDOM,
    SEQUENTIAL,
    SYSTEMS,
    WELL,
    name,
    short,
)
from benchbook.experiments.shape import by_host, telling
from benchbook.experiments.shape.estimands import Estimand, ratio
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.figures import with_interval
from benchbook.figures.prose import digits
from benchbook.model import Effect
from benchbook.statistics import intervals

TARGET = 2.0
"""The note's own target for the speed-up."""
QUERY, INSERT, BYTES = "query_mean_ns", "insert_s", "anonymous_bytes"
PerBlock = Callable[[Any], np.ndarray]
"""A summary to ratios, shape (blocks,), > 0."""
Rows = Callable[[Any], int]
"""A summary to one of its sizes."""


def of(
    summary: Any, metric: str, rows: int, *, system: str = BEFORE, base: str = AS_RUN, keys: str = SEQUENTIAL
) -> np.ndarray:
    """SQLite's time over the system's, per block, shape (blocks,): above 1 the system is faster."""
    above, below = (summary.values(name(each, rows, keys), metric) for each in (base, system))
    found: np.ndarray = above / below
    return found


def mixed(summary: Any, rows: int) -> np.ndarray:
    """The note's definition: the arithmetic mean of insert speed-up and query speed-up, per block."""
    found: np.ndarray = (of(summary, INSERT, rows) + of(summary, QUERY, rows)) / 2
    return found


def effect(summary: Any, per_block: np.ndarray, confidence: float = 0.95) -> Effect:
    """Geometric mean over blocks of a comparison that was made within each, with its t interval on logs.

    per_block: ratios, shape (blocks,), > 0. 1 means the same.
    """
    return statistics.ratio(per_block, np.ones(len(per_block)), confidence=confidence, sessions=summary.sessions)


def least(summary: Any, per_size: Mapping[int, np.ndarray], confidence: float = 0.95) -> Effect:
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


@dataclass(frozen=True)
class Sized(Estimand):
    """An estimand over sizes. rows, metrics: the sizes and times whose A/A arm must agree."""

    rows: tuple[int, ...] = ()
    metrics: tuple[str, ...] = ()


def sized(
    compute: Callable[[Any, float], Effect], *rows: int, system: str = BEFORE, metrics: tuple[str, ...] = (QUERY,)
) -> Sized:
    """Of a system and SQLite as run."""
    arms = tuple(name(each, size) for size in rows for each in (system, AS_RUN))
    return Sized(compute, Quantity.COMPARISON, arms, metrics[0], rows=rows, metrics=metrics)


def level(per_block: PerBlock) -> Callable[[Any, float], Effect]:
    """How an estimand computes the mean of a comparison."""
    return lambda summary, confidence: effect(summary, per_block(summary), confidence)


def change(end: PerBlock, start: PerBlock) -> Callable[[Any, float], Effect]:
    """How an estimand computes by what factor one comparison differs from another."""
    return lambda summary, confidence: statistics.ratio(
        end(summary), start(summary), confidence=confidence, sessions=summary.sessions
    )


def least_of(per_size: Mapping[int, PerBlock]) -> Callable[[Any, float], Effect]:
    """How an estimand computes the smallest of several comparisons. per_size: by number of rows."""
    return lambda summary, confidence: least(
        summary, {rows: each(summary) for rows, each in per_size.items()}, confidence
    )


def latency(top: str, bottom: str, rows: int) -> Sized:
    """Ratio of mean query latencies of two systems at one size."""
    return sized(
        lambda summary, confidence: summary.over(name(top, rows), name(bottom, rows), QUERY, confidence=confidence),
        rows,
    )


def timed(summary: Any) -> list[int]:
    """The sizes at which every trial of all systems has its times; raises NotEstimableError for none."""
    found: list[int] = summary.timed(summary.rows, *SYSTEMS)
    return found


def first(summary: Any) -> int:
    """The fewest of them."""
    return timed(summary)[0]


def last(summary: Any) -> int:
    """The most of them."""
    return timed(summary)[-1]


def random(summary: Any) -> int:
    """The most rows that were timed with random and with sequential keys."""
    found: list[int] = summary.timed(summary.timed(summary.random_rows, BEFORE, AS_RUN, keys=RANDOM), BEFORE, AS_RUN)
    return found[-1]


def at(rows: Rows, metric: str = QUERY, **which: str) -> PerBlock:
    """A speed-up, as ``of`` takes it, at a size of the run."""
    return lambda summary: of(summary, metric, rows(summary), **which)


def longer(system: str) -> Estimand:
    """A look-up at the most rows over one at the fewest."""
    return ratio(lambda summary: name(system, last(summary)), lambda summary: name(system, first(summary)), QUERY)


def listed(sizes: Iterable[int]) -> str:
    """Sizes in words."""
    return ", ".join(map(short, sizes))


def by_size(summary: Any, **which: str) -> dict[int, by_host.Compute]:
    """How the query speed-up is computed, by size. which: as ``of`` takes it."""
    return {rows: level(partial(of, metric=QUERY, rows=rows, **which)) for rows in timed(summary)}


def ahead(summary: Any) -> str:
    """The sizes at which SQLite used well answers queries faster, on every host."""
    each = {rows: by_host.numbers(summary, one) for rows, one in by_size(summary, base=WELL).items()}
    return listed(rows for rows, found in each.items() if max(one.high for one in found) < 1)


def reached(summary: Any) -> SimpleNamespace:
    """The speed-up after the options by size, and the sizes at which it is above the target on every host."""
    asked = by_size(summary, system=AFTER)
    said = "; ".join(f"{by_host.in_words(summary, one)} at {short(rows)}" for rows, one in asked.items())
    above = [short(r) for r, one in asked.items() if all(e.low > TARGET for e in by_host.numbers(summary, one))]
    return SimpleNamespace(said=said, above=" and ".join(above), everywhere=len(above) == len(asked))


def differ(summary: Any) -> bool:
    """Whether kinds of host lie apart in the query speed-up at the most rows."""
    return any(telling.filled(lambda: by_host.apart(summary, level(at(last)))))


def held(summary: Any) -> SimpleNamespace:
    """Where the rows were when they were looked up, and what the note's tree had become."""
    wanted = ("memtable_rows", "table_files", "index_leaves")
    seen = {rows: name(BEFORE, rows) for rows in summary.rows if summary.has(name(BEFORE, rows), *wanted)}
    if not seen:
        raise NotEstimableError("this run did not record where the rows were", "measure again")
    rows = max(seen)
    leaves = summary.mean(seen[rows], "index_leaves")
    return SimpleNamespace(
        share=min(float((summary.values(arm, "memtable_rows") / rows).min()) for rows, arm in seen.items()),
        files=max(float(summary.values(arm, "table_files").max()) for arm in seen.values()),
        rows=short(rows), leaves=leaves, keys=rows / leaves,
    )  # fmt: skip


def missed(summary: Any) -> str:
    """Page-cache misses per look-up in SQLite as run, by size."""

    def at_size(rows: int) -> str:
        return f"{summary.values(name(AS_RUN, rows), 'pages_missed_per_lookup').mean():.2f} at {short(rows)}"

    return _whole(", ", *(partial(at_size, rows) for rows in summary.rows))


def itself(summary: Any) -> str:
    """The state before the options over itself, by size."""

    def at_size(rows: int) -> str:
        again, first = name(AGAIN, rows), name(BEFORE, rows)
        query, insert = (with_interval(summary.over(again, first, metric)) for metric in (QUERY, INSERT))
        return f"{short(rows)} query {query}, insert {insert}"

    return _whole("; ", *(partial(at_size, rows) for rows in sorted(summary.parameters.again_rows)))


def _whole(joined: str, *sentences: Callable[[], str]) -> str:
    """What a run can fill of them, joined; raises NotEstimableError where that is nothing."""
    if not (found := telling.told(*sentences)):
        raise NotEstimableError("this run has none of it", "measure again")
    return joined.join(found)


def cache(summary: Any) -> SimpleNamespace:
    """Memory of the note's engine by size, the processor's cache in MiB (0: not known), and the sizes that fit in."""
    arms = {rows: name(BEFORE, rows) for rows in summary.rows}
    taken = {rows: summary.mean(arm, BYTES) / MIB for rows, arm in arms.items() if summary.has(arm, BYTES)}
    if not taken:
        raise NotEstimableError("this run did not record how much memory the engines took", "measure again")
    mib = (cache_bytes(summary.run.provenance) or 0) / MIB
    said = ", ".join(f"{digits(held)} MiB at {short(rows)}" for rows, held in taken.items())
    return SimpleNamespace(said=said, mib=mib, fit=listed(rows for rows, held in taken.items() if held <= mib))


def in_memory(summary: Any) -> int:
    """The most rows, where none of them was in a file; else raises NotEstimableError."""
    rows: int = max(summary.rows)
    held, files = (summary.values(name(AFTER, rows), metric) for metric in ("memtable_rows", "table_files"))
    if held.min() < rows or files.max() > 0:
        raise NotEstimableError("some rows were in files", "say how many")
    return rows
