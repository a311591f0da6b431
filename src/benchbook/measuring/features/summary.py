"""What a run of feature serving is asked in any chapter, and what chapters say of it alike."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np
import pandas as pd
from typing_extensions import TypeVar

from benchbook import notes
from benchbook.drawing.regular import Ask
from benchbook.measuring.features.parameters import Features
from benchbook.model import Estimate, Scalar
from benchbook.numbers import littles_law, summary
from benchbook.numbers.estimands import Arm, Estimand, named, told
from benchbook.numbers.summary import NotEstimableError
from benchbook.statistics import CacheState, Gate

P = TypeVar("P", bound=Features, covariant=True, default=Features)
QUANTILES = ("p50_ns", "p95_ns", "p99_ns", "p999_ns")
NS_PER_MS = 1e6
REQUESTS = 10_000
"""Of a trial at least, for its P99."""
WARMED_DRAWS = ("same", "all_warmed")
"""Draws that measure no key but those that were warmed."""
READS = "pool_misses_per_request"
LEAST_READS = 1.0
"""By so many blocks per request the arms of a comparison of caches must differ, in every block."""
NETWORK_MS = 0.25
"""What a block that is not cached costs at least where storage is reached over a network."""
Words = Callable[[Any], str]


def promised(settings: Mapping[str, Scalar]) -> CacheState | None:
    """The cache state that a configuration promises by what it warms; None where it promises none, or reads nothing."""
    if settings["draw"] == "empty":
        return None
    apart = settings["draw"] == "disjoint" and not settings.get("chance") and not settings.get("only_first")
    if settings.get("warm") is False or apart:
        return CacheState.COLD
    return CacheState.HOT if settings["draw"] in WARMED_DRAWS else None


class Summary(summary.Summary[P]):
    """One run, ready for figures and verdicts."""

    def missing(self, arm: str, metric: str) -> NotEstimableError:
        return NotEstimableError(
            f"{self.in_words(metric)} of “{self.label(arm)}” is not estimable from "
            f"{self.parameters.measured_requests:,} requests per trial",
            "raise measured_requests",
        )

    @property
    def plain(self) -> list[str]:
        """The configurations on this machine's own storage, over no longer way than it has."""
        return [arm for arm, each in self.configurations.items() if not {"read_ms", "trip_ms"} & set(each.settings)]

    def samples(self, arms: Collection[str]) -> pd.DataFrame:
        """Each request of these configurations: columns trial and latency_ns, in order of time."""
        stored = self.run.samples
        return stored[stored["trial"].isin(self.of(arms)["trial"]) & (stored["series"] == "request")]

    def latency(self, arm: str, metric: str) -> Estimate:
        """Geometric mean over trials in milliseconds, with its interval."""
        return self.level(arm, metric, NS_PER_MS)

    @property
    def data_bytes(self) -> float:
        where = self.run.provenance
        return float(where["heap_bytes"] + where["index_bytes"])

    @property
    def tail(self) -> str:
        """The highest quantile that this run's trials can estimate: p99_ns, p95_ns or p50_ns."""
        return next((metric for metric in ("p99_ns", "p95_ns") if self.has(self.arms[0], metric)), "p50_ns")

    @property
    def tail_heading(self) -> str:
        return self.METRICS[self.tail].brief

    def window_medians(self, arm: str) -> np.ndarray:
        """Median latency in ns of each window of each trial of a configuration, in no particular order."""
        size = self.parameters.window_requests
        trials = self.samples([arm]).groupby("trial")["latency_ns"]
        return np.concatenate([np.median(part.to_numpy().reshape(-1, size), axis=1) for _, part in trials])

    def certified(self, arms: Collection[str]) -> Gate:
        """Whether the caches of these configurations were in the state that they promise, in every trial."""
        wrong = []
        for arm in sorted(set(arms) & set(self.configurations)):
            expected = promised(self.configurations[arm].settings)
            states = self.of([arm])["cache_state"]
            off = 0 if expected is None else int((states != expected).sum())
            if off:
                wrong.append(f"{off} of {len(states)} trials of “{self.label(arm)}” were not {expected}")
        return Gate(
            "certificate", not wrong, float(len(wrong)), "; ".join(wrong) or "every cache was in its named state"
        )

    def counts_agree(self) -> Gate:
        """Whether client and server counted as many look-ups in every trial."""
        trials = self.run.trials
        asked = trials["lookups"] if "lookups" in trials else trials["requests"] * self.parameters.n_tables
        differ = int((trials["index_scans"].notna() & (trials["index_scans"] != asked)).sum())
        return Gate("counts agree", differ == 0, float(differ), f"client and server counts differ in {differ} trials")

    def littles_law(self, arms: Collection[str]) -> Gate:
        """Little's law for one client in the trials of these configurations: its time went into requests."""
        trials = self.of(arms)
        return littles_law.of_shares(trials["loop_share_in_requests"], trials["block"])

    def departures(self) -> list[str]:
        p, found = self.parameters, super().departures()
        if p.measured_requests < REQUESTS:
            found.append(f"{p.measured_requests:,} measured requests per trial instead of {REQUESTS:,}")
        if p.key_existence != "all_tables":
            found.append("keys that exist only in the first table")
        if not self.run.provenance.get("direct_io"):
            found.append("reads through the OS page cache instead of direct I/O")
        return found

    def sizes(self) -> str:
        return f", {self.parameters.measured_requests:,} requests per trial unless stated otherwise"


