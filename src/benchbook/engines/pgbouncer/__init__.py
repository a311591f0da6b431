"""PgBouncer in front of a private cluster: found, started on a private socket, measured through, ended."""

from benchbook.engines.pgbouncer.pooler import Pooler, pooled
from benchbook.engines.pgbouncer.program import PREPARED_SINCE, Program, find, identity
from benchbook.engines.pgbouncer.running import Served, run

__all__ = ["PREPARED_SINCE", "Pooler", "Program", "Served", "find", "identity", "pooled", "run"]
