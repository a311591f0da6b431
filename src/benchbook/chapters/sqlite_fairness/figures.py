"""The figures: speed-ups over rows, the look-up and its tail by SQLite's settings, and those of durability."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from benchbook import statistics
from benchbook.chapters.sqlite_fairness import arms
from benchbook.chapters.sqlite_fairness.arms import AFTER, AS_RUN, BEFORE, LOOKUPS, ONCE, ONE_WRITE, WARM, at, note
from benchbook.chapters.sqlite_fairness.numbers import USES
from benchbook.chapters.sqlite_fairness.summary import SYNCS, TIME, WRITE, Summary
from benchbook.drawing.claim_figure import ClaimFigure
from benchbook.drawing.regular import Ask, Dots, Given, Lines, level
from benchbook.measuring.kv import note as printed
from benchbook.model import Estimate
from benchbook.numbers import processors
from benchbook.numbers.summary import NotEstimableError

INSERT = "insert_ns_per_row"
A_A = arms.WARM_AGAIN.removeprefix(f"{WARM}_")
"""The row that repeats another."""
by_size = partial(
    Lines, over=lambda summary: summary.parameters.sizes, across="rows", rows=True, aside=True, tick="{:,}".format,
    heading="comparison", replicates="blocks",
)  # fmt: skip


def _speedup(use: str, omendb: str, metric: str) -> Ask:
    """A time of SQLite in one use over that of the note's engine with one set of options, at a number of rows."""
    return lambda summary, rows: summary.over(note(use, rows), note(omendb, rows), metric)


def _equal(summary: Summary, *others: Given) -> list[Given]:
    sizes = [*summary.parameters.sizes, *(rows for each in others for rows in each.values)]
    return [*others, Given("as fast as SQLite", {min(sizes): 1, max(sizes): 1}, line="dot", listed=False)]


def _on(host: str, summary: Summary, use: str) -> Estimate:
    """SQLite's look-up in a use over the engine's on one kind of host, all sizes together."""
    return processors.ratio_on(summary, host, summary.sizes_together(use), summary.sizes_together(AFTER))


def _us(part: str) -> Ask:
    return lambda summary, use: summary.level(at(part, use), TIME, 1e3)


def _written(lost: bool) -> Ask:
    """Time of a row's write where rows were lost, or where none was."""

    def ask(summary: Summary, arm: str) -> Estimate:
        if bool(summary.values(arm, "lost_share").any()) is not lost:
            raise NotEstimableError("it has the other outcome", "see the other series")
        return summary.level(arm, WRITE, 1e3)

    return ask


def _writers(summary: Summary) -> dict[str, str]:
    one = {arm: f"{summary.label(arm)} (one commit)" for arm in summary.part(ONE_WRITE)}
    return {arm: summary.label(arm) for arm in summary.part(arms.COMMITS)} | one


def _left(part: str) -> Ask:
    """The share of the acknowledged rows that were found afterwards, in all trials of a use together."""

    def ask(summary: Summary, use: str) -> Estimate:
        reported, found = summary.counted(at(part, use))
        return replace(statistics.exact(float(found.sum() / reported.sum())), n=len(reported))

    return ask


FIGURES = {
    "speedup": by_size(
        series={LOOKUPS[use].label: _speedup(use, AFTER, TIME) for use in USES}
        | {f"{LOOKUPS[AS_RUN].label}, options before": _speedup(AS_RUN, BEFORE, TIME)},
        axis="times as fast as SQLite", quantity="SQLite's look-up / the engine's",
        given=lambda summary: _equal(
            summary,
            Given("the note, before", printed.behind("query")),
            Given("the note, after", {arms.CLAIMED_ROWS: printed.speedup_after()}),
        ),
    ),
    "processors": Dots(
        rows={use: LOOKUPS[use].label for use in USES}, row="use of SQLite",
        series=lambda summary: {name: partial(_on, name) for name in processors.every(summary)}, heading="host",
        axis="SQLite's mean look-up / the engine's (right of 1 = engine faster)",
        quantity="SQLite's look-up / the engine's", height=170, each=40, rule=1.0, replicates="blocks",
        nothing="The note's sizes were not all measured in this run",
    ),
    "settings": Dots(
        rows=lambda summary: {arm.removeprefix(f"{WARM}_"): summary.label(arm) for arm in summary.part(WARM)},
        series={"independent": _us(WARM), "each needs the result of the last": _us(arms.DEPENDENT)},
        axis="mean look-up (µs)", quantity="look-up (µs)", row="use", heading="look-ups", scale="zero",
        height=180, each=28, table_only=lambda summary: (A_A, "before_settled", "after_settled"),
    ),
    "tails": Dots(
        rows=lambda summary: summary.part(arms.TIMED),
        series={name: level(f"query_{name.lower()}_ns", 1e3) for name in ("P50", "P95", "P99")},
        axis="look-up (µs)", row="use", heading="quantile", height=180, each=28,
        nothing="Too few look-ups were timed individually",
    ),
    "inserts": by_size(
        series={LOOKUPS[use].label: _speedup(use, AFTER, INSERT) for use in (AS_RUN, ONCE)},
        axis="times as fast as SQLite", quantity="SQLite's insert / the engine's",
        given=lambda summary: _equal(summary, Given("the note, before", printed.behind("insert"))),
    ),
    "durability": Dots(
        rows=_writers, table_only=lambda summary: summary.part(ONE_WRITE),
        series={"every reported row was found": _written(False), "rows were lost": _written(True)},
        axis="write (µs per row)", row="use", heading="after the kill", height=180, each=28,
        more={
            "syncs per commit": lambda summary, arm: summary.mean(arm, SYNCS),
            "rows reported": lambda summary, arm: float(summary.values(arm, "acknowledged_rows").sum()),
            "rows lost (%)": lambda summary, arm: 100 * summary.mean(arm, "lost_share"),
        },
        nothing="Nothing was written in this run",
    ),
    "outlived": Dots(
        rows={use: written.label for use, written in arms.WRITES.items()},
        series={"the writer was killed": _left(ONE_WRITE), "then the disk lost its power": _left(arms.POWER_CUT)},
        axis="acknowledged rows that were found (%)", quantity="found (%)", row="use", heading="afterwards",
        factor=100, scale="percent", height=180, each=34,
        nothing="Nothing was written in this run",
    ),
    "claims": ClaimFigure(what="The chapter's claims that are ratios"),
}  # fmt: skip
