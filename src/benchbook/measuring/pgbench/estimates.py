"""How much disk and time trials of pgbench take, before anything starts: estimates of two processors, a local disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from benchbook.engines.postgres import identity
from benchbook.measuring.pgbench.parameters import PAGES_PER_SCALE, Parameters
from benchbook.parameters.needs import Needs

MOST_TPS, WAL_BYTES_PER_TRANSACTION, WAL_BYTES_PER_PAGE = 10_000, 1_000, 9_000
RESTORED_BYTES_PER_SECOND, LOADED_BYTES_PER_SECOND = 400e6, 100e6 / 3
"""At which a trial's data are put back and read, and at which tables are loaded."""


def log_bytes(p: Parameters, seconds: float, images: int = 1) -> int:
    """Of the log of so many seconds of TPC-B in which each page is logged so many times as a whole."""
    made = int(MOST_TPS * seconds)
    return min(p.scale * PAGES_PER_SCALE, made) * WAL_BYTES_PER_PAGE * images + made * WAL_BYTES_PER_TRANSACTION


def needs(
    p: Any, trials: Iterable[float], *, beside_s: float, once_s: float = 0.0, loads: int = 1,
    usable: Callable[[], None] | None = None, restored: float = RESTORED_BYTES_PER_SECOND,
) -> Needs:  # fmt: skip
    """Disk for template, copy and log; memory for what the trials may use; a PostgreSQL.

    trials: seconds of each trial of a block. beside_s: its start, stop and looks. once_s: what is measured once before
    them. loads: how often tables are loaded. usable: raises where the machine lacks what was asked for. restored: bytes
    a second at which a trial's data are put back and read. The parameters have ``disk_bytes``, ``memory_bytes``,
    ``data_bytes`` and ``blocks``.
    """
    beside = beside_s + 2 * p.data_bytes / restored
    block = sum(beside + each for each in trials)
    seconds = once_s + p.blocks * block + loads * p.data_bytes / LOADED_BYTES_PER_SECOND
    return Needs(p.disk_bytes, p.memory_bytes, identity, seconds / 60, usable)
