"""How far apart two equal labels of one block are, and how often as far as the note's two."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from benchbook import statistics
from benchbook.figures import with_interval
from benchbook.measuring.badger.notes import FAST, SLOW, burst_ms
from benchbook.model import Estimate
from benchbook.pages.tables import table

BURSTS = {"burst_mean_ns": "avg", "burst_p95_ns": "p95"}
"""What both the note and the probe tell of a burst, and what the note calls it."""
MEAN, P95 = BURSTS


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


def chance(summary: Any, metric: str) -> Chance:
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
    """What the note prints of a burst under a label; metric: one of BURSTS."""
    return burst_ms(label, BURSTS[metric])


def apart(metric: str) -> float:
    """The note's slow label over its fast one, 9.35 / 3.61 for ``burst_mean_ns``."""
    return note_ms(SLOW, metric) / note_ms(FAST, metric)


def chances(summary: Any) -> pd.DataFrame:
    """Mean and P95: the note's ratio, the largest here, how often that far apart, and the permutation tests."""
    columns: dict[str, Callable[[str], str]] = {
        "the note's two labels": lambda metric: f"{apart(metric):.2f}",
        "largest ratio of two equal labels": lambda metric: f"{chance(summary, metric).largest:.3g}",
        "pairs that far apart": lambda metric: "{0.far} of {0.pairs}".format(chance(summary, metric)),
        "blocks with such a pair (%)": lambda metric: with_interval(chance(summary, metric).blocks, 100),
        "labels differ (p)": lambda metric: f"{summary.labels_apart(metric).p_value:.2g}",
        "first differs (p)": lambda metric: f"{summary.first_apart(metric).p_value:.2g}",
    }
    return table([({"latency": summary.in_words(metric)}, metric) for metric in BURSTS], columns)


def permuted(summary: Any, metric: str) -> SimpleNamespace:
    """Whether labels, and what was run first, differ by more than a random order would set them apart."""
    return SimpleNamespace(labels=summary.labels_apart(metric), first=summary.first_apart(metric))
