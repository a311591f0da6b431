"""Redis: all rows in a private server's memory, one command for the values of a request's keys."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from benchbook.chapters.comparators.arms import Parameters
from benchbook.chapters.comparators.asked import Asked, in_memory, per_request, reads
from benchbook.engines import cores, redis
from benchbook.engines.redis.client import PING, PONG, Client, multi_get
from benchbook.errors import BenchbookError
from benchbook.measuring.features.dataset import first_feature, key_bytes
from benchbook.measuring.features.keys import Requests, requests
from benchbook.model import Configuration

S = TypeVar("S")
T = TypeVar("T")

KEY_BYTES = 68
"""Three digits for the table, a colon, and the 64 characters of the key."""
COMMANDS_AT_ONCE = 10_000


@cache
def _keys(rows: int) -> np.ndarray:
    """The keys of all rows, dtype S64; the same for every trial."""
    return key_bytes(np.arange(rows))


def key_texts(rows: int, ids: np.ndarray) -> list[str]:
    """The keys of some of so many rows, as texts. ids: int64, shape (n,)."""
    return [key.decode() for key in _keys(rows)[ids].tolist()]


def value(row: np.ndarray, table: int, features: int) -> np.ndarray:
    """The features of rows in a table, float64, shape (rows, features): each differs, and each follows from both."""
    return np.asarray(first_feature(0, table) + row[:, None] + np.arange(features) * 1e7)


def loading(parameters: Parameters) -> Iterator[tuple[bytes, int]]:
    """The commands that store all rows, many at once, and how many these are."""
    p = parameters
    head, between = b"*3\r\n$3\r\nSET\r\n$%d\r\n" % KEY_BYTES, b"\r\n$%d\r\n" % p.value_bytes
    keyed = [("head", f"S{len(head)}"), ("table", "S4"), ("key", "S64"), ("between", f"S{len(between)}")]
    spelled = np.dtype([*keyed, ("value", "<f8", (p.n_features,)), ("end", "S2")])
    for table in range(p.n_tables):
        for start in range(0, p.rows_per_table, COMMANDS_AT_ONCE):
            rows = np.arange(start, min(start + COMMANDS_AT_ONCE, p.rows_per_table))
            commands = np.zeros(len(rows), dtype=spelled)
            commands["head"], commands["between"], commands["end"] = head, between, b"\r\n"
            commands["table"], commands["key"] = b"%03d:" % table, _keys(p.rows_per_table)[rows]
            commands["value"] = value(rows, table, p.n_features)
            yield commands.tobytes(), len(rows)


@dataclass(frozen=True)
class Redis:
    """A private server for each trial. folder: on a disk; only its socket lies there."""

    folder: Path | None = None

    def identity(self) -> dict[str, Any]:
        """Its name, its version and the package that it is from."""
        found = redis.identity()
        return {"store": found["engine"], "version": found["engine_version"], "packages": found["packages"]}

    def ask(self, parameters: Parameters, arm: Configuration, seed: int) -> Asked:
        """Fill it, warm it, measure; every value is compared with what was written."""
        split = cores.split() if parameters.pin_cores else None
        with ExitStack() as stack:
            with cores.on(None if split is None else split.server):
                server = stack.enter_context(redis.private_server(self.folder))
            stack.enter_context(cores.on(None if split is None else split.client))
            client = stack.enter_context(server.connect())
            if arm.settings["draw"] == "empty":
                latencies, _ = timed(
                    lambda spelled: client.ask(spelled, len(PONG)), [PING] * parameters.measured_requests
                )
                return Asked(latencies, {"requests": float(len(latencies))}, {"cache_state": "no data"})
            _fill(parameters, client)
            read = stack.enter_context(reads(server.pid))
            return _measured(parameters, requests(parameters, arm, seed), client, read)


def _fill(p: Parameters, client: Client) -> None:
    for spelled, commands in loading(p):
        client.send_all(spelled, commands)
    if client.size() != p.store_rows:
        raise BenchbookError(f"Redis holds {client.size():,} of {p.store_rows:,} rows", "give the machine more memory")


def _measured(p: Parameters, wanted: Requests, client: Client, read: Callable[[], float | None]) -> Asked:
    def ask(spelled: bytes) -> list[bytes]:
        return client.values(spelled, p.n_tables, p.value_bytes)

    timed(ask, _spelled(p, wanted.warm))
    before, read_before = client.info("stats"), read()
    latencies, answers = timed(ask, _spelled(p, wanted.measured))
    after, read_after = client.info("stats"), read()
    _check(p, wanted.measured, answers)
    hits, misses = (int(after[name]) - int(before[name]) for name in ("keyspace_hits", "keyspace_misses"))
    lookups = p.n_tables * len(wanted.measured)
    if (hits, misses) != (lookups, 0):
        raise BenchbookError(
            f"Redis counted {hits:,} look-ups that found a key and {misses:,} that did not, of {lookups:,} asked",
            "measure again",
        )
    device_bytes = None if read_before is None or read_after is None else read_after - read_before
    metrics: dict[str, float | None] = {
        "requests": float(len(latencies)),
        "checked_values": float(lookups),
        "device_kib_per_request": per_request(device_bytes, len(latencies)),
    }
    return Asked(latencies, metrics, {"cache_state": str(in_memory(device_bytes, lookups))})


def _spelled(p: Parameters, ids: np.ndarray) -> list[bytes]:
    """The command of each request, made before anything is timed."""
    keys = _keys(p.rows_per_table)[ids].tolist()
    tables = [b"%03d:" % table for table in range(p.n_tables)]
    return [multi_get([table + key for table in tables]) for key in keys]


def timed(ask: Callable[[S], T], spelled: Sequence[S]) -> tuple[np.ndarray, list[T]]:
    """ns of each request, int64, shape (requests,), and what was answered."""
    latencies, answers, clock = np.empty(len(spelled), dtype=np.int64), [], time.perf_counter_ns
    gc.collect()
    gc.disable()  # a collection's pause is the client's, not the store's
    try:
        for i, each in enumerate(spelled):
            start = clock()
            answers.append(ask(each))
            latencies[i] = clock() - start
    finally:
        gc.enable()
    return latencies, answers


def _check(p: Parameters, ids: np.ndarray, answers: Sequence[Sequence[bytes]]) -> None:
    """Raise BenchbookError where a value is not the one that was written."""
    for table in range(p.n_tables):
        found = np.frombuffer(b"".join(values[table] for values in answers), dtype="<f8").reshape(len(ids), -1)
        wrong = (found != value(ids, table, p.n_features)).any(axis=1)
        if wrong.any():
            raise BenchbookError(
                f"Redis answered a wrong value for row {ids[wrong.argmax()]} of table {table}", "measure again"
            )
