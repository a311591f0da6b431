"""The figures: latency by store and state, ratios by pairing, what cold costs each store, what was read, the claim."""

from __future__ import annotations

from collections.abc import Iterable

from benchbook.experiments.comparators.answers import CLAIMED, LATENCY, PAIRINGS
from benchbook.experiments.comparators.arms import (
    BASELINE,
    COLD,
    DISJOINT,
    HOT,
    LABELS,
    POSTGRES,
    REPEATED,
    STAND_IN,
    name_of,
)
from benchbook.experiments.comparators.summary import Summary, stated_ms
from benchbook.experiments.families.features import figures as family
from benchbook.experiments.shape.regular import Ask, Dots, Found
from benchbook.experiments.shape.regular.base import Given
from benchbook.figures import with_interval

PENALTY, READS = "fig-comparators-penalty", "fig-comparators-reads"


def _stated(summary: Summary) -> Iterable[Given]:
    typical, p99 = stated_ms("typical"), stated_ms("p99")
    return (
        Given(f"DynamoDB, {typical:g} ms, stated, not measured", {"": typical}, line="dash", listed=False),
        Given(f"DynamoDB's P99, {p99:g} ms, stated, not measured", {"": p99}, line="dot", listed=False),
    )


def _aside(summary: Summary) -> list[str]:
    """The second baseline, what looks nothing up, and what is not compared."""
    drawn = {arm for arm in summary.compared if summary.configurations[arm].settings["draw"] != "empty"}
    return [arm for arm in summary.arms if arm == REPEATED or arm not in drawn]


def _quantities(summary: Summary) -> dict[str, Ask]:
    """The mean too: of a store that warms itself while it is measured the median shows little of the cold."""
    return {summary.METRICS[each].brief: family.by_arm(each) for each in ("mean_ns", "p50_ns", summary.tail)}


def _hot_and_cold(summary: Summary, found: Found) -> str:
    hot, cold = (summary.latency(arm, summary.tail).point for arm in (BASELINE, DISJOINT))
    return f"PostgreSQL's {summary.tail_heading} is {hot:.3g} ms hot and {cold:.3g} ms cold.{_partly(summary)}"


def _partly(summary: Summary) -> str:
    """What a share before the word cold means, where one is drawn."""
    shares = sorted({summary.label(arm).rpartition(", ")[2] for arm in summary.partly_cold})
    return f" “{', '.join(shares)}”: the rest was in memory." if shares else ""


latency = Dots(
    id=LATENCY,
    title="A request on each store, hot and cold",
    rows=lambda summary: summary.measured,
    series=_quantities,
    axis="latency of a request (ms)", quantity="latency (ms)", heading="quantile", height=160,
    said=_hot_and_cold,
    given=_stated,
    table_only=_aside,
    nothing="No request was timed in this run",
    caption="Mean, median and tail of a request for one key in each of {p.n_tables} tables. {said} Cold embedded "
    "stores got too few requests for a tail. Vertical lines: stated for DynamoDB. {intervals}.",
    alt="Points with intervals for {n} configurations of stores, hot and cold, and two lines at stated numbers. {said}",
)  # fmt: skip


def _pair(ours: str, theirs: str) -> Ask:
    return lambda summary, store: summary.pairing(store, ours, theirs)


def _of_the_stand_in(summary: Summary, found: Found) -> str:
    label = summary.cold_label(STAND_IN)
    marks = [f"{name}: {with_interval(each[label])}" for name, each in found.items() if label in each]
    return f"For {LABELS[STAND_IN]}, {'; '.join(marks)}.{_partly(summary)}" if marks else ""


