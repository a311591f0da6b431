"""Redis or Valkey: a private server on a Unix socket, in memory alone, and a client for one command a request."""

from benchbook.engines.redis.client import Client
from benchbook.engines.redis.program import find, identity
from benchbook.engines.redis.server import Server, private_server

__all__ = ["Client", "Server", "find", "identity", "private_server"]
