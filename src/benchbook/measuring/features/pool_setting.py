"""shared_buffers itself, tried on a fresh cluster of our own: its default, ALTER SYSTEM, a reload, a restart."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from benchbook.engines.postgres import Binaries, Cluster, private_cluster

NOTE_SHARE = 20 / 64
"""The note sets 20 GB on a cluster of 64 GB."""
CLUSTER_BYTES, RELOADED_WITHIN_S = 100_000_000, 10.0


def tried(binaries: Binaries, ram_bytes: int) -> dict[str, Any]:
    """What a fresh cluster says; in bytes but for ``pending``, which says whether the value waits for a restart.

    default: when nobody configures it. asked: with ALTER SYSTEM, the note's share of ``ram_bytes``. after_reload,
    after_restart: what is in force then.
    """
    with private_cluster(binaries, bytes_needed=CLUSTER_BYTES) as cluster:
        with _running(cluster), cluster.connect() as connection:
            default, _, source = _setting(connection)
            mib = max(1, round(NOTE_SHARE * ram_bytes / 2**20))
            mib += mib * 2**20 == default  # a value that is in force already shows nothing
            connection.execute(f"ALTER SYSTEM SET shared_buffers = '{mib}MB'")
            connection.execute("SELECT pg_reload_conf()")
            after_reload, pending = _reloaded(cluster)
        with _running(cluster), cluster.connect() as connection:
            after_restart, still_pending, _ = _setting(connection)
    return {
        "default_bytes": default, "default_source": source, "asked_bytes": mib * 2**20,
        "after_reload_bytes": after_reload, "pending": pending, "after_restart_bytes": after_restart,
        "pending_after_restart": still_pending,
    }  # fmt: skip


@contextmanager
def _running(cluster: Cluster) -> Iterator[None]:
    cluster.start({})
    try:
        yield
    finally:
        cluster.stop()


def _reloaded(cluster: Cluster) -> tuple[int, bool]:
    """Value and whether another one waits, as soon as the server says so; it reads its files a little later."""
    deadline = time.monotonic() + RELOADED_WITHIN_S
    while True:
        with cluster.connect() as connection:
            value, pending, _ = _setting(connection)
        if pending or time.monotonic() > deadline:
            return value, pending
        time.sleep(0.05)


def _setting(connection: Any) -> tuple[int, bool, str]:
    row = connection.execute(
        "SELECT pg_size_bytes(current_setting('shared_buffers')), pending_restart, source "
        "FROM pg_settings WHERE name = 'shared_buffers'"
    ).fetchone()
    return int(row[0]), bool(row[1]), str(row[2])
