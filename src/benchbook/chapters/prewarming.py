"""Ways to warm a restarted server: what each costs, what it brings, how slow a read is, and whether all data fit."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Annotated, Any, Self

import numpy as np
from pydantic import Field, model_validator

from benchbook import kit
from benchbook.engines import pgbench
from benchbook.engines.pgbench import Workload, residency
from benchbook.engines.storage import latency
from benchbook.errors import MachineError
from benchbook.measuring import features
from benchbook.measuring.samples import Begun, subsample
from benchbook.statistics import describe

PARTS = 20
"""Of the first requests, for which the mean is stored."""


class Parameters(features.clients.Parameters):
    """Defaults are the standard profile: 300 MB in ten tables, of which hot keys need about a seventh."""

    blocks: int = kit.common("blocks", 2)
    n_tables: int = kit.param(10, 1, 100, "tables read per request, one row each")
    hot_keys: int = kit.param(300, 10, 1_000_000, "keys that requests ask for, all equally often")
    moved_percent: tuple[Annotated[int, Field(ge=1, le=100)], ...] = kit.param(
        (5, 25, 100), words="shares in % of the hot keys that are others by the time of the requests"
    )
    small_pool_percent: int = kit.param(
        40, 5, 90, "size in % of the data of a pool that holds the hot keys' pages and not all others"
    )
    slow_read_ms: float = kit.param(1.0, 0.05, 100, "added to each read of the server, as by a network to its disk")
    first_requests: int = kit.param(2_000, 100, 1_000_000, "requests after the warming that count; a P95 needs 2,000")
    trial_seconds: int = kit.param(12, 1, 3_600, "length of the requests in s; those of a cold server must fit in")
    kept_samples: int = kit.common("kept_samples", 400, words="times stored per trial, evenly of the first requests")

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        moved, rows = list(self.moved_percent), self.rows_per_table
        kit.refuse(4 * self.hot_keys > rows, f"hot_keys={self.hot_keys} must be a quarter of rows_per_table={rows}")
        kit.refuse(moved != sorted(set(moved)) or not moved, f"moved_percent={moved} must grow")
        past = "direct_io=false: only reads past the page cache can be made slower; give true"
        kit.refuse(not self.direct_io, past)
        return self


WAYS = {
    "none": "not warmed", "asked": "hot keys asked for", "indexes": "pg_prewarm of the indexes",
    "whole": "pg_prewarm of everything", "list": "autoprewarm",
}  # fmt: skip
IN_SMALL = ("asked", "whole", "list")
AA = ("asked_slow_again", "asked_slow")


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """All ways on slow reads and on the disk as it is, three in the smaller pool, and keys that moved."""
    arms: list[tuple[str, str, str, dict[str, Any]]] = [
        *((f"{way}_slow", way, "", {}) for way in WAYS),
        (AA[0], "asked", " (A/A)", {}),
        *((f"{way}_local", way, ", disk as it is", {"slow": False}) for way in WAYS),
        *((f"{way}_small", way, ", smaller pool", {"small_pool": True}) for way in IN_SMALL),
        *((f"moved_{each}", "asked", f", {each} % of them others since", {"moved_percent": each})
          for each in parameters.moved_percent),
    ]  # fmt: skip
    for name, way, more, own in arms:
        settings = {"warmed_by": way, "slow": True, "small_pool": False, "moved_percent": 0, **own}
        yield kit.Configuration(name, WAYS[way] + more, settings)


def needs(parameters: Parameters) -> kit.Needs:
    """Disk for the tables and the log of loading them, memory for the pool, a PostgreSQL, and what slows its reads."""
    mend = "read the published run: most comparisons of this chapter are on reads that are made slower"
    usable = partial(features.usable, reads=True, trips=False, mend=mend)
    trials, data = len([*configurations(parameters)]), parameters.data_bytes
    return features.clients.needs(parameters, trials, 2 * data, int(1.5 * data), beside_s=5.0, usable=usable)


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """A private cluster with the tables, which no trial changes, and the pages that hot keys need."""
    extensions = ("pg_buffercache", "pg_prewarm")
    with features.made(parameters, progress, needs(parameters).disk_bytes, *extensions) as found:
        bench = Bench(parameters, *found, np.zeros(0, dtype=np.int64))
        with bench.running(small=False), pgbench.connect(bench.cluster) as connection:
            bench.data.warm(connection)
            needed = bench.held(connection)
        yield replace(bench, needed=needed)


@dataclass(frozen=True)
class Bench(features.Loaded[Parameters]):
    """The loaded tables, on a fresh server each trial. needed: blocks that hot keys need, as codes, int64, sorted."""

    data: features.Data
    needed: np.ndarray

    def settings(self) -> dict[str, kit.Scalar]:
        """Reads past the page cache by the server's own processes, slower or not; nothing works beside them."""
        return latency.settings(self.binaries) | {"autovacuum": False, "max_connections": 20}

    def provenance(self) -> dict[str, Any]:
        """Also the size of the hot pages."""
        return super().provenance() | {"needed_bytes": len(self.needed) * features.PAGE_BYTES}

    def running(
        self, *, small: bool, listed: bool = False, environment: Mapping[str, str] | None = None
    ) -> AbstractContextManager[None]:  # fmt: skip
        """A fresh server with an empty pool, which holds all data or, where small, a part; autoprewarm where listed."""
        data_mib = (self.heap_bytes + self.index_bytes) / 2**20
        part = round(data_mib * self.parameters.small_pool_percent / 100)
        own: dict[str, kit.Scalar] = {"shared_buffers": f"{max(1, part if small else round(1.1 * data_mib) + 32)}MB"}
        return self.fresh(own | ({"shared_preload_libraries": "pg_prewarm"} if listed else {}), environment)

    def measure(self, planned: kit.PlannedTrial) -> kit.Trial:
        """Measure one configuration once."""
        begun, p, own = Begun(), self.parameters, planned.configuration.settings
        way, small, script = str(own["warmed_by"]), bool(own["small_pool"]), self.cluster.folder / "request.sql"
        others = p.hot_keys * int(own["moved_percent"] or 0) // 100
        script.write_text(self.data.script(hot=True, pipeline=True, moved=others))
        work = Workload(script, 1, 1, p.trial_seconds, protocol="prepared", seed=planned.seed)
        if way == "list":  # by a server that is warmed before; reads are then counted from zero
            with self.running(small=small), pgbench.connect(self.cluster) as connection:
                self.data.warm(connection)
                connection.execute("SELECT autoprewarm_dump_now()")
                if self.binaries.has_stat_io:  # what waits to be counted would be counted after the reset
                    features.counters.flush(connection, self.binaries)
                    connection.execute("SELECT pg_stat_reset_shared('io')")
        added = latency.add(self.cluster, read_ms=p.slow_read_ms) if own["slow"] else None
        with self.running(small=small, listed=way == "list", environment=added.environment if added else None):
            started = time.monotonic()
            with pgbench.connect(self.cluster) as connection:
                labels = {"settings": features.sessions.checked(connection), "state": "measured"}
                before = np.zeros(2) if way == "list" else self.reads(connection)
                self.warm(way, connection)
                warmed_s = time.monotonic() - started
                read = self.reads(connection) - before
                held, before = self.held(connection), self.reads(connection)
            done = pgbench.run(self.cluster, work, pinned=self.cores)
            with pgbench.connect(self.cluster) as connection:
                missed = self.reads(connection) - before
            if added is not None:
                added.confirm(added.delayed())
        if done.failed or done.processed < p.first_requests:
            few = f"{done.processed:,} of {p.first_requests:,} first requests were made in {p.trial_seconds} s"
            mend = "give more trial_seconds or fewer first_requests"
            raise MachineError(f"{few}, and {done.failed or 0} failed", mend)
        found = asked(done.latency_ns, p.first_requests) | {
            "warming_s": warmed_s, "warming_reads": read[0], "warming_bytes": read[1], "missed_reads": missed[0],
            "held_bytes": float(len(held) * features.PAGE_BYTES),
            "hot_in_pool": len(np.intersect1d(held, self.needed, assume_unique=True)) / len(self.needed),
        }  # fmt: skip
        if read[1] > 0:
            found |= {"seconds_per_gib": warmed_s / (read[1] / 2**30), "read_kib": read[1] / (read[0] or 1) / 1024}
        kept = subsample(done.latency_ns[: p.first_requests], p.kept_samples)
        metrics = {name: None if np.isnan(value) else float(value) for name, value in found.items()} | reduce(kept)
        return begun.ended(planned, metrics, labels, {"request": kept})

    def held(self, connection: features.counters.Connection) -> np.ndarray:
        """Blocks of tables and indexes in the pool."""
        names = (*self.data.tables, *self.data.indexes)
        return features.counters.buffered_blocks(connection, {name: number for number, name in enumerate(names)})

    def reads(self, connection: features.counters.Connection) -> np.ndarray:
        """Reads of relations by all processes until now, those that have ended included, and their bytes.

        float64, shape (2,); nan before PostgreSQL 16.
        """
        if not self.binaries.has_stat_io:
            return np.full(2, np.nan)
        features.counters.flush(connection, self.binaries)
        size = "read_bytes" if self.binaries.major >= 18 else "reads * op_bytes"
        query = f"SELECT sum(reads)::bigint, sum({size})::bigint FROM pg_stat_io WHERE object = 'relation'"
        row = connection.execute(query.encode()).fetchone()
        assert row is not None
        return np.array([float(each or 0) for each in row])

    def warm(self, way: str, connection: features.counters.Connection, within_s: float = 600.0) -> None:
        """Fill the pool of a server that has just been started, in this way, and come back when that is done.

        Raises MachineError where the server's own worker does not get done.
        """
        data, deadline = self.data, time.monotonic() + within_s
        if way == "asked":
            data.warm(connection)
        elif way in ("indexes", "whole"):
            pairs = zip(data.indexes, data.tables, strict=True)
            residency.prewarm(connection, data.indexes if way == "indexes" else chain.from_iterable(pairs))
        elif way == "list":
            while "autoprewarm successfully prewarmed" not in self.cluster.log():
                if time.monotonic() > deadline:
                    late = f"autoprewarm did not load its list within {within_s:g} s"
                    raise MachineError(late, "measure on a quieter machine")
                time.sleep(0.01)


