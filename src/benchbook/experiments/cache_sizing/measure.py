"""Trials of the suite under each setting, as every chapter on it measures them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from benchbook.experiments.cache_sizing.arms import Parameters, configurations
from benchbook.experiments.families.badger import bench
from benchbook.experiments.families.samples import reduce
from benchbook.experiments.needs import Needs

__all__ = ["needs", "reduce", "session"]


def needs(parameters: Parameters) -> Needs:
    """Disk, memory, and the three builds of the probe."""
    return bench.needs(parameters, configurations(parameters))


def session(parameters: Parameters, progress: Callable[[str, float], None]) -> AbstractContextManager[bench.Bench]:
    """The programs, and the disk on which the stores lie."""
    return bench.session(parameters, progress, configurations(parameters))
