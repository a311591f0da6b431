"""How far apart two equal labels of one block are, and how often as far as the note's two."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchbook import statistics
from benchbook.experiments.label_order import notes
from benchbook.experiments.label_order.summary import Summary
from benchbook.figures import with_interval
from benchbook.model import Estimate

NAMES = {"burst_mean_ns": "burst mean", "burst_p95_ns": "burst P95"}


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


def ratios(values: np.ndarray) -> np.ndarray:
    """Larger over smaller of every two labels of a block, shape (blocks, pairs), >= 1.

    values: shape (blocks, labels), > 0.
    """
    logs = np.log(values)
    one, other = np.triu_indices(values.shape[1], 1)
    apart: np.ndarray = np.exp(np.abs(logs[:, one] - logs[:, other]))
    return apart


def chance(summary: Summary, metric: str) -> Chance:
    """How often two equal labels are as far apart as the note's. Raises NotEstimableError without the metric."""
    found, note = ratios(summary.by_label(metric)), notes.apart(metric)
    far = found >= note
    in_blocks = int(far.any(axis=1).sum())
    return Chance(
        note,
        float(found.max()),
        int(far.sum()),
        int(far.size),
        statistics.share_of_trials(in_blocks, len(far)),
        in_blocks,
    )


def chances(summary: Summary) -> pd.DataFrame:
    """Mean and P95: the note's ratio, the largest here, how often that far apart, and the permutation tests."""
    rows = []
    for metric, name in NAMES.items():
        if not summary.has(metric):
            rows.append({"latency": name, "the note's two labels": f"{notes.apart(metric):.2f}"})
            continue
        found = chance(summary, metric)
        rows.append(
            {
                "latency": name,
                "the note's two labels": f"{found.note:.2f}",
                "largest ratio of two equal labels": f"{found.largest:.3g}",
                "pairs that far apart": f"{found.far} of {found.pairs}",
                "blocks with such a pair (%)": with_interval(found.blocks, 100),
                "labels differ (p)": f"{summary.labels_apart(metric).p_value:.2g}",
                "first differs (p)": f"{summary.first_apart(metric).p_value:.2g}",
            }
        )
    return pd.DataFrame(rows).set_index("latency").fillna("not estimable")
