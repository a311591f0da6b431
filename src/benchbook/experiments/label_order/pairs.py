"""How far apart two equal labels of one block are, and how often as far as the note's two."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchbook import statistics
from benchbook.experiments.families.badger.notes import FAST, SLOW, burst_ms
from benchbook.experiments.label_order.summary import Summary
from benchbook.model import Estimate

METRICS = {"burst_mean_ns": "avg", "burst_p95_ns": "p95"}
"""What both the note and the probe tell of a burst, and what the note calls it."""


@dataclass(frozen=True)
class Chance:
    """Two labels that are the same, held against two labels of the note.

    note: the note's ratio. largest: the largest ratio of two labels of one block. far: pairs at least as far apart as
    the note's, of so many pairs; pairs of one block share trials and are no replicates, so their share has no interval.
    blocks: share of the blocks that hold such a pair; in_blocks: their number.
    """

    note: float
    largest: float
    far: int
    pairs: int
    blocks: Estimate
    in_blocks: int


def chance(summary: Summary, metric: str) -> Chance:
    """How often two equal labels are as far apart as the note's. Raises NotEstimableError without the metric."""
    found, note = ratios(summary.by_label(metric)), apart(metric)
    far = found >= note
    in_blocks = int(far.any(axis=1).sum())
    blocks = statistics.share_of_trials(in_blocks, len(far))
    return Chance(note, float(found.max()), int(far.sum()), int(far.size), blocks, in_blocks)


def ratios(values: np.ndarray) -> np.ndarray:
    """Larger over smaller of every two labels of a block, shape (blocks, pairs), >= 1.

    values: shape (blocks, labels), > 0.
    """
    logs = np.log(values)
    one, other = np.triu_indices(values.shape[1], 1)
    found: np.ndarray = np.exp(np.abs(logs[:, one] - logs[:, other]))
    return found


def note_ms(label: str, metric: str) -> float:
    """What the note prints of a burst under a label; metric: one of METRICS."""
    return burst_ms(label, METRICS[metric])


def apart(metric: str) -> float:
    """The note's slow label over its fast one, 9.35 / 3.61 for ``burst_mean_ns``."""
    return note_ms(SLOW, metric) / note_ms(FAST, metric)
