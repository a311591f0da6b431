"""The figures: throughput, reads and waits along the trials, and the claims; words in the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from benchbook.chapters.cold_starts.arms import FREE
from benchbook.chapters.cold_starts.trials import Summary
from benchbook.drawing.claim_figure import ClaimFigure
from benchbook.drawing.marks import blank
from benchbook.drawing.regular import Given, Lines
from benchbook.errors import BenchbookError
from benchbook.figures import Figure
from benchbook.measuring.pgbench.ladder.arms import ROUND_1, ROUND_1_COLD, ROUND_1_FITS, ROUND_2_COLD
from benchbook.measuring.pgbench.parameters import INTERVALS
from benchbook.model import Estimate
from benchbook.notes import r8g_reports

ARMS = (ROUND_1_COLD, ROUND_2_COLD, ROUND_1_FITS, FREE, ROUND_1)
"""Those that figures show; the one for the A/A comparison lies on the first."""
NO_CAP = "This run caps no reads"
MEND = "measure as root, with allow_slow_storage=true"
TWELFTHS = range(1, INTERVALS + 1)
ACROSS = "twelfth of the trial (5 s in the note)"


def _throughput(arm: str, summary: Summary, place: int) -> Estimate:
    """Over the mean of the warm trials, or where there are none of the configuration's own."""
    below = ROUND_1 if summary.has(ROUND_1, "tps") else arm
    return summary.ratio((arm, f"interval_{place:02}_tps"), (below, "tps"))


def _waiting(arm: str, summary: Summary, place: int) -> Estimate:
    return summary.average(arm, f"waits_{place:02}_reading", 0.01)


def _reads(arm: str, summary: Summary, place: int) -> Estimate:
    return summary.average(arm, f"device_read_iops_{place:02}")


def _series(ask: Callable[[str, Summary, int], Estimate], arms: Iterable[str], summary: Summary) -> Mapping[str, Any]:
    """Of those of these configurations that the run has."""
    return {summary.label(arm): partial(ask, arm) for arm in arms if arm in summary.configurations}


def _noted(summary: Summary) -> tuple[Given, ...]:
    """The note's first round, each 5 s over the best."""
    tps = r8g_reports.reports()[r8g_reports.ROUND_1].course["tps"]
    return (Given("the note's round 1 over its best 5 s", dict(enumerate((tps / tps.max()).tolist(), start=1))),)


def _cap(summary: Summary) -> tuple[Given, ...]:
    """How many reads may pass; nothing where no trial was capped."""
    try:
        cap = summary.mean(ROUND_1_COLD, "read_cap_iops")
    except BenchbookError:
        return ()
    return (Given("reads that may pass", dict.fromkeys(TWELFTHS, cap), line="dot", listed=False),)


courses = Lines(
    over=lambda summary: TWELFTHS, across=ACROSS, series=partial(_series, _throughput, ARMS), given=_noted,
    axis="throughput over round 1, warm", scale="zero", rule=1, replicates="blocks", heading="start",
    nothing="This run has no trial from cold caches", mend=MEND,
)  # fmt: skip
waiting = Lines(
    over=lambda summary: TWELFTHS, across=ACROSS, series=partial(_series, _waiting, ARMS),
    axis="share of the clients that wait for a read (%)", scale="percent", replicates="trials", heading="start",
    nothing="Nobody looked at the clients of this run", mend=MEND,
)  # fmt: skip
reads = Lines(
    over=lambda summary: TWELFTHS, across=ACROSS, series=partial(_series, _reads, ARMS), given=_cap,
    axis="reads of the device in a second", scale="zero", replicates="trials", heading="start",
    nothing="This system does not say how often its device was read", mend="measure on Linux",
)  # fmt: skip
RATIOS = "What note 003 says of its warm-up against measurements"
COUNTS = "The note's counts of waiting clients against measurements"
_ratios = ClaimFigure(
    title=RATIOS,
    what="The ratios that note 003 gives of its warm-up and of what its settings do to it",
    axis="ratio",
    only=lambda answer: bool(answer.row),
)
_counts = ClaimFigure(
    title=COUNTS,
    what="Shares of the clients that note 003 sees wait for reads and for the extension of a table",
    units=("share",),
    axis="share of the clients",
    only=lambda answer: bool(answer.row),
)


def claims(summary: Summary) -> Figure | ClaimFigure:
    """The claims that are ratios; without a cap no run has any of them."""
    return _ratios if summary.capped else blank(summary, "fig-cold-starts-claims", RATIOS, NO_CAP, MEND)


def shares(summary: Summary) -> Figure | ClaimFigure:
    """Those on shares of the clients, likewise."""
    return _counts if summary.capped else blank(summary, "fig-cold-starts-shares", COUNTS, NO_CAP, MEND)


FIGURES = {"courses": courses, "waiting": waiting, "reads": reads, "claims": claims, "shares": shares}
