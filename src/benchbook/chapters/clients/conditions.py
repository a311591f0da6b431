"""What holds in a trial of a configuration: memory, pool, the settings of note 003's first two rounds, open files."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from benchbook.chapters.clients.parameters import CLIENT_BYTES, DATA_OVER_POOL, SERVER_BYTES, Parameters
from benchbook.engines.pgbouncer.pooler import SPARE_FILES
from benchbook.errors import MachineError
from benchbook.measuring.pgbench.parameters import SMALL_RAM_OVER_DATA
from benchbook.measuring.pgbench.settings import NOTE_003, Settings, pool_blocks
from benchbook.measuring.pgbench.tables import Tables
from benchbook.model import Configuration

_LEAST_WAL_BUFFERS_MIB, _RAM_OVER_WAL_BUFFERS = 16, 256
"""The note's log buffers would be a tenth of the small memory of a bound: they shrink with it, down to the default."""
_BOTH: Settings = {
    "max_wal_size": "50GB",
    "min_wal_size": "2GB",
    "checkpoint_timeout": "1h",
    "autovacuum": True,
    "autovacuum_max_workers": 2,
}
ROUND_1: Settings = {
    "bgwriter_lru_multiplier": 2.0,
    "bgwriter_lru_maxpages": 1000,
    "effective_io_concurrency": 200,
    "commit_siblings": 5,
    "wal_writer_flush_after": "1MB",
}
"""What note 003 changed between its first and its second round, as before."""


@dataclass(frozen=True)
class Conditions:
    """Of one configuration on these tables."""

    parameters: Parameters
    tables: Tables
    arm: Configuration

    def number(self, name: str) -> int:
        """A setting of the configuration that is a whole number."""
        return int(self.arm.settings[name] or 0)

    @property
    def pool_blocks(self) -> int:
        """Shared buffers in blocks of 8 KiB: the data are 2.5 times as large."""
        return pool_blocks(self.tables.data_bytes / DATA_OVER_POOL)

    @property
    def connections(self) -> int:
        """Those that clients or the pooler make to the server."""
        return self.number("backends") or self.number("clients")

    @property
    def ram_bytes(self) -> int:
        """Memory of server and page cache: the note's proportion, and on top what the server's processes need."""
        processes = SERVER_BYTES + self.connections * CLIENT_BYTES
        return int(SMALL_RAM_OVER_DATA * self.tables.data_bytes) + processes

    @property
    def settings(self) -> Settings:
        """The server's; autovacuum_naptime in lengths of a trial, as the note's minute was one."""
        wal_mib = max(_LEAST_WAL_BUFFERS_MIB, self.ram_bytes // _RAM_OVER_WAL_BUFFERS // 2**20)
        own: Settings = {
            "shared_buffers": f"{self.pool_blocks * 8}kB",
            "wal_buffers": f"{min(128, wal_mib)}MB",
            "max_connections": self.parameters.max_connections,
            "wal_compression": self.tables.wal_compression,
            "huge_pages": "on" if self.arm.settings["huge_pages"] else "off",
            "autovacuum_naptime": f"{self.number('seconds')}s",
        }
        return NOTE_003 | _BOTH | (ROUND_1 if self.arm.settings["cold"] else {}) | own


def files_needed(parameters: Parameters) -> int:
    """Open files of the program that needs most: pgbench, or a pooler with connections on both sides."""
    backends = parameters.pool_backends if "pooled" in parameters.parts else 0
    return parameters.most_clients + backends + 2 * SPARE_FILES


def check_files(parameters: Parameters, limit: int | None = None) -> None:
    """Raise MachineError where programs may not open as many files as there are connections. limit: by default ours."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1] if limit is None else limit
    wanted = files_needed(parameters)
    if hard != resource.RLIM_INFINITY and hard < wanted:
        raise MachineError(
            f"{parameters.most_clients:,} clients need {wanted:,} open files in one program, the limit is {hard:,}",
            "raise it (ulimit -Hn, LimitNOFILE), or ask for fewer clients",
        )


@contextmanager
def enough_files(parameters: Parameters) -> Iterator[None]:
    """Programs started meanwhile may open as many files as their connections need."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = files_needed(parameters)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
