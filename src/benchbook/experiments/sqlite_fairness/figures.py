"""The figures: speed-ups over rows, the look-up and its tail by SQLite's settings, and those of durability."""

from __future__ import annotations

from dataclasses import replace

from benchbook import statistics
from benchbook.experiments.families.kv import note as printed
from benchbook.experiments.shape import processors
from benchbook.experiments.shape.claim_figure import ClaimFigure
from benchbook.experiments.shape.regular import Ask, Dots, Found, Given, Lines, level
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.experiments.shape.tables import shown
from benchbook.experiments.shape.telling import told
from benchbook.experiments.sqlite_fairness.arms import (
    AFTER,
    AS_RUN,
    BEFORE,
    BEST,
    CLAIMED_ROWS,
    COMMITS,
    DEPENDENT,
    LOOKUPS,
    ONCE,
    ONCE_WARM,
    ONE_WRITE,
    POWER_CUT,
    TIMED,
    WARM,
    WARM_AGAIN,
    WRITES,
    at,
    note,
)
from benchbook.experiments.sqlite_fairness.numbers import TIME, Summary, sizes_together
from benchbook.figures import with_interval
from benchbook.model import Estimate

INSERT = "insert_ns_per_row"
QUANTILES = {"query_p50_ns": "P50", "query_p95_ns": "P95", "query_p99_ns": "P99"}


def _speedup(use: str, omendb: str, metric: str) -> Ask:
    """A time of SQLite in one use over that of the note's engine with one set of options, at a number of rows."""
    return lambda summary, rows: summary.over(note(use, rows), note(omendb, rows), metric)


def _equal(summary: Summary, *others: Given) -> list[Given]:
    sizes = [*summary.parameters.sizes, *(rows for each in others for rows in each.values)]
    return [*others, Given("as fast as SQLite", {min(sizes): 1, max(sizes): 1}, line="dot", listed=False)]


def _ends(summary: Summary, found: Found) -> str:
    """The values at the largest number of rows."""
    return "; ".join(
        f"{name} {with_interval([*marks.values()][-1])} at {[*marks][-1]} rows" for name, marks in found.items()
    )


speedups = Lines(
    over=lambda summary: summary.parameters.sizes, across="rows", rows=True, aside=True, tick="{:,}".format,
    series={LOOKUPS[use].label: _speedup(use, AFTER, TIME) for use in (AS_RUN, ONCE, BEST)}
    | {f"{LOOKUPS[AS_RUN].label}, options before": _speedup(AS_RUN, BEFORE, TIME)},
    axis="SQLite's look-up / OmenDB's", heading="comparison", replicates="blocks",
    said=_ends,
    given=lambda summary: _equal(
        summary,
        Given("the note, before", printed.behind("query")),
        Given("the note, after", {CLAIMED_ROWS: printed.speedup_after()}),
    ),
)  # fmt: skip


def _on(name: str) -> Ask:
    def over(summary: Summary, use: str) -> Estimate:
        sqlite, engine = (sizes_together(summary, each) for each in (use, AFTER))
        return processors.ratio_on(summary, name, sqlite, engine)

    return over


by_host = Dots(
    rows={use: LOOKUPS[use].label for use in (AS_RUN, ONCE, BEST)}, row="use of SQLite",
    series=lambda summary: {name: _on(name) for name in processors.every(summary)}, heading="host",
    axis="SQLite's look-up / OmenDB's", height=170, each=40, rule=1.0, replicates="blocks",
    nothing="The note's sizes were not all measured in this run",
)  # fmt: skip

inserts = Lines(
    over=lambda summary: summary.parameters.sizes, across="rows", rows=True, aside=True, tick="{:,}".format,
    series={LOOKUPS[use].label: _speedup(use, AFTER, INSERT) for use in (AS_RUN, ONCE)},
    axis="SQLite's insert / OmenDB's", heading="comparison", replicates="blocks",
    said=_ends,
    given=lambda summary: _equal(summary, Given("the note, before", printed.behind("insert"))),
)  # fmt: skip


def _us(part: str, metric: str = TIME) -> Ask:
    return lambda summary, use: summary.us(at(part, use), metric)


def _once(summary: Summary, found: Found) -> str:
    again = told(lambda: with_interval(summary.over(WARM_AGAIN, ONCE_WARM, TIME)))
    against = "".join(f", and against itself {each} times as long" for each in again)
    return f"Prepared once, a look-up takes {shown(summary.us, ONCE_WARM)} µs{against}"


settings = Dots(
    rows=lambda summary: {arm.removeprefix(f"{WARM}_"): summary.label(arm) for arm in summary.part(WARM)},
    series={"independent": _us(WARM), "each needs the result of the last": _us(DEPENDENT)},
    axis="mean look-up (µs)", quantity="look-up (µs)", row="use", heading="look-ups", scale="zero",
    height=180, each=28,
    said=_once,
)  # fmt: skip


def _largest_quantile(summary: Summary, found: Found) -> str:
    name, marks = [*found.items()][-1]
    return f"{name}: " + "; ".join(f"{label}: {with_interval(e, 1)} µs" for label, e in marks.items())


tails = Dots(
    rows=lambda summary: summary.part(TIMED),
    series={name: level(metric, 1e3) for metric, name in QUANTILES.items()},
    axis="look-up (µs)", row="use", heading="quantile", height=180, each=28,
    said=_largest_quantile,
    nothing="Too few look-ups were timed individually",
)  # fmt: skip


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
    told=lambda summary: "; ".join(
        label
        for arm, label in _writers(summary).items()
        if summary.has(arm, "lost_share") and summary.values(arm, "lost_share").any()
    ) or "none",
)  # fmt: skip


def _left(part: str) -> Ask:
    """The share of the acknowledged rows that were found afterwards, in all trials of a use together."""

    def ask(summary: Summary, use: str) -> Estimate:
        reported, found = summary.counted(at(part, use))
        return replace(statistics.exact(float(found.sum() / reported.sum())), n=len(reported))

    return ask


outlived = Dots(
    rows={use: written.label for use, written in WRITES.items()},
    series={"the writer was killed": _left(ONE_WRITE), "then the disk lost its power": _left(POWER_CUT)},
    axis="acknowledged rows that were found (%)", quantity="found (%)", row="use", heading="afterwards", factor=100,
    scale="percent", height=180, each=34,
    nothing="Nothing was written in this run",
)  # fmt: skip

claims = ClaimFigure(what="The chapter's claims that are ratios")

FIGURES = {
    "speedup": speedups,
    "processors": by_host,
    "settings": settings,
    "tails": tails,
    "inserts": inserts,
    "durability": durability,
    "outlived": outlived,
    "claims": claims,
}
