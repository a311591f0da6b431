"""Everything that the chapter shows, computed once from the raw reports."""

from __future__ import annotations

from functools import cached_property

from benchbook.errors import BenchbookError
from benchbook.experiments import r8g_reports
from benchbook.experiments.r8g_reports import ROUND_2, ROUND_3, Report
from benchbook.experiments.rounds_reanalysis.arms import Parameters
from benchbook.experiments.shape.analysis import Analysis

FLAT_US = 20
"""A run is of one state throughout where user time of a transaction moves by no more, from one 5 s to any other."""


class Summary(Analysis[Parameters]):
    """The nine runs, which of them were warm, and what a transaction takes in the two states."""

    @cached_property
    def runs(self) -> dict[str, Report]:
        """All runs in the order in which they were made."""
        return r8g_reports.reports()

    @property
    def fast(self) -> Report:
        """Round 2: the run with most throughput."""
        return self.runs[ROUND_2]

    @property
    def unmentioned(self) -> list[Report]:
        """Those of which the note does not speak."""
        return [each for each in self.runs.values() if not each.name]

    @property
    def warm(self) -> list[Report]:
        """Those that read next to nothing from disk."""
        return [each for each in self.runs.values() if each.reads <= self.parameters.few_reads]

    @property
    def slow(self) -> list[Report]:
        """Warm runs that stayed slow for the whole minute; raises BenchbookError where there is none."""
        found = [each for each in self.warm if _flat(each) and each.tps < self.fast.tps]
        if not found:
            raise BenchbookError(
                f"no run with at most {self.parameters.few_reads:,} reads stayed slow", "allow more reads in few_reads"
            )
        return found

    @property
    def first_runs(self) -> tuple[Report, Report]:
        """The first run after a restart with the larger pool, and the one with the smaller pool and the same data."""
        large = self.runs[ROUND_3]
        return large, r8g_reports.first_after_restart(self.runs.values(), self.fast.pool_gb, large.scale)


def _flat(report: Report) -> bool:
    used = report.course["user_us"]
    return float(used.max() - used.min()) <= FLAT_US
