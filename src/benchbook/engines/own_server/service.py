"""The way to a server of the user's own: a service of libpq, named by a variable; nothing of it is ever repeated."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

from benchbook.engines import libpq
from benchbook.errors import BenchbookError, MachineError

SERVICE = "BENCHBOOK_PG_SERVICE"
"""Names a section of libpq's service file (~/.pg_service.conf, or what PGSERVICEFILE names)."""
Connection = psycopg.Connection[tuple[Any, ...]]
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,62}")
_KEPT = ("PGSERVICEFILE", "PGSYSCONFDIR", "PGPASSFILE")
"""Files of libpq; its other variables would change what is measured, or lead elsewhere."""
_REASONS = (
    ("definition of service", "there is no such service", "write a section of that name into ~/.pg_service.conf"),
    ("password authentication failed", "the server refuses the password", "mend the line in ~/.pgpass"),
    ("no password supplied", "the server asks for a password", "write it into ~/.pgpass, which only you may read"),
    ("no pg_hba.conf entry", "the server takes no such connection from here", "mend its pg_hba.conf, or sslmode"),
    ("certificate", "its certificate is refused", "name the right sslrootcert in the service"),
    ("server does not support SSL", "it has no TLS, which the service asks for", "mend sslmode in the service"),
    ("SSL", "no encrypted connection comes about", "mend sslmode and sslrootcert in the service"),
    ("could not translate host name", "the host has no address", "mend the host in the service"),
    ("Connection refused", "nobody listens there", "mend host and port in the service, or start the server"),
    ("No such file or directory", "nobody listens there", "mend host and port in the service, or start the server"),
    ("timeout expired", "it does not answer within 10 s", "mend host and port in the service, or let this machine in"),
    ("does not exist", "it knows no such user, or no such database", "mend user and dbname in the service"),
    ("too many", "it has no connection left", "try again later"),
    ("remaining connection slots", "it has no connection left", "try again later"),
    ("unsupported startup parameter", "the pooler before it refuses a setting", "let it ignore that parameter"),
)
"""What libpq's messages hold, and what is said in their place: they name host, user and database."""
_LOST = ("08", "57P0")
"""Classes of SQLSTATE: connection exceptions, and a server that ends or restarts."""
_DENIED = "give the role CONNECT and CREATE on its database (GRANT CREATE ON DATABASE ... TO ...), or another role"


def service() -> str | None:
    """The service that the caller names; None without one. Raises BenchbookError where it is no name."""
    named = os.environ.get(SERVICE, "")
    if named and not _NAME.fullmatch(named):
        raise BenchbookError(
            f"{SERVICE} holds no service's name, which has letters, digits, dots, dashes and underscores alone",
            "write host, port, dbname and user into a section of ~/.pg_service.conf and name that section; "
            "no address or password belongs into a variable",
        )
    return named or None


def connect(name: str) -> Connection:
    """A new connection in autocommit mode to the server of this service. Nothing of the caller's but its files counts.

    Raises MachineError, in words that name neither host nor user nor database, where none comes about.
    """
    files = {each: os.environ[each] for each in _KEPT if each in os.environ}
    with libpq.without_callers_settings(), told("cannot be reached"):
        os.environ.update(files)
        try:
            return psycopg.connect(service=name, application_name="benchbook", connect_timeout=10, autocommit=True)
        finally:
            for each in files:
                del os.environ[each]


@contextmanager
def told(what: str) -> Iterator[None]:
    """Errors of the server as MachineErrors without its words, in which names and values may stand.

    what: what went wrong where it is none of the known kinds, such as "cannot be reached".
    """
    try:
        yield
    except psycopg.Error as error:
        raise _in_words(error, what) from None


def _in_words(error: psycopg.Error, what: str) -> MachineError:
    code = f" (SQLSTATE {error.sqlstate})" if error.sqlstate else ""
    match error:
        case psycopg.errors.InsufficientPrivilege():
            return MachineError(f"the role may not do that on the server of {SERVICE}{code}", _DENIED)
        case psycopg.errors.QueryCanceled() | psycopg.errors.LockNotAvailable():
            return MachineError(
                f"a statement on the server of {SERVICE} took longer than it may{code}",
                "measure when the server is idle, or ask for fewer rows",
            )
        case psycopg.errors.DiskFull() | psycopg.errors.OutOfMemory() | psycopg.errors.ConfigurationLimitExceeded():
            return MachineError(f"the server of {SERVICE} has no room left{code}", "ask for fewer rows and less filler")
        case psycopg.errors.ReadOnlySqlTransaction():
            return MachineError(f"the server of {SERVICE} only reads: it is a replica{code}", "name its primary")
    said = str(error)
    for sign, problem, mend in _REASONS:
        if sign in said:
            return MachineError(f"the server of {SERVICE} cannot be used: {problem}{code}", mend)
    if isinstance(error, psycopg.OperationalError) and (error.sqlstate or "08").startswith(_LOST):
        return MachineError(
            f"the connection to the server of {SERVICE} is lost, or none comes about",
            "look whether it runs; the same command resumes the run, after `benchbook clean --server`",
        )
    kind = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(error).__name__).lower()
    return MachineError(
        f"the server of {SERVICE} {what}: {kind}{code}",
        "see the server's own log for its words, which are not repeated",
    )
