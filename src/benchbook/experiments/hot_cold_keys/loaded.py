"""A loaded data set: what the trials on it, and the windows of a trial, need to know of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchbook.engines import cores
from benchbook.engines.postgres import Binaries, Cluster
from benchbook.experiments.hot_cold_keys.pages import PageMap
from benchbook.experiments.hot_cold_keys.parameters import Parameters
from benchbook.model import Scalar


@dataclass(frozen=True)
class Loaded:
    """Tables in a private cluster, with their pages and files, and the counters as they stood after loading."""

    parameters: Parameters
    binaries: Binaries
    cluster: Cluster
    pages: PageMap
    paths: list[tuple[int, Path]]
    statistics: Path
    heap_bytes: int
    index_bytes: int

    @property
    def direct_io(self) -> bool:
        """Whether the trials read past the OS page cache."""
        return self.parameters.direct_io and self.cluster.direct_io_possible

    @property
    def cores(self) -> cores.Cores | None:
        """Where client and server of a trial run; None when the kernel decides."""
        return cores.split() if self.parameters.pin_cores else None

    def settings(self, *, large_pool: bool) -> dict[str, Scalar]:
        """Server settings of a trial."""
        pool = self.parameters.large_pool_mib if large_pool else self.parameters.shared_buffers_mib
        settings: dict[str, Scalar] = {"shared_buffers": f"{pool}MB"}
        if self.direct_io:
            settings["debug_io_direct"] = "data"
        return settings
