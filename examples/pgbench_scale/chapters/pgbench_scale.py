"""Two numbers of clients, each with many branches, one per client and one for all: what pgbench's scale decides."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Self

import numpy as np
from pydantic import model_validator

from benchbook import kit
from benchbook.measuring import pgbench

AA = ("many_wide_again", "many_wide")
SERVER_BYTES, CLIENT_BYTES = 64 * 2**20, 3 * 2**20
"""What a server takes beside its pool: at all, and for each client."""
SAMPLES = 500
"""Latencies of a trial that are stored; its metrics come from all."""


class Parameters(pgbench.Parameters):
    """Defaults are the standard profile: 310 MB of data, about two minutes a block."""

    scale: int = kit.common("scale", 20)
    clients: int = kit.common("clients", 16, 3, words="pgbench clients where they are many")
    few_clients: int = kit.param(8, 2, 999, "pgbench clients where they are few")
    branches_per_client: float = kit.param(
        12.5, high=100, above=1, words="branches per client that the clients draw from where these are many"
    )
    trial_seconds: int = kit.common("trial_seconds", 8, high=3_600)
    fill_seconds: int = kit.common("fill_seconds", 3)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        asked = f"threads={self.threads}, few_clients={self.few_clients} and clients={self.clients}"
        fewer = "there must be fewer of the few than of the many, and a client for each thread"
        kit.refuse(not self.threads <= self.few_clients < self.clients, f"{asked}: {fewer}")
        return self

    @property
    def many(self) -> Mapping[str, int]:
        """How many clients few and many are."""
        return {"few": self.few_clients, "many": self.clients}

    @property
    def most_branches(self) -> int:
        """Branches that the tables hold in every trial."""
        return max(self.scale, round(self.branches_per_client * self.clients))

    @property
    def log_bytes(self) -> int:
        """Of one trial."""
        return pgbench.log_bytes(self, self.trial_seconds + self.fill_seconds)

    @property
    def memory_bytes(self) -> int:
        """What a trial may use: room for all data in pool and page cache, and for the server's processes."""
        return int(pgbench.RAM_OVER_DATA * self.data_bytes) + SERVER_BYTES + self.clients * CLIENT_BYTES


def levels(p: Parameters) -> dict[str, str]:
    """What figures call the levels of branches."""
    return {"wide": f"{p.branches_per_client:g} per client", "each": "one per client", "single": "one for all"}


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """Each number of clients at each level, and one of them again; all are compared, so they stand together."""
    for number, clients in parameters.many.items():
        branches = {"wide": round(parameters.branches_per_client * clients), "each": clients, "single": 1}
        for level, words in levels(parameters).items():
            settings = {"clients": clients, "branches": branches[level]}
            arm = kit.Configuration(f"{number}_{level}", f"{clients} clients, branches: {words}", settings, "all")
            yield arm
            if arm.name == AA[1]:
                yield replace(arm, name=AA[0], label=f"{arm.label} again (A/A)")


_ADDED = (
    "INSERT INTO pgbench_branches SELECT bid, 0 FROM generate_series(%s::int + 1, %s) AS bid",
    "INSERT INTO pgbench_tellers SELECT t, (t - 1) / 10 + 1, 0 FROM generate_series(10 * %s::int + 1, 10 * %s) AS t",
)
"""Branches and tellers beyond those of the scale, so that a few accounts suffice for many branches."""


def needs(parameters: Parameters) -> kit.Needs:
    """Of all trials."""
    p = parameters
    return pgbench.needs(p, [p.fill_seconds + p.trial_seconds] * len([*configurations(p)]), beside_s=2.0)


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """A private cluster with a template of the loaded tables; ``progress`` is told of the loading."""
    with pgbench.tables.loaded(parameters.scale, parameters.disk_bytes, progress, "pg_prewarm") as found:
        yield Bench(parameters, found)


