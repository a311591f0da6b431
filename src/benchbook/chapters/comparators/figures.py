"""The figures: latency by store and state, ratios by pairing, what cold costs each store, what was read, the claim.

Their words stand in the page.
"""

from __future__ import annotations

from collections.abc import Iterable

from benchbook.chapters.comparators.arms import COLD, HOT, LABELS, POSTGRES, REPEATED, name_of
from benchbook.chapters.comparators.stores import KIB, Summary, stated_ms
from benchbook.drawing.regular import Ask, Dots, Given
from benchbook.measuring.features import figures as family


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


def _pair(ours: str, theirs: str) -> Ask:
    return lambda summary, store: summary.pairing(store, ours, theirs)


def _read_arms(summary: Summary) -> list[str]:
    every = (name_of(store, state) for state in (HOT, COLD) for store in (POSTGRES, *LABELS))
    return [arm for arm in every if arm in summary.arms]


FIGURES = {
    "latency": Dots(
        rows=lambda summary: summary.measured, series=_quantities,
        axis="latency of a request (ms)", quantity="latency (ms)", heading="quantile", height=160,
        given=_stated, table_only=_aside, nothing="No request was timed in this run",
    ),
    "pairings": Dots(
        rows=lambda summary: {store: summary.cold_label(store) for store in summary.present(HOT)}, row="store",
        series={
            "PostgreSQL cold ÷ store hot, as in the note": _pair(COLD, HOT),
            "both hot": _pair(HOT, HOT),
            "both cold": _pair(COLD, COLD),
        },
        axis="mean latency, PostgreSQL ÷ store (above 1: store faster)", heading="pairing", height=170, rule=1.0,
        nothing="No other store was measured in this run",
    ),
    "penalty": Dots(
        rows=lambda summary: {store: summary.cold_label(store) for store in summary.cold_stores()}, row="store",
        series={"cold ÷ hot": Summary.penalty},
        axis="mean latency, cold ÷ hot (above 1: slower cold)", heading="", height=130, rule=1.0,
        nothing="No store was measured hot and cold in this run",
    ),
    "reads": Dots(
        rows=_read_arms, series={"read from the device": lambda summary, arm: summary.average(arm, KIB)},
        axis="read from the device per request (KiB)", heading="", height=130, scale="zero",
        nothing="Nobody counted what was read from the device", mend="measure on Linux",
    ),
    "claims": Dots(
        rows={"mean_ns": "mean", "p50_ns": "P50", "p95_ns": "P95", "p99_ns": "P99 (the claim's)"}, row="latency",
        series={"factor": Summary.mismatch},
        axis="PostgreSQL cold ÷ hot, both against a hot RocksDB", heading="", height=120, rule=1.0,
        nothing="RocksDB was not measured in this run", mend="build its probe with `make probe-kv`",
    ),
}  # fmt: skip
