"""A private PostgreSQL: found, started, asked and removed."""

from benchbook.engines.postgres.binaries import Binaries, find
from benchbook.engines.postgres.cluster import Cluster, private_cluster, unprivileged_account
from benchbook.engines.postgres.leftovers import remove_leftovers

__all__ = ["Binaries", "Cluster", "find", "private_cluster", "remove_leftovers", "unprivileged_account"]
