"""What the chapter's words name, from the raw reports and the simulated pool."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from types import SimpleNamespace
from typing import Any

from benchbook import notes
from benchbook.chapters.cliff_reanalysis import pool, reports
from benchbook.chapters.cliff_reanalysis.arms import Parameters
from benchbook.chapters.cliff_reanalysis.pool import Fit
from benchbook.chapters.cliff_reanalysis.reports import BASELINE, REPORTS, A, B, Fall, Plateau, Report
from benchbook.claims import load_claims
from benchbook.errors import BenchbookError
from benchbook.numbers.analysis import Analysis
from benchbook.numbers.quantities import Number

WHOLE_GIB = range(1, 21)
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
        return {name: reports.fall(each, self.parameters.dirty_limit_percent) for name, each in self.reports.items()}

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
        return int(self.fell_s(A) // reports.STEP_S * reports.STEP_S)

    def gain(self, first_s: int, last_s: int) -> float:
        """Throughput of B over that of A, between two times."""
        return self.reports[B].mean_tps(first_s, last_s) / self.reports[A].mean_tps(first_s, last_s)


def _fallen(name: str, summary: Summary) -> SimpleNamespace:
    """A run that falls: its report, the pool that fits its counters, when it fell, and where its Dirty stops rising."""
    return SimpleNamespace(
        report=summary.reports[name], fit=summary.fits[name], fell_s=summary.fell_s(name), plateau=summary.plateau(name)
    )


def _writes(name: str, after_s: int, summary: Summary) -> float:
    """Median of all disks' writes per second, from then on."""
    found = summary.reports[name].devices
    return float(found[(found["t_s"] > after_s) & (found["t_s"] <= 60)]["device_writes"].median())


def _reads(name: str, summary: Summary) -> int:
    """Reads of all disks."""
    found = summary.reports[name].devices
    return int(found["device_reads"][found["t_s"] > 0].sum())


def _gain(summary: Summary) -> SimpleNamespace:
    """B over A before A's fall, after it, in all, and of single 5 s after it the least and the most."""
    split = summary.parted_s
    a, b = (summary.reports[name].throughput for name in (A, B))
    ratio = b["tps"] / a["tps"]
    return SimpleNamespace(
        split_s=split, before=summary.gain(0, split), after=summary.gain(split, 60), all=summary.gain(0, 60),
        least=float(ratio[a["t_s"] > split].min()), most=float(ratio.max()),
    )  # fmt: skip


def _ranges(sizes: list[int]) -> str:
    """Whole numbers as ranges: "1 to 5, 8"."""
    parts: list[list[int]] = []
    for size in sizes:
        if parts and size == parts[-1][-1] + 1:
            parts[-1].append(size)
        else:
            parts.append([size])
    return ", ".join(f"{part[0]} to {part[-1]}" if len(part) > 1 else f"{part[0]}" for part in parts)


NUMBERS: Mapping[str, Number] = {}
WORDS: Mapping[str, Callable[[Summary], Any]] = {
    "baseline": partial(_fallen, BASELINE),
    "a": partial(_fallen, A),
    "b": lambda summary: summary.reports[B],
    "gain": _gain,
    "apart_s": lambda summary: max(abs(summary.plateau(name).second - summary.fell_s(name)) for name in WARM),
    "reports": lambda summary: summary.reports,
    "falls": lambda summary: summary.falls,
    "allowed": lambda summary: {
        name: _ranges(pool.explained(each, WHOLE_GIB)) for name, each in summary.reports.items()
    },
    "sources": lambda summary: notes.table(REPORTS).to_dict("records"),
    "filled_s": lambda summary: summary.filled[0],
    "filled_gib": lambda summary: summary.filled[1],
    "allowed_by_both": lambda summary: _ranges(
        [size for size in WHOLE_GIB if all(size in pool.explained(summary.reports[name], [size]) for name in WARM)]
    ),
    "less_gib": lambda summary: pool.smaller_by(summary.reports[A], summary.reports[B]),
    "quotes": lambda summary: {name: claim.quote for name, claim in load_claims().items()},
    "reads": lambda summary: {name: _reads(name, summary) for name in (BASELINE, A, B)},
    "untuned": lambda summary: notes.reading("runs_with_os_tuning_off"),
    "log_writes": partial(_writes, B, 2),
    "full_writes": lambda summary: _writes(A, summary.filled[0], summary),
    "late_writes": lambda summary: {name: _writes(name, 15, summary) for name in (BASELINE, A, B)},
    "before_throttling_tps": lambda summary: summary.reports[A].mean_tps(15, 25),
    "bookkeeping_bytes": lambda summary: pool.BOOKKEEPING_BYTES,
}