pairings = Dots(
    id=PAIRINGS,
    title="How many times slower PostgreSQL is, by pairing",
    rows=lambda summary: {store: summary.cold_label(store) for store in summary.present(HOT)},
    row="store",
    series={
        "PostgreSQL cold ÷ store hot, as in the note": _pair(COLD, HOT),
        "both hot": _pair(HOT, HOT),
        "both cold": _pair(COLD, COLD),
    },
    axis="mean latency: PostgreSQL ÷ store", heading="pairing", height=170, rule=1.0,
    said=_of_the_stand_in,
    nothing="No other store was measured in this run",
    caption="Mean latency of PostgreSQL over that of another store, by the state of both caches. {said} Redis is never "
    "cold. {intervals}.",
    alt="Points with intervals for {n} stores and up to three pairings of cache states. {said}",
)  # fmt: skip


def _penalties(summary: Summary, found: Found) -> str:
    marks = next(iter(found.values()))
    return "; ".join(f"{label} {with_interval(each)}" for label, each in marks.items())


penalty = Dots(
    id=PENALTY,
    title="What a cold cache costs each store",
    rows=lambda summary: {store: summary.cold_label(store) for store in summary.cold_stores()},
    row="store",
    series={"cold ÷ hot": lambda summary, store: summary.penalty(store)},
    axis="mean latency: cold ÷ hot", heading="", height=130, rule=1.0,
    said=_penalties,
    nothing="No store was measured hot and cold in this run",
    caption="Mean latency of a cold store over that of the same store hot. {said}. The embedded stores were asked "
    "{p.cold_requests:,} cold requests, PostgreSQL {p.measured_requests:,}. {intervals}, logarithmic axis.",
    alt="Points with intervals for {n} stores: cold over hot. {said}.",
)  # fmt: skip


def _read_arms(summary: Summary) -> list[str]:
    every = (name_of(store, state) for state in (HOT, COLD) for store in (POSTGRES, *LABELS))
    return [arm for arm in every if arm in summary.arms]


def _read(summary: Summary, found: Found) -> str:
    return (
        f"PostgreSQL reads {summary.kib(DISJOINT).point:,.0f} KiB a request cold and "
        f"{summary.kib(BASELINE).point:,.2g} hot"
    )


reads = Dots(
    id=READS,
    title="What a request reads from the device",
    rows=_read_arms,
    series={"read from the device": lambda summary, arm: summary.kib(arm)},
    axis="read from the device per request (KiB)", heading="", height=130, scale="zero",
    said=_read,
    nothing="Nobody counted what was read from the device",
    mend="measure on Linux",
    caption="KiB that the store's process read from the device, per request. {said}. "
    "Stores that map their files let the kernel read ahead, as far as the disk's setting allows. {intervals}.",
    alt="Points with intervals for {n} configurations. {said}.",
)  # fmt: skip


def _factor(summary: Summary, found: Found) -> str:
    marks = next(iter(found.values()))
    return "; ".join(f"{label}, {with_interval(each)}" for label, each in marks.items())


mismatch = Dots(
    id=CLAIMED,
    title="By how much the note's pairing misleads",
    rows={"mean_ns": "mean", "p50_ns": "P50", "p95_ns": "P95", "p99_ns": "P99 (the claim's)"},
    row="latency",
    series={"factor": lambda summary, metric: summary.mismatch(metric)},
    axis="(PostgreSQL cold ÷ RocksDB hot) ÷ (both hot)", heading="", height=120, rule=1.0,
    said=_factor,
    nothing="RocksDB was not measured in this run",
    mend="build its probe with `make probe-kv`",
    caption="PostgreSQL over a hot RocksDB, the ratio with PostgreSQL cold divided by that with both hot: {said}. At 1 "
    "the state of the caches would not matter. {intervals}.",
    alt="Points with intervals for {n} quantities of the latency, and a line at 1. {said}.",
)  # fmt: skip

OPTIONAL = ("device_kib_per_request", "files_in_os_cache_at_start", "checked_values")

FIGURES = {"latency": latency, "pairings": pairings, "penalty": penalty, "reads": reads, "mismatch": mismatch}
