"""The server settings of a trial: the notes' own, as far as the server has them, and what the arm varies."""

from __future__ import annotations

from benchbook.engines.dirty_limits import DirtyLimits, of_memory
from benchbook.experiments.io_cliff.parameters import (
    CHECKPOINT_RAM_OVER_DATA,
    NOTE_CHECKPOINT_SECONDS,
    RAM_OVER_DATA,
    Parameters,
)
from benchbook.model import Configuration, Scalar

BLOCK_BYTES = 8192
SMALLEST_WAL_MB = 32
"""Two segments of 16 MB: the server starts with no less."""
WAL_OVER_DATA, DEFAULT_WAL_OVER_DATA = 2.5, 0.05
"""The note's 50 GB, and PostgreSQL's 1 GB, to its 20 GB of data."""
_NOTE_002: dict[str, Scalar] = {
    "max_wal_size": "48GB",
    "min_wal_size": "4GB",
    "checkpoint_timeout": "30min",
    "commit_delay": 50,
    "commit_siblings": 10,
    "bgwriter_lru_multiplier": 10.0,
    "effective_io_concurrency": 200,
    "wal_writer_flush_after": "1MB",
    "wal_buffers": "16MB",
}
_NOTE_003: dict[str, Scalar] = {
    "commit_delay": 0,
    "commit_siblings": 3,
    "bgwriter_lru_maxpages": 500,
    "bgwriter_lru_multiplier": 4.0,
    "effective_io_concurrency": 100,
    "wal_writer_flush_after": "2MB",
    "wal_buffers": "16MB",
    "max_worker_processes": 4,
    "max_parallel_workers": 4,
    "max_parallel_workers_per_gather": 2,
}
_BOTH: dict[str, Scalar] = {
    "synchronous_commit": True,
    "checkpoint_completion_target": 0.9,
    "bgwriter_delay": "10ms",
    "wal_writer_delay": "10ms",
    "random_page_cost": 1.1,
}


def ram_bytes(configuration: Configuration, data_bytes: int) -> int:
    """Memory that server and page cache may use together in a trial."""
    return int((CHECKPOINT_RAM_OVER_DATA if configuration.settings.get("warm") else RAM_OVER_DATA) * data_bytes)


def pool_blocks(configuration: Configuration, data_bytes: int) -> int:
    """Size of shared buffers in blocks of 8 KiB."""
    return max(128, round(float(configuration.settings["pool_over_data"] or 0) * data_bytes / BLOCK_BYTES))


def limits(parameters: Parameters, configuration: Configuration, data_bytes: int) -> DirtyLimits | None:
    """The limits of dirty data to set for a trial, scaled to its memory; None leaves the machine's own."""
    arm = configuration.settings
    if not parameters.allow_vm_settings or arm.get("machine_limits"):
        return None
    percent = float(arm.get("dirty_percent") or parameters.dirty_percent)
    background = float(arm.get("dirty_background_percent") or parameters.dirty_background_percent)
    return of_memory(ram_bytes(configuration, data_bytes), percent, background)


def server_settings(
    parameters: Parameters, configuration: Configuration, *, data_bytes: int, wal_compression: str
) -> dict[str, Scalar]:
    """Settings of a trial. data_bytes: what the data set really takes. wal_compression: the best it has."""
    arm = configuration.settings
    settings = _BOTH | (_NOTE_003 if arm.get("warm") else _NOTE_002)
    settings |= {
        "shared_buffers": f"{pool_blocks(configuration, data_bytes) * 8}kB",
        "max_connections": parameters.max_connections,
        "wal_compression": wal_compression,
    }
    if arm.get("warm"):
        return settings | _checkpoint_settings(parameters, configuration, data_bytes)
    workers = int(arm["workers"] or 0)
    return settings | {
        "max_worker_processes": workers,
        "max_parallel_workers": workers,
        "max_parallel_workers_per_gather": 8 if workers >= 32 else 4,
        "bgwriter_lru_maxpages": arm["lru_maxpages"],
    }


def _checkpoint_settings(parameters: Parameters, configuration: Configuration, data_bytes: int) -> dict[str, Scalar]:
    arm = configuration.settings
    over = DEFAULT_WAL_OVER_DATA if arm["default_wal_size"] else WAL_OVER_DATA
    # where only time shall start a checkpoint, the log may grow beyond the note's size
    size = data_bytes * over / 1e6 if over == DEFAULT_WAL_OVER_DATA else max(data_bytes * over / 1e6, 8_000)
    hour = round(3_600 * parameters.checkpoint_seconds / NOTE_CHECKPOINT_SECONDS)
    timeout = (
        parameters.checkpoint_timeout_s if arm["default_timeout"] else max(hour, 2 * parameters.checkpoint_seconds)
    )
    return {
        "max_wal_size": f"{max(SMALLEST_WAL_MB, round(size))}MB",
        "min_wal_size": f"{SMALLEST_WAL_MB}MB",
        "checkpoint_timeout": f"{max(parameters.checkpoint_timeout_s, timeout)}s",
    }
