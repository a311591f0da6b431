"""What a server's and libpq's errors are told as: in words of our own, since theirs name host, user and database."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from benchbook.engines.own_server.bounded import EndlessAnswerError
from benchbook.errors import MachineError

SERVICE = "BENCHBOOK_PG_SERVICE"
"""Names a section of libpq's service file (~/.pg_service.conf, or what PGSERVICEFILE names)."""
LEFT_TO_DO = "look whether it runs, then give the same command again"
_BROKEN = (
    "SSL SYSCALL error",
    "unexpected eof",
    "closed unexpectedly",
    "closed the connection unexpectedly",
    "reset by peer",
)
_REASONS = (
    ("definition of service", "there is no such service", "write a section of that name into ~/.pg_service.conf"),
    ("service file", "its service file cannot be read", "mend ~/.pg_service.conf, or what PGSERVICEFILE names"),
    ("password authentication failed", "the server refuses the password", "mend the line in ~/.pgpass"),
    ("no password supplied", "the server asks for a password", "write it into ~/.pgpass, which only you may read"),
    ("no pg_hba.conf entry", "the server takes no such connection from here", "mend its pg_hba.conf, or sslmode"),
    ("certificate", "its certificate is refused", "name the right sslrootcert in the service"),
    ("server does not support SSL", "it has no TLS, which the service asks for", "mend sslmode in the service"),
    ("SSL error", "no encrypted connection comes about", "mend sslmode and sslrootcert in the service"),
    ("could not translate host name", "the host has no address", "mend the host in the service"),
    ("Connection refused", "nobody listens there", "mend host and port in the service, or start the server"),
    ("No such file or directory", "nobody listens there", "mend host and port in the service, or start the server"),
    ("timeout expired", "it does not answer within 10 s", "mend host and port in the service, or let this machine in"),
    ("does not exist", "it knows no such user, or no such database", "mend user and dbname in the service"),
    ("too many", "it has no connection left", "try again later"),
    ("remaining connection slots", "it has no connection left", "try again later"),
    ("starting up", "it is starting", "try again in a minute"),
    ("shutting down", "it is shutting down", "try again when it runs"),
    ("unsupported startup parameter", "the pooler before it refuses a setting", "let it ignore that parameter"),
)
"""What libpq's messages hold when no connection comes about, and what is said in their place."""
_LOST = ("08", "57P0")
"""Classes of SQLSTATE: connection exceptions, and a server that ends or restarts."""
_DENIED = "give the role CONNECT and CREATE on its database (GRANT CREATE ON DATABASE ... TO ...), or another role"

_log = logging.getLogger("psycopg")  # it would warn on standard error, with the host, of what is told here anyway
_log.addHandler(logging.NullHandler())
_log.propagate = False


@contextmanager
def told(what: str, *, connecting: bool = False) -> Iterator[None]:
    """Errors of the server as MachineErrors without its words, in which names and values may stand.

    what: what went wrong where it is none of the known kinds, such as "cannot be reached". connecting: the connection
    is being made; only then can the service be mistaken.
    """
    try:
        yield
    except psycopg.Error as error:
        raise _in_words(error, what, connecting) from None
    except UnicodeError:
        raise strange() from None


def strange() -> MachineError:
    """The server answers otherwise than a PostgreSQL does."""
    return MachineError(
        f"the server of {SERVICE} answers otherwise than PostgreSQL does",
        "name a PostgreSQL of version 14 or newer in the service",
    )


def _in_words(error: psycopg.Error, what: str, connecting: bool) -> MachineError:
    code = f" (SQLSTATE {error.sqlstate})" if error.sqlstate else ""
    match error:
        case EndlessAnswerError():
            return MachineError(f"the connection to the server of {SERVICE} was given up: {error}", LEFT_TO_DO)
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
    if connecting:
        return _why_none(str(error))
    if isinstance(error, psycopg.OperationalError) and (error.sqlstate or "08").startswith(_LOST):
        return MachineError(f"the connection to the server of {SERVICE} is lost", LEFT_TO_DO)
    kind = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(error).__name__).lower()
    return MachineError(
        f"the server of {SERVICE} {what}: {kind}{code}",
        "see the server's own log for its words, which are not repeated",
    )


def _why_none(said: str) -> MachineError:
    if not any(sign in said for sign in _BROKEN):
        for sign, problem, mend in _REASONS:
            if sign in said:
                return MachineError(f"the server of {SERVICE} cannot be used: {problem}", mend)
    return MachineError(
        f"no connection to the server of {SERVICE} comes about: it breaks off before the server lets us in", LEFT_TO_DO
    )
