"""Six settings, each where nothing asks for it and where something must: what server and store count of them."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchbook import files, kit, statistics, temporary
from benchbook.engines import pgbench, postgres, probe
from benchbook.engines.pgbench import residency
from benchbook.engines.pgbench.load import load
from benchbook.engines.postgres import sessions
from benchbook.engines.postgres.switching import Switched
from benchbook.engines.storage import latency
from benchbook.errors import BenchbookError, MachineError
from benchbook.measuring import badger
from benchbook.measuring.pgbench import turns
from benchbook.measuring.pgbench.estimands import largest
from benchbook.measuring.pgbench.settings import BLOCK_BYTES, NOTE_003, Settings, pool_blocks, restarted
from benchbook.measuring.pgbench.tables import Tables, loaded
from benchbook.measuring.postgres import Connection, one_row
from benchbook.measuring.samples import Begun, reduce
from benchbook.numbers import summary as base
from benchbook.numbers.inert import Control, cannot_act
from benchbook.pages.tables import means, table

NOTE_SCALE, NOTE_DATA_OVER_POOL = 1250, 0.92
"""Of notes 002 and 003: 16 GB of accounts; and where 003 claims what a CHECKPOINT does, the pool holds all data."""
KEY_BYTES, ROW_BYTES, STORED_BYTES, TABLE_BYTES = 16, 400, 428, 8 << 20
"""Of Badger's stores: AES-128; a row, and what it takes in a table; memtables and tables, of which even a small store
then has several, each with an index of its own."""
SUM, RANGE = "SELECT sum(abalance) FROM pgbench_accounts", 20
STATEMENTS = {
    "sum": SUM,
    "bitmap": f"{SUM} WHERE aid BETWEEN %s AND %s",
    "bulk": "UPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid <= %s",
}
"""The second is looked up by a bitmap of its rows; the third changes a quarter of the accounts in one transaction,
which waits for the disk only when it commits."""
COMMITS: Mapping[str, tuple[str, str, int, int]] = {
    "commit_0": ("round 2", "003", 0, 3),
    "commit_0_again": ("round 2 again (A/A)", "003", 0, 3),
    "commit_10": ("commit_delay 10 µs", "003", 10, 3),
    "commit_50": ("commit_delay 50 µs", "003", 50, 3),
    "commit_200": ("commit_delay 200 µs", "003", 200, 3),
    "commit_10_siblings_2": ("commit_delay 10 µs, commit_siblings 2", "003", 10, 2),
    "commit_b_0": ("scenario B, commit_delay 0", "002", 0, 10),
    "commit_b": ("scenario B", "002", 50, 10),
    "commit_b_siblings_5": ("scenario B, commit_siblings 5", "002", 50, 5),
}
"""Label, note, commit_delay in us and commit_siblings of what is measured where flushes of the log are slow."""
SWITCHED = ("commit_delay", "commit_siblings")
"""Of these, what changes from turn to turn on one server."""
NOTE_CLIENTS = 48
"""Clients that the claims on group commit name: more than any commit_siblings of the notes, whose own were 100."""
SERIES = {"sum": "sum", "bitmap": "range", "bulk": "change"}
SCAN_BLOCKS = 1024
"""min_parallel_table_scan_size by default, in blocks. The number of workers that a scan asks for grows with the size of
the table over this, so it is scaled with the table: a sum then asks for as many as on the notes' 16 GB."""


