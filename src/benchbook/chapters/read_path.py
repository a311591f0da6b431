"""The read path without RocksDB: an index over a value file against other engines, in five ways of measuring."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Self

import numpy as np
import pandas as pd
from pydantic import model_validator

from benchbook import kit, notes, statistics
from benchbook.errors import BenchbookError
from benchbook.measuring import kv
from benchbook.measuring.kv.costs import NOTE_ROW_BYTES, ROW_BYTES
from benchbook.numbers import read_ahead
from benchbook.numbers.estimands import named
from benchbook.statistics.gates import each_trial
from benchbook.store.processors import processor_name

BATCH, MOST = 256, 100_000_000
"""Look-ups timed as one where throughput is measured; the most of what can be asked for."""


class Parameters(kv.TurnParameters):
    """Defaults are the standard profile: the note's ten million rows."""

    blocks: int = kit.common("blocks", 6)
    rows: int = kit.common("rows", 10_000_000, 30_000, words="rows of the stores that are looked up in", asks="rows")
    value_bytes: int = kit.common("value_bytes", 100, 8, 4096, "length of a value in the comparison of engines")
    stride: int = kit.param(100, 1, 1_000_000, "rows between look-ups that follow the note; one pass is timed")
    warm_stride: int = kit.param(37, 2, 1_000_000, "rows between the look-ups that warm every store; one pass")
    operations: int = kit.param(100_000, 1_000, MOST, "uniform look-ups timed one by one, to compare engines")
    existence_keys: int = kit.param(1_000_000, 1_000, MOST, "present, and as many absent, keys of the index alone")
    durable_rows: int = kit.param(300_000, 1_000, MOST, "rows of the stores that are written durably")
    durable_batch_rows: int = kit.param(1_000, 1, 1_000_000, "rows of a write that must reach the disk before the next")
    scans: int = kit.param(10_000, 200, 10_000_000, "range scans timed one by one")
    scan_rows: int = kit.param(100, 1, 100_000, "rows that a range scan reads in the order of keys")
    option_a_cache_mib: int = kit.param(2048, 8, 1_000_000, "block cache in MiB of RocksDB tuned as the note proposes")
    half_rows: int = kit.param(2_000_000, 10_000, MOST, "rows of the stores whose files memory holds by half")
    half_operations: int = kit.param(2_000, 1_000, MOST, "random look-ups in them, one by one, after as many others")
    bound_memory: bool = kit.param(
        True, words="measure those, whose memory a control group bounds (root only); without it they are left out"
    )
    kept_samples: int = kit.common("kept_samples", 4_000)

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        rows, stride, warm = self.rows, self.stride, self.warm_stride
        few = f"rows={rows} at stride={stride} give {rows // stride} look-ups, fewer than the {BATCH} of one batch"
        kit.refuse(rows // stride < BATCH, few)
        kit.refuse(rows < warm, f"warm_stride={warm} is more than rows={rows}")
        common = f"stride={stride} and warm_stride={warm} have a common divisor"
        kit.refuse(math.gcd(stride, warm) != 1, f"{common}, so the warm-up would ask for the keys that are measured")
        for name in ("durable_batch_rows", "scan_rows"):
            more = f"{name}={getattr(self, name)} is more than durable_rows={self.durable_rows}"
            kit.refuse(getattr(self, name) > self.durable_rows, more)
        return self

    @property
    def stride_operations(self) -> int:
        """Look-ups of one pass at the note's stride."""
        return self.rows // self.stride


OPTION_A = ("option_a_larger_cache", "option_a_compacted")
BESIDES = ("value_file_small_pages", "value_file_hash", "value_file_hash_small_pages")
"""The value file with one thing changed: where its index lies, and which index it is."""
OWN_TABLES = ("plain_table", "cuckoo_table")
"""RocksDB's own table formats for files that are mapped."""
RIVALS = ("sqlite_best", "sqlite_autocommit", "lmdb", "rocksdb_tuned", *OWN_TABLES)
SECOND = ("value_file_beside", *BESIDES, *OWN_TABLES)
"""Random look-ups that are compared with the value file of a group of their own, so that fewer stores live at once."""
WAYS = {"stride": "fixed stride", "uniform": "uniform gets", "index": "index alone", "durable": "durable",
        "half": "half in memory"}  # fmt: skip
"""The note's rows and its stride, timed in batches. Random look-ups, timed one by one. An index alone, each look-up
waiting for the last. Synced writes, a reopening, range scans. Random look-ups where memory holds half of the files."""


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """Every arm that the claims of this chapter name and every engine beside it; those of a way take turns."""
    u, tuned = kv.uses, kv.uses.option_a(parameters.option_a_cache_mib)
    cache, huge = f"ALEX + RocksDB, {parameters.option_a_cache_mib:,} MiB cache", "ALEX + value file, huge pages"
    logless: kv.Options = {"settle": "compact", "write_ahead_log": False}  # all rows are in files before any look-up
    btree: kv.Options = {**u.ROCKSDB_AFTER, "index": "btree"}
    of_alex: kv.Options = {**tuned, "index": "alex", "batch_rows": 0}
    small = "RocksDB, tuned, block cache 8 MiB, half in memory"
    loaded: kv.Options = {"settle": "nothing", "batch_rows": 100_000}
    own: dict[str, kv.Options] = {"stride": {**loaded, "index": "none"}, "durable": {}}
    own |= {"index": {"absent": False, "engine": "none"}}
    rows: tuple[tuple[str, str, str, kv.Options], ...] = (
        ("stride", "sqlite_as_run", "SQLite as the note ran it", {**u.SQLITE_AS_RUN, "batch_rows": 0}),
        ("stride", "bypass", "ALEX + value file", u.VALUE_FILE),
        ("stride", "bypass_again", "ALEX + value file, again (A/A)", u.VALUE_FILE),
        ("stride", "btree_and_rocksdb", "B-tree index + RocksDB", {**btree, "batch_rows": 0}),
        ("stride", "option_a_larger_cache", f"{cache}, as written", of_alex),
        ("stride", "option_a_compacted", f"{cache}, compacted", {**of_alex, "settle": "compact"}),
        ("stride", "lmdb_for_redb", "LMDB (in place of redb)", u.LMDB),
        ("uniform", "value_file", huge, u.VALUE_FILE_HUGE),
        ("uniform", "value_file_again", f"{huge}, again (A/A)", u.VALUE_FILE_HUGE),
        ("uniform", "sqlite_best", "SQLite, best", u.SQLITE_BEST),
        ("uniform", "sqlite_autocommit", "SQLite, autocommit", u.SQLITE_AUTOCOMMIT),
        ("uniform", "lmdb", "LMDB", u.LMDB),
        ("uniform", "rocksdb_tuned", "RocksDB as the note tuned it", {**u.ROCKSDB_AFTER, **logless}),
        ("uniform", "value_file_beside", f"{huge}, second group", u.VALUE_FILE_HUGE),
        ("uniform", "value_file_small_pages", "ALEX + value file", u.VALUE_FILE),
        ("uniform", "value_file_hash", "hash + value file, huge pages", u.VALUE_FILE_HASH_HUGE),
        ("uniform", "value_file_hash_small_pages", "hash + value file", u.VALUE_FILE_HASH),
        ("uniform", "plain_table", "RocksDB PlainTable", {**u.PLAIN_TABLE, **logless}),
        ("uniform", "cuckoo_table", "RocksDB CuckooTable", {**u.CUCKOO_TABLE, **logless}),
        ("index", "alex_present", "ALEX alone", {"index": "alex"}),
        ("index", "alex_absent", "ALEX alone, absent keys", {"index": "alex", "absent": True}),
        ("index", "hash_present", "hash table alone", {"index": "hash"}),
        ("index", "btree_present", "B-tree alone", {"index": "btree"}),
        ("durable", "durable_value_file", "ALEX + value file", u.VALUE_FILE),
        ("durable", "durable_sqlite", "SQLite, best", u.SQLITE_BEST),
        ("durable", "durable_lmdb", "LMDB", u.LMDB),
        ("durable", "durable_rocksdb", "RocksDB as the note tuned it", u.ROCKSDB_AFTER),
        ("half", "value_file_half", "ALEX + value file, half in memory", u.VALUE_FILE),
        ("half", "sqlite_half", "SQLite, best, half in memory", u.SQLITE_BEST),
        ("half", "lmdb_half", "LMDB, half in memory", u.LMDB),
        ("half", "rocksdb_half", small, {**u.ROCKSDB_SMALL_CACHE, **logless}),
    )
    for way, name, label, options in rows if parameters.bound_memory else (each for each in rows if each[0] != "half"):
        usual = own.get(way, loaded)
        writing = (u.DURABLE if way == "durable" else u.FASTER_LOADING).get(str(options.get("engine")), {})
        group = "uniform, indexes and tables" if name in SECOND else way
        yield kit.Configuration(name, label, {"way": way, **usual, **writing, **options}, group)


def request_of(parameters: Parameters, arm: kit.Configuration, seed: int) -> kv.Request:
    p, options, rows = parameters, dict(arm.settings), parameters.rows
    way, absent = str(options.pop("way")), bool(options.pop("absent", False))
    load: dict[str, Any] = {name: options.pop(name) for name in ("batch_rows", "settle") if name in options}
    load = {"value_bytes": 0 if way == "stride" else p.value_bytes} | load
    run: dict[str, Any] = {"law": "uniform", "batch_operations": BATCH, "timing": "queries"}
    if way in ("half", "durable"):
        rows = p.half_rows if way == "half" else p.durable_rows
    run |= {"warm_operations": rows // p.warm_stride, "warm_stride": p.warm_stride, "operations": p.operations}
    if way == "stride":
        run |= {"law": "stride", "stride": p.stride, "operations": p.stride_operations}
    elif way == "half":
        run |= {"operations": p.half_operations}
    elif way == "index":
        load |= {"keys": "random", "batch_rows": 1}
        run |= {"operations": p.existence_keys, "dependent": True, "absent": absent}
    elif way == "durable":
        load |= {"batch_rows": p.durable_batch_rows, "reopen": True}
        run |= {"operations": p.scans, "scan_rows": p.scan_rows}
        run |= {"warm_operations": rows // p.scan_rows, "warm_stride": p.scan_rows}
    if way in ("stride", "index"):
        del run["timing"]
    return kv.request(seed, options, rows, run, **load)


def read(asked: kv.Asked[Parameters]) -> kv.Reading:
    """A trial's metrics, its batches, single look-ups or scans, and what the caches held."""
    way, p = str(asked.arm.settings["way"]), asked.parameters
    kind = {"stride": "batch", "index": "batch", "durable": "scan"}.get(way, "query")
    found = metrics(asked.answer, way, asked.request)
    row = p.value_bytes + ROW_BYTES
    allowed = 0.01 * max(max(NOTE_ROW_BYTES, row) * p.rows, row * p.durable_rows)  # protocol, item 13
    labels = {"cache_state": cache_state(found["run_major_faults"], asked.device_bytes, allowed)}
    times = asked.answer.series["batch.service" if kind == "batch" else "query.service"]
    return kv.Reading(found | {"device_read_bytes": asked.device_bytes}, kind, times, labels)


def cache_state(major_faults: float | None, read_bytes: float | None, allowed_bytes: float) -> str:
    """What the caches held: warm when the timed part missed no page and the whole trial read next to nothing."""
    if major_faults or (read_bytes is not None and read_bytes > allowed_bytes):
        return "read from the device"
    return "not counted" if read_bytes is None else "warm"


def metrics(answer: kv.Answer, way: str, request: Mapping[str, Any]) -> kv.Metrics:
    """What an engine does not tell is missing, never 0. Raises BenchbookError where a durable row did not come back."""
    record, counters, rows = answer.record, answer.record["counters"], int(request["load"]["rows"])
    run, seconds = counters["run"], record["seconds"]
    memory = {phase: counters[phase]["memory"] for phase in ("open", "load", "warm", "run")}
    found: kv.Metrics = {
        "operations": float(kv.lookups_made(record, request["run"])),
        "right_answers": float(run["checked_reads"]),
        "timer_ns": float(record["timer_ns"]),
        "run_major_faults": float(memory["run"]["major_faults"] - memory["warm"]["major_faults"]),
        "anonymous_bytes": float(memory["run"]["anonymous_bytes"]) or None,
        "huge_page_bytes": float(memory["run"]["huge_page_bytes"]),
        "mapped_bytes": float(memory["run"]["mapped_bytes"] - memory["load"]["mapped_bytes"]),
    }
    if way in ("stride", "index"):
        found["batch_mean_ns"] = kv.mean_ns(record, int(request["run"]["operations"]))
    else:
        wanted = ("mean_ns", "p50_ns", "p95_ns", "p99_ns", "p999_ns", "max_ns")
        found |= kv.quantiles(answer.series["query.service"], "scan" if way == "durable" else "query", wanted)
    if way == "durable":
        recovered = counters["load"]["engine"].get("recovered_records")
        if recovered is not None and recovered != rows:
            lost = f"{recovered:,} of {rows:,} records came back when the store was opened"
            raise BenchbookError(lost, "run the tests")
        found["write_ns_per_row"] = 1e9 * seconds["load_engine"] / rows
        found["syncs_per_batch"] = kv.syncs(counters, "open", "written") / counters["load"]["batches"]
        found["reopen_s"] = float(seconds["reopen"])
    if way == "index":
        own = counters["load"]["index"]["bytes"]
        if own is None:  # what the heap grew by, without the keys drawn ahead
            own = memory["load"]["heap_bytes"] - memory["open"]["heap_bytes"] - kv.drawn_bytes(record, request["run"])
        return found | {"index_bytes_per_key": float(own) / rows}
    held, index = run["engine"], None
    if "file_bytes" in held:
        disk, index = held["file_bytes"], held["index_bytes"]
    elif "page_count" in held:
        disk = int(held["page_count"]) * int(record["settings"]["engine_options"]["page_size"])
    elif "leaf_pages" in held:
        disk = held["page_bytes"] * (held["branch_pages"] + held["leaf_pages"] + held["overflow_pages"])
    else:
        disk = held.get("rocksdb.total-sst-files-size")
    return found | {
        "load_s": float(seconds["load_engine"] + seconds["settle"]),
        # RocksDB has no file before its first flush: then all rows are in memory and in the log.
        "disk_bytes_per_key": disk / rows if disk else None,
        "index_bytes_per_key": None if index is None else index / rows,
    }


@dataclass(frozen=True)
class Bench(kv.Bench[Parameters]):
    """Trials of the family, and those in bounded memory, which take no turns: what one reads, another would find."""

    def measure(self, planned: kit.PlannedTrial) -> kit.Trial:
        """Measure one configuration once; without a number where its memory cannot be bounded."""
        if planned.configuration.settings["way"] != "half":
            return super().measure(planned)
        started_at, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        asked = self._request(planned)
        try:
            half = kv.bounded.ask(self.program, asked, int(asked["run"]["operations"]), self.folder)
        except kv.bounded.UnboundedError as error:
            return kit.Trial(planned, started_at, 0.0, {}, {"cache_state": f"left out: {error.problem}"}, {})
        took_s, lookups, read_bytes = time.monotonic() - clock, kv.counting(asked, half.answer), half.device_bytes
        found = self._trial(planned, lookups, half.answer, read_bytes, started_at, took_s)
        kib = None if read_bytes is None else read_bytes / 1024 / lookups["run"]["operations"]
        own = {"held_share": half.held_share, "device_kib_per_lookup": kib}
        state = "half in memory" if 0.35 <= half.held_share <= 0.6 else "another share in memory"
        return replace(found, metrics={**found.metrics, **own}, labels={**found.labels, "cache_state": state})


PROBING = kv.Probing(
    "Value file, SQLite, LMDB, RocksDB", (), configurations, request_of, read,
    once=lambda arm, request: arm.settings["way"] == "half" or kv.unwarmed(arm, request), bench=Bench,
)  # fmt: skip
needs, session, reduce = PROBING.needs, PROBING.session, kv.reduce

MEAN, EACH, P50 = "batch_mean_ns", "query_mean_ns", "query_p50_ns"
"""Of look-ups in batches, and of those that are timed one by one."""
FILE_BYTES, INDEX_BYTES, LOOKUP_KIB = "disk_bytes_per_key", "index_bytes_per_key", "device_kib_per_lookup"
METRICS = {
    **kv.METRICS,
    MEAN: kit.Metric("mean time of a look-up", "ns", heading="mean"),
    **{name: kv.METRICS[name].but(unit="ns", factor=1.0) for name in (P50, "query_p99_ns", "query_p999_ns")},
    "scan_p50_ns": kit.Metric("P50 of a scan", "ns", heading="scan P50"),
    "write_ns_per_row": kit.Metric("time of a durable write, per row", "µs", 1e-3),
    "syncs_per_batch": kit.Metric("number of syncs per write", format="{:.2g}".format),
    "reopen_s": kit.Metric("time until the store is open again", "ms", 1e3),
    "load_s": kit.Metric("time to fill the store", "s", format="{:,.1f}".format, heading="filled in"),
    FILE_BYTES: kit.Metric("bytes of the files per key", format="{:,.1f}".format, heading="file bytes per key"),
    "huge_page_bytes": kit.Metric("memory in huge pages", "MB", 1e-6),
    "mapped_bytes": kit.Metric("memory that look-ups mapped from files", "MB", 1e-6),
    "held_share": kit.Metric("share of the store's files in the page cache", "%", 100),
    LOOKUP_KIB: kit.Metric("KiB read from the device per look-up", format="{:,.2f}".format),
    "operations": kit.Metric("number of look-ups"),
    "discarded_lookups": kit.Metric("number of look-ups that did not count"),
    "right_answers": kit.Metric("number of right answers"),
}


class Summary(kv.Summary[Parameters]):
    MEND = "raise operations and scans, or leave this number out"

    def way(self, way: str) -> list[str]:
        """Configurations measured in this way, in the order of the figures."""
        return [arm for arm in self.arms if self.configurations[arm].settings["way"] == way]

    def halves(self) -> list[str]:
        """Configurations that are compared where memory holds half of a store.

        RocksDB is none: the shards of its small block cache are smaller than a filter, which each look-up read again.
        """
        return [arm for arm in self.way("half") if arm != "rocksdb_half"]

    def passes(self, arm: str) -> float:
        """How many times a configuration's look-ups along the stride went over its keys, those discarded included."""
        made = self.mean(arm, "operations")
        made += self.mean(arm, "discarded_lookups") if self.has(arm, "discarded_lookups") else 0.0
        return made / self.parameters.stride_operations

    def best_option_a(self) -> str:
        """The fastest of the settings that stand for Option A. Chosen in the blocks that judge it, which favours it."""
        return min(OPTION_A, key=lambda arm: float(np.log(self.values(arm, MEAN)).mean()))

    def own_table(self) -> str:
        """The faster of RocksDB's tables for mapped files."""
        return min(OWN_TABLES, key=lambda arm: self.level(arm, P50).point)

    def share_in_huge_pages(self) -> float:
        """Share of the value file's index that the kernel put into huge pages where it was asked to, at most 1."""
        index = self.values("value_file", INDEX_BYTES) * self.parameters.rows
        return float(np.minimum(1.0, self.values("value_file", "huge_page_bytes") / index).mean())

    def departures(self) -> list[str]:
        keys, found = self.parameters.existence_keys, []
        if keys < 1_000_000:
            found.append(f"{keys:,} keys of each class where {1_000_000:,} are asked")
        counted = self.has("value_file", "huge_page_bytes", INDEX_BYTES)
        if counted and (share := self.share_in_huge_pages()) < 0.9:
            found.append(f"huge pages for {share:.0%} of the index where all of it is asked")
        return [*found, *super().departures()]

    def sizes(self) -> str:
        return f", {self.parameters.rows:,} rows unless stated otherwise"


PAIRS = {EACH: ("value_file_again", "value_file"), MEAN: ("bypass_again", "bypass")}
"""The value file a second and a first time, by the time that is compared: of random look-ups, and along the stride."""


def checks(summary: Summary, answer: kit.Answer) -> Iterable[kit.Gate]:
    """Where a time is compared, every value was, and the store was in memory; a wrong answer is a finding elsewhere."""
    if answer.estimand.metric:
        rows = summary.of({*answer.estimand.names(summary), PAIRS[answer.estimand.metric][0]})
        cold = rows.get("cache_state", pd.Series("", index=rows.index)) == "read from the device"
        reason = f"{cold.sum()} of {len(rows)} trials read their store from the device"
        yield from kv.compared(rows, "right_answers", "operations")
        yield each_trial("warm", cold, rows["block"], reason)


def aa_gates(summary: Summary, answer: kit.Answer) -> list[kit.Gate]:
    """The value file against itself, timed as the claim's configurations are."""
    metric = answer.estimand.metric
    return [] if metric is None else [summary.aa_gate(*PAIRS[metric], metric)]


def not_from_the_file(*others: str | Callable[[Summary], str], file: str = "bypass") -> Callable[[Summary], str]:
    """Why look-ups of the value file read no other place than ``others`` did; "" where they read its pages."""

    def why(summary: Summary) -> str:
        wanted = 0.5 * summary.values(file, FILE_BYTES) * summary.parameters.rows
        for other in (named(each, summary) for each in others):
            more = summary.values(file, "mapped_bytes") - summary.values(other, "mapped_bytes")
            if missed := int((more < wanted).sum()):
                return (
                    f"in {missed} of {len(more)} blocks look-ups of the value file mapped less than 50% of it into "
                    f"memory beyond what “{summary.label(other)}” mapped"
                )
        return ""

    return why


def right_of(summary: Summary) -> dict[str, tuple[int, int]]:
    """Key class to the answers that were right, as the probe compared them, and to the keys tried; over all trials.

    The probe ends at the first wrong answer, and a trial that ended so is not stored.
    """
    arms = {kind: f"alex_{kind}" for kind in ("present", "absent")}
    right, tried = ({kind: int(summary.values(arm, metric).sum()) for kind, arm in arms.items()}
                    for metric in ("right_answers", "operations"))  # fmt: skip
    return {kind: (right[kind], tried[kind]) for kind in arms}


def classes_working(summary: Summary) -> str:
    """The keys that were answered, for the verdict's reason."""
    parts = (f"{name} {right:,} of {tried:,}" for name, (right, tried) in right_of(summary).items())
    return f"Keys answered correctly by ALEX alone: {', '.join(parts)}"


mean, each, p50 = kit.measured(MEAN), kit.measured(EACH), kit.measured(P50)
bypass, option_a = (kit.blockwise(np.divide, mean["sqlite_as_run"], mean[arm])
                    for arm in ("bypass", Summary.best_option_a))  # fmt: skip
NUMBERS = {
    "over_autocommit": (each["sqlite_autocommit"] / each["value_file"]).but(
        idle=not_from_the_file("sqlite_autocommit", file="value_file")
    ),
    "over_best": each["sqlite_best"] / each["value_file"],
    "over_as_run": mean["sqlite_as_run"] / mean["bypass"],
    "over_tuned": each["rocksdb_tuned"] / each["value_file"],
    "over_btree": (mean["bypass"] / mean["btree_and_rocksdb"]).but(idle=not_from_the_file("btree_and_rocksdb")),
    "over_option_a": kit.custom(
        bypass / option_a, kit.Quantity.COMPARISON, "sqlite_as_run", "bypass", *OPTION_A, aa=MEAN,
        working=lambda summary: f"The best Option A setting is “{summary.label(summary.best_option_a())}”",
        idle=not_from_the_file("sqlite_as_run", Summary.best_option_a),
    ),
    "over_lmdb": mean["bypass"] / mean["lmdb_for_redb"],
    "existing": kit.custom(
        lambda summary: statistics.exact(float(sum(right == tried for right, tried in right_of(summary).values()))),
        kit.Quantity.COUNTER, "alex_present", "alex_absent", working=classes_working,
    ),
    "alex": mean["alex_present"],
    "alex_over_hash": mean["alex_present"] / mean["hash_present"],
    "hash_alone": mean["hash_present"] / mean["alex_present"],
    "btree_alone": mean["btree_present"] / mean["alex_present"],
    "hash_over_file": p50["value_file_hash"] / p50["value_file_beside"],
    "tuned_p50": p50["rocksdb_tuned"] / p50["value_file"],
    "own_table_p50": p50[Summary.own_table] / p50["value_file_beside"],
    "bypass_itself": mean["bypass_again"] / mean["bypass"],
    "file_itself": p50["value_file_again"] / p50["value_file"],
    "slower_file": p50["value_file_small_pages"] / mean["bypass"],
    "slower_lmdb": p50["lmdb"] / mean["lmdb_for_redb"],
    "half_file": each["value_file_half"] / 1e3,
    "half_read": kit.counted(LOOKUP_KIB)["value_file_half"],
    "half_sqlite": each["sqlite_half"] / each["value_file_half"],
    "half_lmdb": each["lmdb_half"] / each["value_file_half"],
}  # fmt: skip


def states(summary: Summary) -> dict[str, int]:
    """Trials that hold a whole store, those that read next to nothing from the device, those of which nobody knows."""
    trials = summary.run.trials
    if "cache_state" not in trials:
        raise kit.NotEstimableError("no trial says what it read from the device", "measure again")
    found = trials.loc[~trials["configuration"].isin(summary.way("half")), "cache_state"]
    return {"all": len(found), "warm": (found == "warm").sum(), "unknown": (found == "not counted").sum()}


def _ends(values: list[float]) -> dict[str, float]:
    if not values:
        raise kit.NotEstimableError("this run did not count it", "measure again")
    return {"least": min(values), "most": max(values)}


def by_label(
    ask: Callable[[Summary, str], Any], names: Callable[[Summary], Iterable[str]]
) -> Callable[[Summary], dict[str, Any]]:
    """What is asked of each of these configurations, of which a run may lack some."""
    return lambda summary: dict(kit.each(lambda arm: (summary.label(arm), ask(summary, arm)), names(summary)))


def beside(arm: str) -> str:
    """The value file that takes turns with a configuration of the random look-ups: what it is held against."""
    return "value_file_beside" if arm in SECOND else "value_file"


PAIR = {
    "once": ("sqlite_autocommit", "value_file", EACH),
    "best": ("sqlite_best", "value_file", EACH),
    "stride": ("sqlite_as_run", "bypass", MEAN),
}
"""Which two are compared by which mean time, by the use of SQLite."""
INDEXES = {"alex_present": "ALEX", "hash_present": "hash table", "btree_present": "B-tree"}
expected = partial(notes.number, "omendb_options")
WORDS: dict[str, Callable[[Summary], Any]] = {
    "in_turns": lambda summary: kv.in_turns(summary.parameters),
    "versions": lambda summary: summary.run.provenance.get("versions", {}),
    "states": states,
    "target": lambda summary: expected("expected_speedup_lo", id="A+C"),
    "forecast_low": lambda summary: expected("expected_speedup_lo", id="B"),
    "forecast_high": lambda summary: expected("expected_speedup_hi", id="B"),
    "bypass_passes": lambda summary: summary.passes("bypass"),
    "sqlite_passes": lambda summary: summary.passes("sqlite_as_run"),
    "passes": lambda summary: _ends([*map(summary.passes, summary.having(summary.way("stride"), "operations"))]),
    "best_option_a": lambda summary: summary.label(summary.best_option_a()),
    "own_table": lambda summary: summary.label(summary.own_table()),
    "right_of": right_of,
    "together": lambda summary: sum(
        summary.level("value_file_small_pages", bytes_).point for bytes_ in (FILE_BYTES, INDEX_BYTES)
    ),
    "index_bytes": lambda summary: {
        INDEXES[arm]: summary.mean(arm, INDEX_BYTES) for arm in summary.having(INDEXES, INDEX_BYTES)
    },
    "durable": by_label(
        lambda summary, arm: {"syncs": summary.mean(arm, "syncs_per_batch")} | {
            name: kit.Told(summary.level(arm, metric), factor) for name, (metric, factor) in {
                "written": ("write_ns_per_row", 1e-3), "opened": ("reopen_s", 1e3), "scanned": ("scan_p50_ns", 1e-3),
            }.items()
        },
        lambda summary: summary.way("durable"),
    ),
    "here": lambda summary: [*dict.fromkeys(filter(None, (processor_name(p.provenance) for p in summary.run.parts)))],
    "half_others": by_label(
        lambda summary, arm: kit.Told(summary.over(arm, "value_file_half", EACH)),
        lambda summary: [arm for arm in summary.halves() if arm != "value_file_half"],
    ),
    "half_kib": by_label(lambda summary, arm: summary.mean(arm, LOOKUP_KIB), Summary.halves),
    "half_held": lambda summary: _ends(
        [100 * summary.mean(arm, "held_share") for arm in summary.having(summary.halves(), "held_share")]
    ),
    "read_ahead": lambda summary: read_ahead.in_words(summary.run),
    "rivals": by_label(
        lambda summary, arm: kit.Told(summary.over(arm, beside(arm), P50)),
        lambda summary: (*RIVALS, "value_file_small_pages"),
    ),
    "huge_share": Summary.share_in_huge_pages,
}  # fmt: skip


def note_claims(summary: Summary) -> pd.DataFrame:
    """The note's three options with what it expects of each, beside what it had measured."""
    rows = []
    for name, told in notes.table("omendb_options").set_index("id").iterrows():
        low, high = told["expected_speedup_lo"], told["expected_speedup_hi"]
        span = f"{low:g} or more" if pd.isna(high) else f"{low:g} to {high:g}"
        rows.append((f"{name}: {told['name']}", span, "expected"))
    speed = notes.table("omendb_speedup").set_index("scale_rows").loc[10_000_000]
    rows += [(f"measured {state} tuning", f"{speed[state]:g}", "measured") for state in ("before", "after")]
    return pd.DataFrame(rows, columns=["option", "speed-up over SQLite", "kind"]).set_index("option")


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: times with intervals, bytes per key, memory, and how long filling the store took."""
    columns = kit.levels(summary, MEAN, P50, "query_p99_ns", "query_p999_ns", "scan_p50_ns")
    columns |= kit.means(summary, FILE_BYTES, INDEX_BYTES, "anonymous_bytes", "load_s")
    rows = [({"measured with": words, "configuration": summary.label(arm)}, arm)
            for way, words in WAYS.items() for arm in summary.way(way)]  # fmt: skip
    return kit.table(rows, columns).reset_index("configuration")


TABLES = {"note_claims": note_claims, "overview": overview}
dots = partial(kit.Dots, heading="what", nothing="This run timed nothing")


USES = {"once": "prepared once (random keys)", "best": "at its best (random keys)",
        "stride": "as the note ran it (the note's stride)"}  # fmt: skip
FIGURES = {
    "stride": dots(
        rows=lambda summary: summary.way("stride"), series={"mean": mean["{}"]},
        metric=METRICS[MEAN].but(unit="µs", factor=1e-3), words=lambda e: f"{kit.with_interval(e, 1e-3)} µs",
    ),
    "speed_up": dots(
        rows=USES, series={"speed-up": lambda summary, use: summary.over(*PAIR[use])},
        axis="time of SQLite / time of ALEX + value file (right of 1 = value file faster)",
        quantity="speed-up", rule=1,
        given=lambda summary: [
            kit.Given(name, {word: WORDS[word](summary) for word in words}, line=dash, listed=False)
            for name, dash, words in (("the note's target", "dash", ["target"]),
                                      ("the note's forecast", "dashdot", ["forecast_low", "forecast_high"]))
        ],
    ),
    "index": dots(
        rows=lambda summary: summary.way("index"), series={"mean": mean["{}"]},
        metric=METRICS[MEAN].but(words="mean time of a dependent look-up"),
        words=lambda e: f"{kit.with_interval(e)} ns",
    ),
    "claims": kit.ClaimFigure(),
}  # fmt: skip
