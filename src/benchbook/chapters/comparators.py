"""Each store hot and cold, PostgreSQL hot twice, each client with nothing to look up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, Literal, Self

import pandas as pd
from pydantic import model_validator

from benchbook import files, kit, notes
from benchbook.measuring import features
from benchbook.measuring.features import beside, remote, stores
from benchbook.measuring.features.stores import LABELS
from benchbook.numbers import read_ahead
from benchbook.numbers.analysis import read
from benchbook.numbers.quantities import Told
from benchbook.pages import tables
from benchbook.pages.prose import filled

EMBEDDED = ("rocksdb", "lmdb", "sqlite", "badger")
"""Stores that are part of the program that asks."""
REDIS_ROW_BYTES = 120
"""What Redis keeps for a row beside key and value, about."""
Store = Literal["rocksdb", "lmdb", "sqlite", "badger", "redis"]


class Parameters(stores.StoreParameters):
    """Defaults are the standard profile."""

    stores: tuple[Store, ...] = kit.param(
        (*EMBEDDED, "redis"),
        words="stores beside PostgreSQL; one that is not installed is left out, which the run says",
    )  # fmt: skip

    @model_validator(mode="after")
    def _stores_fit(self) -> Self:
        rows = f"rows_per_table={self.rows_per_table:,}"
        kit.refuse(len(set(self.stores)) != len(self.stores), f"stores={self.stores} names a store twice")
        kit.refuse(
            bool(self.rows_per_table % self.hot_set_keys), f"{rows} is no multiple of hot_set_keys="
            f"{self.hot_set_keys:,}: the embedded stores take every so manieth row for the hot set",
        )  # fmt: skip
        kit.refuse(
            self.cold_requests * 2 > self.rows_per_table, f"cold_requests={self.cold_requests:,} is more than half of "
            f"{rows}: rows that were never asked for must be left",
        )  # fmt: skip
        other = f"key_existence={self.key_existence!r}: every store here has every key"
        kit.refuse(self.key_existence != "all_tables", other)
        return self


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """Every store hot, then cold."""
    every = [each for each in LABELS if each in parameters.stores]
    yield features.arm("postgres_hot", "PostgreSQL, hot", "same", store="postgres")
    yield features.arm("postgres_hot_again", "PostgreSQL, hot, again (A/A)", "same", store="postgres")
    for store in every:
        yield features.arm(f"{store}_hot", f"{LABELS[store]}, hot", "same", store=store)
    yield features.arm("postgres_cold", "PostgreSQL, cold", "disjoint", store="postgres")
    for store in (each for each in every if each in EMBEDDED):
        yield features.arm(f"{store}_cold", f"{LABELS[store]}, cold", "disjoint", store=store, warm=False)
    label, requests = "PostgreSQL, empty statements", 2_000  # as many as a P95 takes
    yield features.arm("postgres_empty", label, "empty", store="postgres", requests=requests)
    if "redis" in every:
        yield features.arm("redis_empty", "Redis, empty command", "empty", store="redis")
    if {*every} & {"rocksdb", "lmdb", "sqlite"}:
        yield features.arm("probe_empty", "embedded, empty loop", "empty", store="probe")


def needs(parameters: Parameters) -> kit.Needs:
    """PostgreSQL's, and disk and memory for the largest of the other stores; these may be missing."""
    own, p = features.needs(parameters), parameters
    stored = p.store_rows * (p.value_bytes + stores.ROW_BYTES)
    in_redis = p.store_rows * (p.value_bytes + remote.KEY_BYTES + REDIS_ROW_BYTES) if "redis" in p.stores else 0
    memory = max(own.memory_bytes, 2 * stored + (p.store_cache_mib << 20), in_redis + (1 << 29))
    return replace(own, disk_bytes=own.disk_bytes + 4 * stored, memory_bytes=memory)


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[beside.Stores]:
    """PostgreSQL loaded and stopped; the other stores are filled when they are measured."""
    folder = files.scratch(needs(parameters).disk_bytes)
    with (
        features.session(parameters, progress) as postgres,
        beside.opened(parameters, (*parameters.stores, "probe"), postgres, folder) as found,
    ):
        yield found


reduce = features.reduce

