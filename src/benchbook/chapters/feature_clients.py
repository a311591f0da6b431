"""What becomes of a feature request, and of hot keys, when many clients ask: warmed keys or any, one by one or not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from benchbook import kit
from benchbook.engines import pgbench
from benchbook.errors import MachineError
from benchbook.measuring import features
from benchbook.measuring.pgbench import spent
from benchbook.statistics import littles_ratio


class Parameters(features.clients.Parameters):
    """Defaults are the standard profile: 1 GB in the note's 30 tables, its numbers of clients and a pool of 20."""

    blocks: int = kit.common("blocks", 2)
    shared_buffers_mib: int = kit.param(128, 1, 1_000_000, "PostgreSQL's buffer pool in MiB")
    hot_keys: int = kit.param(100, 1, 1_000_000, "warmed keys; hot requests ask for no others")
    clients: tuple[Annotated[int, Field(ge=1, le=1_000)], ...] = Field(
        (1, 10, 20, 50, 100), min_length=2, description="numbers of clients, growing, each with its own connection"
    )
    threads: int = kit.param(2, 1, 100, "threads of pgbench, or one for each client where these are fewer")

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        fewer = f"hot_keys={self.hot_keys} must be fewer than rows_per_table={self.rows_per_table}"
        kit.refuse(list(self.clients) != sorted(set(self.clients)), f"clients={list(self.clients)} must grow")
        kit.refuse(self.hot_keys >= self.rows_per_table, fewer)
        return self


KEYS = {"hot": "warmed keys", "any": "any key"}
WAYS = {"serial": "one by one", "pipeline": "pipeline"}


def told(clients: int) -> str:
    """So many, in words."""
    return f"{clients} client{'s' if clients > 1 else ''}"


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """Both kinds of keys, asked both ways by each number of clients; warmed keys in a pipeline by the most twice."""
    asked = [(keys, way, clients, "") for keys in KEYS for way in WAYS for clients in parameters.clients]
    for keys, way, clients, again in [*asked, ("hot", "pipeline", parameters.clients[-1], " (A/A)")]:
        label = f"{KEYS[keys]}, {WAYS[way]}, {told(clients)}{again}"
        name = "again" if again else f"{keys}_{way}_{clients}"
        yield kit.Configuration(name, label, {"keys": keys, "way": way, "clients": clients})


def needs(parameters: Parameters) -> kit.Needs:
    """Disk for the tables and the log of loading them, memory for server and clients, and a PostgreSQL."""
    p = parameters
    memory = (p.shared_buffers_mib << 20) + p.clients[-1] * 10 * 2**20
    return features.clients.needs(p, len([*configurations(p)]), 2 * p.data_bytes, memory, beside_s=1.5)


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """A private cluster with the tables, which no trial changes."""
    with features.made(parameters, progress, needs(parameters).disk_bytes) as found:
        yield Bench(parameters, *found)


COUNTED = """SELECT sum(idx_scan)::bigint, sum(idx_tup_fetch)::bigint,
    (SELECT sum(heap_blks_read + idx_blks_read)::bigint FROM pg_statio_user_tables) FROM pg_stat_user_tables"""
"""Look-ups by index, the rows that they found, and blocks read, until now."""


class Bench(features.clients.Bench[Parameters]):
    """Many clients, on a fresh server each trial."""

    def settings(self) -> dict[str, Any]:
        """A small pool, and room for all clients; nothing works beside them."""
        pool, room = f"{self.parameters.shared_buffers_mib}MB", self.parameters.clients[-1] + 20
        return super().settings() | {"shared_buffers": pool, "max_connections": room, "autovacuum": False}

    def trial(self, planned: kit.PlannedTrial) -> features.clients.Found:
        """The warmed keys read, then clients that each make one request after the other."""
        own, tables = planned.configuration.settings, self.parameters.n_tables
        clients = int(own["clients"] or 0)
        threads, hot, pipeline = min(self.parameters.threads, clients), own["keys"] == "hot", own["way"] == "pipeline"
        work = self.work(planned.seed, clients, threads, hot=hot, pipeline=pipeline)
        self.start()
        try:
            with pgbench.connect(self.cluster) as connection:
                labels = {"settings": features.sessions.checked(connection)}
                self.data.warm(connection)
            before, begun = self.counted(COUNTED), spent.read(self.cluster)
            done = pgbench.run(self.cluster, work, pinned=self.cores)
            used, after = spent.read(self.cluster) - begun, self.counted(COUNTED)
        finally:
            self.cluster.stop()
        asked, (looked, found, read) = done.processed * tables, (int(each) for each in after - before)
        if done.failed or not asked <= found == looked:
            raise MachineError(
                f"{done.processed:,} requests and {done.failed or 0} failed ones asked for {asked:,} rows, and the "
                f"server looked up {looked:,} and found {found:,}", "report this",
            )  # fmt: skip
        requests = looked / tables  # those that were under way at the end included
        each = used.metrics(int(requests))
        metrics: dict[str, float | None] = {
            "reads_per_request": read / requests,
            "user_s_per_request": each["user_s_per_transaction"],
            "system_s_per_request": each["system_s_per_transaction"],
            "littles_ratio": littles_ratio(done.clients, done.tps, float(done.latency_ns.mean())),
        }
        return done, metrics, labels


