"""A private PostgreSQL: found, started, asked and removed."""

from benchbook.engines.postgres.binaries import Binaries, find, identity
from benchbook.engines.postgres.cluster import Cluster
from benchbook.engines.postgres.private import private_cluster

__all__ = ["Binaries", "Cluster", "find", "identity", "private_cluster"]
