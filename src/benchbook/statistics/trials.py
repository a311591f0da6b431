"""One number per metric from the latencies of one trial, or None if it cannot be estimated."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchbook.errors import BenchbookError

TAIL_OPERATIONS = 100
"""Operations that must lie beyond a quantile before it is a number (protocol, item 2)."""

_QUANTILES = {"p50_ns": 0.5, "p95_ns": 0.95, "p99_ns": 0.99, "p999_ns": 0.999}


def estimable(operations: int, p: float) -> bool:
    """Whether quantile p of a trial has at least 100 operations beyond it, on its thinner side."""
    if not 0 < p < 1:
        raise BenchbookError(f"quantile {p:g} is not between 0 and 1", "give a share such as 0.99")
    # 1000 * (1 - 0.9) is 99.99999999999997 in floating point
    return operations * min(p, 1 - p) >= TAIL_OPERATIONS * (1 - 1e-9)


def quantile(latency_ns: ArrayLike, p: float) -> float | None:
    """Quantile p of one trial's latencies in ns, by linear interpolation; None when it is not estimable.

    latency_ns: shape (operations,), not negative. Estimable: n (1 - p) >= 100, for p < 0.5 also n p >= 100.
    """
    latencies = _latencies(latency_ns)
    return float(np.quantile(latencies, p)) if estimable(latencies.size, p) else None


def note_quantile(latency_ns: ArrayLike, p: float) -> float:
    """The same quantile however few operations there are, as the notes computed theirs.

    Only to be shown beside the note's own number and named as such: with 1,000 requests ten lie beyond P99.
    """
    estimable(1, p)
    return float(np.quantile(_latencies(latency_ns), p))


def describe(latency_ns: ArrayLike) -> dict[str, float | None]:
    """All metrics of one trial's latencies in ns.

    latency_ns: shape (operations,), not negative, at least one. Keys: min_ns, mean_ns, p50_ns, p95_ns, p99_ns,
    p999_ns, max_ns, sd_ns (n - 1 in the denominator). A quantile that is not estimable, and the sd of a single
    operation, is None. Ten million operations take about a second: the quantiles share one partition.
    """
    latencies = _latencies(latency_ns)
    n = latencies.size
    wanted = {name: p for name, p in _QUANTILES.items() if estimable(n, p)}
    found = np.quantile(latencies, np.array(list(wanted.values()))) if wanted else np.empty(0)
    quantiles: dict[str, float | None] = dict.fromkeys(_QUANTILES)
    quantiles.update(zip(wanted, (float(value) for value in found), strict=True))
    return {
        "min_ns": float(latencies.min()),
        "mean_ns": float(latencies.mean()),
        **quantiles,
        "max_ns": float(latencies.max()),
        "sd_ns": float(latencies.std(ddof=1)) if n > 1 else None,
    }


def _latencies(latency_ns: ArrayLike) -> NDArray[np.int64] | NDArray[np.float64]:
    latencies = np.asarray(latency_ns)
    if latencies.ndim != 1 or latencies.size == 0 or latencies.dtype.kind not in "iuf":
        raise BenchbookError(
            f"a trial's latencies have the shape {latencies.shape} and the type {latencies.dtype}",
            "give one number of nanoseconds per operation, at least one",
        )
    if latencies.dtype.kind == "f" and not np.isfinite(latencies).all():
        raise BenchbookError("a trial's latencies hold NaN or infinity", "refuse the trial: its timer is broken")
    if latencies.min() < 0:
        raise BenchbookError("a trial's latencies hold a negative number", "refuse the trial: its timer is broken")
    return latencies
