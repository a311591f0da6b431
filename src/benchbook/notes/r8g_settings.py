"""What a claim's reports show of it, and the runs of note 003 that are like for like."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from benchbook import notes
from benchbook.errors import BenchbookError
from benchbook.figures.prose import listed
from benchbook.notes import r8g_reports
from benchbook.notes.r8g_reports import ROUND_2, ROUND_3, Report

Runs = Mapping[str, Report]
WARM_TPS = 8_500
"""From here on a run's mean rounds to the 9,000 that the note calls warm."""


@dataclass(frozen=True)
class Shown:
    """What the reports show about one claim.

    text: a sentence or two with the numbers, the reports and the commit. value: the like-for-like number in the claim's
    unit, one run over another and so without an interval; None where the counters decide by themselves. contradicts:
    whether the reports speak against the claim.
    """

    text: str
    value: float | None
    contradicts: bool


def first_runs(runs: Runs) -> tuple[Report, Report]:
    """The first run after a restart with the larger pool of round 3, and the one with the smaller pool."""
    large = runs[ROUND_3]
    return large, r8g_reports.first_after_restart(runs.values(), pool_gb=runs[ROUND_2].pool_gb, scale=large.scale)


def after(runs: Runs, small: Report) -> list[Report]:
    return [each for each in runs.values() if each.settings == small.settings and each.run_id > small.run_id]


def warm(runs: Runs) -> tuple[list[Report], list[Report]]:
    """Runs without a read whose settings are round 2's: those below the level that the note calls warm, and others.

    Raises BenchbookError where there are none of one kind.
    """
    found = r8g_reports.without_reads(runs.values())
    slow, fast = ([each for each in found if (each.tps < WARM_TPS) is below] for below in (True, False))
    if not (slow and fast):
        raise BenchbookError(
            f"of the runs without reads none is {'above' if slow else 'below'} {WARM_TPS:,} TPS",
            "restore data/notes/raw with `git checkout`",
        )
    return slow, fast


def five_settings(runs: Runs) -> str:
    """What the note's files and reports show of the five settings between rounds 1 and 2, as half a sentence."""
    pages = max(each.buffers_written for each in runs.values())
    written = "No page was" if pages == 0 else f"At most {pages:,} pages were"
    delay = notes.number("r8g_config", "value", parameter="commit_delay")
    siblings = "; commit_delay was 0 by the note's own list, with which commit_siblings does nothing" * (delay == 0)
    return (
        f"{written} written from the pool in any run, so no setting of the background writer could act{siblings}. What "
        "all five do from the same cold start, on a volume that is slow to read, is measured in “Cold starts”"
    )


def source(found: Iterable[Report]) -> str:
    reports = list(found)
    names = listed(each.run_id for each in reports)
    return f"({'report' if len(reports) == 1 else 'reports'} {names}, {reports[0].source})"


def throughputs(found: Iterable[Report]) -> str:
    """Such as "6,946, 7,594 and 6,987", in transactions per second."""
    return listed(f"{each.tps:,.0f}" for each in found)


def spread(found: Iterable[Report]) -> str:
    every = sorted(each.tps for each in found)
    return f"{every[0]:,.0f} to {every[-1]:,.0f} TPS"
