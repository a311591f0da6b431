"""The same look-up by key through psycopg, pgbench and a C loop on libpq: what each client costs a request."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import psycopg

from benchbook.bench import pq_loop
from benchbook.bench.measured import Contestant, Measured, Pair, Say, Sizes, interleaved
from benchbook.bench.record import timing
from benchbook.engines import pgbench, postgres
from benchbook.engines.pgbench import Workload
from benchbook.engines.postgres import Cluster, sessions
from benchbook.engines.postgres.cluster import ROLE
from benchbook.errors import MachineError
from benchbook.model import Scalar

SEED = 1
KEYS = 100_000
"""Accounts of pgbench's scale 1; all of them lie in shared buffers."""
QUERY = "SELECT abalance FROM pgbench_accounts WHERE aid = %s"
_SETTINGS: dict[str, Scalar] = {"shared_buffers": "128MB"}

LABELS = {
    "psycopg": ("psycopg", "psycopg: execute and fetchone, prepared"),
    "psycopg_binary": ("psycopg, binary", "psycopg: the same with binary results"),
    "pgbench": ("pgbench", "pgbench: built-in select-only, prepared"),
    "libpq": ("C loop", "C loop on libpq: PQexecPrepared"),
}
"""Name to the words for a figure and for a table."""


def measure(sizes: Sizes, say: Say) -> Measured:
    """One connection over the Unix socket, one request at a time; raises NoEngineError without the C loop."""
    program = pq_loop.built()
    binaries = postgres.find()
    with postgres.private_cluster(binaries, bytes_needed=pgbench.data_bytes(1)) as cluster:
        cluster.start(_SETTINGS)
        try:
            pgbench.initialise(cluster, 1)
            with pgbench.connect(cluster) as connection:
                sessions.checked(connection)
                contestants = _contestants(cluster, connection, program, sizes)
                seconds = interleaved(contestants, sizes.repeats, seed=SEED, say=say)
        finally:
            cluster.stop()
    return Measured(
        tuple(timing(name, label, seconds[name], short=short) for name, (short, label) in LABELS.items()),
        (
            Pair("psycopg", "libpq", main=True),
            Pair("psycopg_binary", "libpq"),
            Pair("pgbench", "libpq", main=True),
            Pair("psycopg", "pgbench", main=True),
        ),
        {"keys": KEYS, "requests": sizes.requests, "seconds of pgbench": sizes.pgbench_s, "connection": "Unix socket"},
        {
            "PostgreSQL": binaries.version,
            "psycopg": f"{psycopg.__version__} ({psycopg.pq.__impl__})",
            "libpq of the C loop": pq_loop.version(program),
        },
    )


def _contestants(
    cluster: Cluster, connection: psycopg.Connection[tuple[Any, ...]], program: Path, sizes: Sizes
) -> dict[str, Contestant]:
    keys = np.random.default_rng(SEED).integers(1, KEYS, sizes.requests, endpoint=True).tolist()
    words = f"host={cluster.sockets} user={ROLE} dbname={pgbench.DATABASE}"
    workload = Workload(
        "select-only", protocol="prepared", duration_s=sizes.pgbench_s, warm_up_s=1, seed=SEED, log=False
    )

    def in_c() -> float:
        return pq_loop.seconds(program, words, requests=sizes.requests, keys=KEYS, seed=SEED)

    return {
        "psycopg": lambda: through_psycopg(connection, keys, binary=False),
        "psycopg_binary": lambda: through_psycopg(connection, keys, binary=True),
        "pgbench": lambda: 1 / pgbench.run(cluster, workload).tps,
        "libpq": in_c,
    }


def through_psycopg(connection: psycopg.Connection[tuple[Any, ...]], keys: list[int], *, binary: bool) -> float:
    """Seconds a request; raises MachineError for a wrong answer."""
    cursor = connection.cursor(binary=binary)
    execute, fetch = cursor.execute, cursor.fetchone
    begun = time.perf_counter()
    for key in keys:
        if execute(QUERY, (key,), prepare=True) is None or fetch() != (0,):
            raise MachineError(f"the server gave a wrong balance of account {key}", "see its log")
    return (time.perf_counter() - begun) / len(keys)
