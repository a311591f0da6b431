"""The moments at which an open loop sends its requests, from a rate and a duration."""

from __future__ import annotations

import math

import numpy as np

from benchbook.errors import BenchbookError

MOST = 100_000_000
"""More requests than a client's memory holds the times of."""


def constant(rate_per_s: float, duration_s: float) -> np.ndarray:
    """Scheduled times in ns, evenly spaced: the first at 0, all before the end; int64, sorted, shape (requests,).

    Raises BenchbookError unless rate and duration are finite and > 0 and make 1 to 100 million requests.
    """
    expected = _expected(rate_per_s, duration_s)
    # 0.1 * 30 is 3.0000000000000004 in floating point, and still three requests
    places = np.arange(math.ceil(expected * (1 - 1e-12)), dtype=np.float64)
    return np.rint(places * (1e9 / rate_per_s)).astype(np.int64)


def poisson(rate_per_s: float, duration_s: float, generator: np.random.Generator) -> np.ndarray:
    """Scheduled times in ns of independent users, from 0 to before the end; int64, sorted, shape (requests,).

    A Poisson process: their number is Poisson with mean rate times duration, so it differs from draw to draw and may
    be 0 where few are expected; given the number, the times are uniform. Several requests may share a nanosecond.
    Raises BenchbookError as ``constant`` does. Source: Kingman 1993, sec. 2.4.
    """
    expected = _expected(rate_per_s, duration_s)
    count = int(generator.poisson(expected))
    return np.sort(generator.integers(0, max(1, round(duration_s * 1e9)), count, dtype=np.int64))


def _expected(rate_per_s: float, duration_s: float) -> float:
    for name, value in (("rate_per_s", rate_per_s), ("duration_s", duration_s)):
        if not (math.isfinite(value) and value > 0):
            raise BenchbookError(f"{name}={value:g} is not a finite number above 0", "give a number above 0")
    expected = rate_per_s * duration_s
    if not 1 - 1e-9 <= expected <= MOST:
        raise BenchbookError(
            f"{rate_per_s:g} requests per second for {duration_s:g} s make {expected:g} requests",
            f"choose rate and duration for 1 to {MOST:,} requests",
        )
    return expected
