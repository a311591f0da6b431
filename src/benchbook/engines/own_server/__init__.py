"""A PostgreSQL of the user's own, which we did not start: reached by a service's name, asked little, left as it was."""

from benchbook.engines.own_server.facts import Facts, facts
from benchbook.engines.own_server.schema import SchemaInUseError, comment, left_behind, made, removed
from benchbook.engines.own_server.service import SERVICE, Connection, connect, service, told

__all__ = [
    "SERVICE",
    "Connection",
    "Facts",
    "SchemaInUseError",
    "comment",
    "connect",
    "facts",
    "left_behind",
    "made",
    "removed",
    "service",
    "told",
]