@dataclass(frozen=True)
class Bench(pgbench.Bench[Parameters]):
    """Trials whose clients meet at many rows, at a few, or at one."""

    def ram_bytes(self, arm: kit.Configuration) -> int:
        """Memory that server and page cache may use together: room for all data in both."""
        return self.parameters.memory_bytes

    def settings(self, arm: kit.Configuration) -> pgbench.Settings:
        """Note 003's of its second round, but for a pool that holds all, and without what would work beside clients."""
        return pgbench.NOTE_003 | {
            "shared_buffers": f"{pgbench.pool_blocks(1.5 * self.tables.data_bytes) * 8}kB",
            "max_connections": self.parameters.max_connections,
            "wal_compression": self.tables.wal_compression,
            "max_wal_size": "50GB",
            "checkpoint_timeout": "1h",
            "autovacuum": False,
        }

    def trial(self, planned: kit.PlannedTrial, bound: pgbench.MemoryBound) -> pgbench.Measured:
        """On a filled pool, after a discarded run of the same clients; all balances must add up at the end."""
        p, cluster = self.parameters, self.tables.cluster
        clients, branches = (int(planned.configuration.settings[name] or 0) for name in ("clients", "branches"))
        with pgbench.connect(cluster) as connection:
            for asked in _ADDED:
                connection.execute(asked, (p.scale, p.most_branches))
            connection.execute("VACUUM ANALYZE pgbench_branches, pgbench_tellers")
            pgbench.residency.prewarm(connection)
        script = cluster.folder / "transaction.sql"
        account, tellers = f"random(1, {100_000 * p.scale})", 10 * p.most_branches
        script.write_text(pgbench.TPCB.format(account=account, branches=branches, tellers=tellers))
        work = pgbench.Workload(script, clients, p.threads, p.trial_seconds, seed=2 * planned.seed)
        if p.fill_seconds:
            self.run(replace(work, duration_s=p.fill_seconds, seed=work.seed + 1, log=False))
        start, inserted = self.look(), pgbench.tallies.transactions(cluster, pgbench.Part.WARM)
        with pgbench.Looks(cluster, 0.1) as looks:
            done = self.run(work)
        made = pgbench.tallies.transactions(cluster, pgbench.Part.WARM) - inserted
        with pgbench.connect(cluster) as connection:
            pgbench.check_balances(connection)
        within = [each for each in looks.seen if 0 < each.at_s <= p.trial_seconds]
        kept = pgbench.subsample(done.latency_ns, SAMPLES)
        metrics: pgbench.Metrics = {
            **self.of_all(done),
            **reduce(kept),
            **{f"waits_{name}": share for name, share in pgbench.windows.grouped(within, clients).items()},
            **pgbench.of_caches(start, self.look()),
            "client_looks": float(clients * len(within)),
            "server_transactions": float(made),
        }
        return metrics, {"transaction": kept}


def reduce(latencies: np.ndarray) -> dict[str, float | None]:
    """Metrics of the stored latencies in ns, int64, shape (samples,)."""
    return pgbench.reduced(latencies, "sample")


METRICS = {
    **pgbench.METRICS,
    **{name: metric for name, metric in pgbench.LOOKED.items() if name.startswith("waits_")},
    "client_looks": kit.Metric("number of looks at a client"),
}
Summary = pgbench.Summary[Parameters]
tps, mean, p99 = (kit.measured(name) for name in ("tps", "latency_mean_ns", "latency_p99_ns"))
waiting = kit.share("waits_rows", of="client_looks")
NUMBERS = {
    **{level: {n: tps[f"{n}_{level}"] / tps[f"{n}_wide"] for n in ("few", "many")} for level in ("each", "single")},
    "more": {level: tps[f"many_{level}"] / tps[f"few_{level}"] for level in ("wide", "each", "single")},
    "rows": {level: {n: kit.percent(waiting[f"{n}_{level}"]) for n in ("few", "many")}
             for level in ("wide", "each", "single")},
    "flushing_wide": kit.percent(kit.share("waits_flushing", of="client_looks")["many_wide"]),
    "between_wide": kit.percent(kit.share("waits_client", of="client_looks")["many_wide"]),
    "slower": {"mean": mean["many_single"] / mean["many_wide"], "p99": p99["many_single"] / p99["many_wide"]},
    "same": tps["many_wide_again"] / tps["many_wide"],
}  # fmt: skip


def rows_waited(summary: Summary, level: str) -> list[float]:
    """Shares of the clients that waited for a row, of few and of many, in %."""
    return [100 * share for n in ("few", "many") for share in summary.values(f"{n}_{level}", "waits_rows")]


WORDS = {
    "wide": lambda summary: f"{summary.parameters.branches_per_client:g}",
    "in_pool": lambda summary: 100 * min(summary.mean(arm, "data_in_pool_start") for arm in summary.arms),
    "least_rows": lambda summary: min(rows_waited(summary, "single")),
    "most_rows": lambda summary: max(rows_waited(summary, "wide")),
}


def of_clients(values: kit.measured | kit.share, summary: Summary) -> Mapping[str, kit.Ask]:
    """A series for each number of clients."""
    return {f"{many} clients": values[f"{number}_{{}}"] for number, many in summary.parameters.many.items()}


FIGURES = {
    "throughput": kit.Dots(
        rows=lambda summary: levels(summary.parameters), row="branches", series=partial(of_clients, tps),
        heading="clients", metric=METRICS["tps"], scale="zero",
    ),
    "waits": kit.Dots(
        rows=lambda summary: levels(summary.parameters), row="branches", heading="clients",
        series=partial(of_clients, waiting), axis="clients that wait for a lock on a row (%)", factor=100,
        scale="percent", nothing="Nobody looked at the clients of this run",
    ),
}  # fmt: skip
