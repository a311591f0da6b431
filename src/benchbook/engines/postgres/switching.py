"""Server settings changed on a private cluster while clients work: written, reloaded, and confirmed."""

from __future__ import annotations

import time
from collections.abc import Mapping

import psycopg
from psycopg import sql

from benchbook.engines.postgres.cluster import spelled
from benchbook.engines.postgres.counters import Connection, one_row
from benchbook.errors import MachineError
from benchbook.model import Scalar

PATIENCE_S = 10.0
_LOOK_S = 0.001
_NOT_IN_FORCE = """
    SELECT name FROM pg_file_settings WHERE sourcefile LIKE '%%postgresql.auto.conf' AND error IS NOT NULL
    UNION ALL SELECT name FROM pg_settings WHERE name = ANY (%s) AND (pending_restart OR source = 'command line')
"""


class Switched:
    """What is switched on one running server, by ALTER SYSTEM and a reload: of a server that we started alone.

    connection: a superuser's, in autocommit mode, that stays open. The settings must not stand on the server's command
    line, which wins over what is written here. They are gone when the data directory is restored.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._written: dict[str, str] = {}

    def apply(self, settings: Mapping[str, Scalar]) -> float:
        """Make these hold for every process of the server, in addition to what was applied before; seconds that took.

        A client has them from its next statement on. Raises MachineError for a setting that a reload does not change,
        or that the server refuses.
        """
        clock = time.monotonic()
        wanted = {name: spelled(value) for name, value in settings.items()}
        changed = {name: value for name, value in wanted.items() if self._written.get(name) != value}
        if changed:
            self._reload(changed)
        return time.monotonic() - clock

    def _reload(self, changed: Mapping[str, str]) -> None:
        for name, value in changed.items():
            try:
                self._connection.execute(
                    sql.SQL("ALTER SYSTEM SET {} = {}").format(sql.Identifier(name), sql.Literal(value))
                )
            except psycopg.Error as error:
                said = str(error).strip().splitlines()[0]
                raise MachineError(f"the server refuses {name}={value}: {said}", "give another value") from None
        before = self._asked("SELECT pg_conf_load_time()")
        self._asked("SELECT pg_reload_conf()")
        deadline = time.monotonic() + PATIENCE_S
        while self._asked("SELECT pg_conf_load_time()") == before:
            if time.monotonic() > deadline:
                raise MachineError(f"the server did not reload its settings in {PATIENCE_S:.0f} s", "see its log")
            time.sleep(_LOOK_S)
        refused = self._connection.execute(_NOT_IN_FORCE, (list(changed),)).fetchall()
        if refused:
            names = ", ".join(sorted({str(name) for (name,) in refused}))
            raise MachineError(f"a reload does not change {names}", "start the server with it instead")
        self._written |= changed

    def _asked(self, question: str) -> object:
        return one_row(self._connection, question)[0]
