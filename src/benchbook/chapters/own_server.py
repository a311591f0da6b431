"""Which keys are asked for, and in which way, on a server that stays warm: the user's own, or else a private one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Self

import numpy as np
from pydantic import Field, model_validator

from benchbook import kit
from benchbook.engines import own_server
from benchbook.engines.own_server import Connection, Facts
from benchbook.engines.own_server.facts import trip_ms
from benchbook.engines.own_server.schema import PREFIX, STATEMENT_S
from benchbook.engines.postgres import find, private_cluster
from benchbook.errors import MachineError
from benchbook.measuring.features.dataset import relation_bytes
from benchbook.measuring.features.metric_words import LATENCIES
from benchbook.measuring.features.parameters import PAGE_BYTES
from benchbook.measuring.features.summary import LEAST_READS, tails
from benchbook.measuring.guests import Client, Counting, Data
from benchbook.measuring.postgres import running
from benchbook.measuring.samples import Begun
from benchbook.plain import plain
from benchbook.statistics import CacheState, describe
from benchbook.workloads import KeySets, hot_share

ROW_BYTES, INDEX_BYTES = 192, 84
"""Of a row with its headers, and of an entry of its index."""
REQUEST_MS, READ_MIB_S = 3.0, 500
"""A guess of what a request takes beside its trips, and of how fast a server reads the filler."""
WARM = 0.99
"""At least so much of what warmed keys touch lies in a pool that holds them."""
FEW_PERCENT = 1


class Parameters(kit.ExperimentParameters):
    """Defaults are the standard profile: 1.1 GB in 30 tables and at most 8 GiB in all on the server."""

    blocks: int = kit.common("blocks", 6)
    n_tables: int = kit.param(30, 2, 200, "tables read per request, one row each", asks="tables a request")
    rows_per_table: int = kit.param(20_000, 1_000, 10_000_000, "rows of each table")
    fillfactor_percent: int = kit.param(20, 10, 100, "how full pages of tables and indexes are; 20: 8 rows on a page")
    hot_keys: int = kit.param(500, 10, 1_000_000, "keys that are warmed before each trial, once each")
    requests: int = kit.param(2_000, 200, 1_000_000, "measured requests of a trial; a P95 needs 2,000, a P99 10,000")
    slow_requests: int = kit.param(200, 10, 1_000_000, "the same of a trial table by table, or in one statement")
    hot_shares_percent: tuple[int, ...] = kit.param((99, 90), words="shares in % of requests on the warmed keys")
    filler_passes: int = kit.param(
        2, 1, 20, "how often a table larger than the pool is read before each trial, so that pages of others leave it"
    )
    max_gib: float = Field(
        8.0, gt=0, le=100_000, allow_inf_nan=False, description="most GiB that all our tables take on the server"
    )
    private_pool_mib: int = kit.param(
        256, 16, 1_000_000, "buffer pool in MiB of the private server, measured where no server of your own is named"
    )

    @model_validator(mode="after")
    def _keys_and_bytes_fit(self) -> Self:
        needed, shares = self.hot_keys + max(self.requests, self.slow_requests), self.hot_shares_percent
        keys = f"hot_keys and measured requests are {needed:,} distinct keys, which do not fit into rows_per_table="
        kit.refuse(needed > self.rows_per_table, f"{keys}{self.rows_per_table:,}")
        size = f"{self.data_bytes / 2**30:.2g} GiB of tables; ask for fewer tables or rows"
        kit.refuse(self.data_bytes > self.max_gib * 2**30, f"max_gib={self.max_gib:g} holds no {size}")
        kit.refuse(any(not 0 < each < 100 for each in shares), f"hot_shares_percent={shares} must lie between 1 and 99")
        kit.refuse(len({*shares}) != len(shares), f"hot_shares_percent={shares} names a value twice")
        return self

    @property
    def data_bytes(self) -> int:
        """Estimated bytes of heaps and indexes."""
        filled = PAGE_BYTES * self.fillfactor_percent / 100
        per_row = sum(PAGE_BYTES / max(1, filled // each) for each in (ROW_BYTES, INDEX_BYTES))
        return int(self.n_tables * self.rows_per_table * per_row * 1.05) + 2**20

    def filler_mib(self, pool_mib: float) -> int:
        """Half as much again as the buffer pool, or what the ceiling leaves; at least 1."""
        left = self.max_gib * 1024 - self.data_bytes / 2**20
        return max(1, int(min(1.5 * pool_mib, left / 1.05)))

    @property
    def private_bytes(self) -> int:
        """Disk of a private server: tables, and the filler with its log."""
        return int(self.data_bytes + self.filler_mib(self.private_pool_mib) * 2**20 * 2) + 1_000_000_000


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """Keys first, then the ways of asking."""
    every: tuple[tuple[str, str, Any, str], ...] = (
        ("same_keys", "same keys (hot)", "same", "pipeline"),
        ("same_keys_again", "same keys, again (A/A)", "same", "pipeline"),
        *((f"hot_share_{each}", f"{each} % hot", each / 100, "pipeline") for each in parameters.hot_shares_percent),
        ("disjoint", "disjoint keys (the note's mistake)", "disjoint", "pipeline"),
        ("same_keys_one_by_one", "same keys, table by table", "same", "serial"),
        ("disjoint_one_by_one", "disjoint keys, table by table", "disjoint", "serial"),
        ("same_keys_one_statement", "same keys, one statement", "same", "one_statement"),
        ("empty", "empty statement (one trip)", "same", "empty"),
    )
    for name, label, draw, way in every:
        mixed: dict[str, kit.Scalar] = {"share": draw} if isinstance(draw, float) else {}
        few: dict[str, kit.Scalar] = {} if way == "pipeline" else {"requests": parameters.slow_requests}
        yield kit.Configuration(name, label, {"draw": "mix" if mixed else draw, "way": way, **mixed, **few})


@cache
def asked(name: str) -> Facts:
    """Of a server, asked once; raises MachineError where it cannot be used."""
    with own_server.connect(name) as connection, own_server.told("cannot be asked"):
        return own_server.facts(connection).fit()


def identity() -> dict[str, Any]:
    name = own_server.service()
    return find().identity() if name is None else asked(name).identity()


def needs(parameters: Parameters) -> kit.Needs:
    """Disk and memory for a private server; on a server of the user's own hardly any, but time."""
    p, name = parameters, own_server.service()
    if name is None:
        return kit.Needs(p.private_bytes, p.private_pool_mib * 2**20 + 500_000_000, identity)
    small = partial(kit.Needs, 50_000_000, 300_000_000, identity)
    try:
        named = asked(name)
    except MachineError:  # the check of what is needed tells it
        return small()
    seconds = 0.0
    for each in configurations(p):
        way, n = str(each.settings["way"]), int(each.settings.get("requests") or p.requests)
        work, trips = 0.0 if way == "empty" else REQUEST_MS, p.n_tables if way == "serial" else 1
        seconds += n * (trips * named.trip_ms + work) / 1e3
        seconds += p.hot_keys * (named.trip_ms + REQUEST_MS) / 1e3
        seconds += p.filler_passes * p.filler_mib(named.pool_mib) / READ_MIB_S
    return small(minutes=p.blocks * seconds / 60, reached=named.words())


