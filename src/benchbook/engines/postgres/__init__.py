"""A private PostgreSQL: found, started, asked and removed."""

from benchbook.engines.postgres.binaries import Binaries, find, identity
from benchbook.engines.postgres.cluster import Cluster, private_cluster, unprivileged_account

__all__ = ["Binaries", "Cluster", "find", "identity", "private_cluster", "unprivileged_account"]