def asked(every: np.ndarray, number: int) -> dict[str, Any]:
    """Of so many first requests, in parts too, and how much longer they took in all than the last ones would have."""
    first, steady = every[:number], float(np.median(every[-number // 2 :]))
    means = (float(part.mean()) for part in np.array_split(first, PARTS))
    return {
        **{f"first_{name}": np.nan if value is None else value for name, value in describe(first).items()},
        **{f"part_{part:02}_ns": mean for part, mean in enumerate(means, start=1)},
        "steady_p50_ns": steady,
        "waited_s": float(np.maximum(first - steady, 0).sum()) / 1e9,
        "requests": float(len(every)),
    }


reduce = features.clients.reduce
MS, MIB = 1e-6, 1 / 2**20
METRICS = {
    "warming_s": kit.Metric("time to warm the pool", "s", format="{:.2f}".format, heading="warming"),
    "warming_reads": kit.Metric("reads to warm the pool", heading="reads"),
    "warming_bytes": kit.Metric("data read to warm the pool", "MiB", MIB, heading="data read"),
    "read_kib": kit.Metric("size of a read", "KiB", format="{:.1f}".format, heading="a read"),
    "seconds_per_gib": kit.Metric("time to warm by a GiB read", "s", format="{:.1f}".format, heading="a GiB"),
    "held_bytes": kit.Metric("data in the pool before the requests", "MiB", MIB, heading="in the pool"),
    "hot_in_pool": kit.Metric("share of the hot keys' pages in the pool", "%", 100, "{:.0f}".format, "hot pages"),
    "first_mean_ns": kit.Metric("mean latency of the first requests", "ms", MS, heading="mean of the first"),
    "first_p50_ns": kit.Metric("P50 of the first requests", "ms", MS, heading="P50 of the first"),
    "first_p95_ns": kit.Metric("P95 of the first requests", "ms", MS, heading="P95 of the first"),
    "part_#_ns": kit.Metric("mean latency of a twentieth of the first requests", "ms", MS),
    "steady_p50_ns": kit.Metric("P50 of the last requests", "ms", MS, heading="P50 of the last"),
    "waited_s": kit.Metric("time that the first requests lose to reads", "s", format="{:.2f}".format, heading="lost"),
    "missed_reads": kit.Metric("reads during the requests", heading="reads later"),
}
Summary = kit.Summary[Parameters]


def moved(which: int) -> Callable[[Summary], str]:
    """The configuration with the fewest keys that moved, or with the most."""
    return lambda summary: f"moved_{summary.parameters.moved_percent[which]}"


mean, p95, seconds = (kit.measured(name) for name in ("first_mean_ns", "first_p95_ns", "warming_s"))
took, lost, gib, reads = (kit.counted(name) for name in ("warming_s", "waited_s", "seconds_per_gib", "warming_reads"))
held = {arm: kit.percent(kit.counted("hot_in_pool")[arm].mean) for arm in
        ("indexes_slow", "list_slow", "whole_small", "asked_small")}  # fmt: skip
READ = ("indexes", "whole", "list")
"""The ways by which the server reads pages that nobody asks for."""
NUMBERS = {
    "cold": p95["none_slow"] / p95["asked_slow"],
    "cold_local": p95["none_local"] / p95["asked_local"],
    "lost": lost["none_slow"],
    "lost_indexes": lost["indexes_slow"],
    "first": {way: p95[f"{way}_slow"] / p95["asked_slow"] for way in READ},
    "took": {way: took[f"{way}_slow"] for way in ("asked", *READ)},
    **{f"took_{way}_local": took[f"{way}_local"] for way in ("asked", *READ)},
    "time": {way: seconds[f"{way}_slow"] / seconds["asked_slow"] for way in READ},
    "reads": {way: reads[f"{way}_slow"] / reads["asked_slow"] for way in READ},
    "gib": {way: gib[f"{way}_slow"] for way in ("asked", "whole", "list")},
    "held": {"indexes": held["indexes_slow"], "list": held["list_slow"]},
    "small": {way: p95[f"{way}_small"] / p95["asked_small"] for way in ("whole", "list")},
    "small_held": {"whole": held["whole_small"], "asked": held["asked_small"]},
    "moved_few": mean[moved(0)] / mean["asked_slow"],
    "moved_all": mean[moved(-1)] / mean["none_slow"],
    "equal": seconds[AA[0]] / seconds[AA[1]],
    "equal_first": p95[AA[0]] / p95[AA[1]],
}
WORDS = {
    "data_mib": lambda summary: sum(summary.run.provenance[f"{of}_bytes"] / 2**20 for of in ("heap", "index")),
    "needed_mib": lambda summary: summary.run.provenance["needed_bytes"] / 2**20,
    "few": lambda summary: summary.parameters.moved_percent[0],
    "kib_whole": lambda summary: summary.mean("whole_slow", "read_kib"),
    "kib_list": lambda summary: summary.mean("list_slow", "read_kib"),
    "steady_ms": lambda summary: summary.mean("asked_slow", "steady_p50_ns") * MS,
}


def along(way: str) -> kit.Ask:
    """The part of the first requests that ends with the one on the axis."""
    part = kit.measured("part_{:02}_ns")[f"{way}_slow"]
    return lambda summary, request: part(summary, round(request * PARTS / summary.parameters.first_requests))


FIGURES = {
    "bill": kit.Dots(
        rows={way: words for way, words in WAYS.items() if way != "none"}, row="way", heading="reads",
        series={"each read slower": seconds["{}_slow"], "disk as it is": seconds["{}_local"]},
        metric=METRICS["warming_s"],
    ),
    "course": kit.Lines(
        over=lambda summary: [part * summary.parameters.first_requests / PARTS for part in range(1, PARTS + 1)],
        across="requests since the warming", series={words: along(way) for way, words in WAYS.items()},
        heading="way", metric=METRICS["part_#_ns"].but(words="mean latency"),
    ),
}  # fmt: skip