def schema(parameters: Parameters) -> str:
    """The name of our schema: the same for the same parameters, so that what a killed run left is met again."""
    return PREFIX + hashlib.sha256(parameters.model_dump_json().encode()).hexdigest()[:12]


@dataclass(frozen=True)
class Server:
    """connect: a new connection. identity: of the engine, for the run's record."""

    connect: Callable[[], Connection]
    facts: Facts
    identity: dict[str, Any]


@contextmanager
def opened(parameters: Parameters) -> Iterator[Server]:
    """The server, ready to be asked."""
    if (name := own_server.service()) is not None:
        yield Server(partial(own_server.connect, name), asked(name), asked(name).identity())
        return
    binaries = find()
    pool = {"shared_buffers": f"{parameters.private_pool_mib}MB"}
    with private_cluster(binaries, bytes_needed=parameters.private_bytes) as cluster, running(cluster, pool):
        with cluster.connect() as connection:
            found = own_server.facts(connection)
        yield Server(lambda: own_server.limited(cluster.connect()), found, binaries.identity())


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """The server with our tables on it; ``progress`` is told of the loading; everything is dropped at the end."""
    with opened(parameters) as server:
        data = Data(schema(parameters), parameters, parameters.filler_mib(server.facts.pool_mib))
        with own_server.made(server.connect, data.schema, pooler=server.facts.pooler) as keeper:
            with own_server.told("did not load the tables"):
                data.load(keeper, lambda share: progress("loading tables", share))
                heap, index = relation_bytes(keeper, data.schema)
            yield Bench(parameters, server, data, heap, index)


