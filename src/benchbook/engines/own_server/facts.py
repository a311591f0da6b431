"""What a server of the user's own lets us see and do, asked before anything is made on it, by statements that cannot
fail: a right is looked up and not tried, so that the server's log has no error of ours."""

from __future__ import annotations

import hashlib
import ipaddress
import statistics
import time
from dataclasses import asdict, dataclass
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from benchbook.engines.own_server.extensions import view
from benchbook.engines.own_server.service import Connection, one
from benchbook.engines.own_server.words import SERVICE, strange
from benchbook.errors import MachineError
from benchbook.plain import plain

TRIPS, TRIPS_S = 200, 5.0
_KINDS = (
    ("neon", "Neon"), ("aurora", "Amazon Aurora"), ("rds", "Amazon RDS"), ("cloudsql", "Google Cloud SQL"),
    ("alloydb", "Google AlloyDB"), ("azure", "Azure Database"), ("supautils", "Supabase"), ("timescale", "Timescale"),
    ("crunchy", "Crunchy Bridge"),
)  # fmt: skip
"""Beginnings of settings and words of version() by which managed services give themselves away."""
MATTER = (
    "shared_buffers", "block_size", "huge_pages", "huge_pages_status", "effective_cache_size", "data_checksums",
    "io_method", "io_workers", "io_combine_limit", "effective_io_concurrency", "track_io_timing", "track_counts", "jit",
    "jit_above_cost", "plan_cache_mode", "max_parallel_workers_per_gather", "parallel_setup_cost",
    "parallel_tuple_cost", "random_page_cost", "seq_page_cost", "cpu_tuple_cost", "cpu_index_tuple_cost",
    "cpu_operator_cost", "work_mem", "enable_indexscan", "enable_indexonlyscan", "enable_bitmapscan", "enable_seqscan",
    "log_statement", "log_duration", "log_min_duration_statement", "server_version",
)  # fmt: skip
"""Settings on which plans, hits or times of look-ups rest: a run made under others is another server's."""
_ASKED = """
    SELECT json_build_object(
        'replica', pg_is_in_recovery(),
        'create', has_database_privilege(current_database(), 'CREATE'),
        'superuser', current_setting('is_superuser') = 'on',
        'monitor', pg_has_role(current_user, 'pg_monitor', 'USAGE'),
        'reads_control', has_function_privilege('pg_control_system()', 'EXECUTE'),
        'pid', pg_backend_pid(),
        'version', left(version(), 200),
        'pool_bytes', pg_size_bytes(current_setting('shared_buffers')),
        'block_bytes', current_setting('block_size')::int,
        'tls', (SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()),
        'names', (SELECT json_agg(DISTINCT split_part(name, '.', 1)) FROM pg_settings),
        'matter', (SELECT json_object_agg(name, left(current_setting(name), 100)) FROM pg_settings
                   WHERE name = ANY(%s)),
        'changed', (SELECT coalesce(json_object_agg(name, json_build_array(left(current_setting(name), 100), source)),
                                    '{}')
                    FROM pg_settings WHERE source NOT IN ('default', 'client', 'override', 'session')
                      AND vartype <> 'string' AND name <> 'port')
    )::text
"""
"""Of changed settings numbers, flags and choices alone: one that is a text may hold a name, a path or an address."""
_OF_ROLE = ("user", "database", "database user", "global")


class _Answer(BaseModel):
    """What ``_ASKED`` says; anything else is no PostgreSQL's."""

    replica: bool
    create: bool
    superuser: bool
    monitor: bool
    reads_control: bool | None
    pid: int
    version: str
    pool_bytes: int = Field(gt=0)
    block_bytes: int = Field(gt=0)
    tls: str | None
    names: list[str] = Field(max_length=5_000)
    matter: dict[str, str] = Field(max_length=len(MATTER))
    changed: dict[str, tuple[str, str]] = Field(max_length=5_000)


