"""The measured part of a trial: requests in windows, counters between them, the caches certified at both ends."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from benchbook.engines.postgres import counters as pg
from benchbook.measuring.features.client import Client
from benchbook.measuring.features.keys import Requests
from benchbook.measuring.features.loaded import LoadedTables, Tables
from benchbook.statistics import cache_state, describe, note_quantile, warmed_share

NOTE_REQUESTS = 1_000
"""Requests that the note measured in all; its figures are repeated over exactly the first so many."""
FIRST_REQUESTS = 100


@dataclass(frozen=True)
class Residency:
    """Shares of the needed pages, and of all the relations' bytes, that each cache holds at one moment.

    blocks_in_pool: how many blocks of the relations the buffer pool holds.
    """

    needed_in_pool: float
    needed_in_os: float
    data_in_pool: float
    blocks_in_pool: int
    data_in_os: float


@dataclass(frozen=True)
class Measurement:
    """latencies: ns, int64, shape (requests,). reads: blocks that each request read from the device, as latencies, or
    None. metrics: what no latency shows. labels: the certified cache state."""

    latencies: np.ndarray
    reads: np.ndarray | None
    metrics: dict[str, float | None]
    labels: dict[str, str]


def measure(
    bench: LoadedTables,
    tables: Tables,
    observer: pg.Connection,
    measured: pg.Connection,
    asking: Client,
    asked: Requests,
    loaded: pg.Counters,
    *,
    empty: bool,
) -> Measurement:
    """Ask all measured keys. ``loaded``: the counters before anything was asked; ``empty``: no table is read."""
    ids, schema = asked.measured, tables.layout.schema
    nothing = np.zeros(0, dtype=np.int64)
    needed = nothing if empty else tables.pages.needed(ids)
    note = min(NOTE_REQUESTS, len(ids))
    edges = sorted({*range(0, len(ids), bench.parameters.window_requests), note, len(ids)})
    before = residency(tables, observer, needed)
    counts = {0: pg.read(observer, measured, bench.binaries, schema)}
    windows = []
    for start, end in pairwise(edges):
        windows.append(asking.run(ids[start:end]))
        counts[end] = pg.read(observer, measured, bench.binaries, schema)
    after = residency(tables, observer, needed)
    everything = np.concatenate([window.latencies for window in windows])
    counted = [window.reads for window in windows if window.reads is not None]
    reads = np.concatenate(counted) if counted else None
    metrics: dict[str, float | None] = {
        "requests": float(len(ids)),
        "loop_share_in_requests": float(everything.sum()) / sum(window.loop_ns for window in windows),
    }
    if reads is not None and not empty:
        metrics |= _reads(everything[:note], reads[:note])
    labels = {"cache_state": "no data"}
    if not empty:
        state = cache_state(before.needed_in_pool, before.needed_in_os, os_cache_in_play=not bench.direct_io)
        labels["cache_state"] = str(state)
        metrics |= _certificate(tables, asked, needed, before, after)
        metrics |= _counts(len(ids), counts, note, loaded)
        metrics |= _rereads(tables, asked, counts[note] - counts[0], note)
    return Measurement(everything, reads, metrics, labels)


def residency(tables: Tables, observer: pg.Connection, needed: np.ndarray) -> Residency:
    """What the buffer pool and the OS page cache hold now of ``needed`` (sorted block codes) and of all data."""
    pool = pg.buffered_blocks(observer, tables.layout.relations())
    cached = pg.os_cached_blocks(tables.paths)
    blocks = (tables.heap_bytes + tables.index_bytes) / pg.BLOCK_BYTES
    n = max(1, len(needed))
    return Residency(
        needed_in_pool=float(np.isin(needed, pool).sum()) / n,
        needed_in_os=float(np.isin(needed, cached).sum()) / n,
        data_in_pool=len(pool) / blocks,
        blocks_in_pool=len(pool),
        data_in_os=len(cached) / blocks,
    )


def _certificate(
    tables: Tables, asked: Requests, needed: np.ndarray, before: Residency, after: Residency
) -> dict[str, float | None]:
    warmed = tables.pages.needed(asked.warm)
    return {
        "warmed_keys_share": warmed_share(asked.warm.tolist(), asked.measured.tolist()),
        "needed_pages": float(len(needed)),
        "warmed_pages": float(len(warmed)),
        "shared_pages_share": float(np.isin(needed, warmed, assume_unique=True).mean()),
        "needed_in_pool_at_start": before.needed_in_pool,
        "needed_in_os_cache_at_start": before.needed_in_os,
        "data_in_pool_at_start": before.data_in_pool,
        "blocks_in_pool_at_start": float(before.blocks_in_pool),
        "data_in_os_cache_at_start": before.data_in_os,
        "needed_in_pool_at_end": after.needed_in_pool,
        "data_in_os_cache_at_end": after.data_in_os,
    }


def _reads(latencies: np.ndarray, reads: np.ndarray) -> dict[str, float | None]:
    """Of the first 1,000 requests: how many found everything in the pool, and what the fastest one read."""
    return {
        "note_requests": float(len(reads)),
        "note_cached_share": float((reads == 0).mean()),
        "note_min_reads": float(reads[latencies.argmin()]),
        "note_fewest_reads": float(reads.min()),
        "note_p50_reads": float(np.median(reads)),
    }


def _counts(requests: int, counts: dict[int, pg.Counters], note: int, loaded: pg.Counters) -> dict[str, float | None]:
    """Hit ratios as differences of counters, and as the note computed its own: since ever, at the end of 1,000."""
    edges = list(counts)
    whole, first = counts[edges[-1]] - counts[0], counts[note] - counts[0]
    since_load = counts[note] - loaded
    metrics: dict[str, float | None] = {
        "heap_hit_ratio": _ratio(whole.heap_hit, whole.heap_read),
        "hit_ratio": _ratio(whole.hits, whole.reads),
        "note_heap_hit_ratio": _ratio(first.heap_hit, first.heap_read),
        "note_hit_ratio": _ratio(first.hits, first.reads),
        "note_heap_blocks": float(first.heap_hit + first.heap_read),
        "cumulative_heap_hit_ratio": _ratio(counts[note].heap_hit, counts[note].heap_read),
        "cumulative_heap_hit_ratio_without_load": _ratio(since_load.heap_hit, since_load.heap_read),
        "blocks_per_request": (whole.hits + whole.reads) / requests,
        "pool_hits_per_request": whole.hits / requests,
        "pool_misses_per_request": whole.reads / requests,
        "device_blocks_per_request": _per_request(whole.device_bytes, pg.BLOCK_BYTES * requests),
        "io_reads_per_request": _per_request(whole.io_reads, requests),
        "index_scans": float(whole.index_scans),
    }
    for start, end in pairwise(edges):
        window = counts[end] - counts[start]
        metrics[f"hit_ratio_until_{end}"] = _ratio(window.hits, window.reads)
    return metrics


def _rereads(tables: Tables, asked: Requests, first: pg.Counters, note: int) -> dict[str, float | None]:
    """Share of the reads of the first 1,000 requests that fetch a page which this trial had read before.

    Every page that the warm-up touched was read once, since the server started empty. A measured page outside that
    set is read for the first time; whatever was read beyond those pages was read again.
    """
    needed = tables.pages.needed(asked.measured[:note])
    touched = tables.pages.needed(asked.warm)
    first_reads = len(np.setdiff1d(needed, touched, assume_unique=True))
    if not len(asked.warm):
        return {"note_reads": float(first.reads), "reread_share": None}
    share = max(0, first.reads - first_reads) / first.reads if first.reads else None
    return {"note_reads": float(first.reads), "reread_share": share}


def _ratio(hit: int, read: int) -> float | None:
    return hit / (hit + read) if hit + read else None


def _per_request(amount: int | None, divisor: float) -> float | None:
    return None if amount is None else amount / divisor


def reduce(latencies: np.ndarray) -> dict[str, float | None]:
    """One number per metric from a trial's latencies in ns, int64, shape (requests,), in their order.

    ``note_*``: over the first 1,000 requests as the note took them, quantiles included that by the protocol need
    more. ``first_100_mean_ns`` and ``rest_mean_ns``: the first 100 requests against the others.
    """
    note = latencies[:NOTE_REQUESTS]
    return describe(latencies) | {
        "note_min_ns": float(note.min()),
        "note_p50_ns": note_quantile(note, 0.5),
        "note_p95_ns": note_quantile(note, 0.95),
        "note_p99_ns": note_quantile(note, 0.99),
        "iqr_ns": note_quantile(latencies, 0.75) - note_quantile(latencies, 0.25),
        "first_100_mean_ns": float(latencies[:FIRST_REQUESTS].mean()),
        "rest_mean_ns": float(latencies[FIRST_REQUESTS:].mean()) if len(latencies) > FIRST_REQUESTS else None,
    }