reduce = features.clients.reduce

METRICS = {
    **features.OF_CLIENTS,
    "reads_per_request": kit.Metric("blocks read for a request", format="{:.1f}".format, heading="blocks read"),
    "user_s_per_request": kit.Metric(
        "processor time of the server, outside the kernel", "µs", 1e6, heading="user time"
    ),
    "system_s_per_request": kit.Metric("processor time of the server in the kernel", "µs", 1e6, heading="system time"),
    "littles_ratio": kit.Metric(
        "share of their time that clients wait for the server", factor=100, format="{:,.0f} %".format
    ),
}  # fmt: skip
Summary = kit.Summary[Parameters]


def by(keys: str, way: str, which: int) -> Callable[[Summary], str]:
    """The configuration of the fewest clients, or of the most."""
    return lambda summary: f"{keys}_{way}_{summary.parameters.clients[which]}"


def pool(summary: Summary) -> int:
    """The note's pool for as many clients as ask last: a fifth of them, but ten at least; the number nearest to it."""
    clients = summary.parameters.clients
    return min(clients, key=lambda count: abs(count - max(10, clients[-1] // 5)))


mean, p95, tps, user = map(kit.measured, ("latency_mean_ns", "latency_p95_ns", "tps", "user_s_per_request"))
few, many = ({way: by("hot", way, which) for way in WAYS} for which in (0, -1))
most = many["pipeline"]
AA = ("again", most)
NUMBERS = {
    "grown": {way: mean[many[way]] / mean[few[way]] for way in WAYS} | {"tail": p95[most] / p95[few["pipeline"]]},
    "throughput": tps[most] / tps[few["pipeline"]],
    "any_first": {way: p95[by("any", way, 0)] / p95[few[way]] for way in WAYS},
    "any_last": {way: p95[by("any", way, -1)] / p95[many[way]] for way in WAYS},
    "one_by_one": {"first": mean[few["serial"]] / mean[few["pipeline"]], "last": mean[many["serial"]] / mean[most]},
    "work": user[most] / user[lambda summary: f"hot_pipeline_{pool(summary)}"],
    "pooled": tps[most] / tps[lambda summary: f"hot_pipeline_{pool(summary)}"],
    "reads_any": kit.counted("reads_per_request")[by("any", "pipeline", -1)].mean,
    "equal": mean["again"] / mean[most],
}


def spent_us(summary: Summary, way: str) -> float:
    """Processor time of the server for a warmed request of many clients."""
    return 1e6 * sum(summary.mean(many[way](summary), f"{kind}_s_per_request") for kind in ("user", "system"))


WORDS = {
    "few": lambda summary: summary.parameters.clients[0],
    "many": lambda summary: summary.parameters.clients[-1],
    "pool": pool,
    "spent_serial": lambda summary: spent_us(summary, "serial"),
    "spent_pipeline": lambda summary: spent_us(summary, "pipeline"),
    "waits": lambda summary: 100 * summary.mean(most(summary), "littles_ratio"),
    "data_gib": lambda summary: (summary.run.provenance["heap_bytes"] + summary.run.provenance["index_bytes"]) / 2**30,
}
FIGURES = {
    "tails": kit.Dots(
        rows=lambda summary: {count: told(count) for count in summary.parameters.clients}, row="clients",
        series={f"{KEYS[keys]}, {WAYS[way]}": p95[f"{keys}_{way}_{{}}"] for keys in KEYS for way in WAYS},
        heading="requests", metric=METRICS[p95.name],
    ),
}  # fmt: skip
