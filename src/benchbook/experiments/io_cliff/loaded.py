"""Loaded tables as a template: what a trial on a copy of them needs to know of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchbook.engines.pgbench import Template
from benchbook.engines.postgres import Binaries, Cluster
from benchbook.experiments.io_cliff.parameters import Parameters


@dataclass(frozen=True)
class Loaded:
    """pgbench's tables in a private cluster. data_bytes: heap and indexes as loaded."""

    parameters: Parameters
    binaries: Binaries
    cluster: Cluster
    template: Template
    paths: list[tuple[int, Path]]
    data_bytes: int
    wal_compression: str