@dataclass(frozen=True)
class Facts:
    """Of one server, for a role.

    id: 6 hex digits that tell it from others. state: 4 that tell its settings, and our way to it, from others of its
    own. kind: of a managed service, else "". pooler: another program answers before the server, so that sessions keep
    nothing. route: how far away. trip_ms: median round trip. pool_mib: shared_buffers. matter: effective values of
    MATTER. of_role: settings that ALTER ROLE or ALTER DATABASE gives each session, as "name=value".
    """

    id: str
    state: str
    version: str
    major: int
    kind: str
    pooler: bool
    route: str
    tls: str
    replica: bool
    create: bool
    superuser: bool
    monitor: bool
    buffercache: bool
    statements: bool
    pool_mib: float
    block_bytes: int
    trip_ms: float
    settings: dict[str, str]
    matter: dict[str, str]
    of_role: tuple[str, ...]

    @property
    def source(self) -> str:
        """Which build this is and how it is set, as a run's record has it."""
        return f"own server {self.id}, settings {self.state}"

    def identity(self) -> dict[str, Any]:
        """The engine, as a run's record has it; its program cannot be seen from here."""
        return {"engine": "PostgreSQL", "engine_version": self.version, "engine_source": self.source, "packages": {}}

    def record(self) -> dict[str, Any]:
        """The rest, for a run's record: no host, no user, no database, no text of a setting."""
        kept = (
            "kind", "pooler", "route", "tls", "superuser", "monitor", "buffercache", "statements", "pool_mib",
            "block_bytes", "trip_ms", "matter", "of_role",
        )  # fmt: skip
        every = asdict(self)
        return {name: [*every[name]] if name == "of_role" else every[name] for name in kept}

    def words(self) -> str:
        """What was reached, without a name: version, way, round trip, pool and rights."""
        sees = {
            "superuser": self.superuser, "pg_monitor": self.monitor, "pg_buffercache": self.buffercache,
            "pg_stat_statements": self.statements, "CREATE": self.create,
        }  # fmt: skip
        rights = [name for name, has in sees.items() if has]
        return (
            f"PostgreSQL {self.version}{f', {self.kind}' if self.kind else ''}{', a replica' if self.replica else ''}, "
            f"by {self.route}{', through a pooler' if self.pooler else ''}, {self.tls or 'no TLS'}, "
            f"{self.trip_ms:.2g} ms a round trip, shared_buffers {self.pool_mib:,.0f} MiB; "
            f"the role has {', '.join(rights) if rights != ['CREATE'] else 'no right beside CREATE'}"
        )

    def fit(self) -> Facts:
        """The same. Raises MachineError where nothing can be made: on a replica, or for a role without CREATE."""
        if self.replica:
            raise MachineError(
                f"the server of {SERVICE} is a replica, on which nothing can be made", "name its primary"
            )
        if not self.create:
            raise MachineError(
                f"the role of {SERVICE} may not make a schema in its database",
                "GRANT CREATE ON DATABASE ... TO ..., or name another role in the service",
            )
        return self


def facts(connection: Connection) -> Facts:
    """Ask for all of them. Raises MachineError where the answers are no PostgreSQL's."""
    said = _answer(connection)
    settings = {plain(name): plain(value) for name, (value, _) in sorted(said.changed.items())}
    return Facts(
        id=_id(connection, said),
        state=_state(connection, said),
        version=plain(connection.info.parameter_status("server_version") or "").split(" ")[0] or "unknown",
        major=connection.info.server_version // 10000,
        kind=_kind(said.version.lower(), said.names),
        pooler=said.pid != connection.info.backend_pid,
        route=_route(connection),
        tls=_tls(connection, said),
        replica=said.replica,
        create=said.create,
        superuser=said.superuser,
        monitor=said.monitor,
        buffercache=view(connection, "pg_buffercache") is not None,
        statements="pg_stat_statements" in said.names and view(connection, "pg_stat_statements") is not None,
        pool_mib=said.pool_bytes / 2**20,
        block_bytes=said.block_bytes,
        trip_ms=trip_ms(connection),
        settings=settings,
        matter={plain(name): plain(value) for name, value in sorted(said.matter.items())},
        of_role=tuple(
            f"{plain(name)}={plain(value)}"
            for name, (value, source) in sorted(said.changed.items())
            if source in _OF_ROLE
        ),
    )


def state(connection: Connection) -> str:
    """As in the facts, asked anew: it differs once a setting of MATTER, or the way, does."""
    return _state(connection, _answer(connection))


def trip_ms(connection: Connection, times: int = TRIPS) -> float:
    """Median time of an empty statement, in ms; of fewer than ``times`` where those take more than 5 s."""
    found: list[int] = []
    cursor, begun = connection.cursor(), time.monotonic()
    while len(found) < times and (time.monotonic() - begun < TRIPS_S or not found):
        start = time.perf_counter_ns()
        cursor.execute("SELECT", prepare=False)
        found.append(time.perf_counter_ns() - start)
    return statistics.median(found) / 1e6


def _answer(connection: Connection) -> _Answer:
    row = one(connection, _ASKED, ([*MATTER],))
    try:
        return _Answer.model_validate_json(str(row[0] if row else ""))
    except ValidationError:
        raise strange() from None


def _state(connection: Connection, said: _Answer) -> str:
    pooler = said.pid != connection.info.backend_pid
    return _digits(f"{sorted(said.matter.items())} {_route(connection)} {_tls(connection, said)} {pooler}", 4)


def _id(connection: Connection, said: _Answer) -> str:
    """What tells this server and database from others; not turned back, since six digits have many origins."""
    info = connection.info
    system = f"{info.host} {info.port}"
    if said.reads_control:
        row = one(connection, "SELECT system_identifier FROM pg_control_system()")
        system = str(row[0]) if row else system
    return _digits(f"benchbook server {system} {info.dbname}", 6)


def _digits(text: str, count: int) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:count]


def _route(connection: Connection) -> str:
    """How far away the server is, in words that name nobody."""
    if connection.info.host.startswith(("/", "@")):
        return "a socket of this machine"
    try:
        address = ipaddress.ip_address(connection.info.hostaddr)
    except ValueError:
        return "a network"
    if address.is_loopback:
        return "the loopback of this machine"
    return "a private network" if address.is_private else "a public address"


def _kind(version: str, names: list[str]) -> str:
    prefixes = {name.split("_")[0] for name in names} | {*names}
    return next((kind for sign, kind in _KINDS if sign in version or sign in prefixes), "")


def _tls(connection: Connection, said: _Answer) -> str:
    """Such as "TLSv1.3"; "" without; of the part of the way that this connection sees."""
    if not getattr(connection.pgconn, "ssl_in_use", False):
        return ""
    return plain(said.tls or "") or "TLS"
