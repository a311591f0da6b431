"""A private server that no longer answers, or an error of its connection, in; what happened to it, in words, out."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import psycopg

from benchbook import mishaps
from benchbook.errors import MachineError


class Server(Protocol):
    """What is asked of a server about its end."""

    folder: Path
    died: MachineError | None

    @property
    def started(self) -> bool:
        """Whether it was started and not stopped since."""

    def log(self) -> str:
        """What it has written since it was started."""

    def status(self) -> int | None:
        """Its exit status; None while it runs."""


_ENDED = re.compile(r" LOG:  (?P<part>.+?) \(PID \d+\) was terminated by signal (?P<number>\d+)")
_PATIENCE_S = 10.0
_FAILED = (psycopg.OperationalError, psycopg.InterfaceError, psycopg.InternalError)


@contextmanager
def told(cluster: Server) -> Iterator[None]:
    """Turn a lost connection, a server's failure and a full disk into a MachineError that says what happened.

    psycopg's log of the errors that it meets on the way out, while the first one passes, is left out.
    """
    log = logging.getLogger("psycopg")
    log.addFilter(_is_no_consequence)
    try:
        with mishaps.disk_told():
            yield
    except _FAILED as error:
        raise explained(cluster, error) from error
    finally:
        log.removeFilter(_is_no_consequence)


def _is_no_consequence(record: logging.LogRecord) -> bool:
    return not str(record.msg).startswith("error ignored")


def explained(cluster: Server, error: psycopg.Error) -> MachineError:
    """What made a connection fail. Waits a little for the server's own word where the connection was lost."""
    said = _first_line(error)
    if error.sqlstate is None or error.sqlstate.startswith("57P"):  # lost, or ended by the server
        found = happened(cluster, patience_s=_PATIENCE_S)
        if found is not None:
            return found
    if isinstance(error, psycopg.errors.DiskFull) or mishaps.says_full(said):
        return mishaps.full(cluster.folder.parent, said)
    if isinstance(error, psycopg.errors.OutOfMemory):
        return MachineError(f"PostgreSQL has no memory left: {said}", f"free memory; then {mishaps.AGAIN}")
    return MachineError(f"PostgreSQL failed: {said}", f"see the message; then {mishaps.AGAIN}")


def happened(cluster: Server, *, patience_s: float = 0.0) -> MachineError | None:
    """What ended the server, or a process of it, since it was started; None when nothing did, or nothing is known.

    patience_s: how long to wait for it to become known.
    """
    deadline = time.monotonic() + patience_s
    while True:
        found = _seen(cluster)
        if found is not None or not cluster.started or time.monotonic() >= deadline:
            return found
        time.sleep(0.02)


def _seen(cluster: Server) -> MachineError | None:
    if cluster.died is not None:
        return cluster.died
    log, status = cluster.log(), cluster.status()
    place = cluster.folder.parent
    if mishaps.says_full(log):
        line = next(line for line in log.splitlines() if mishaps.says_full(line))
        return mishaps.full(place, f"PostgreSQL says {line.split(':  ', 1)[-1]!r}")
    ended = _ENDED.search(log)
    if ended is not None:
        return mishaps.killed(f"PostgreSQL's {ended['part']}", int(ended["number"]), place)
    if status is None:
        return None
    if status < 0:
        return mishaps.killed("the PostgreSQL server", -status, place)
    return MachineError(f"the PostgreSQL server ended by itself ({status})", f"look for a cause; then {mishaps.AGAIN}")


def _first_line(error: psycopg.Error) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
