"""The same comparison on each kind of processor that a pooled run was measured on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchbook import statistics
from benchbook.experiments import environment
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.experiments.sqlite_fairness.answers import sizes_together
from benchbook.experiments.sqlite_fairness.arms import AFTER, ONCE, ONCE_WARM, WARM, at
from benchbook.experiments.sqlite_fairness.summary import TIME, Summary
from benchbook.figures import with_interval

LEAST = 2
"""Blocks on a kind of processor without which its ratio has no interval."""


def kinds(summary: Summary) -> dict[str, np.ndarray]:
    """Kind of processor to which blocks were measured on it, bool of shape (blocks,).

    Raises NotEstimableError where there is one kind alone.
    """
    parts = summary.run.parts
    of_block = np.repeat([environment.processor(part.provenance) for part in parts], [part.blocks for part in parts])
    words = {environment.processor(part.provenance): str(part.provenance.get("processor", "")) for part in parts}
    found = {words[kind]: of_block == kind for kind in dict.fromkeys(of_block) if (of_block == kind).sum() >= LEAST}
    if len(found) < LEAST:
        raise NotEstimableError("all blocks were measured on one kind of processor", "add blocks on another machine")
    return found


def speedups(summary: Summary) -> str:
    """How much faster the engine is than SQLite prepared once, over all sizes, on each kind of processor."""
    sqlite, engine = (sizes_together(summary, use) for use in (ONCE, AFTER))

    def one(name: str, blocks: np.ndarray) -> str:
        ratio = statistics.ratio(sqlite[blocks], engine[blocks], sessions=summary.sessions[blocks])
        return f"{with_interval(ratio)} times as fast on {name} ({blocks.sum()} blocks)"

    return (
        "It depends on the processor: over four sizes, the engine compared with SQLite prepared once is "
        f"{_each(summary, one)}."
    )


def locking(summary: Summary) -> str:
    """What locking at each look-up costs, on each kind of processor."""
    once, held = (summary.values(arm, TIME) for arm in (ONCE_WARM, at(WARM, "read_held")))

    def one(name: str, blocks: np.ndarray) -> str:
        ratio = statistics.ratio(once[blocks], held[blocks], sessions=summary.sessions[blocks])
        return f"{with_interval(ratio)} times as long on {name}"

    return (
        "In autocommit SQLite asks the kernel for a lock and gives it back at each look-up; in a read transaction that "
        f"is held it does not. A warm look-up in autocommit takes {_each(summary, one)}: what differs is what these "
        "system calls cost."
    )


def _each(summary: Summary, one: Callable[[str, np.ndarray], str]) -> str:
    return " and ".join(one(name, blocks) for name, blocks in kinds(summary).items())
