"""What the chapter shows, computed once from the raw reports, by name; its tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import pandas as pd

from benchbook import notes
from benchbook.chapters.rounds_reanalysis.arms import Parameters
from benchbook.claims import load_claims
from benchbook.errors import BenchbookError
from benchbook.notes import r8g_reports
from benchbook.notes.r8g_claims import REPORTED
from benchbook.notes.r8g_reports import REPORTS, RISING, ROUND_1, ROUND_2, ROUND_3, Report, extra_processors
from benchbook.numbers.analysis import Analysis
from benchbook.numbers.quantities import Number

FLAT_US = 20
"""A run is of one state throughout where user time of a transaction moves by no more, from one 5 s to any other."""
NAMELESS = "not in the note"


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


def _course(report: Report, column: str) -> list[float]:
    """Every 5 s."""
    return [float(each) for each in report.course[column]]


def _repeats(summary: Summary) -> list[Report]:
    """The other runs with the settings of round 2."""
    fast = summary.fast
    return [each for each in summary.runs.values() if each.settings == fast.settings and each is not fast]


def _flushes(summary: Summary) -> list[int]:
    """Seconds of the CHECKPOINT before each run that had something to write."""
    return [each.checkpoint_s for each in summary.runs.values() if not each.first and each.checkpoint_s > 1]


NUMBERS: Mapping[str, Number] = {}
WORDS: Mapping[str, Callable[[Summary], Any]] = {
    "runs": lambda summary: [*summary.runs.values()],
    "warm": lambda summary: summary.warm,
    "cold": lambda summary: [each for each in summary.runs.values() if each not in summary.warm],
    "slow": lambda summary: summary.slow,
    "fast": lambda summary: summary.fast,
    "first": lambda summary: summary.runs[ROUND_1],
    "first_us": lambda summary: _course(summary.runs[ROUND_1], "user_us"),
    "large": lambda summary: summary.first_runs[0],
    "small": lambda summary: summary.first_runs[1],
    "extra": lambda summary: [extra_processors(each, summary.fast) for each in summary.slow],
    "unmentioned": lambda summary: summary.unmentioned,
    "dips": lambda summary: summary.unmentioned[0],
    "dips_us": lambda summary: _course(summary.unmentioned[0], "user_us"),
    "rising": lambda summary: summary.runs[RISING],
    "rising_tps": lambda summary: _course(summary.runs[RISING], "tps"),
    "rising_us": lambda summary: _course(summary.runs[RISING], "user_us"),
    "later": lambda summary: [each for each in summary.runs.values() if each.run_id > RISING],
    "repeats": _repeats,
    "flushes": _flushes,
    "data_gb": lambda summary: notes.number("r8g_runs", "data_gb", round=1),
}


def _by_run(summary: Summary, row: Callable[[Report], dict[str, str]]) -> pd.DataFrame:
    every = [
        {"run": each.clock, "the note calls it": each.name or NAMELESS, **row(each)} for each in summary.runs.values()
    ]
    return pd.DataFrame(every).set_index("run")


def _run(each: Report) -> dict[str, str]:
    """Its data and pool, throughput, disks, and time of a transaction."""
    return {
        "scale": f"{each.scale:,}",
        "pool (GB)": f"{each.pool_gb}",
        "TPS": f"{each.tps:,.0f}",
        "latency, mean and sd (ms)": f"{each.latency_ms:.1f}, {each.latency_sd_ms:.1f}",
        "reads from disk": f"{each.reads:,}",
        "writes of data (1/s)": f"{each.writes_per_s:.1f}",
        "user + system time of a transaction (µs)": f"{each.user_us:.0f} + {each.system_us:.0f}",
    }


def _beginning(each: Report) -> dict[str, str]:
    """How long the CHECKPOINT before it took, and what the processors did around it."""
    return {
        "CHECKPOINT before it, at most (s)": f"{each.checkpoint_s}",
        "first run of the server": "yes" if each.first else "no" if each.checkpoint_s > 1 else "not known",
        "processors in use before and after, at most (%)": f"{each.outside_percent:.1f}",
        "idle during the run (%)": f"{each.idle_percent:.1f}",
        "waiting for disks (%)": f"{each.waiting_percent:.1f}",
    }


def _sources(summary: Summary) -> pd.DataFrame:
    """Where each run's report was read."""
    found = notes.table(REPORTS)
    return found[["run_id", "repository", "commit", "file"]].assign(
        commit=found["commit"].str[:7], file=found["file"].str.rpartition("/")[2]
    ).rename(columns={"run_id": "run"}).set_index("run")  # fmt: skip


def _readings(summary: Summary) -> pd.DataFrame:
    """One row per claim: the note's words, whether its own reports speak against them, and what they show."""
    quotes, rows = load_claims(), []
    for claim, show in REPORTED.items():
        shown = show(summary.runs)
        rows.append(
            {
                "claim": claim,
                "the note": f"“{quotes[claim].quote}”",
                "its own reports": "speak against it" if shown.contradicts else "leave it open",
                "what they show": shown.text,
            }
        )
    return pd.DataFrame(rows).set_index("claim")


TABLES: Mapping[str, Callable[[Summary], pd.DataFrame]] = {
    "runs": lambda summary: _by_run(summary, _run),
    "beginnings": lambda summary: _by_run(summary, _beginning),
    "readings": _readings,
    "sources": _sources,
}
