"""Loaded tables as a template: what a trial on a copy of them needs to know of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchbook.engines.pgbench import Template
from benchbook.engines.postgres import Binaries, Cluster
from benchbook.experiments.shared_buffers.arms import Part
from benchbook.experiments.shared_buffers.parameters import Parameters
from benchbook.experiments.shared_buffers.settings import pool_blocks, ram_bytes
from benchbook.model import Configuration


@dataclass(frozen=True)
class Loaded:
    """pgbench's tables in a private cluster.

    data_bytes: heap and indexes as loaded. size_bytes_by_scale: the same of two small data sets.
    """

    parameters: Parameters
    binaries: Binaries
    cluster: Cluster
    template: Template
    paths: list[tuple[int, Path]]
    data_bytes: int
    size_bytes_by_scale: dict[str, int]
    contexts: dict[str, str]
    wal_compression: str

    @property
    def direct_io(self) -> bool:
        """Whether the read-only trials read past the OS page cache."""
        return self.cluster.direct_io_possible

    def ram_bytes(self, configuration: Configuration) -> int:
        """Memory that server and page cache may use in a trial of this configuration."""
        return ram_bytes(Part(str(configuration.settings["part"])), self.data_bytes)

    def pool_blocks(self, configuration: Configuration) -> int:
        """Shared buffers of a trial in blocks of 8 KiB."""
        return pool_blocks(configuration, self.data_bytes)
