"""A running server put into a state and out of it: a processor taken, a snapshot kept, VACUUM, caches dropped."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

import psutil
import psycopg

from benchbook import children, files
from benchbook.chapters.warm_states.arms import TAKEN, State
from benchbook.engines import pgbench
from benchbook.engines.pgbench import residency
from benchbook.engines.postgres import Cluster
from benchbook.errors import MachineError

Connection = psycopg.Connection[tuple[Any, ...]]
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
def put_into(state: State, cluster: Cluster) -> Iterator[Mapping[str, Callable[[], float]]]:
    """The server is in this state until the block ends. Gives what counts that the state holds, by name.

    cluster: with pgbench's tables, pg_buffercache and pg_prewarm. Whatever is started is ended, whatever happens.
    """
    if state in TAKEN:
        with ExitStack() as stack:
            programs, share = TAKEN[state]
            spent = [stack.enter_context(_taken(share)) for _ in range(programs)]
            yield {"taken_s": lambda: sum(each() for each in spent)}
    elif state is State.SNAPSHOT:
        with pgbench.connect(cluster) as connection, connection.transaction(force_rollback=True):
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            connection.execute("SELECT count(*) FROM pgbench_branches")
            yield {}
    elif state is State.VACUUM:
        with _vacuumed(cluster) as done:
            yield {"vacuums": done}
    else:
        if state is State.COLD:
            drop_pool(cluster)
        if state in (State.COLD, State.OS_CACHE):
            files.evict(cluster.data / "base")
        yield {}


def left(state: State, cluster: Cluster) -> None:
    """What a state leaves behind is put right: dead rows of the small tables, and an empty pool."""
    with pgbench.connect(cluster) as connection:
        connection.execute("VACUUM pgbench_branches, pgbench_tellers")
        if state is State.COLD:
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
