"""The hit ratio of a cache by its size, for a trace and a policy: LRU by libCacheSim, engines' policies by our own.

libCacheSim (https://github.com/1a1a11a/libCacheSim, GPL 3.0) has LRU, but neither PostgreSQL's clock sweep with its
counts up to five nor ristretto's sampled TinyLFU: these are ``policies``. Those run on a sample of the keys in a cache
that is smaller by as much (Waldspurger et al. 2015 and 2017: SHARDS, and miniature simulation).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchbook.caches import policies
from benchbook.caches.trace import Trace
from benchbook.errors import BenchbookError
from benchbook.statistics import laws

LRU, SHARDED, CLOCK, TINYLFU = "lru", "sharded-lru", "clock-sweep", "tinylfu"
POLICIES = (LRU, SHARDED, CLOCK, TINYLFU)
OURS = {CLOCK: policies.clock_sweep, TINYLFU: policies.tinylfu}
EXACT = 10_000_000
"""References of a trace up to which all keys are followed."""
MINIATURE = 400_000
"""References on which a policy of our own runs at most; the sample takes fewer keys until they are so few."""
PARTS = 4
"""Parts of a sample, whose differences give its error."""
_PARTED, _SHARDED = 1_001, 1_002
"""Ways to part the keys that have nothing to do with each other."""
_ROW = np.dtype([("time", "<u4"), ("id", "<u8"), ("size", "<u4"), ("next", "<i8")])
"""Of libCacheSim's oracleGeneral format."""


@dataclass(frozen=True)
class Point:
    """size: of the cache in keys or bytes. hits: share of the references. error: half a 95 % interval; 0 if exact."""

    size: float
    hits: float
    error: float


def curve(
    trace: Trace,
    sizes: Sequence[float],
    policy: str,
    *,
    shards: int = 16,
    warm_up: float = 0.0,
    told: Callable[[float], None] | None = None,
) -> list[Point]:
    """The hit ratio at each size. sizes: of the whole cache, in bytes where the trace has them, else in keys.

    shards: of ``sharded-lru``, each with its share of the size, which hashed keys choose. warm_up: share of the
    references that fill the cache first and are not counted. told: which share more is done.
    """
    if not 0 <= warm_up < 1:
        raise BenchbookError(f"a warm-up of {warm_up:g} leaves nothing to count", "give a share from 0 to 0.9")
    small = trace
    halved = 0
    while policy in OURS and small.keys.size > MINIATURE:
        halved += 1
        small = small.part(0, 2, by=halved)
    sampled = small.rate < 1
    pieces = [small.part(place, PARTS, by=_PARTED) for place in range(PARTS)] if sampled else [small]
    rows = []
    for piece in pieces:
        hits = np.array(_hits(piece, [max(1.0, size * piece.rate) for size in sizes], policy, shards, warm_up))
        # Misses are held against the references that such a share of the keys should have: which keys are asked for
        # most is chance, and these are hits wherever they are (SHARDS-adj).
        rows.append(np.clip(1 - (1 - hits) * piece.keys.size / (trace.total * piece.rate), 0, 1))
        if told:
            told(1 / len(pieces))
    means = np.mean(rows, axis=0)
    errors = np.zeros(len(sizes))
    if sampled:
        errors = laws.student_quantile(0.975, PARTS - 1) * np.std(rows, axis=0, ddof=1) / math.sqrt(PARTS)
    return [Point(size, float(mean), float(error)) for size, mean, error in zip(sizes, means, errors, strict=True)]


def _hits(trace: Trace, sizes: Sequence[float], policy: str, shards: int, warm_up: float) -> list[float]:
    if policy in OURS:
        if trace.sizes is not None:
            raise BenchbookError(f"{policy} counts places, and the trace has sizes", "leave out --size-column")
        _, keys = np.unique(trace.keys, return_inverse=True)
        skip = int(warm_up * keys.size)
        return [OURS[policy](keys.tolist(), max(1, round(size)), skip) for size in sizes]
    parts = [trace.part(place, shards, by=_SHARDED) for place in range(shards)] if policy == SHARDED else [trace]
    found = np.array([_lru(part, [size / len(parts) for size in sizes], warm_up) for part in parts])
    return list(np.average(found, axis=0, weights=[part.keys.size for part in parts]))


def _lru(trace: Trace, sizes: Sequence[float], warm_up: float) -> list[float]:
    """By libCacheSim, which reads a file."""
    import libcachesim

    rows = np.zeros(trace.keys.size, dtype=_ROW)
    rows["id"], rows["size"], rows["next"] = trace.keys, 1 if trace.sizes is None else trace.sizes, -2
    skip = int(warm_up * rows.size)
    power = max(10, min(23, int(math.log2(rows.size + 1))))
    with TemporaryDirectory(prefix="benchbook-trace-") as folder:
        file = Path(folder, "trace.oracleGeneral")
        rows.tofile(file)
        reader = libcachesim.TraceReader(str(file), libcachesim.TraceType.ORACLE_GENERAL_TRACE)
        found = []
        for size in sizes:
            cache = libcachesim.LRU(cache_size=max(1, round(size)), hashpower=power)
            if skip:
                reader.reset()
                cache.process_trace(reader, 0, skip)
            reader.reset()
            missed, _ = cache.process_trace(reader, skip, -1)
            found.append(1 - missed)
    return found


def needed(points: Sequence[Point], hits: float) -> float | None:
    """The size at which the hit ratio reaches ``hits``, between two points on a logarithmic scale; None beyond them."""
    for low, high in pairwise(points):
        if low.hits <= hits <= high.hits and high.hits > low.hits:
            part = (hits - low.hits) / (high.hits - low.hits)
            return float(low.size * (high.size / low.size) ** part)
    return float(points[0].size) if points and points[0].hits >= hits else None
