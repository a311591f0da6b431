"""The settings that hold for the session that measures: recorded, and refused where the run did not ask for them."""

from __future__ import annotations

from benchbook.engines.postgres.counters import Connection
from benchbook.errors import MachineError

_ORIGINS = {
    "client": "a variable of the client, such as PGOPTIONS",
    "user": "ALTER ROLE",
    "database": "ALTER DATABASE",
    "database user": "ALTER ROLE ... IN DATABASE",
    "global": "ALTER ROLE ALL",
    "session": "SET in the session",
    "configuration file": "a configuration file or ALTER SYSTEM",
}
_OURS = ("client_encoding",)
"""What psycopg sets for each of its connections."""
_FOREIGN = """
    SELECT name, current_setting(name), source FROM pg_settings
    WHERE name <> ALL (%s) AND (
        source IN ('client', 'user', 'database', 'database user', 'global')
        OR category LIKE 'Query Tuning%%' AND source NOT IN ('default', 'command line', 'override')
        OR sourcefile LIKE '%%postgresql.auto.conf')
    ORDER BY name
"""
_EFFECTIVE = """
    SELECT name, current_setting(name) FROM pg_settings
    WHERE source NOT IN ('default', 'client') AND name <> ALL (%s) ORDER BY name
"""
_PLACES = (
    "data_directory",
    "config_file",
    "hba_file",
    "ident_file",
    "unix_socket_directories",
    "external_pid_file",
)


def checked(connection: Connection) -> str:
    """The settings that hold for this session and are not defaults, as "name=value; ...", for the trial's record.

    Raises MachineError unless they are those with which the private server was started. Of the planner's settings only
    defaults and the server's command line may be in force; of the others nothing may come from the client's
    surroundings, the role, the database or ALTER SYSTEM. Ask before anything is timed.
    """
    rows = connection.execute(_FOREIGN, (list(_OURS),)).fetchall()
    if rows:
        name, value, source = rows[0]
        more = f", and {len(rows) - 1} more" if len(rows) > 1 else ""
        raise MachineError(
            f"the session that measures has {name}={value}{more}, which the run did not ask for: "
            f"it comes from {_ORIGINS.get(source, source)}",
            "undo that, and give a server's settings by the parameters of the run alone",
        )
    return "; ".join(f"{name}={value}" for name, value in effective(connection).items())


def effective(connection: Connection) -> dict[str, str]:
    """Name to value of the settings that are not defaults, without the machine's paths: for the run's record."""
    return dict(connection.execute(_EFFECTIVE, (list(_PLACES),)).fetchall())
