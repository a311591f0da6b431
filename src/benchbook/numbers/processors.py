"""The same comparison on each kind of processor that a pooled run was measured on."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchbook import statistics
from benchbook.figures import with_interval
from benchbook.model import Effect
from benchbook.numbers.host_kinds import processor, processor_name
from benchbook.numbers.summary import NotEstimableError, Summary

LEAST_BLOCKS = 2
"""On a kind of processor, without which its ratio has no interval."""


def every(summary: Summary) -> dict[str, np.ndarray]:
    """Kind of processor to which blocks were measured on it, bool of shape (blocks,); those with enough of them.

    By its name, or all that is known of it where two kinds have one name.
    """
    parts = summary.run.parts
    of_block = np.repeat([processor(part.provenance) for part in parts], [part.blocks for part in parts])
    names = {processor(part.provenance): processor_name(part.provenance) for part in parts}
    shared = len({*names.values()}) < len(names)
    blocks = {kind if shared else name: of_block == kind for kind, name in names.items()}
    return {name: own for name, own in blocks.items() if own.sum() >= LEAST_BLOCKS}


def kinds(summary: Summary) -> dict[str, np.ndarray]:
    """The same; raises NotEstimableError where there is one kind alone."""
    found = every(summary)
    if len(found) < 2:
        raise NotEstimableError("all blocks were measured on one kind of processor", "add blocks on another machine")
    return found


def ratio_on(summary: Summary, name: str, top: np.ndarray, bottom: np.ndarray) -> Effect:
    """The ratio of two quantities, shape (blocks,), on the kind of processor of this name."""
    own = every(summary)[name]
    return summary.estimated(statistics.ratio, top[own], bottom[own], of=own)


def on_each(summary: Summary, top: np.ndarray, bottom: np.ndarray) -> list[dict[str, Any]]:
    """The ratio of two quantities, shape (blocks,), on each kind of processor: name, blocks and ratio in words.

    Raises as ``kinds`` does.
    """
    return [
        {"name": name, "blocks": own.sum(), "ratio": with_interval(ratio_on(summary, name, top, bottom))}
        for name, own in kinds(summary).items()
    ]
