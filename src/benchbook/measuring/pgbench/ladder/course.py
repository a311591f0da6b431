"""From the transactions of a trial to its metrics along its course, and to those of the subsample that is stored."""

from __future__ import annotations

import numpy as np

from benchbook.engines.pgbench import Transactions
from benchbook.measuring.pgbench.parameters import INTERVALS
from benchbook.statistics import cliff_second, note_quantile

SAMPLES = 500
"""Transactions of a trial that are stored: some seventy trials a block would else be too many to publish."""
SLOTS = 60
"""A trial is looked at as the note's 60 s were: in 60 slots and 12 intervals, whatever its real length."""


def reduce(latencies: np.ndarray) -> dict[str, float | None]:
    return {
        "sample_mean_ns": float(latencies.mean()),
        "sample_p50_ns": note_quantile(latencies, 0.5),
        "sample_max_ns": float(latencies.max()),
    }


def counted(done: Transactions, slots: int) -> np.ndarray:
    """TPS of each of so many equal parts of a trial, float64, shape (slots,)."""
    place = np.minimum((done.end_s * slots / done.duration_s).astype(np.int64), slots - 1)
    return np.asarray(np.bincount(place, minlength=slots) * slots / done.duration_s)


def along(done: Transactions) -> dict[str, float | None]:
    """What the claims ask of a trial's course; see ``of_course``."""
    onset = cliff_second(counted(done, SLOTS))
    return of_course(counted(done, INTERVALS)) | {
        "cliff": float(onset is not None),
        "cliff_slot": None if onset is None else float(onset),
    }


def of_course(tps: np.ndarray) -> dict[str, float | None]:
    """Metrics of the throughput of the twelfths of a trial, float64, shape (12,).

    A twelfth stands for 5 s of the notes' 60. start_tps: of the first two; rest_tps: of all but the first;
    sustained_tps: of the last four; third_quarter_tps, fourth_quarter_tps: of three each. cv, early_cv: standard
    deviation over mean, of all and of the first five. A ratio whose denominator is 0 is None.
    """
    parts = {"start": tps[:2], "rest": tps[1:], "sustained": tps[-4:], "third_quarter": tps[6:9]}
    parts |= {"fourth_quarter": tps[9:]}
    mean, peak = float(tps.mean()), float(tps.max())
    found = {"peak_tps": peak, "min_tps": float(tps.min())}
    return found | {f"{name}_tps": float(part.mean()) for name, part in parts.items()} | {
        "cv": _over(float(tps.std(ddof=1)), mean),
        "early_cv": _over(float(tps[:5].std(ddof=1)), float(tps[:5].mean())),
        "mean_over_peak": _over(mean, peak),
        "first_over_mean": _over(float(tps[0]), mean),
        **{f"interval_{number:02}_tps": float(value) for number, value in enumerate(tps, start=1)},
    }  # fmt: skip


def _over(above: float, below: float) -> float | None:
    return above / below if below else None
