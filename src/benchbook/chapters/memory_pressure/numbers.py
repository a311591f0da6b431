"""The numbers of the chapter, each once and by name, and what its claims stand on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from benchbook import statistics
from benchbook.chapters.memory_pressure import arms
from benchbook.chapters.memory_pressure.arms import (
    CLAIMED,
    POOLS,
    POOLS_BY_DATA,
    PRESSING,
    QUARTER,
    THREE_EIGHTHS,
    UNCAPPED,
    name_of,
)
from benchbook.chapters.memory_pressure.trials import EVICTIONS, READS, TWICE, Summary
from benchbook.claims import Quantity
from benchbook.measuring.pgbench.spent import PARTS
from benchbook.measuring.pgbench.treatment import every, too_few
from benchbook.model import Effect
from benchbook.notes import table as note
from benchbook.numbers.answers import Answer
from benchbook.numbers.estimands import Estimand, average, counts, custom, outermost, ratio, told
from benchbook.numbers.quantities import percent
from benchbook.statistics import Gate

PER_PAGE_ROUNDS = 0.51
"""Transactions per page of pgbench_accounts: the least of note 003's rounds 2 and 3."""
SOME_READS = 0.01
"""Reads from the device per transaction below which memory presses on nothing: as in the claims on the pool's size."""
AA = (arms.AGAIN, QUARTER)


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Equal counts of client and server, bounded memory, full pools."""
    names = answer.estimand.names(summary)
    return [*summary.counts_gate(names), summary.bound_gate(names), summary.full_gate(names)]


def evicts(summary: Summary) -> str:
    """Why the pool of a quarter had no page to keep that a larger one would; "" where it evicted some in each trial."""
    evicted = summary.values(QUARTER, EVICTIONS)
    none = int((evicted == 0).sum())
    return f"the pool of 25 % evicted nothing in {none} of {len(evicted)} trials" if none else ""


def presses(summary: Summary) -> str:
    """Why no pool left too little to the page cache; "" where that of a quarter read from the device in each block."""
    reads = summary.values(name_of(PRESSING, 25), READS)
    if reads.min() >= SOME_READS:
        return ""
    few = f"a transaction read as few as {reads.min():.2g} pages from the device"
    return f"with a pool of 25 % and data of {PRESSING:g} times the memory {few}"


def departs(summary: Summary) -> str:
    """How the trials of the claims' data depart from what the claims name; "" where they do not."""
    iops, free = summary.parameters.storage_iops, ""
    if not summary.capped:
        free = "reads as fast as this machine's disk where the claim names a cap"
    elif iops:
        free = f"reads capped at {iops:,} a second where the claim names half of a pilot's"
    few = too_few(summary, [name_of(CLAIMED, 25), name_of(PRESSING, 25)], PER_PAGE_ROUNDS)
    return " and ".join(filter(None, (free, few)))


def _best(summary: Summary) -> Effect:
    """Largest ratio of the TPS of another pool to that of 25 %, with data of both sizes that the claim names.

    The intervals of all eight hold together (Bonferroni): each ratio is taken within its block, and stands against 1.
    """
    found: dict[str, np.ndarray] = {}
    for data in (CLAIMED, PRESSING):
        quarter = summary.values(name_of(data, 25), "tps")
        others = (name_of(data, pool) for pool in POOLS if pool != 25)
        found |= {arm: summary.values(arm, "tps") / quarter for arm in others}
    return outermost(summary.estimated(statistics.many_to_one, np.ones_like(quarter), found).values())


def _drift(pool: float, summary: Summary) -> Effect:
    """Throughput in the last third of a trial over that in its first, with data that press: 1 where it had settled."""
    arm, third = name_of(PRESSING, pool), PARTS // 3
    first, last = (
        np.mean([summary.values(arm, f"part_{part + 1:03}_tps") for part in parts], axis=0)
        for parts in (range(third), range(PARTS - third, PARTS))
    )
    return summary.estimated(statistics.ratio, last, first)


def digits(number: float) -> str:
    """Of a number, for the names of numbers: 625 of 0.625, 12 of 1.2, 37_5 of 37.5 %."""
    return f"{number:g}".removeprefix("0.").replace(".", "" if number < POOLS[0] else "_")


def _gains(data: float) -> dict[str, Estimand]:
    """Throughput of each other pool over that of 25 %, such as tps_12_62_5."""
    return {
        f"tps_{digits(data)}_{digits(pool)}": ratio(name_of(data, pool), name_of(data, 25), "tps")
        for pool in POOLS_BY_DATA[data]
        if pool != 25
    }


def _reads(data: float) -> dict[str, Estimand]:
    """Reads from the device per transaction with each pool, such as reads_12_62_5."""
    return {f"reads_{digits(data)}_{digits(pool)}": average(name_of(data, pool), READS) for pool in POOLS_BY_DATA[data]}


_BOTH = [name_of(data, pool) for data in (CLAIMED, PRESSING) for pool in POOLS]
_FREE = {pool: name_of(PRESSING, pool, "_not_capped") for pool in UNCAPPED}
NUMBERS = {
    "misses": counts(THREE_EIGHTHS, QUARTER, "reads_per_transaction", idle=evicts, departs=departs),
    "best_share": custom(
        _best, Quantity.COMPARISON, *_BOTH, aa="tps", idle=every(evicts, presses), departs=departs,
        working=lambda _: "The intervals hold together for eight comparisons",
    ),
    **{name: each for data in POOLS_BY_DATA for name, each in (_gains(data) | _reads(data)).items()},
    **{f"twice_{digits(pool)}": percent(average(name_of(PRESSING, pool), TWICE)) for pool in (25.0, 37.5, 62.5)},
    "free": ratio(_FREE[62.5], _FREE[25.0], "tps"),
    "free_reads_25": average(_FREE[25.0], READS),
    "free_reads_62_5": average(_FREE[62.5], READS),
    "lifted": ratio(_FREE[25.0], name_of(PRESSING, 25), "tps"),
    "drift_25": told(partial(_drift, 25.0), quantity=Quantity.PARTS),
    "drift_62_5": told(partial(_drift, 62.5), quantity=Quantity.PARTS),
    "same": ratio(arms.AGAIN, QUARTER, "tps"),
}  # fmt: skip


def _mean(arm: str, metric: str, unit: float = 1.0) -> Callable[[Summary], float]:
    return lambda summary: summary.mean(arm, metric) / unit


def _least(metric: str, summary: Summary) -> float:
    return min(float(summary.values(arm, metric).min()) for arm in summary.having(summary.arms, metric))


def _most(metric: str, summary: Summary) -> float:
    return max(float(summary.values(arm, metric).max()) for arm in summary.having(summary.arms, metric))


def _noted(summary: Summary) -> dict[str, float]:
    """Of the note's first round, by its raw report: reads from its volume, in a second and in a transaction."""
    first = note("raw/r8g_reports").query("note_name == 'Round 1'").iloc[0]
    return {"reads": float(first["data_reads_per_s"]), "each": float(first["data_reads_per_s"] / first["tps"])}


WORDS: dict[str, Callable[[Summary], Any]] = {
    "apparatus": Summary.apparatus,
    "noted": _noted,
    "capped": lambda summary: summary.capped,
    "certified": _mean(QUARTER, "storage_read_iops"),
    "read_kib": lambda summary: _most("bytes_per_read", summary) / 1024,
    "own_most": lambda summary: _most("own_bytes", summary) / 2**20,
    "own_given": lambda summary: summary.parameters.own_bytes / 2**20,
    "available": partial(_least, "least_available_share"),
}