METRICS = {
    **features.METRICS,
    "device_kib_per_request": kit.Metric("KiB read from the device per request", format="{:,.1f}".format),
    "checked_values": kit.Metric("number of values that were compared"),
    stores.IN_OS_CACHE: kit.Metric("share of the store's files in the OS page cache at the start", "%", 100),
}
HOT, COLD = "postgres_hot", "postgres_cold"
AA = ("postgres_hot_again", HOT)
KIB = "device_kib_per_request"
SAME = 1.25
"""Penalties of two stores that differ by less are called alike."""
mean, p50 = kit.measured("mean_ns"), kit.measured("p50_ns")
penalty = mean["{}_cold"] / mean["{}_hot"]
"""How many times as long a store takes cold as hot."""


class Summary(features.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    def label(self, arm: str) -> str:
        """What a figure calls a configuration: one that was not cold throughout, by how much it was."""
        label = super().label(arm)
        if arm not in self.partly_cold:
            return label
        return label.replace("cold", f"{100 * (1 - self.mean(arm, stores.IN_OS_CACHE)):.0f} % cold")

    @cached_property
    def partly_cold(self) -> frozenset[str]:
        """Configurations named cold of which a trial was certified otherwise, and which say how much was in memory."""
        trials = self.run.trials
        if stores.IN_OS_CACHE not in trials:
            return frozenset()
        off = trials[stores.IN_OS_CACHE].notna() & (trials["cache_state"] != "cold")
        return frozenset(each for each in trials["configuration"][off] if each.endswith("cold"))

    def cold_label(self, store: str) -> str:
        """What a figure calls a store where its cold state is shown."""
        name, arm = LABELS.get(store, "PostgreSQL"), f"{store}_cold"
        return f"{name} ({self.label(arm).rpartition(', ')[2]})" if arm in self.partly_cold else name

    def present(self, state: str) -> list[str]:
        """The stores beside PostgreSQL that were measured in this state."""
        return [each for each in LABELS if self.has(f"{each}_{state}", "mean_ns")]

    @property
    def measured(self) -> list[str]:
        """The configurations that have numbers, in the order of the figures."""
        return self.having(self.arms, "mean_ns")

    @property
    def cold_stores(self) -> list[str]:
        """PostgreSQL and the embedded stores that were measured hot and cold."""
        both = {*self.present("hot")} & {*self.present("cold")}
        return ["postgres", *(each for each in EMBEDDED if each in both)]


def checks(summary: Summary, answer: kit.Answer) -> Iterable[kit.Gate]:
    """Equal counts and caches as named; of times Little's law."""
    names = answer.estimand.names(summary)
    return [summary.counts_agree(), summary.certified(names), summary.littles_law(names)] if names else []


def mismatch(metric: str) -> kit.Values:
    """The ratio of two ratios: PostgreSQL cold over a hot RocksDB, chosen before any measuring, and both hot."""
    time = kit.measured(metric)
    return (time[COLD] / time["rocksdb_hot"]) / (time[HOT] / time["rocksdb_hot"])


def tail(arm: str) -> Any:
    """The highest quantile that the run can estimate."""
    asked = kit.custom(lambda summary: summary.latency(arm, summary.tail), kit.Quantity.COUNTER, arm)
    return replace(asked, of="p99_ns")


EMPTY = {"postgres": "postgres_empty", "redis": "redis_empty", "rocksdb": "probe_empty"}
NUMBERS = {
    "mismatch": mismatch("p99_ns").but(idle=features.same_reads(COLD, HOT)),
    "mismatch_tail": kit.told(lambda summary: mismatch(summary.tail)(summary)),
    "mismatch_mean": mismatch("mean_ns"),
    "systems_hot": read("systems_measured_hot"),
    "cold_to_hot": mean[COLD] / mean["rocksdb_hot"],
    "hot_to_hot": mean[HOT] / mean["rocksdb_hot"],
    "cold_to_cold": mean[COLD] / mean["rocksdb_cold"],
    "redis": mean[HOT] / mean["redis_hot"],
    "penalty": mean[COLD] / mean[HOT],
    "tail": {"hot": tail(HOT), "cold": tail(COLD)},
    "again": {name: kit.measured(f"{name}_ns")[AA[0]] / kit.measured(f"{name}_ns")[HOT]
              for name in ("mean", "p50", "p95", "p99")},
    **{f"empty_{store}_us": p50[arm] / 1e3 for store, arm in EMPTY.items()},
}  # fmt: skip


def stated_ms(what: str) -> float:
    """What the note's repository states of DynamoDB: "typical" (P50 in one notebook, mean in another) or "p99"."""
    if what == "p99":
        return notes.number("lakebase_constants", "value", name="dynamodb_p99")
    return notes.reading("dynamodb_typical_ms")


def behind(every: Iterable[str], summary: Summary) -> dict[str, float]:
    """How many stores there are, and how many times as long PostgreSQL takes, hot both: least, most, the lowest end."""
    found = [(mean[HOT] / mean[f"{store}_hot"])(summary) for store in every if store in summary.present("hot")]
    if not found or len(summary.present("hot")) < 2:
        raise kit.NotEstimableError("fewer than two other stores were measured hot", "measure more stores")
    points = [each.point for each in found]
    low = min(each.low for each in found)
    return {"stores": len(found), "least": min(points), "most": max(points), "low": low}


def slowest(summary: Summary) -> dict[str, Any]:
    """The configuration with the slowest median."""
    found = {arm: summary.latency(arm, "p50_ns").point for arm in summary.measured}
    if not found:
        raise kit.NotEstimableError("this run timed no store", "measure again")
    arm = max(found, key=lambda arm: found[arm])
    return {"label": summary.label(arm), "ms": found[arm]}


def apart(summary: Summary) -> dict[str, list[str]]:
    """The stores that a cold cache costs more in proportion than PostgreSQL, and less."""
    own, *found = (penalty(summary, store) for store in summary.cold_stores)
    labels = [LABELS[store] for store in summary.cold_stores[1:]]
    return {
        "more": [label for label, each in zip(labels, found, strict=True) if each.low > SAME * own.high],
        "less": [label for label, each in zip(labels, found, strict=True) if each.high * SAME < own.low],
    }


def of_cold(ask: Callable[[Summary, str], Any], summary: Summary) -> dict[str, Any]:
    """What is asked of each store's cold configuration, by the store's label; a run may lack some."""

    def one(store: str) -> tuple[str, Any]:
        return LABELS.get(store, "PostgreSQL"), ask(summary, f"{store}_cold")

    return dict(filled(*(partial(one, store) for store in summary.cold_stores)))


def slow_at_first(summary: Summary) -> dict[str, Told]:
    """The cold stores whose first 100 requests are slower than the others, and how many times."""
    ratio = kit.measured("first_100_mean_ns")["{}"] / kit.measured("rest_mean_ns")["{}"]
    found = of_cold(lambda summary, arm: Told(ratio(summary, arm)), summary)
    if not found:
        raise kit.NotEstimableError("no cold store was timed", "measure again")
    return {label: each for label, each in found.items() if each.low > SAME}


def miscertified(summary: Summary) -> dict[str, dict[str, int]]:
    """How many trials of a configuration were not in the state that they are named after, by its label."""
    wrong = {}
    for arm in summary.measured:
        named = {"same": "hot", "disjoint": "cold"}.get(str(summary.configurations[arm].settings["draw"]))
        states = summary.in_blocks(arm)["cache_state"]
        if named and (states != named).any():
            wrong[summary.label(arm)] = {"off": (states != named).sum(), "trials": len(states)}
    return wrong


def client(store: str, summary: Summary) -> float:
    """The share of a hot request's median that the same client spends on nothing."""
    return summary.latency(EMPTY[store], "p50_ns").point / summary.latency(f"{store}_hot", "p50_ns").point


WORDS: dict[str, Callable[[Summary], Any]] = {
    **{f"empty_{store}_share": partial(client, store) for store in EMPTY},
    "measured": lambda summary: len(summary.measured),
    "data_gib": lambda summary: summary.data_bytes / 2**30,
    "stores": lambda summary: summary.run.provenance.get("stores", {}),
    "left_out": lambda summary: summary.run.provenance.get("left_out", {}),
    "miscertified": miscertified,
    "partly": lambda summary: sorted({summary.label(arm).rpartition(", ")[2] for arm in summary.partly_cold}),
    "tail": lambda summary: summary.tail_heading,
    "behind": partial(behind, LABELS),
    "embedded": partial(behind, EMBEDDED),
    "apart": apart,
    "read_cold": partial(of_cold, lambda summary, arm: summary.average(arm, KIB).point),
    "read_ahead": lambda summary: read_ahead.in_words(summary.run),
    "slow_at_first": slow_at_first,
    "slowest": slowest,
    "typical_ms": lambda summary: stated_ms("typical"),
}


def stated(summary: Summary) -> pd.DataFrame:
    """What the note and its repository say of DynamoDB, and where it comes from."""
    rows = [
        ("typical request", f"{stated_ms('typical'):g} ms", "constant; the mean in one notebook, P50 in another"),
        ("P99", f"{stated_ms('p99'):g} ms", "constant; “from user's production”"),
        ("key size, item size, region, client", "not stated", ""),
        ("state of its caches", "“100% memory-backed for hot keys”", "the note's word; nobody measured it"),
        ("systems that the fixed benchmark runs", f"{notes.reading('systems_measured_hot'):g}", "Lakebase"),
    ]
    return pd.DataFrame(rows, columns=["what", "stated", "how known"]).set_index("what")


def settings(summary: Summary) -> pd.DataFrame:
    """What was otherwise in the note."""
    return features.note_differences(
        summary,
        ("the other system", "DynamoDB, a hosted service, not run", "stores on the same machine", "much faster"),
        ("request to it", "unknown; one call for many keys in an early version", "see the method", "unknown"),
    )


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: certified state, quantiles with intervals in ms, what was read."""
    columns: tables.Columns = {
        "certified cache": partial(features.states, summary),
        **tables.levels(summary, "mean_ns", "p50_ns", "p95_ns", "p99_ns", otherwise=tables.NOT_ESTIMABLE),
        **tables.means(summary, "requests", KIB, stores.IN_OS_CACHE),
    }
    return tables.table([({"configuration": summary.label(arm)}, arm) for arm in summary.measured], columns)


TABLES = {"stated": stated, "settings": settings, "overview": overview}


def note_says(summary: Summary) -> Iterable[kit.Given]:
    """What the note states of DynamoDB."""
    for what, words, line in (("typical", "DynamoDB", "dash"), ("p99", "DynamoDB's P99", "dot")):
        value = stated_ms(what)
        yield kit.Given(f"{words}, {value:g} ms, stated, not measured", {"": value}, line=line, listed=False)


def aside(summary: Summary) -> list[str]:
    """The second baseline, what looks nothing up, and what is not compared."""
    drawn = {arm for arm in summary.measured if summary.configurations[arm].settings["draw"] != "empty"}
    return [arm for arm in summary.arms if arm == AA[0] or arm not in drawn]


FIGURES = {
    "latency": kit.Dots(
        rows=lambda summary: summary.measured, given=note_says, table_only=aside, height=160,
        # The mean too: of a store that warms itself while it is measured the median shows little of the cold.
        series=lambda summary: {
            summary.METRICS[each].brief: features.by_arm(each) for each in ("mean_ns", "p50_ns", summary.tail)
        },
        axis="latency of a request (ms)", quantity="latency (ms)", heading="quantile",
        nothing="No request was timed in this run",
    ),
    "pairings": kit.Dots(
        rows=lambda summary: {store: summary.cold_label(store) for store in summary.present("hot")}, row="store",
        series={
            "PostgreSQL cold ÷ store hot, as in the note": mean[COLD] / mean["{}_hot"],
            "both hot": mean[HOT] / mean["{}_hot"],
            "both cold": mean[COLD] / mean["{}_cold"],
        },
        axis="mean latency, PostgreSQL ÷ store (above 1: store faster)", heading="pairing", height=170, rule=1.0,
        nothing="No other store was measured in this run",
    ),
    "penalty": kit.Dots(
        rows=lambda summary: {store: summary.cold_label(store) for store in summary.cold_stores}, row="store",
        series={"cold ÷ hot": penalty}, axis="mean latency, cold ÷ hot (above 1: slower cold)", heading="", height=130,
        rule=1.0, nothing="No store was measured hot and cold in this run",
    ),
    "claims": kit.Dots(
        rows={"mean_ns": "mean", "p50_ns": "P50", "p95_ns": "P95", "p99_ns": "P99 (the claim's)"}, row="latency",
        series={"factor": mismatch("{}")}, axis="PostgreSQL cold ÷ hot, both against a hot RocksDB", heading="",
        height=120, rule=1.0, nothing="RocksDB was not measured in this run",
        mend="build its probe with `make probe-kv`",
    ),
}  # fmt: skip
