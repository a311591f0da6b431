"""Trials of the suite's peak and burst tests; the machine rests before the first of a block."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from benchbook.experiments.families.badger import bench
from benchbook.experiments.families.samples import reduce
from benchbook.experiments.label_order.arms import LABELS, Parameters, configurations
from benchbook.experiments.needs import Needs
from benchbook.model import PlannedTrial, Trial

__all__ = ["needs", "reduce", "session"]


@dataclass(frozen=True)
class Bench(bench.Bench):
    """The one program behind all labels, and the disk on which the stores lie."""

    parameters: Parameters

    def measure(self, planned: PlannedTrial) -> Trial:
        """Measure one label once; the first of a block on a machine that has rested."""
        if planned.index % len(LABELS) == 0:
            time.sleep(self.parameters.rest_s)
        return super().measure(planned)


def needs(parameters: Parameters) -> Needs:
    """Disk, memory, and the one build of the probe."""
    return bench.needs(parameters, configurations(parameters))


def session(parameters: Parameters, progress: Callable[[str, float], None]) -> AbstractContextManager[bench.Bench]:
    """The program, and the disk."""
    return bench.session(parameters, progress, configurations(parameters), Bench)
