"""The server's own counters and the content of its buffer pool, as differences and arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psycopg

from benchbook import files
from benchbook.engines.postgres import device
from benchbook.engines.postgres.binaries import Binaries

Connection = psycopg.Connection[tuple[Any, ...]]
BLOCK_BYTES = 8192
_IO_READS = "SELECT sum(reads)::bigint FROM pg_stat_io WHERE backend_type = 'client backend' AND object = 'relation'"


@dataclass(frozen=True)
class Counters:
    """Block counters, in blocks of 8 KiB, and bytes that one server process read from the device.

    heap_* and index_*: pg_statio_user_tables, all tables of one schema. index_scans: look-ups by index, from
    pg_stat_user_tables. io_reads: pg_stat_io of client backends
    (None before PostgreSQL 16). device_bytes: /proc/PID/io of the measured backend (None where unreadable).
    """

    heap_hit: int
    heap_read: int
    index_hit: int
    index_read: int
    index_scans: int
    io_reads: int | None
    device_bytes: int | None

    @property
    def reads(self) -> int:
        """Blocks of heaps and indexes that were not in shared buffers."""
        return self.heap_read + self.index_read

    @property
    def hits(self) -> int:
        """Blocks of heaps and indexes that were in shared buffers."""
        return self.heap_hit + self.index_hit

    def __sub__(self, earlier: Counters) -> Counters:
        return Counters(*(_minus(getattr(self, name), before) for name, before in asdict(earlier).items()))


def _minus(later: int | None, earlier: int | None) -> Any:
    return None if later is None or earlier is None else later - earlier


def one_row(connection: Connection, query: str, *given: Any) -> tuple[Any, ...]:
    row = connection.execute(query.encode(), given or None).fetchone()
    assert row is not None
    return row


def flush(connection: Connection, binaries: Binaries) -> None:
    """Make the connection's pending statistics visible to others, which it would otherwise do up to 1 s later."""
    if binaries.major >= 15:
        connection.execute("SELECT pg_stat_force_next_flush()")
        connection.execute("SELECT 1")
    else:
        connection.execute("SELECT pg_sleep(1.1)")
        connection.execute("SELECT 1")
        connection.execute("SELECT pg_sleep(0.6)")


def read(observer: Connection, measured: Connection, binaries: Binaries, schema: str) -> Counters:
    """The counters now. ``measured`` is flushed first; ``observer`` is another connection, which does the asking."""
    flush(measured, binaries)
    if binaries.has_stat_io:
        flush(observer, binaries)  # io_reads counts both: what the observer read earlier must not appear later
    observer.execute("SELECT pg_stat_clear_snapshot()")
    heap_hit, heap_read, index_hit, index_read, index_scans = one_row(
        observer,
        """SELECT coalesce(sum(heap_blks_hit), 0)::bigint, coalesce(sum(heap_blks_read), 0)::bigint,
                  coalesce(sum(idx_blks_hit), 0)::bigint, coalesce(sum(idx_blks_read), 0)::bigint,
                  (SELECT coalesce(sum(idx_scan), 0)::bigint FROM pg_stat_user_tables WHERE schemaname = %s)
           FROM pg_statio_user_tables WHERE schemaname = %s""",
        schema,
        schema,
    )
    io_reads = one_row(observer, _IO_READS)[0] if binaries.has_stat_io else None
    with device.reads_of(measured.info.backend_pid) as read_bytes:
        device_bytes = None if read_bytes is None else read_bytes()
        return Counters(heap_hit, heap_read, index_hit, index_read, index_scans, io_reads, device_bytes)


def buffered_blocks(observer: Connection, relations: Mapping[str, int]) -> np.ndarray:
    """Blocks of ``relations`` (name -> number) in shared buffers, as codes of :func:`block_codes`; int64, sorted."""
    numbers = ",".join(f"('{name}'::regclass, {number})" for name, number in relations.items())
    query = f"""COPY (
        SELECT (r.number::bigint << 32) | b.relblocknumber
        FROM (VALUES {numbers}) AS r(relation, number)
        JOIN pg_buffercache b ON b.relfilenode = pg_relation_filenode(r.relation)
         AND b.reldatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
         AND b.relforknumber = 0) TO STDOUT (FORMAT binary)"""
    with observer.cursor().copy(query.encode()) as copy:
        raw = b"".join(bytes(part) for part in copy)
    # binary COPY: 19 bytes of header, then 2 + 4 + 8 bytes per row of one bigint, then a trailer of 2
    rows = np.frombuffer(raw[19:-2], dtype=np.dtype([("fields", ">i2"), ("length", ">i4"), ("code", ">i8")]))
    return np.sort(rows["code"].astype(np.int64))


def block_codes(relation: int, blocks: np.ndarray) -> np.ndarray:
    """One int64 per block of relation number ``relation``: the number in the high half, the block in the low."""
    return (np.int64(relation) << np.int64(32)) | blocks.astype(np.int64)


def segments(first: Path) -> Iterator[Path]:
    """The data files of a relation, of 1 GiB each, from its first on."""
    number, path = 0, first
    while path.exists():
        yield path
        number += 1
        path = first.with_name(f"{first.name}.{number}")


def read_once(paths: Iterable[tuple[int, Path]]) -> None:
    """Read all data files from front to back, so that the page cache holds what it may of them.

    It is counted where this thread belongs.
    """
    for _, first in paths:
        for path in segments(first):
            files.read_through(path)


def os_cached_blocks(paths: Sequence[tuple[int, Path]]) -> np.ndarray:
    """Blocks wholly in the OS page cache, as codes; paths: (relation number, its first data file)."""
    per_block = BLOCK_BYTES // files.PAGE_BYTES
    found = []
    for relation, first in paths:
        for segment, path in enumerate(segments(first)):
            cached = files.cached_pages(path)
            whole = cached[: len(cached) // per_block * per_block].reshape(-1, per_block).all(axis=1)
            found.append(block_codes(relation, np.flatnonzero(whole) + segment * 131072))
    return np.sort(np.concatenate(found)) if found else np.zeros(0, dtype=np.int64)
