"""What a server of the user's own lets us see and do, asked before anything is made on it."""

from __future__ import annotations

import hashlib
import statistics
import time
from dataclasses import asdict, dataclass
from typing import Any

import psycopg

from benchbook.engines.own_server.service import SERVICE, Connection
from benchbook.errors import MachineError
from benchbook.plain import plain

OLDEST = 140000
"""PostgreSQL 14, as for private servers."""
TRIPS = 200
_KINDS = (
    ("neon", "Neon"), ("aurora", "Amazon Aurora"), ("rds", "Amazon RDS"), ("cloudsql", "Google Cloud SQL"),
    ("alloydb", "Google AlloyDB"), ("azure", "Azure Database"), ("supautils", "Supabase"), ("timescale", "Timescale"),
    ("crunchy", "Crunchy Bridge"),
)  # fmt: skip
"""Beginnings of settings and words of version() by which managed services give themselves away."""
_SETTINGS = """
    SELECT name, current_setting(name), source FROM pg_settings
    WHERE source NOT IN ('default', 'client', 'override', 'session')
      AND vartype <> 'string' AND name <> 'port' ORDER BY name
"""
"""Numbers, flags and choices alone: a setting that is a text may hold a name, a path or an address."""
_OF_ROLE = ("user", "database", "database user", "global")


@dataclass(frozen=True)
class Facts:
    """Of one server, for a role.

    id: 6 hex digits that tell it from others. kind: of a managed service, else "". pooler: another program answers
    before the server, so that sessions keep nothing. trip_ms: median of 200 round trips. pool_mib: shared_buffers.
    of_role: settings that ALTER ROLE or ALTER DATABASE gives each session, as "name=value".
    """

    id: str
    version: str
    major: int
    kind: str
    pooler: bool
    tls: str
    superuser: bool
    monitor: bool
    buffercache: bool
    pool_mib: float
    trip_ms: float
    settings: dict[str, str]
    of_role: tuple[str, ...]

    @property
    def source(self) -> str:
        """Which build this is, as a run's record has it."""
        return f"own server {self.id}"

    def identity(self) -> dict[str, Any]:
        """The engine, as a run's record has it; its program cannot be seen from here."""
        return {"engine": "PostgreSQL", "engine_version": self.version, "engine_source": self.source, "packages": {}}

    def record(self) -> dict[str, Any]:
        """The rest, for a run's record: no host, no user, no database, no text of a setting."""
        kept = ("kind", "pooler", "tls", "superuser", "monitor", "buffercache", "pool_mib", "trip_ms", "of_role")
        every = asdict(self)
        return {name: [*every[name]] if name == "of_role" else every[name] for name in kept}


def facts(connection: Connection) -> Facts:
    """Ask for all of them. Raises MachineError where the server is older than 14, a replica, or forbids our schema."""
    number = connection.info.server_version
    if number < OLDEST:
        raise MachineError(
            f"the server of {SERVICE} is PostgreSQL {number // 10000}, older than {OLDEST // 10000}",
            "name another server",
        )
    replica, create, superuser, monitor, pid, version, buffers = _row(
        connection,
        """SELECT pg_is_in_recovery(), has_database_privilege(current_database(), 'CREATE'),
                  current_setting('is_superuser') = 'on', pg_has_role(current_user, 'pg_monitor', 'USAGE'),
                  pg_backend_pid(), version(),
                  (SELECT setting::bigint * 8192 FROM pg_settings WHERE name = 'shared_buffers')""",
    )
    if replica:
        raise MachineError(f"the server of {SERVICE} is a replica, on which nothing can be made", "name its primary")
    if not create:
        raise MachineError(
            f"the role of {SERVICE} may not make a schema in its database",
            "GRANT CREATE ON DATABASE ... TO ..., or name another role in the service",
        )
    names = {name for (name,) in connection.execute("SELECT name FROM pg_settings").fetchall()}
    rows = connection.execute(_SETTINGS).fetchall()
    return Facts(
        id=_id(connection),
        version=plain(connection.info.parameter_status("server_version") or str(number / 10000)).split(" ")[0],
        major=number // 10000,
        kind=_kind(str(version).lower(), names),
        pooler=pid != connection.info.backend_pid,
        tls=_tls(connection),
        superuser=bool(superuser),
        monitor=bool(monitor),
        buffercache=_readable(connection, "pg_buffercache"),
        pool_mib=buffers / 2**20,
        trip_ms=trip_ms(connection),
        settings={str(name): str(value) for name, value, _ in rows},
        of_role=tuple(f"{name}={value}" for name, value, source in rows if source in _OF_ROLE),
    )


def trip_ms(connection: Connection, times: int = TRIPS) -> float:
    """Median time of an empty statement, in ms."""
    found = []
    cursor = connection.cursor()
    for _ in range(times):
        start = time.perf_counter_ns()
        cursor.execute("SELECT", prepare=False)
        found.append(time.perf_counter_ns() - start)
    return statistics.median(found) / 1e6


def _id(connection: Connection) -> str:
    """What tells this server and database from others; not turned back, since six digits have many origins."""
    info = connection.info
    try:
        system = str(_row(connection, "SELECT system_identifier FROM pg_control_system()")[0])
    except psycopg.Error:  # a service that hides it
        system = f"{info.host} {info.port}"
    return hashlib.sha256(f"benchbook server {system} {info.dbname}".encode()).hexdigest()[:6]


def _kind(version: str, names: set[str]) -> str:
    prefixes = {name.split(".")[0].split("_")[0] for name in names} | {name.split(".")[0] for name in names}
    return next((kind for sign, kind in _KINDS if sign in version or sign in prefixes), "")


def _tls(connection: Connection) -> str:
    """Such as "TLSv1.3"; "" without; of the part of the way that this connection sees."""
    pgconn = connection.pgconn
    if not getattr(pgconn, "ssl_in_use", False):
        return ""
    row = connection.execute("SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()").fetchone()
    return plain(str(row[0])) if row and row[0] else "TLS"


def _readable(connection: Connection, relation: str) -> bool:
    try:
        connection.execute(f"SELECT 1 FROM {relation} LIMIT 1")
    except psycopg.Error:
        return False
    return True


def _row(connection: Connection, statement: str) -> tuple[Any, ...]:
    row = connection.execute(statement).fetchone()
    assert row is not None
    return row
