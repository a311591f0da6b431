"""A store that is a server of its own: Redis, private."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import cache
from typing import Any

import numpy as np

from benchbook.engines import cores, redis
from benchbook.engines.redis.client import PING, PONG, Client, multi_get
from benchbook.errors import BenchbookError
from benchbook.measuring.features.dataset import first_feature, key_bytes
from benchbook.measuring.features.keys import requests
from benchbook.measuring.features.stores import Asked, StoreParameters, asked, in_memory, reads
from benchbook.measuring.samples import timed
from benchbook.model import Configuration

KEY_BYTES = 68
"""Three digits for the table, a colon, and the 64 characters of the key."""
COMMANDS_AT_ONCE = 10_000


@cache
def keys(rows: int) -> np.ndarray:
    """The keys of all rows, dtype S64; the same for every trial."""
    return key_bytes(np.arange(rows))


def value(row: np.ndarray, table: int, features: int) -> np.ndarray:
    """The features of rows in a table, float64, shape (rows, features): each differs, and each follows from both."""
    return np.asarray(first_feature(0, table) + row[:, None] + np.arange(features) * 1e7)


def requested(p: StoreParameters, ids: np.ndarray) -> Iterator[list[bytes]]:
    """The keys of each request, one for each table. ids: int64, shape (requests,)."""
    for key in keys(p.rows_per_table)[ids].tolist():
        yield [b"%03d:" % table + key for table in range(p.n_tables)]


def check(p: StoreParameters, ids: np.ndarray, answers: Sequence[Sequence[bytes | None]], store: str) -> None:
    """Raise BenchbookError where a value is missing or is not the one that was written.

    ids: int64, shape (requests,). answers: of each request a value for each table.
    """
    for table in range(p.n_tables):
        expected = value(ids, table, p.n_features)
        for row, wanted, values in zip(ids.tolist(), expected, answers, strict=True):
            if values[table] != wanted.tobytes():
                raise BenchbookError(
                    f"{store} answered no value or a wrong value for row {row} of table {table}", "measure again"
                )


def loading(p: StoreParameters) -> Iterator[tuple[bytes, int]]:
    """The commands that store all rows in Redis, many at once, and how many these are."""
    head, between = b"*3\r\n$3\r\nSET\r\n$%d\r\n" % KEY_BYTES, b"\r\n$%d\r\n" % p.value_bytes
    keyed = [("head", f"S{len(head)}"), ("table", "S4"), ("key", "S64"), ("between", f"S{len(between)}")]
    spelled = np.dtype([*keyed, ("value", "<f8", (p.n_features,)), ("end", "S2")])
    for table in range(p.n_tables):
        for start in range(0, p.rows_per_table, COMMANDS_AT_ONCE):
            rows = np.arange(start, min(start + COMMANDS_AT_ONCE, p.rows_per_table))
            commands = np.zeros(len(rows), dtype=spelled)
            commands["head"], commands["between"], commands["end"] = head, between, b"\r\n"
            commands["table"], commands["key"] = b"%03d:" % table, keys(p.rows_per_table)[rows]
            commands["value"] = value(rows, table, p.n_features)
            yield commands.tobytes(), len(rows)


class Redis:
    """All rows in the memory of a private server for each trial, one command for the values of a request's keys."""

    def identity(self) -> dict[str, Any]:
        found = redis.identity()
        return {"store": found["engine"], "version": found["engine_version"], "packages": found["packages"]}

    def ask(self, parameters: StoreParameters, arm: Configuration, seed: int) -> Asked:
        p, split = parameters, cores.split() if parameters.pin_cores else None
        with ExitStack() as stack:
            with cores.on(None if split is None else split.server):
                server = stack.enter_context(redis.private_server(None))
            stack.enter_context(cores.on(None if split is None else split.client))
            client = stack.enter_context(server.connect())
            if arm.settings["draw"] == "empty":
                latencies, *_ = timed(lambda spelled: client.ask(spelled, len(PONG)), [PING] * p.measured_requests)
                return Asked(latencies, {"requests": float(len(latencies))}, "no data")
            for spelled, commands in loading(p):
                client.send_all(spelled, commands)
            if (held := client.size()) != p.store_rows:
                why = f"Redis holds {held:,} of {p.store_rows:,} rows"
                raise BenchbookError(why, "give the machine more memory")
            read = stack.enter_context(reads(server.pid))
            return self._measured(p, arm, seed, client, read)

    def _measured(
        self, p: StoreParameters, arm: Configuration, seed: int, client: Client, read: Callable[[], float | None]
    ) -> Asked:
        wanted = requests(p, arm, seed)
        warm, measured = ([*map(multi_get, requested(p, ids))] for ids in (wanted.warm, wanted.measured))

        def ask(spelled: bytes) -> list[bytes]:
            return client.values(spelled, p.n_tables, p.value_bytes)

        timed(ask, warm)
        before, read_before = client.info("stats"), read()
        latencies, answers, _ = timed(ask, measured)
        after, read_after = client.info("stats"), read()
        check(p, wanted.measured, answers, "Redis")
        hits, misses = (int(after[name]) - int(before[name]) for name in ("keyspace_hits", "keyspace_misses"))
        lookups = p.n_tables * len(wanted.measured)
        if (hits, misses) != (lookups, 0):
            raise BenchbookError(
                f"Redis counted {hits:,} look-ups that found a key and {misses:,} that did not, of {lookups:,} asked",
                "measure again",
            )
        device_bytes = None if read_before is None or read_after is None else read_after - read_before
        return asked(latencies, lookups, str(in_memory(device_bytes, lookups)), device_bytes)
