"""Everything that the chapter shows, computed once from the raw reports and the parameters."""

from __future__ import annotations

from functools import cached_property

from benchbook.errors import BenchbookError
from benchbook.experiments.cliff_reanalysis import falls, pool, reports
from benchbook.experiments.cliff_reanalysis.arms import Parameters
from benchbook.experiments.cliff_reanalysis.falls import Fall, Plateau
from benchbook.experiments.cliff_reanalysis.pool import Fit
from benchbook.experiments.cliff_reanalysis.reports import BASELINE, A, B, Report
from benchbook.experiments.shape.analysis import Analysis

WARM = {BASELINE: True, A: False}
"""Runs with evictions, and whether their pool was full at the start: 4.2 GiB of shared memory, and a restart."""


class Summary(Analysis[Parameters]):
    """The five runs, their falls, and the pools that their counters allow."""

    @cached_property
    def reports(self) -> dict[str, Report]:
        """All runs by name."""
        return reports.reports()

    @cached_property
    def falls(self) -> dict[str, Fall]:
        """When each run falls and when its Dirty stops rising."""
        return {name: falls.fall(each, self.parameters.dirty_limit_percent) for name, each in self.reports.items()}

    @cached_property
    def others(self) -> float:
        """Pages per transaction that the model leaves out, from run B, which evicted none."""
        return pool.others(self.reports[B], self.parameters)

    @cached_property
    def fits(self) -> dict[str, Fit]:
        """The pools of the runs that evicted pages."""
        return {
            name: pool.fit(self.reports[name], self.parameters, warm=WARM[name], others=self.others) for name in WARM
        }

    @cached_property
    def curves(self) -> dict[str, list[int]]:
        """Simulated allocations of the same runs with each pool of ``pool.SIZES_GIB``."""
        return {
            name: pool.curve(self.reports[name], self.parameters, warm=warm, others=self.others)
            for name, warm in WARM.items()
        }

    @cached_property
    def filled(self) -> tuple[int, float]:
        """Of run A, the second in which its devices begin to write, and the pool in GiB that was full then."""
        return pool.filled_by(self.reports[A], self.parameters, self.others)

    def fell_s(self, name: str) -> float:
        """When a run's throughput fell; raises BenchbookError where it did not."""
        found = self.falls[name].tps_s
        if found is None:
            raise BenchbookError(
                f"throughput of run {name} does not fall", "restore data/notes/raw with `git checkout`"
            )
        return found

    def plateau(self, name: str) -> Plateau:
        """Where a run's Dirty stops rising; raises BenchbookError where it stays low."""
        found = self.falls[name].plateau
        if found is None:
            raise BenchbookError(f"Dirty of run {name} stays low", "restore data/notes/raw with `git checkout`")
        return found

    @property
    def parted_s(self) -> int:
        """Up to which second runs A and B are compared before the fall: the last whole 5 s before that of A."""
        return int(self.fell_s(A) // falls.STEP_S * falls.STEP_S)

    def gain(self, first_s: int, last_s: int) -> float:
        """Throughput of B over that of A, between two times."""
        return self.reports[B].mean_tps(first_s, last_s) / self.reports[A].mean_tps(first_s, last_s)