class Parameters(kit.ExperimentParameters):
    """Defaults are the standard profile. Counters need no long trials: what moves does so at once."""

    blocks: int = kit.common("blocks", 6)
    scale: int = kit.common("scale", 50, 5, words="pgbench scale factor; 50 is 0.75 GiB of tables and indexes")
    clients: int = kit.common("clients", 8, high=200, words="pgbench clients (the notes: 100)")
    tpcb_seconds: int = kit.param(3, 1, 3_600, "length of TPC-B, also before the CHECKPOINT")
    commit_clients: int = kit.param(NOTE_CLIENTS, 2, 200, "pgbench clients where flushes of the log are slow")
    rounds: int = kit.param(
        32, 2, 10_000, "rounds in a block where flushes are slow; each gives every setting one turn"
    )
    turn_ms: int = kit.param(1_000, 100, 600_000, "length of a turn in ms, of which a quarter is discarded")
    flush_ms: float = kit.param(2.0, 0.1, 100.0, "by how much these flushes are slower in ms")
    sums: int = kit.param(5, 2, 10_000, "sums of all account balances in a trial, one after the other")
    rows: int = kit.param(300_000, 1_000, 1_000_000_000, "rows of 400 bytes in Badger; by default over 1 MiB of index")
    lookups: int = kit.param(20_000, 1_000, 100_000_000, "look-ups of uniformly drawn rows in a trial")

    @property
    def store_bytes(self) -> int:
        """Disk that both stores take: while they are filled, a part of each lies there twice."""
        return 2 * (2 * self.rows * STORED_BYTES + 16 * TABLE_BYTES)


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """Every arm, in the order of the figures; what is compared stands together in a block."""
    for name, label, part, workers in (
        ("tpcb_baseline", "TPC-B, 8 workers allowed", "tpcb", 8),
        ("tpcb_baseline_again", "TPC-B, 8 workers allowed, again (A/A)", "tpcb", 8),
        ("tpcb_scenario_a", "TPC-B, 32 workers allowed", "tpcb", 32),
        ("sum_baseline", "sum of a table, 8 workers allowed", "sum", 8),
        ("sum_scenario_a", "sum of a table, 32 workers allowed", "sum", 32),
    ):
        yield kit.Configuration(name, label, {"part": part, "workers": workers}, "workers")
    for store, mib in (("plain", 1024), ("encrypted", 1), ("encrypted", 32), ("encrypted", 1024)):
        key_bytes = KEY_BYTES if store == "encrypted" else 0
        own: dict[str, Any] = {"part": "index", "index_mib": mib, "encryption_key_bytes": key_bytes}
        yield kit.Configuration(f"index_{store}_{mib}", f"{store} store, index cache of {mib:,} MiB", own, "index")
    for name, label, part, setting, value in (
        ("log_16_mb", "TPC-B, wal_buffers 16 MB", "round", "wal_buffers", "16MB"),
        ("log_128_mb", "TPC-B, wal_buffers 128 MB", "round", "wal_buffers", "128MB"),
        ("log_bulk", "one large change, wal_buffers 64 kB", "bulk", "wal_buffers", "64kB"),
        ("reads_200", "TPC-B, effective_io_concurrency 200", "round", "effective_io_concurrency", 200),
        ("reads_100", "TPC-B, effective_io_concurrency 100", "round", "effective_io_concurrency", 100),
        ("reads_bitmap", "ranges by a bitmap, 100 of the same", "bitmap", "effective_io_concurrency", 100),
    ):
        yield kit.Configuration(name, label, {"part": part, setting: value}, setting)
    for name, (label, note, delay, siblings) in COMMITS.items():
        own = {"part": "commit", "note": note, "commit_delay": delay, "commit_siblings": siblings}
        yield kit.Configuration(name, f"{label}, slow flushes", own, f"commits_{note}")
    yield kit.Configuration("checkpoint", "CHECKPOINT, autovacuum off", {"part": "checkpoint"}, "checkpoint")


def identity() -> dict[str, Any]:
    """Both engines under one name; raises NoEngineError where the probe is not built, and as PostgreSQL's does."""
    server, store = postgres.identity(), badger.identity(badger.Build.NOTE)
    return server | {
        "engine": "PostgreSQL, Badger",
        "engine_version": f"PostgreSQL {server['engine_version']}, Badger {store['engine_version']}",
        "engine_sha256": hashlib.sha256(f"{server['engine_sha256']}{store['engine_sha256']}".encode()).hexdigest(),
    }


def needs(parameters: Parameters) -> kit.Needs:
    """Disk for template, copy, log and both stores; memory for the pool and the probe; a PostgreSQL and the probe."""
    p, data, beside_s = parameters, pgbench.data_bytes(parameters.scale), 1.5
    spent = {
        **dict.fromkeys(("tpcb", "round"), p.tpcb_seconds + beside_s), "checkpoint": p.tpcb_seconds + beside_s + 1,
        "sum": p.sums * 0.2 * p.scale / 20 + beside_s, "bitmap": beside_s, "bulk": 3.0 * p.scale / 20 + beside_s,
        "commit": p.rounds * p.turn_ms / 1_000 + beside_s, "index": p.lookups / 15_000 + 0.5,
    }  # fmt: skip
    block_s = sum(spent[str(arm.settings["part"])] for arm in configurations(p))
    before_s = data / 100e6 + 2 * p.rows * STORED_BYTES / 100e6
    disk_bytes = int(2.4 * data) + 700_000_000 + p.store_bytes  # a trial's log, and what is kept ready for the next
    return kit.Needs(disk_bytes, 2 * data + 1_000_000_000, identity, (p.blocks * block_s + before_s) / 60)


