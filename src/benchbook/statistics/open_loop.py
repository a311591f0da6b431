"""When requests were due, sent and answered goes in; response times that a stall cannot hide come out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchbook.errors import BenchbookError

LATE_NS = 1_000_000
"""A request sent more than 1 ms after it was due is late, unless another limit is given."""

Times = NDArray[np.int64]


@dataclass(frozen=True)
class OpenLoop:
    """One trial of an open loop, one number per request that was sent, in ns, int64, shape (requests,).

    response_ns: from the scheduled start, which is what a user waits. service_ns: from the real start. lag_ns: by how
    much the request was sent too late; response = lag + service. late: requests whose lag exceeds late_limit_ns.
    skipped: requests that were due and never sent: no time above tells of them, so they are counted beside.
    """

    response_ns: Times
    service_ns: Times
    lag_ns: Times
    late: int
    skipped: int
    late_limit_ns: int


def open_loop(
    scheduled_ns: ArrayLike,
    started_ns: ArrayLike,
    ended_ns: ArrayLike,
    *,
    skipped: int = 0,
    late_limit_ns: int | None = None,
) -> OpenLoop:
    """Charge every request with the time since it was due, so that one stall counts for all that waited behind it.

    scheduled_ns, started_ns, ended_ns: times of one clock in whole ns, shape (requests,), one entry per request that
    was sent, in the same order. skipped: how many were due and not sent. late_limit_ns: 1 ms unless given.
    Raises BenchbookError for unequal lengths, no request, times that are missing or not whole, a request that ended
    before it started or started before it was due, and negative counts or limits.
    Source: Tene, "How NOT to Measure Latency" (coordinated omission).
    """
    scheduled = _times(scheduled_ns, "scheduled")
    started = _times(started_ns, "started")
    ended = _times(ended_ns, "ended")
    if not scheduled.size == started.size == ended.size:
        raise BenchbookError(
            f"{scheduled.size} scheduled, {started.size} started and {ended.size} ended times are no requests",
            "give one of each per request that was sent, and count the others as skipped",
        )
    limit = LATE_NS if late_limit_ns is None else late_limit_ns
    for name, value in (("skipped", skipped), ("late_limit_ns", limit)):
        if value < 0:
            raise BenchbookError(f"{name}={value} is negative", "give 0 or more")
    service, lag = ended - started, started - scheduled
    _check_order(service, "ended before it started")
    _check_order(lag, "started before it was due")
    return OpenLoop(ended - scheduled, service, lag, int(np.count_nonzero(lag > limit)), skipped, limit)


def _check_order(durations: Times, what: str) -> None:
    wrong = int(np.count_nonzero(durations < 0))
    if wrong:
        raise BenchbookError(
            f"{wrong} of {durations.size} requests {what}", "refuse the trial: its times are not of one clock"
        )


def _times(values: ArrayLike, name: str) -> Times:
    array = np.asarray(values)
    if array.ndim != 1 or array.size == 0 or array.dtype.kind not in "iuf":
        raise BenchbookError(
            f"the {name} times have the shape {array.shape} and the type {array.dtype}",
            "give one number of nanoseconds per request that was sent, at least one",
        )
    if array.dtype.kind == "f" and not (np.isfinite(array).all() and (array == np.rint(array)).all()):
        raise BenchbookError(f"the {name} times hold NaN, infinity or parts of a nanosecond", "give whole nanoseconds")
    return array.astype(np.int64)