def tails(top: Arm, bottom: Arm) -> Estimand:
    """Ratio of the highest quantile that the run can estimate."""
    return told(
        lambda summary: summary.ratio((named(top, summary), summary.tail), (named(bottom, summary), summary.tail))
    )


def states(summary: Summary[Any], arm: str) -> str:
    """How many trials of a configuration found their cache in which state."""
    counts = summary.in_blocks(arm)["cache_state"].value_counts()
    return ", ".join(f"{state} ({count})" for state, count in counts.items())


def later_run(summary: Summary[Any]) -> dict[str, float]:
    """What the note's repository reports of a later run."""
    names = ("hot_share", "p50_ms", "hot_p99_ms", "blended_p99_ms")
    return {name: notes.reading(f"later_run_{name}") for name in names}


def noted(metric: str) -> float:
    """A number of the note's one run, in the unit of its table."""
    return notes.number("lakebase_before_after", "before_measured", metric=metric)


def average(arm: Arm, metric: str, factor: float = 1) -> Callable[[Any], float]:
    """What gives the mean over the trials that did not fail."""
    return lambda summary: factor * float(np.nanmean(summary.seen(named(arm, summary), metric)))


def same_reads(more: Arm, less: Arm, *, share: float = 1.0) -> Words:
    """Why two configurations did the same work: one read hardly more blocks; "" where it read more in every block.

    share: of the requests that are for other keys, by which the further reads are divided.
    """

    def why(summary: Summary) -> str:
        one, other = named(more, summary), named(less, summary)
        further = float((summary.values(one, READS) - summary.values(other, READS)).min()) / share
        if further >= LEAST_READS:
            return ""
        requests = "request" if share == 1 else "request for another key"
        return (
            f"in one block “{summary.label(one)}” read {further:.2g} blocks per {requests} more than "
            f"“{summary.label(other)}”, where {LEAST_READS:g} is the least that counts, so both did the same work"
        )

    return why


def nothing_loaded(more: str, less: str) -> Words:
    """Why a warm-up did nothing: it brought less than a block per table into the pool; "" where it brought more."""

    def why(summary: Summary) -> str:
        held = "blocks_in_pool_at_start"
        brought = float((summary.values(more, held) - summary.values(less, held)).min())
        if brought >= summary.parameters.n_tables:
            return ""
        tables = summary.parameters.n_tables
        return f"in one block the warm-up brought {brought:.0f} blocks of {tables} tables into the pool"

    return why


def quantiles(ask: Callable[[str], Ask]) -> Callable[[Summary], Mapping[str, Ask]]:
    """The series of a figure: the median, and the highest quantile that the run can estimate.

    ask: metric to what gives its marks.
    """
    return lambda summary: {summary.METRICS[metric].brief: ask(metric) for metric in ("p50_ns", summary.tail)}


def by_arm(metric: str) -> Ask:
    """A quantile of each configuration, in milliseconds."""
    return lambda summary, arm: summary.latency(arm, metric)


def differences(summary: Summary, *others: tuple[str, str, str, str]) -> pd.DataFrame:
    """One row for each setting: in the note, here, and expected effect. others: a chapter's own, in place of ours."""
    p = summary.parameters
    rows = summary.run.provenance.get("rows") or [p.rows_per_table]
    fewest, most = min(rows), max(rows)
    direct = summary.run.provenance.get("direct_io")
    lookups = "in one pipeline" if p.client_mode == "pipeline" else "one round trip each"
    found = [
        ("server", "Lakebase, a managed PostgreSQL of unnamed version, 32 compute units", summary.on(), "unknown"),
        (
            "storage", "behind a network", f"own disk, {'past' if direct else 'through'} the page cache",
            "a miss costs less, so cold is closer to hot",
        ),
        ("client and server", "on two machines", "on one machine, a core each", "shorter hot requests"),
        ("look-ups of a request", "in one pipeline by its code, in turn by its text", lookups,
         "shorter requests than in turn, by a round trip per table"),
        ("rows", "15.6 billion in 30 tables, 1.5 TB", f"{fewest:,} to {most:,} in each of {p.n_tables} tables",
         "fewer inner index pages to read: cold is faster"),
        ("pages", "filled to the default of 90 to 100 %", f"filled to {p.fillfactor_percent} %",
         f"two keys share pages {'as seldom as' if p.fillfactor_percent < 90 else 'more often than'} in larger tables"),
        ("feature columns", "NUMERIC, timestamps and others, 146 to 218 bytes a row",
         f"{p.n_features} of double precision, {p.row_bytes - 4} bytes a row", "little"),
        ("keys", "by TABLESAMPLE of whole pages of the first table", "each by itself, in every table",
         "fewer pages shared: colder"),
        ("state before a run", "a server in use", "a server just started, pool empty", "colder"),
        ("io_method", "unknown", "sync, from PostgreSQL 18 on", "none: look-ups read one block at a time"),
        ("autovacuum", "off for these tables", "off", "none"),
        ("measured requests", "1,000, once", f"{p.measured_requests:,} a trial, {summary.run.blocks} blocks",
         "none on the middle; tails become estimable"),
    ]  # fmt: skip
    table = pd.DataFrame([*found, *others], columns=["setting", "in the note", "here", "expected effect here"])
    return table.drop_duplicates("setting", keep="last").set_index("setting")
