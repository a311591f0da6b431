"""The loaded tables: what the trials on them, and the windows of a trial, need to know."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from benchbook.engines import cores
from benchbook.experiments.families.features.pages import PageMap
from benchbook.experiments.families.features.parameters import Features
from benchbook.experiments.families.postgres import Loaded


@dataclass(frozen=True)
class Tables(Loaded[Features]):
    """Tables in a private cluster, with their pages and files, and the counters as they stood after loading."""

    pages: PageMap
    paths: list[tuple[int, Path]]
    statistics: Path

    def start(self, pool_mib: int | None = None) -> None:
        """A fresh server with empty caches, and the counters as they stood after loading.

        pool_mib: its buffer pool; that of the parameters by default.
        """
        target = self.cluster.data / "pg_stat"
        shutil.rmtree(target)
        shutil.copytree(self.statistics, target)
        self.cluster.give(target)
        self.cluster.evict()
        pool = {"shared_buffers": f"{pool_mib or self.parameters.shared_buffers_mib}MB"}
        with cores.on(None if self.cores is None else self.cores.server):
            self.cluster.start(pool | self.settings())