@dataclass(frozen=True)
class Bench:
    """Loaded tables on a server, for trials. heap_bytes, index_bytes: as loaded."""

    parameters: Parameters
    server: Server
    data: Data
    heap_bytes: int
    index_bytes: int

    def provenance(self) -> dict[str, Any]:
        """The engine, what the server lets us see, and the data set."""
        facts = self.server.facts
        return {
            **self.server.identity, "server": facts.record(), "settings": facts.settings,
            "heap_bytes": self.heap_bytes, "index_bytes": self.index_bytes,
            "filler_bytes": self.data.filler_mib * 2**20,
        }  # fmt: skip

    def measure(self, planned: kit.PlannedTrial) -> kit.Trial:
        """Pages of other trials displaced, keys warmed, requests timed, blocks counted."""
        begun, facts = Begun(), self.server.facts
        way = str(planned.configuration.settings["way"])
        hot, measured = keys(self.parameters, planned.configuration, planned.seed)
        with self.server.connect() as connection, own_server.told("failed in a trial"):
            if own_server.state(connection) != facts.state:
                raise MachineError(
                    f"settings of the server of {own_server.SERVICE}, or the way to it, changed while it was measured",
                    "leave them as they are and give the same command again, which begins a new run",
                )
            trip = trip_ms(connection, 50)
            if way != "empty":
                self.data.displace(connection)
            counting = Counting(connection, facts, self.data.schema)
            with own_server.patience(connection, STATEMENT_S):
                with counting.pinned():
                    Client(connection, self.data, "pipeline", prepare=not facts.pooler).run(hot)
                    client = Client(connection, self.data, way, prepare=not facts.pooler)
                    client.settle(hot)
                before = counting.read()
                with counting.pinned():
                    latencies, loop_ns = client.run(measured)
                hits, misses, scans = (b - a for a, b in zip(before, counting.read(), strict=True))
        n, blocks = len(latencies), hits + misses
        metrics = describe(latencies) | {
            "trip_ns": trip * 1e6, "requests": float(n), "lookups": float(n * client.lookups),
            "index_scans": float(scans), "trips": float(client.trips), "blocks": float(blocks),
            "pool_hits_per_request": hits / n, "pool_misses_per_request": misses / n,
            "hit_ratio": hits / blocks if blocks else None, "loop_share_in_requests": float(latencies.sum()) / loop_ns,
        }  # fmt: skip
        warmed = blocks > 0 and hits / blocks >= WARM  # what the system caches cannot be seen from here
        labels = {"state": "measured", "cache_state": str(CacheState.HOT if warmed else CacheState.NOT_CERTIFIED)}
        return begun.ended(planned, metrics, labels, {"request": latencies})


