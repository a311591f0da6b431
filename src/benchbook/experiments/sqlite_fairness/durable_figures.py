"""Figures of durability: what a durable write costs, and what outlives a kill and a loss of power."""

from __future__ import annotations

from dataclasses import replace

from benchbook import statistics
from benchbook.experiments.shape.regular import Ask, Dots, Found
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.experiments.sqlite_fairness.answers import DURABILITY, OUTLIVED
from benchbook.experiments.sqlite_fairness.arms import COMMITS, ONE_WRITE, POWER_CUT, WRITES, at
from benchbook.experiments.sqlite_fairness.summary import Summary
from benchbook.model import Estimate

FOUND, LOST = "every reported row was found", "rows were lost"


def _written(lost: bool) -> Ask:
    """Time of a row's write where rows were lost, or where none was."""

    def ask(summary: Summary, arm: str) -> Estimate:
        if bool(summary.values(arm, "lost_share").any()) is not lost:
            raise NotEstimableError("it has the other outcome", "see the other series")
        return summary.us(arm, "write_ns_per_row")

    return ask


def _writers(summary: Summary) -> dict[str, str]:
    one = {arm: f"{summary.label(arm)} (one commit)" for arm in summary.part(ONE_WRITE)}
    return {arm: summary.label(arm) for arm in summary.part(COMMITS)} | one


def _fates(summary: Summary, found: Found) -> str:
    count = sum(len(marks) for marks in found.values())
    return f"Of {count} configurations {len(found.get(LOST, {}))} lost rows that they had reported as written"


durability = Dots(
    id=DURABILITY,
    title="The cost of a durable write",
    rows=_writers,
    series={FOUND: _written(False), LOST: _written(True)},
    axis="write (µs per row)", row="use", heading="after the kill", height=180, each=28,
    said=_fates,
    more={
        "syncs per commit": lambda summary, arm: float(summary.values(arm, "write_syncs_per_commit").mean()),
        "rows reported": lambda summary, arm: float(summary.values(arm, "acknowledged_rows").sum()),
        "rows lost (%)": lambda summary, arm: 100 * float(summary.values(arm, "lost_share").mean()),
    },
    nothing="Nothing was written in this run",
    caption="Time to write a row in commits of {p.commit_rows:,} rows and in one of "
    "{p.one_write_rows:,}; then the writer was killed (kill -9), each reported row looked up. "
    "{said}. The kernel's memory survives a kill, not a loss of power. "
    "{intervals}.",
    told=lambda summary: "; ".join(
        label
        for arm, label in _writers(summary).items()
        if summary.has(arm, "lost_share") and summary.values(arm, "lost_share").any()
    ) or "none",
    alt="Points with intervals for {n} configurations, marked by whether rows were lost. {said}: {more}.",
)  # fmt: skip


def _left(part: str) -> Ask:
    """The share of the acknowledged rows that were found afterwards, in all trials of a use together."""

    def ask(summary: Summary, use: str) -> Estimate:
        reported, found = summary.counted(at(part, use))
        return replace(statistics.exact(float(found.sum() / reported.sum())), n=len(reported))

    return ask


outlived = Dots(
    id=OUTLIVED,
    title="What outlives a loss of power",
    rows={use: written.label for use, written in WRITES.items()},
    series={"the writer was killed": _left(ONE_WRITE), "then the disk lost its power": _left(POWER_CUT)},
    axis="acknowledged rows that were found (%)", quantity="found (%)", row="use", heading="afterwards", factor=100,
    scale="percent", height=180, each=34,
    nothing="Nothing was written in this run",
    caption="One commit of {p.one_write_rows:,} rows whose write had returned: how much of it was found after the "
    "writer was killed, and after the disk then lost its power; all trials together.",
    alt="Two kinds of points for {n} ways to write. {said}.",
)  # fmt: skip
