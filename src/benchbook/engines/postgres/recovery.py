"""A server killed under load and started again: how long it takes to answer, and what it did until then."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass

from benchbook import files
from benchbook.engines.bounds import MemoryBound
from benchbook.engines.postgres.cluster import Cluster
from benchbook.engines.printed import last_line
from benchbook.errors import MachineError
from benchbook.model import Scalar

SAID: Mapping[str, Scalar] = {"log_checkpoints": True}
"""Settings with which a server says how long the checkpoint at the end of its recovery took."""
_CRASHED = "database system was not properly shut down"
_REDONE = re.compile(r"redo done at .*elapsed: (\d+\.\d+) s")
_NOTHING = "redo is not required"
_WRITTEN = re.compile(r"checkpoint complete:.*? wrote (\d+) buffers .*?total=(\d+\.\d+) s", re.DOTALL)


@dataclass(frozen=True)
class Recovery:
    """ready_s: from the start until the server answers. redo_s: of these, reading and applying the log. checkpoint_s:
    of these, writing what the redo had changed; pages: how many pages that were.
    """

    ready_s: float
    redo_s: float
    checkpoint_s: float
    pages: int


def after_crash(cluster: Cluster, bound: MemoryBound, settings: Mapping[str, Scalar]) -> Recovery:
    """End a running server without letting it write anything, empty the page cache of its files, and start it again.

    So a server is found after its machine has crashed, but for pages that the kernel had not yet written: these are
    written here, and the log has them whole. It gets the same memory again.

    settings: of the new start; ``SAID`` is added. Raises MachineError where the server does not say how it recovered.
    """
    cluster.stop_at_once()
    cluster.stop()
    cluster.evict()
    files.evict(cluster.wal or cluster.data / "pg_wal")
    clock = time.monotonic()
    with bound.inside():
        cluster.start({**settings, **SAID})
    return read(cluster.log(), time.monotonic() - clock)


def read(log: str, ready_s: float) -> Recovery:
    """What a server's log says of its recovery. Raises MachineError where it says nothing of one."""
    redone, written = _REDONE.search(log), _WRITTEN.search(log)
    if _CRASHED not in log or (redone is None and _NOTHING not in log) or written is None:
        raise MachineError(
            f"the server's log does not say how it recovered from a crash; its last line: {last_line(log)}",
            "use PostgreSQL 15 or later",
        )
    redo_s = 0.0 if redone is None else float(redone[1])
    return Recovery(ready_s, redo_s, float(written[2]), int(written[1]))
