"""A PostgreSQL of the user's own, which we did not start: reached by a service's name, asked little, left as it was."""

from benchbook.engines.own_server.bounded import patience
from benchbook.engines.own_server.facts import Facts, facts, state
from benchbook.engines.own_server.schema import SchemaInUseError, comment, left_behind, made, removed
from benchbook.engines.own_server.service import Connection, connect, limited, named_service, service
from benchbook.engines.own_server.words import SERVICE, told

__all__ = [
    "SERVICE",
    "Connection",
    "Facts",
    "SchemaInUseError",
    "comment",
    "connect",
    "facts",
    "left_behind",
    "limited",
    "made",
    "named_service",
    "patience",
    "removed",
    "service",
    "state",
    "told",
]
