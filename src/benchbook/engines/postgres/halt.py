"""The end of a server whose trial failed: its data are restored anyway, so nothing need be written."""

from __future__ import annotations

import signal

from benchbook.engines.postgres.cluster import Cluster


def stop_at_once(cluster: Cluster) -> None:
    """PostgreSQL's "immediate" shutdown; does nothing when no server runs. Call ``cluster.stop()`` after it.

    A server that restarts after the death of one of its processes may not heed a "fast" shutdown for minutes.
    """
    cluster.send(signal.SIGQUIT)
