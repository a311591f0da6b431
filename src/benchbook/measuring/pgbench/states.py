"""A running server put into a state and out of it: a processor taken, a snapshot kept, VACUUM, caches dropped."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager

import psutil
import psycopg

from benchbook import children, files
from benchbook.engines import pgbench
from benchbook.engines.pgbench import residency
from benchbook.engines.postgres import Cluster
from benchbook.errors import MachineError
from benchbook.measuring.pgbench import spent, tallies, turns
from benchbook.measuring.pgbench.looks import cpu_s
from benchbook.measuring.postgres import Connection

TAKEN = {"half_processor": (1, 0.5), "two_programs": (2, 1.0)}
"""Other programs, and the processor that each of them takes at most; what they got is counted."""
_TAKES = """
import sys, time
share, begun = float(sys.argv[1]), time.monotonic()
while True:
    if time.process_time() < share * (time.monotonic() - begun):
        sum(range(2000))
    else:
        time.sleep(0.0005)
"""
"""A program that takes a share of a processor, as far as the others let it."""


@contextmanager
def put_into(state: str, cluster: Cluster) -> Iterator[Mapping[str, Callable[[], float]]]:
    """The server is in this state until the block ends. Gives what counts that the state holds, by name.

    cluster: with pgbench's tables, pg_buffercache and pg_prewarm. Whatever is started is ended, whatever happens.
    """
    with ExitStack() as stack:
        counts: dict[str, Callable[[], float]] = {}
        if state in TAKEN:
            programs, share = TAKEN[state]
            spent = [stack.enter_context(_taken(share)) for _ in range(programs)]
            counts["taken_s"] = lambda: sum(each() for each in spent)
        elif state == "snapshot":
            connection = stack.enter_context(pgbench.connect(cluster))
            stack.enter_context(connection.transaction(force_rollback=True))
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            connection.execute("SELECT count(*) FROM pgbench_branches")
        elif state == "vacuum":
            counts["vacuums"] = stack.enter_context(_vacuumed(cluster))
        elif state == "cold":
            drop_pool(cluster)
        if state in ("cold", "os_cache"):
            files.evict(cluster.data / "base")
        yield counts


def left(state: str, cluster: Cluster) -> None:
    """What a state leaves behind is put right: dead rows of the small tables, and an empty pool."""
    with pgbench.connect(cluster) as connection:
        connection.execute("VACUUM pgbench_branches, pgbench_tellers")
        if state == "cold":
            residency.prewarm(connection)


def drop_pool(cluster: Cluster) -> None:
    """Empty the pool of pgbench's relations as far as nobody holds a page, writing what was changed."""
    with pgbench.connect(cluster) as connection:
        for name in residency.RELATIONS:
            connection.execute("SELECT pg_buffercache_evict_relation(%s::regclass)", (name,))


@contextmanager
def _taken(share: float) -> Iterator[Callable[[], float]]:
    process = children.start(
        [sys.executable, "-I", "-S", "-c", _TAKES, str(share)],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        program = psutil.Process(process.pid)
        yield lambda: float(sum(program.cpu_times()[:2]))
    finally:
        children.end(process)


@contextmanager
def _vacuumed(cluster: Cluster) -> Iterator[Callable[[], float]]:
    """VACUUM of the accounts in a thread, without pauses; how many were completed or begun."""
    begun, ending = [0], threading.Event()
    failed: list[Exception] = []
    connection = pgbench.connect(cluster)

    def work() -> None:
        try:
            while not ending.is_set():
                begun[0] += 1
                connection.execute("VACUUM pgbench_accounts")
        except psycopg.errors.QueryCanceled:
            pass
        except (psycopg.Error, OSError) as error:
            failed.append(error)

    thread = threading.Thread(target=work, name="vacuum", daemon=True)
    thread.start()
    try:
        yield lambda: float(begun[0])
    finally:
        ending.set()
        connection.cancel()
        thread.join()
        connection.close()
    if failed:
        raise MachineError(f"VACUUM failed: {failed[0]}", "see the server's log")


DEAD = """SELECT sum(dead_tuple_count)::bigint FROM (VALUES ('pgbench_branches'), ('pgbench_tellers')) AS t(name),
          pgstattuple(t.name::regclass)"""
"""Rows of branches and tellers that no transaction to come will see, and that are still there."""
GROWN = {
    **{f"machine_{mode}_per_transaction_s": f"machine_{mode}_s" for mode in ("user", "system")},
    **{f"{name}_per_transaction": name for name in
       ("user_s", "system_s", "server_read_bytes", "disk_reads", "disk_writes")},
}  # fmt: skip
"""Metrics of what is counted, each over the transactions of a state."""


def counts(
    observer: Connection, cluster: Cluster, own: Mapping[str, Callable[[], float]]
) -> dict[str, float]:  # fmt: skip
    """What is exact at once, by name. observer: a connection to another database. own: what the state counts."""
    exact, (user, system, *_) = turns.counts(observer, cluster), cpu_s()
    found = {
        "machine_user_s": user,
        "machine_system_s": system,
        "server_read_bytes": tallies.device_bytes(cluster),
        **vars(spent.read(cluster)),
        **{name: count() for name, count in own.items()},
    }
    return exact | {name: float(value) for name, value in found.items() if value is not None}


def over(grown: Mapping[str, float], transactions: int) -> dict[str, float | None]:
    """Metrics of what grew in the windows of a state, over so many transactions; what nobody counted is None."""
    return {
        **{metric: grown[name] / transactions if name in grown else None for metric, name in GROWN.items()},
        "taken_processors": grown["taken_s"] / grown["wall_s"] if "taken_s" in grown else 0.0,
        "vacuums": grown.get("vacuums", 0.0),
        "dead_rows": grown["dead_rows"],
        "processors": float(os.cpu_count() or 1),
    }