def keys(parameters: Parameters, configuration: kit.Configuration, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Row numbers that are warmed, and those that are measured; trials of a block share hot set and other keys."""
    settings = configuration.settings
    sets = KeySets.shuffled(0, parameters.rows_per_table, np.random.default_rng([seed, 0]))
    own = np.random.default_rng([seed, int.from_bytes(hashlib.sha256(str(settings).encode()).digest()[:4])])
    n = int(settings.get("requests") or parameters.requests)
    hot, others = sets.cut(0, parameters.hot_keys), sets.cut(parameters.hot_keys, n)
    if settings["draw"] == "same":  # all keys equally often, in a new random order each time
        return hot, np.concatenate([own.permutation(hot) for _ in range(-(-n // len(hot)))])[:n]
    return hot, hot_share(hot, others, float(settings.get("share") or 0), n, own)


def reduce(latencies: np.ndarray) -> dict[str, float | None]:
    return describe(latencies)


def blocks(words: str) -> kit.Metric:
    return kit.Metric(f"blocks {words} the buffer pool per request", format="{:,.2f}".format)


HOT, COLD, SERIAL, READ, HIT = "same_keys", "disjoint", "same_keys_one_by_one", "pool_misses_per_request", "hit_ratio"
METRICS = {
    **LATENCIES,
    "trip_ns": kit.Metric("round trip before the trial", "ms", 1e-6, "{:.3f}".format, "round trip"),
    "trips": kit.Metric("number of round trips by construction", heading="trips"),
    "requests": kit.Metric("number of requests"),
    "lookups": kit.Metric("number of look-ups"),
    "index_scans": kit.Metric("number of look-ups that the server counted"),
    "blocks": kit.Metric("number of blocks that the requests touched"),
    "pool_hits_per_request": blocks("found in"),
    READ: blocks("read into"),
    HIT: kit.Metric("hit ratio of the buffer pool", "%", 100, format="{:.2f}".format),
}  # fmt: skip
AA = ("same_keys_again", HOT)
mean, reads = kit.measured("mean_ns"), kit.counted(READ)
further = reads[COLD] - reads[HOT]


class Summary(kit.Summary[Parameters]):
    """One run, ready for figures and sentences."""

    @property
    def server(self) -> dict[str, Any]:
        found: dict[str, Any] = self.run.provenance["server"]
        return found

    @property
    def tail(self) -> str:
        """The highest quantile that this run's trials can estimate."""
        return next((metric for metric in ("p99_ns", "p95_ns") if self.has(HOT, metric)), "p50_ns")

    @property
    def told_apart(self) -> bool:
        """Whether disjoint keys read more blocks a request than warmed ones, in every block of trials."""
        found: bool = further.vector(self, None).min() >= LEAST_READS
        return found


def block_us(summary: Summary) -> kit.Estimate:
    """What a block costs that is not in the pool: how much longer a request takes, by how many more it reads."""
    if not summary.told_apart:
        why = "both kinds of keys read about as many blocks"
        raise kit.NotEstimableError(why, "give more rows, or fewer hot keys")
    return ((mean[COLD] - mean[HOT]) / further / 1e3).mean(summary)


NUMBERS = {
    "cold": mean[COLD] / mean[HOT],
    "cold_p50": kit.measured("p50_ns")[COLD] / kit.measured("p50_ns")[HOT],
    "cold_tail": tails(COLD, HOT),
    "few_cold_tail": tails(f"hot_share_{100 - FEW_PERCENT}", HOT),
    "few_cold": mean[f"hot_share_{100 - FEW_PERCENT}"] / mean[HOT],
    "hits": kit.percent(kit.share(HIT, of="blocks")[HOT]),
    "reads": reads[COLD].mean,
    "block_us": kit.told(block_us),
    "pipeline": mean[SERIAL] / mean[HOT],
    "pipeline_cold": mean["disjoint_one_by_one"] / mean[COLD],
    "joined": mean[SERIAL] / mean["same_keys_one_statement"],
    "serial_ms": mean[SERIAL] / 1e6,
    "pipeline_ms": mean[HOT] / 1e6,
    "trip_ms": kit.measured("trip_ns")["empty"] / 1e6,
    # Share of a request's mean latency that its trips take, at the round trip measured before the trial.
    "waiting": kit.percent(kit.blockwise(
        lambda trips, trip, whole: trips * trip / whole,
        *(kit.measured(metric)[SERIAL] for metric in ("trips", "trip_ns", "mean_ns")),
    ).mean),
    "same": mean[AA[0]] / mean[HOT],
}  # fmt: skip
WORDS: dict[str, Callable[[Summary], Any]] = {
    "data_gib": lambda summary: (summary.run.provenance["heap_bytes"] + summary.run.provenance["index_bytes"]) / 2**30,
    "filler_gib": lambda summary: summary.run.provenance["filler_bytes"] / 2**30,
    "pool_gib": lambda summary: summary.server["pool_mib"] / 1024,
    "tail": lambda summary: METRICS[summary.tail].brief,
    "own": lambda summary: str(summary.run.provenance.get("engine_source", "")).startswith("own server"),
    "kind": lambda summary: plain(str(summary.server["kind"])),
    "tls": lambda summary: plain(str(summary.server["tls"])),
    "pooler": lambda summary: bool(summary.server["pooler"]),
    "of_role": lambda summary: ", ".join(plain(str(each)) for each in summary.server["of_role"]),
    "few_percent": lambda summary: FEW_PERCENT,
    "told_apart": lambda summary: summary.told_apart,
    "held": lambda summary: summary.values(HOT, HIT).min() >= WARM,
    "miscounted": lambda summary: int((summary.run.trials["index_scans"] != summary.run.trials["lookups"]).sum()),
}


FIGURES = {
    "latency": kit.Dots(
        rows=lambda summary: [arm for arm in summary.arms if summary.configurations[arm].settings["way"] == "pipeline"],
        row="keys", heading="latency", axis="latency of a request (ms)", quantity="latency (ms)",
        series=lambda summary: {
            METRICS[metric].brief: kit.measured(metric)["{}"] / 1e6
            for metric in ("mean_ns", "p50_ns", "p95_ns", "p99_ns") if summary.has(HOT, metric)
        },
    ),
    "ways": kit.Dots(
        rows=lambda summary: [HOT, "same_keys_one_statement", SERIAL, COLD, "disjoint_one_by_one", "empty"],
        row="way of asking",
        series={"mean": mean["{}"] / 1e6}, heading="", axis="mean latency of a request (ms)", quantity="latency (ms)",
    ),
}  # fmt: skip
