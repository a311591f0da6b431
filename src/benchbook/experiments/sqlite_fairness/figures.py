"""The figures: speed-ups over rows, the look-up and its tail by SQLite's settings, and those of durability."""

from __future__ import annotations

from functools import partial

from benchbook.experiments.families.kv import note as printed
from benchbook.experiments.shape import processors
from benchbook.experiments.shape.claim_figure import ClaimFigure
from benchbook.experiments.shape.regular import Ask, Dots, Found, Given, Lines
from benchbook.experiments.shape.tables import shown
from benchbook.experiments.shape.telling import told
from benchbook.experiments.sqlite_fairness.answers import CLAIMED, SPEEDUP, sizes_together
from benchbook.experiments.sqlite_fairness.arms import (
    AFTER,
    AS_RUN,
    BEFORE,
    BEST,
    CLAIMED_ROWS,
    DEPENDENT,
    LOOKUPS,
    ONCE,
    ONCE_WARM,
    TIMED,
    WARM,
    WARM_AGAIN,
    at,
    note,
)
from benchbook.experiments.sqlite_fairness.durable_figures import durability, outlived
from benchbook.experiments.sqlite_fairness.speedup_prose import differ
from benchbook.experiments.sqlite_fairness.summary import TIME, Summary
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


def _kinds(summary: Summary) -> str:
    """That the intervals reach over two kinds of host, where they do."""

    def said() -> str:
        return "The blocks are of several kinds of host, between which factors differ. " if differ(summary) else ""

    return "".join(told(said))


speedups = Lines(
    id=SPEEDUP,
    title="Speed-up of look-ups over SQLite",
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
    caption="SQLite's mean look-up time divided by that of the note's engine (index, then RocksDB; options after "
    "unless stated otherwise), for the note's look-ups, against rows; both axes logarithmic. The note's own "
    "numbers have no interval. {more}{intervals}.",
    told=_kinds,
    alt="Lines of speed-up over the number of rows for {series} comparisons, with the note's numbers as points. "
    "{said}.",
)  # fmt: skip


def _on(name: str) -> Ask:
    def over(summary: Summary, use: str) -> Estimate:
        sqlite, engine = (sizes_together(summary, each) for each in (use, AFTER))
        return processors.ratio_on(summary, name, sqlite, engine)

    return over


by_processor = Dots(
    id="fig-sqlite-fairness-processors",
    title="Speed-up of look-ups by kind of host",
    rows={use: LOOKUPS[use].label for use in (AS_RUN, ONCE, BEST)}, row="use of SQLite",
    series=lambda summary: {name: _on(name) for name in processors.every(summary)}, heading="host",
    axis="SQLite's look-up / OmenDB's", height=170, each=40, rule=1.0, replicates="blocks",
    nothing="The note's sizes were not all measured in this run",
    caption="SQLite's mean look-up time divided by that of the note's engine, geometric mean over the note's sizes, on "
    "each kind of host that blocks were measured on, named by its processor. Right of 1 the engine is faster. "
    "{intervals}.",
    alt="Points with intervals for {n} uses of SQLite on {series} kinds of host. {said}.",
)  # fmt: skip

inserts = Lines(
    id="fig-sqlite-fairness-inserts",
    title="Speed-up of inserts over SQLite",
    over=lambda summary: summary.parameters.sizes, across="rows", rows=True, aside=True, tick="{:,}".format,
    series={LOOKUPS[use].label: _speedup(use, AFTER, INSERT) for use in (AS_RUN, ONCE)},
    axis="SQLite's insert / OmenDB's", heading="comparison", replicates="blocks",
    said=_ends,
    given=lambda summary: _equal(summary, Given("the note, before", printed.behind("insert"))),
    caption="Time to insert all rows into SQLite in one transaction, divided by the time for the note's engine (one "
    "batch with an unsynced log, then the index), against rows; both axes logarithmic. {intervals}.",
    alt="Lines of the insert speed-up over the number of rows for {series} uses of SQLite. {said}.",
)  # fmt: skip


def _us(part: str, metric: str = TIME) -> Ask:
    return lambda summary, use: summary.us(at(part, use), metric)


def _once(summary: Summary, found: Found) -> str:
    again = told(lambda: with_interval(summary.over(WARM_AGAIN, ONCE_WARM, TIME)))
    against = "".join(f", and against itself {each} times as long" for each in again)
    return f"Prepared once, a look-up takes {shown(summary.us, ONCE_WARM)} µs{against}"


settings = Dots(
    id="fig-sqlite-fairness-settings",
    title="Look-up by SQLite's settings",
    rows=lambda summary: {arm.removeprefix(f"{WARM}_"): summary.label(arm) for arm in summary.part(WARM)},
    series={"independent": _us(WARM), "each needs the result of the last": _us(DEPENDENT)},
    axis="mean look-up (µs)", quantity="look-up (µs)", row="use", heading="look-ups", scale="zero",
    height=180, each=28,
    said=_once,
    caption="Mean time of a uniform look-up among {p.ladder_rows:,} rows after a warm-up, timed in batches, by how "
    "SQLite is used and for the note's engine; a line that begins with … changes one thing in “prepared once”. "
    "{intervals}.",
    alt="Points with intervals for {n} configurations. {said}.",
)  # fmt: skip


def _quantile(metric: str, summary: Summary, arm: str) -> Estimate:
    return summary.us(arm, metric)


def _largest_quantile(summary: Summary, found: Found) -> str:
    name, marks = [*found.items()][-1]
    return f"{name}: " + "; ".join(f"{label}: {with_interval(e, 1)} µs" for label, e in marks.items())


tails = Dots(
    id="fig-sqlite-fairness-tails",
    title="Tail of a look-up by use",
    rows=lambda summary: summary.part(TIMED),
    series={name: partial(_quantile, metric) for metric, name in QUANTILES.items()},
    axis="look-up (µs)", row="use", heading="quantile", height=180, each=28,
    said=_largest_quantile,
    told=lambda summary: f"{summary.run.provenance['probe_timer_ns']:.0f}",
    nothing="Too few look-ups were timed individually",
    caption="Quantiles of a uniform look-up among {p.ladder_rows:,} rows after a warm-up, each timed individually "
    "(including one reading of the clock, {more} ns), logarithmic axis. {intervals}.",
    alt="Points with intervals of {series} quantiles for {n} configurations. {said}.",
)  # fmt: skip


claims = ClaimFigure(id=CLAIMED, what="The chapter's claims that are ratios")

FIGURES = {
    "speedup": speedups,
    "by_processor": by_processor,
    "settings": settings,
    "tails": tails,
    "inserts": inserts,
    "durability": durability,
    "outlived": outlived,
    "claims": claims,
}