def settings_of(parameters: Parameters, tables: Tables, arm: kit.Configuration) -> Settings:
    """The server's in a trial: note 002's with so many workers, or note 003's with one setting changed."""
    common: Settings = {
        "shared_buffers": f"{pool_blocks(tables.data_bytes / NOTE_DATA_OVER_POOL) * BLOCK_BYTES // 1024}kB",
        "wal_compression": tables.wal_compression,
        "max_connections": max(100, parameters.clients + 20, parameters.commit_clients + 20),
        "autovacuum": False,
    }
    changed = {name: value for name, value in arm.settings.items() if name not in ("part", "note")}
    if arm.settings.get("note") == "002":
        return restarted(32, 1250) | common | changed
    if "workers" in changed:
        scaled = max(1, round(SCAN_BLOCKS * parameters.scale / NOTE_SCALE)) * BLOCK_BYTES // 1024
        return restarted(int(changed["workers"] or 0), 1000) | common | {"min_parallel_table_scan_size": f"{scaled}kB"}
    log = {"max_wal_size": "50GB", "min_wal_size": "2GB", "checkpoint_timeout": "1h"}
    return NOTE_003 | log | common | ({"wal_buffers": "16MB"} if changed else {}) | changed


@dataclass(frozen=True)
class Server:
    """pgbench's tables, from a copy of which each trial starts."""

    parameters: Parameters
    tables: Tables

    def measured(self, planned: kit.PlannedTrial) -> badger.Measured:
        part, cluster = str(planned.configuration.settings["part"]), self.tables.cluster
        self.tables.template.restore()
        cluster.start(settings_of(self.parameters, self.tables, planned.configuration))
        try:
            with pgbench.connect(cluster) as connection:
                labels = {"state": "measured", "settings": sessions.checked(connection)}
                if part == "sum":
                    plan = connection.execute(f"EXPLAIN (COSTS OFF) {SUM}").fetchall()
                    labels["plan"] = "; ".join(str(line).strip() for (line,) in plan)
            if part == "checkpoint":
                metrics, series, spent = self._checkpoint(planned.seed)
            else:
                with cluster.connect() as observer:
                    before = self._counters(observer, part)
                    metrics, series, spent = self._work(part, planned.seed)
                    operations = len(spent) if part in STATEMENTS else int(metrics["transactions"] or 0)
                    metrics |= grown(before, self._counters(observer, part), operations)
                metrics |= {} if part in STATEMENTS else self._stored()
        finally:
            cluster.stop()
        return metrics, {series: spent}, labels

    def _work(self, part: str, seed: int) -> tuple[badger.Metrics, str, np.ndarray]:
        """Metrics, what was timed, and how long each took in ns: TPC-B, or a statement some times."""
        p, spent = self.parameters, []
        if part not in STATEMENTS:
            return self._transactions(seed)
        first = int(np.random.default_rng(seed).integers(1, 100_000 * p.scale - RANGE))
        values = {"sum": (), "bitmap": (first, first + RANGE - 1), "bulk": (25_000 * p.scale,)}[part]
        with pgbench.connect(self.tables.cluster) as connection:
            for way in ("enable_indexscan", "enable_seqscan") if part == "bitmap" else ():
                connection.execute(f"SET {way} = off")
            for _ in range(1 if part == "bulk" else p.sums):
                begun = time.perf_counter_ns()
                cursor = connection.execute(STATEMENTS[part], values or None)
                row = None if part == "bulk" else cursor.fetchone()
                spent.append(time.perf_counter_ns() - begun)
                if part == "sum" and (row is None or row[0] != 0):
                    raise MachineError(f"the fresh accounts add up to {row}, not to 0", "look at the server's log")
        return {}, SERIES[part], np.array(spent, dtype=np.int64)

    def _transactions(self, seed: int) -> tuple[badger.Metrics, str, np.ndarray]:
        p = self.parameters
        work = pgbench.Workload("tpcb-like", p.clients, 2, p.tpcb_seconds, seed=seed)
        done = pgbench.run(self.tables.cluster, work)
        return {"tps": done.tps, "transactions": float(done.processed)}, "transaction", done.latency_ns

    def group_commit(self, took: turns.Turns) -> dict[str, tuple[badger.Metrics, Mapping[str, np.ndarray]]]:
        """Metrics and stored samples of each configuration. pauses: the server's own, as commit_delay makes one."""
        p, cluster = self.parameters, self.tables.cluster
        first, seed = took.planned[0].configuration, took.planned[0].seed
        self.tables.template.restore()
        slow = latency.add(cluster, read_ms=0.0, sync_ms=p.flush_ms)
        started = settings_of(p, self.tables, first)
        own = {each.configuration.name: {name: each.configuration.settings[name] for name in SWITCHED}
               for each in took.planned}  # fmt: skip
        cluster.start({name: value for name, value in started.items() if name not in SWITCHED}, slow.environment)
        try:
            with pgbench.connect(cluster) as connection:
                residency.prewarm(connection)
            with cluster.connect() as observer:
                server, before = Switched(observer), slow.delayed()

                def counted() -> dict[str, float]:
                    now = slow.delayed()
                    return turns.counts(observer, cluster) | {"pauses": float(now.pauses), "flushes": float(now.syncs)}

                seconds = int(1.5 * len(own) * p.rounds * p.turn_ms / 1_000) + 30  # it is stopped after the last turn
                work = pgbench.Workload("tpcb-like", p.commit_clients, 2, seconds, seed=seed)
                with load(cluster, work) as running:
                    for _, arm in took.rounds(p.rounds, seed):
                        took.switched(arm.name, server, own[arm.name], counted, (p.turn_ms, p.turn_ms // 4))
                        running.check()
                done = slow.delayed().since(before)
                slow.confirm(done)
            common: badger.Metrics = {"transactions": float(running.processed), "added_sync_ms": done.sync_ms}
            common |= self._stored()
        finally:
            cluster.stop()
        assert running.log is not None
        found: dict[str, tuple[badger.Metrics, Mapping[str, np.ndarray]]] = {}
        for name in own:
            of_turns, kept = took.told(name, running.log, p.commit_clients)
            grown, made = took.grown[name], of_turns["counted_transactions"] or 0.0
            found[name] = (common | {
                "tps": of_turns["tps"], "operations": made, "log_flushes": grown["flushes"],
                "pauses_per_flush": badger.per(grown["pauses"], grown["flushes"]),
                "commits_per_flush": badger.per(made, grown["flushes"]), **reduce(kept["transaction"]),
            }, kept)  # fmt: skip
        return found

    def _stored(self) -> badger.Metrics:
        """Transactions as the tables count them, by the rows of the history."""
        with pgbench.connect(self.tables.cluster) as connection:
            return {"server_transactions": one(connection, "SELECT count(*) FROM pgbench_history")[0]}

    def _checkpoint(self, seed: int) -> tuple[badger.Metrics, str, np.ndarray]:
        """All data in the pool, changed by a discarded run, then a CHECKPOINT with nobody else connected."""
        cluster = self.tables.cluster
        with pgbench.connect(cluster) as connection:
            residency.prewarm(connection)
        metrics, series, latencies = self._transactions(seed)
        with cluster.connect() as observer:
            pgbench.read_counters(observer, cluster.binaries)  # returns when pgbench's connections have ended
        metrics |= self._stored()
        with pgbench.connect(cluster) as connection:
            before = residency.pool_pages(connection)
            begun = time.monotonic()
            connection.execute("CHECKPOINT")
            spent = time.monotonic() - begun
            after = residency.pool_pages(connection)
            pages, cleaned = one(
                connection, f"SELECT sum(pg_relation_size(r))::bigint / {BLOCK_BYTES}, (SELECT sum(autovacuum_count) "
                "FROM pg_stat_user_tables) FROM unnest(%s::regclass[]) AS r", [*residency.RELATIONS],
            )  # fmt: skip
        seen = {f"{kind}_pages_{when}": float(value) for when, values in (("before", before), ("after", after))
                for kind, value in zip(("resident", "dirty"), values, strict=True)}  # fmt: skip
        metrics |= {"operations": metrics["transactions"], "data_pages": pages, "autovacuums": cleaned}
        return metrics | seen | {"checkpoint_s": spent}, series, latencies

    def _counters(self, observer: Connection, part: str) -> dict[str, float]:
        """What the server counted so far of workers, or of full buffers and bitmaps; none of workers before 18.

        Read when all other connections to pgbench's database have ended, and so told what they did. A table's own count
        of rows fetched is that of bitmaps; plain index scans count at the index.
        """
        binaries = self.tables.binaries
        pgbench.read_counters(observer, binaries)
        if part in ("tpcb", "sum"):
            names = ("parallel_workers_planned", "parallel_workers")
            asked = "SELECT sum(parallel_workers_to_launch), sum(parallel_workers_launched) FROM pg_stat_database"
            return dict(zip(names, one(observer, asked), strict=True)) if binaries.major >= 18 else {}
        relations = [f"pgbench_{each}" for each in ("accounts", "branches", "tellers", "history")]
        with pgbench.connect(self.tables.cluster) as connection:
            found = one(
                connection, "SELECT (SELECT wal_buffers_full FROM pg_stat_wal), sum(pg_stat_get_tuples_fetched(r)) "
                "FROM unnest(%s::regclass[]) AS r", relations,
            )  # fmt: skip
        return dict(zip(("log_buffers_full", "bitmap_rows"), found, strict=True))


@dataclass(frozen=True)
class Trials(badger.Trials):
    """All trials; those with slow flushes of the log take turns on one server for each note."""

    server: Server

    def side_by_side(
        self, planned: Sequence[kit.PlannedTrial], between: Callable[[], None], say: Callable[[str], None]
    ) -> Iterator[kit.Trial]:
        """One server under load, switched between the settings of group commit; other trials follow one another."""
        if planned[0].configuration.settings["part"] != "commit":
            for each in planned:
                between()
                yield self.measure(each)
            return
        begun, took = Begun(), turns.Turns(planned, between)
        found = self.server.group_commit(took)
        whole = begun.ended(planned[0], {}, {}, {})
        for each in planned:
            metrics, kept = found[each.configuration.name]
            switched = "; ".join(f"{name}={each.configuration.settings[name]}" for name in SWITCHED)
            labels = {"state": "measured", "settings": switched}
            yield kit.Trial(each, whole.started_at, whole.duration_s / len(planned), metrics, labels, kept)


def one(connection: Connection, statement: str, *values: object) -> list[float]:
    """The numbers of the one row that a statement gives."""
    return [float(value) for value in one_row(connection, statement, *values)]


def grown(before: Mapping[str, float], after: Mapping[str, float], operations: int) -> badger.Metrics:
    """How much counters grew, in all and, but for what was only planned, for each operation."""
    found: badger.Metrics = {"operations": float(operations)}
    for name, value in after.items():
        found[name] = value - before[name]
        if not name.endswith("_planned"):
            found[f"{name}_per_operation"] = (value - before[name]) / operations
    return found


def request_of(parameters: Parameters, key_bytes: int, index_bytes: int, seed: int) -> dict[str, Any]:
    """What the probe is asked for in a trial of a store."""
    return {
        "seed": seed,
        "workload": "gets",
        "options": {
            "compression": "none", "mem_table_bytes": TABLE_BYTES, "base_table_bytes": TABLE_BYTES,
            "value_threshold_bytes": TABLE_BYTES // 10, "block_cache_bytes": 64 << 20,
            "index_cache_bytes": index_bytes, "encryption_key_bytes": key_bytes, "read_only": True,
        },
        "load": {"keys": parameters.rows, "value_bytes": ROW_BYTES},
        "run": {"law": "uniform", "warm_operations": 0, "operations": parameters.lookups, "workers": 1},
    }  # fmt: skip


def asked(folder: Path, request: Mapping[str, Any]) -> probe.Answer:
    """The answer of a fresh process. folder: of both stores, each under the length of its key."""
    store = folder / f"key-{request['options']['encryption_key_bytes']}"
    store.mkdir(exist_ok=True)
    return probe.ask(badger.find(badger.Build.NOTE), request, timeout_s=1_200.0, folder=folder, store=store)


def looked_up(parameters: Parameters, folder: Path, planned: kit.PlannedTrial) -> badger.Measured:
    """A trial of look-ups in a filled store; raises BenchbookError for one that was not opened as asked."""
    key_bytes, index_mib = (int(planned.configuration.settings[name] or 0)
                            for name in ("encryption_key_bytes", "index_mib"))  # fmt: skip
    answer = asked(folder, request_of(parameters, key_bytes, index_mib << 20, planned.seed))
    if answer.record["settings"]["encryption_key_bytes"] != key_bytes:
        raise BenchbookError(f"the probe opened no store with a key of {key_bytes} bytes", "run `make probes`")
    return index_counts(answer.record["counters"]), {"look-up": answer.series["gets.service"]}, {"state": "measured"}


def index_counts(counters: Mapping[str, Any]) -> badger.Metrics:
    """What was counted of the index cache between opening the store and the last look-up: differences of totals."""
    before, after = counters["warm"], counters["run"]
    made = float(after["gets"] - before["gets"])
    found: badger.Metrics = {"operations": made, "checked_values": float(after["checked_reads"])}
    first, last = before["index_cache"], after["index_cache"]
    if first is None or last is None:
        return found
    hits, misses = (float(last[name] - first[name]) for name in ("hits", "misses"))
    return found | {
        "index_cache_lookups": hits + misses,
        "index_cache_lookups_per_operation": (hits + misses) / made,
        "index_cache_misses": misses,
        "index_cache_hit_ratio": badger.per(hits, hits + misses),
        "index_cache_opening_lookups": float(first["hits"] + first["misses"]),
    }


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Trials]:
    """Tables loaded and kept as a template, both stores filled; all of it is gone at the end."""
    p = parameters
    with (
        loaded(p.scale, needs(p).disk_bytes, progress, "pg_prewarm") as tables,
        temporary.folder("probe", files.scratch(p.store_bytes)) as folder,
    ):
        progress("filling two stores of Badger", 0.95)
        for key_bytes in (0, KEY_BYTES):  # a plain and an encrypted store, all rows in tables
            request = request_of(p, key_bytes, 64 << 20, p.seed)
            request["options"] |= {"read_only": False, "compact_l0_on_close": True}
            asked(folder, request | {"run": request["run"] | {"operations": 1}})
        sizes = {name: getattr(tables, name) for name in ("data_bytes", "heap_bytes", "wal_compression")}

        server = Server(p, tables)

        def measured(planned: kit.PlannedTrial) -> badger.Measured:
            index = planned.configuration.settings["part"] == "index"
            return looked_up(p, folder, planned) if index else server.measured(planned)

        yield Trials(lambda: identity() | sizes, measured, 2_000, server)


FULL, BITMAPS, WORKERS, LOOKUPS = "log_buffers_full", "bitmap_rows", "parallel_workers", "index_cache_lookups"
PAGES = {f"{kind}_pages_{when}": f"number of {words} {when} the CHECKPOINT"
         for kind, words in {"resident": "pages in the pool", "dirty": "dirty pages"}.items()
         for when in ("before", "after")}  # fmt: skip
METRICS: kit.Metrics = {
    "operations": kit.Metric("number of transactions, sums or look-ups", heading="operations"),
    "tps": kit.Metric("throughput", heading="TPS"),
    "parallel_workers_planned": kit.Metric("number of parallel workers asked for", heading="workers asked for"),
    WORKERS: kit.Metric("number of parallel workers launched", heading="workers launched"),
    f"{WORKERS}_per_operation": kit.Metric("number of workers launched per transaction or sum"),
    LOOKUPS: kit.Metric("number of look-ups in the index cache", heading="index-cache look-ups"),
    f"{LOOKUPS}_per_operation": kit.Metric("number of look-ups in the index cache per row"),
    "index_cache_misses": kit.Metric("number of misses in the index cache", heading="index-cache misses"),
    "index_cache_hit_ratio": kit.Metric("hit ratio of the index cache", "%", 100),
    FULL: kit.Metric("number of times that the log's buffers were full", heading="log's buffers full"),
    BITMAPS: kit.Metric("number of rows found by a bitmap", heading="rows by bitmaps"),
    f"{FULL}_per_operation": kit.Metric("number of times that the log's buffers were full per transaction"),
    f"{BITMAPS}_per_operation": kit.Metric("number of rows found by a bitmap per transaction or range"),
    "log_flushes": kit.Metric("number of flushes of the log"),
    "pauses_per_flush": kit.Metric(
        "number of pauses for group commit per flush", format="{:.2f}".format, heading="pauses per flush"
    ),
    "commits_per_flush": kit.Metric(
        "number of commits per flush of the log", format="{:.2f}".format, heading="commits per flush"
    ),
    "added_sync_ms": kit.Metric("mean delay of a flush", "ms"),
    "kept_mean_ns": kit.Metric("mean time of an operation", "µs", 1e-3),
    **{name: kit.Metric(words) for name, words in PAGES.items()},
    "data_pages": kit.Metric("number of pages of tables and indexes"),
    "autovacuums": kit.Metric("number of autovacuums"),
    "checkpoint_s": kit.Metric("time of the CHECKPOINT", "s"),
}
TPCB, SUMS = ("tpcb_baseline", "tpcb_baseline_again", "tpcb_scenario_a"), ("sum_baseline", "sum_scenario_a")
LOGS, READS, PLAIN = ("log_16_mb", "log_128_mb"), ("reads_200", "reads_100"), "index_plain_1024"
ENCRYPTED = tuple(f"index_encrypted_{mib}" for mib in (1, 32, 1024))
AA, COMMIT_AA = ("tpcb_baseline_again", "tpcb_baseline"), ("commit_0_again", "commit_0")


class Summary(base.Summary[Parameters]):
    MEND = "use PostgreSQL 18 or later, which counts parallel workers, and see `benchbook verify`"


def aa_gates(summary: Summary, answer: kit.Answer) -> list[kit.Gate]:
    """The configuration that is measured twice, with slow flushes or without, against itself."""
    slow = answer.estimand.names(summary) <= {*COMMITS}
    return [summary.aa_gate(*(COMMIT_AA if slow else AA), answer.estimand.metric or "")]


def checks(summary: Summary, answer: kit.Answer | None = None) -> list[kit.Gate]:
    """Client and tables counted alike; at the CHECKPOINT all data in the pool, no autovacuum, which dirties pages."""
    trials, own = summary.of([*TPCB, *LOGS, *READS, *COMMITS, "checkpoint"]), summary.in_blocks("checkpoint")
    failed = {
        "counts agree": ("client and tables count otherwise", trials["server_transactions"] != trials["transactions"]),
        "full pool": ("the pool lacked some of the data", own["resident_pages_before"] < 0.99 * own["data_pages"]),
        "no autovacuum": ("autovacuum was at work", own["autovacuums"] != 0),
    }
    return [kit.Gate(name, not wrong.any(), float(wrong.sum()), f"{words} in {wrong.sum()} trials")
            for name, (words, wrong) in failed.items()]  # fmt: skip


def still_dirty(summary: Summary) -> kit.Estimate:
    """Dirty pages after the CHECKPOINT over those before; none comes from nowhere."""
    before, after = (summary.values("checkpoint", f"dirty_pages_{when}") for when in ("before", "after"))
    if before.min() < 1:
        raise kit.NotEstimableError("there were no dirty pages before the CHECKPOINT", "raise tpcb_seconds")
    return summary.estimated(statistics.share, np.minimum(after / before, 1.0), before)


def nothing_to_write(summary: Summary) -> str:
    """Why the CHECKPOINT had nothing to write; "" where dirty pages were there in every trial."""
    none = summary.values("checkpoint", "dirty_pages_before").min() < 1
    return "in some trial no page was dirty before the CHECKPOINT, so it wrote nothing" if none else ""


def waited(*arms: str) -> Callable[[Summary], str]:
    """Why commit_delay held up too little; "" where half of the flushes and more waited for it in every trial."""

    def why(summary: Summary) -> str:
        least = min(float(summary.values(arm, "pauses_per_flush").min()) for arm in arms)
        return (
            f"in some trial only {least:.0%} of the flushes of the log waited for commit_delay" if least < 0.5 else ""
        )

    return why


def fewer(summary: Summary) -> str:
    """By what the trials with slow flushes depart from what the claims name."""
    clients, branches = summary.parameters.commit_clients, summary.parameters.scale
    few = f"{clients} clients with {branches} branches where the claim names {NOTE_CLIENTS} with a branch each"
    return few if clients < NOTE_CLIENTS or branches < clients else ""


tps = kit.measured("tps")
NEVER_FULL = cannot_act(
    FULL, LOGS, counted="the log's buffers were full 0 times in {} trials",
    why="a client waits until its commit is on the disk, so no more than one transaction of each client is in them",
    control=Control("log_bulk", FULL, "one large transaction found 64 kB full {} times or more"),
)  # fmt: skip
NO_BITMAP = cannot_act(
    BITMAPS, READS, counted="bitmaps found 0 rows in {} trials",
    why="PostgreSQL 16 reads ahead by this setting in bitmap scans alone, and TPC-B's statements have none",
    control=Control("reads_bitmap", BITMAPS, "ranges that are looked up by one found {} rows or more in a trial"),
)  # fmt: skip
counts = {name: kit.counted(f"{name}_per_operation") for name in (WORKERS, FULL, BITMAPS, LOOKUPS)}
NUMBERS = {
    "buffers": (tps["log_128_mb"] / tps["log_16_mb"]).but(inert=NEVER_FULL),
    "fewer_io": (tps["reads_100"] / tps["reads_200"]).but(inert=NO_BITMAP),
    "delay_50": (tps["commit_b"] / tps["commit_b_0"]).but(idle=waited("commit_b"), departs=fewer),
    "siblings_10": (tps["commit_b"] / tps["commit_b_siblings_5"]).but(
        idle=waited("commit_b", "commit_b_siblings_5"), departs=fewer
    ),
    "best_delay": largest(
        "commit_0",
        ("commit_10", "commit_50", "commit_200"),
        departs=fewer,
        idle=waited("commit_10", "commit_50", "commit_200"),
    ),
    "siblings_2": (tps["commit_10_siblings_2"] / tps["commit_10"]).but(
        idle=waited("commit_10_siblings_2", "commit_10"), departs=fewer
    ),
    "delay_200": tps["commit_200"] / tps["commit_0"],
    "carried": {each: kit.counted("commits_per_flush")[f"commit_{each}"].mean for each in ("0", "200")},
    "pauses": {each: kit.counted("pauses_per_flush")[f"commit_{each}"].mean for each in ("0", "10")},
    "still_dirty": kit.percent(
        kit.custom(still_dirty, kit.Quantity.COUNTER, "checkpoint", bounded=True, idle=nothing_to_write)
    ),
    "workers": {"8": counts[WORKERS]["sum_baseline"].mean, "32": counts[WORKERS]["sum_scenario_a"].mean},
    "asked_encrypted": counts[LOOKUPS]["index_encrypted_1024"].mean,
    "slower": kit.measured("kept_mean_ns")["index_encrypted_1"] / kit.measured("kept_mean_ns")["index_encrypted_1024"],
}


def total(summary: Summary, metric: str, names: Iterable[str]) -> float:
    """What all trials of these configurations counted together."""
    return float(sum(summary.values(arm, metric).sum() for arm in names))


def acts(summary: Summary) -> bool:
    """Whether every counter moves in every trial where something asks for the setting."""
    moved = {WORKERS: SUMS, LOOKUPS: ENCRYPTED, FULL: ("log_bulk",), BITMAPS: ("reads_bitmap",)}
    return all(summary.values(arm, metric).min() > 0 for metric, names in moved.items() for arm in names)


def plan_of(summary: Summary, arm: str) -> tuple[str, str]:
    """A sum's label, and how PostgreSQL carries it out."""
    rows = summary.in_blocks(arm)
    plans = {*rows["plan"].dropna()} if "plan" in rows else set()
    if len(plans) != 1:
        raise kit.NotEstimableError("the plan is not one and the same in every trial", "measure again")
    return summary.label(arm), str(plans.pop())


TOTALS: dict[str, tuple[str, Iterable[str]]] = {
    "workers_tpcb": (WORKERS, TPCB), "transactions": ("operations", TPCB), "full_log": (FULL, LOGS),
    "full_bulk": (FULL, ["log_bulk"]), "by_bitmaps": (BITMAPS, READS), "by_bitmap": (BITMAPS, ["reads_bitmap"]),
    "asked_plain": (LOOKUPS, [PLAIN]), "lookups_plain": ("operations", [PLAIN]),
    "missed_large": ("index_cache_misses", ["index_encrypted_1024"]),
}  # fmt: skip
WORDS: dict[str, Callable[[Summary], Any]] = {
    **{name: partial(total, metric=metric, names=names) for name, (metric, names) in TOTALS.items()},
    "data_bytes": lambda summary: summary.run.provenance["data_bytes"],
    "acts": acts,
    "hit_ratio": lambda summary: summary.mean("index_encrypted_1", "index_cache_hit_ratio"),
    "plan_8": partial(plan_of, arm="sum_baseline"),
    "plan_32": partial(plan_of, arm="sum_scenario_a"),
    "pages": lambda summary: {each: summary.mean("checkpoint", each) for each in PAGES},
}


def full(summary: Summary, arm: str) -> kit.Estimate:
    """How often per transaction; of the one large change, per 1,000 of its accounts."""
    found = counts[FULL][arm].mean(summary)
    thousands = 25 * summary.parameters.scale if arm == "log_bulk" else 1
    return replace(found, **{end: getattr(found, end) / thousands for end in ("point", "low", "high")})


def over_no_delay(metric: str) -> Callable[[Summary, str], kit.Estimate]:
    """A metric of a configuration over that of the same note's without commit_delay."""
    of = kit.measured(metric)
    return lambda summary, arm: (of[arm] / of["commit_b_0" if COMMITS[arm][1] == "002" else "commit_0"])(summary)


SHOWN = (*TPCB, *SUMS, *LOGS, "log_bulk", *READS, "reads_bitmap", PLAIN, *ENCRYPTED)
SEEN = ("operations", f"{WORKERS}_planned", WORKERS, FULL, BITMAPS, LOOKUPS, "index_cache_misses")
FLUSHED = ("tps", "log_flushes", "pauses_per_flush", "commits_per_flush", "added_sync_ms")


def listed(arms: Iterable[str], metrics: Iterable[str]) -> Callable[[Summary], pd.DataFrame]:
    """A table of means, a row for each configuration."""
    return lambda summary: table(
        [({"configuration": summary.label(arm)}, arm) for arm in arms], means(summary, *metrics)
    )  # fmt: skip


TABLES = {"overview": listed(SHOWN, SEEN), "flushes": listed(COMMITS, FLUSHED)}
FIGURES = {
    "commits": kit.Dots(
        rows={arm: label for arm, (label, *_) in COMMITS.items() if arm not in ("commit_0", "commit_b_0")},
        row="configuration",
        series={"throughput": over_no_delay("tps"), "commits per flush": over_no_delay("commits_per_flush")},
        heading="what",
        axis="over the same note's configuration without commit_delay", rule=1, replicates="blocks",
        nothing="This run measured no slow flushes", mend="measure again",
    ),
    "counters": kit.Dots(
        rows=lambda summary: SHOWN, heading="counter",
        series={
            "parallel workers launched": counts[WORKERS]["{}"].mean, "log's buffers full": full,
            "rows found by a bitmap": counts[BITMAPS]["{}"].mean,
            "look-ups in the index cache": counts[LOOKUPS]["{}"].mean,
        },
        axis="counted per transaction, sum, range or row looked up, or 1,000 changed", quantity="per operation",
        replicates="blocks", scale="zero", nothing="This server and this store counted nothing",
        mend="use PostgreSQL 18 or later",
    ),
    "checkpoint": kit.Dots(
        rows={"resident": "in the pool", "dirty": "dirty"}, row="pages", heading="CHECKPOINT",
        series={
            when: partial(lambda summary, kind, when: summary.average("checkpoint", f"{kind}_pages_{when}"), when=when)
            for when in ("before", "after")
        },
        axis="pages of tables and indexes", replicates="blocks", scale="zero",
        nothing="This run looked at no CHECKPOINT",
    ),
}  # fmt: skip
