"""The server settings of a trial: the two notes' own, as far as the server has them, and what the arm varies."""

from __future__ import annotations

from benchbook.engines.postgres import Binaries
from benchbook.experiments.shared_buffers.arms import RAM_OVER_DATA, Part
from benchbook.experiments.shared_buffers.parameters import Parameters
from benchbook.model import Configuration, Scalar

BLOCK_BYTES = 8192
_NOTE_002: dict[str, Scalar] = {
    "max_wal_size": "48GB",
    "min_wal_size": "4GB",
    "checkpoint_timeout": "30min",
    "commit_delay": 50,
    "commit_siblings": 10,
    "bgwriter_lru_multiplier": 10.0,
    "effective_io_concurrency": 200,
    "wal_writer_flush_after": "1MB",
}
_NOTE_003: dict[str, Scalar] = {
    "max_wal_size": "50GB",
    "min_wal_size": "2GB",
    "checkpoint_timeout": "1h",
    "commit_delay": 0,
    "commit_siblings": 3,
    "bgwriter_lru_maxpages": 500,
    "bgwriter_lru_multiplier": 4.0,
    "effective_io_concurrency": 100,
    "wal_writer_flush_after": "2MB",
    "max_worker_processes": 4,
    "max_parallel_workers": 4,
    "max_parallel_workers_per_gather": 2,
}
_BOTH: dict[str, Scalar] = {
    "synchronous_commit": True,
    "bgwriter_delay": "10ms",
    "wal_writer_delay": "10ms",
    "random_page_cost": 1.1,
}


_WAL_BUFFERS_MIB = {Part.WARM: 128}
_LEAST_WAL_BUFFERS_MIB, _NOTE_WAL_BUFFERS_MIB, _RAM_OVER_WAL_BUFFERS = 16, 64, 256
"""The notes' log buffers would be a tenth of the small memory of a bound: they shrink with it, down to the default."""


def ram_bytes(part: Part, data_bytes: int) -> int:
    """Memory that server and page cache may use together in a trial of this part."""
    return int(RAM_OVER_DATA[part] * data_bytes)


def pool_blocks(configuration: Configuration, data_bytes: int) -> int:
    """Size of shared buffers in blocks of 8 KiB."""
    settings = configuration.settings
    if "pool_over_ram" in settings:
        whole = float(settings["pool_over_ram"] or 0) * ram_bytes(Part.WARM, data_bytes)
    else:
        whole = float(settings["pool_over_data"] or 0) * data_bytes
    return max(128, round(whole / BLOCK_BYTES))


def server_settings(
    parameters: Parameters,
    configuration: Configuration,
    binaries: Binaries,
    *,
    data_bytes: int,
    direct_io: bool,
    wal_compression: str,
) -> dict[str, Scalar]:
    """Settings of a trial. data_bytes: what the data set really takes. wal_compression: the best that the server has.

    The note's lz4 is replaced where the server was built without it; ``departures`` says so.
    """
    arm = configuration.settings
    part = Part(str(arm["part"]))
    blocks = pool_blocks(configuration, data_bytes)
    settings = _BOTH | (_NOTE_003 if part is Part.WARM else _NOTE_002)
    settings |= {
        "shared_buffers": f"{blocks * 8}kB",
        "wal_buffers": f"{_wal_buffers_mib(part, ram_bytes(part, data_bytes))}MB",
        "max_connections": parameters.max_connections,
        "wal_compression": wal_compression,
        "huge_pages": "on" if arm.get("huge_pages") else "off",
    }
    if "workers" in arm:
        workers = int(arm["workers"] or 0)
        settings |= {
            "max_worker_processes": workers,
            "max_parallel_workers": workers,
            "max_parallel_workers_per_gather": workers // 4 if workers >= 32 else 4,
            "bgwriter_lru_maxpages": arm["lru_maxpages"],
        }
    if part is Part.READS and direct_io and binaries.has_direct_io:
        settings["debug_io_direct"] = "data"
    return settings


def _wal_buffers_mib(part: Part, ram: int) -> int:
    scaled = ram // _RAM_OVER_WAL_BUFFERS // 2**20
    return min(_WAL_BUFFERS_MIB.get(part, _NOTE_WAL_BUFFERS_MIB), max(_LEAST_WAL_BUFFERS_MIB, scaled))
