"""The same comparison on each kind of processor that a pooled run was measured on."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchbook import statistics
from benchbook.experiments import environment
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.experiments.shape.telling import tell
from benchbook.experiments.sqlite_fairness.answers import sizes_together
from benchbook.experiments.sqlite_fairness.arms import AFTER, ONCE, ONCE_WARM, WARM, at
from benchbook.experiments.sqlite_fairness.summary import TIME, Summary
from benchbook.figures import Prose, with_interval

LEAST_BLOCKS = 2
"""On a kind of processor, without which its ratio has no interval."""


def told(summary: Summary) -> Prose:
    """The comparison, and the price of locking, on each kind of processor."""
    each = (partial(said, summary) for said in (speedups, locking))
    return tell(*each, otherwise="All blocks of this run were measured on one kind of processor.")


def speedups(summary: Summary) -> str:
    """How much faster the engine is than SQLite prepared once, over all sizes, on each kind of processor."""
    sqlite, engine = (sizes_together(summary, use) for use in (ONCE, AFTER))
    each = _each(summary, sqlite, engine, "{ratio} times as fast on {name} ({blocks} blocks)")
    return f"It depends on the processor: over four sizes, the engine compared with SQLite prepared once is {each}."


def locking(summary: Summary) -> str:
    """What locking at each look-up costs, on each kind of processor."""
    once, held = (summary.values(arm, TIME) for arm in (ONCE_WARM, at(WARM, "read_held")))
    each = _each(summary, once, held, "{ratio} times as long on {name}")
    return (
        "In autocommit SQLite asks the kernel for a lock and gives it back at each look-up; in a read transaction that "
        f"is held it does not. A warm look-up in autocommit takes {each}: what differs is what these calls cost."
    )


def kinds(summary: Summary) -> dict[str, np.ndarray]:
    """Kind of processor to which blocks were measured on it, bool of shape (blocks,).

    By its name, or all that is known of it where two kinds have one name. Raises NotEstimableError where there is one
    kind alone.
    """
    parts = summary.run.parts
    of_block = np.repeat([environment.processor(part.provenance) for part in parts], [part.blocks for part in parts])
    names = {environment.processor(part.provenance): str(part.provenance.get("processor", "")) for part in parts}
    shared = len({*names.values()}) < len(names)
    blocks = {kind if shared else name: of_block == kind for kind, name in names.items()}
    found = {name: own for name, own in blocks.items() if own.sum() >= LEAST_BLOCKS}
    if len(found) < 2:
        raise NotEstimableError("all blocks were measured on one kind of processor", "add blocks on another machine")
    return found


def _each(summary: Summary, top: np.ndarray, bottom: np.ndarray, words: str) -> str:
    """The ratio of two times, in words, on each kind of processor. top, bottom: shape (blocks,)."""
    return " and ".join(
        words.format(
            ratio=with_interval(statistics.ratio(top[own], bottom[own], sessions=summary.sessions[own])),
            name=name,
            blocks=own.sum(),
        )
        for name, own in kinds(summary).items()
    )
