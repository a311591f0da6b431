"""How many clients, with which threads and protocol, directly or through a pooler, after a warm start or a cold one."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from pydantic import Field, model_validator

from benchbook import kit, notes, statistics
from benchbook.drawing.marks import COLOURS, add_bars, bars, hover
from benchbook.errors import BenchbookError
from benchbook.figures import theme
from benchbook.measuring import pgbench
from benchbook.measuring.pgbench import estimands, many_clients
from benchbook.notes.own_reports import evidence

SIZES = (2, 5, 10, 20, 50, 100)
"""Connections of a pooler to the server, where its size is varied."""


class Parameters(pgbench.Parameters):
    """Defaults are the standard profile: 1.5 GB of data, half an hour a session on two processors."""

    blocks: int = kit.common("blocks", 3)
    scale: int = kit.common("scale", 100)
    clients: int = kit.common("clients", 100, words="pgbench clients of the baseline (the note: 100)")
    threads: int = kit.common(
        "threads", 2, high=50, words="pgbench threads, as processors; the baseline has twice as many"
    )
    parts: tuple[Literal["counts", "protocols", "pooled", "waits", "sizes"], ...] = kit.param(
        ("counts", "protocols", "pooled", "waits"),
        words="numbers of clients, protocols, a pooler, a cold start; a pooler with pools of several sizes",
    )
    counts: tuple[int, ...] = Field(
        (1, 4, 8, 16, 32, 250, 1_000), min_length=1, max_length=12,
        description="numbers of clients beside the baseline's, increasing; those above it are predicted from the rest",
    )  # fmt: skip
    seconds: int = kit.param(8, 1, 3_600, "length of a trial after a warm start")
    fill_seconds: int = kit.common("fill_seconds", 2)
    waits_seconds: int = kit.param(60, 2, 3_600, "length of the cold trial", asks="seconds from a cold start")
    server_connections: int = kit.param(1_020, 20, 10_000, "max_connections of every server, 20 for observers")
    pool_backends: int = kit.param(100, 1, 250, "connections of the pooler to the server (the note: 100 to 250)")
    few_backends: int = kit.param(20, 1, 250, "the same in one more trial; 20 is its default")
    pooled_counts: tuple[int, ...] = Field(
        (16, 250), max_length=8, description="numbers of clients that go through the pooler beside the baseline's"
    )
    many_clients: int = kit.param(1_000, 2, 9_000, "most clients through the pooler", asks="clients through the pooler")
    many_seconds: int = kit.param(60, 1, 3_600, "their seconds", asks="seconds with most clients through the pooler")
    pooled_prepared: bool = kit.param(False, words="prepared statements through the pooler too; needs PgBouncer 1.21")
    allow_vm_settings: bool = kit.param(True, words="huge pages for the pools, reserved for each trial (root only)")

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        p, parts = self, list(self.parts)
        pools = (p.pool_backends, *(SIZES if "sizes" in parts else ()))
        connected, grow = max(p.most_direct, *pools), "must be whole numbers from 1 that increase"
        counts, through = list(p.counts), list(p.pooled_counts)
        alone = [count for count in through if count not in counts]
        for why, wrong in {
            f"parts={parts} must name counts and each part at most once":
                "counts" not in parts or len({*parts}) != len(parts),
            f"counts={counts} {grow}": counts != sorted({*counts}) or counts[0] < 1,
            f"pooled_counts={through} {grow}": through != sorted({*through}) or min(through, default=1) < 1,
            f"counts and pooled_counts must not name clients={p.clients}, which is measured anyway":
                p.clients in (*counts, *through),
            f"pooled_counts={alone} are not in counts: nothing without a pooler to compare them with": bool(alone),
            f"sizes need many_clients={p.many_clients} in counts: nothing without a pooler to compare them with":
                "sizes" in parts and p.many_clients not in counts,
            f"few_backends={p.few_backends} exceeds pool_backends={p.pool_backends}": p.few_backends > p.pool_backends,
            f"many_clients={p.many_clients} must exceed the other numbers through the pooler":
                p.many_clients <= max(p.clients, *through, 0),
            f"{connected} connections and 20 for observers are {connected + 20}, more than "
            f"server_connections={p.server_connections}": connected + 20 > p.server_connections,
        }.items():  # fmt: skip
            kit.refuse(wrong, why)
        return self

    @property
    def most_direct(self) -> int:
        """The most clients that connect to the server themselves."""
        return max(self.clients, *self.counts)

    @property
    def has_pooler(self) -> bool:
        """Whether some trial goes through a pooler."""
        return bool({"pooled", "sizes"} & {*self.parts})

    @property
    def most_clients(self) -> int:
        """The most clients of any trial."""
        return max(self.most_direct, self.many_clients if self.has_pooler else 0)

    @property
    def max_connections(self) -> int:
        """What every server allows, so that all have the same arrays of processes."""
        return self.server_connections

    @property
    def log_bytes(self) -> int:
        """Of the longest trial, at half the family's throughput."""
        return pgbench.log_bytes(self, max(self.waits_seconds, self.many_seconds, self.seconds + self.fill_seconds) / 2)

    @property
    def memory_bytes(self) -> int:
        """What the trial with the most connections may use."""
        connected = self.most_direct * many_clients.CLIENT_BYTES
        return int(pgbench.SMALL_RAM_OVER_DATA * self.data_bytes) + connected + 500_000_000


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """Every arm that the claims of this chapter name, in the order of the figures."""
    p, n = parameters, parameters.clients

    def arm(name: str, label: str, clients: int, threads: int = 2, **own: Any) -> kit.Configuration:
        usual: dict[str, Any] = {
            "clients": clients, "threads": min(clients, threads * p.threads), "protocol": "simple", "backends": 0,
            "seconds": p.seconds, "cold": False, "looks": 10, "huge_pages": p.allow_vm_settings,
        }  # fmt: skip
        return kit.Configuration(name, label, usual | own, "cold" if own.get("cold") else "clients")

    yield arm("direct", f"{n} clients", n)
    yield arm("direct_again", f"{n} clients again (A/A)", n)
    yield arm("half_the_clients", f"{n // 2} clients, half the threads", n // 2, 1)
    for count in p.counts:
        yield arm(f"direct_{count}", "1 client" if count == 1 else f"{count:,} clients", count)
    for name in PROTOCOLS if "protocols" in p.parts else ():
        protocol, threads = name.split("_")[0], 1 if name.endswith("matched") else 2
        many = min(n, threads * p.threads)
        yield arm(name, f"{protocol} protocol, {many} thread{'s' * (many > 1)}", n, threads, protocol=protocol)
    through: dict[str, tuple[int, int, dict[str, Any]]] = {
        **{f"pooled_{count}": (count, p.pool_backends, {}) for count in p.pooled_counts},
        "pooled": (n, p.pool_backends, {}), "pooled_few_backends": (n, p.few_backends, {}),
        "pooled_many_clients": (p.many_clients, p.pool_backends, {"seconds": p.many_seconds}),
        **({"pooled_prepared": (n, p.pool_backends, {"protocol": "prepared"})} if p.pooled_prepared else {}),
    }  # fmt: skip
    for name, (clients, backends, own) in through.items() if "pooled" in p.parts else ():
        label = f"{clients:,} clients through {backends} connections{', prepared' * ('protocol' in own)}"
        yield arm(name, label, clients, backends=backends, **own)
    for size in SIZES if "sizes" in p.parts else ():
        label = f"{p.many_clients:,} clients through {size} connections, {p.seconds} s"
        yield arm(f"sized_{size}", label, p.many_clients, backends=size)
    if "waits" in p.parts:
        yield arm("round_1_cold", "round 1, cold start", n, cold=True, seconds=p.waits_seconds, looks=60)


PROTOCOLS = ("simple_matched", "extended_matched", "prepared_matched", "extended_twice", "prepared_twice")
"""Beside the baseline: as many pgbench threads as processors, or twice as many."""


def needs(parameters: Parameters) -> kit.Needs:
    """Of all trials, of which each client takes a moment to connect; a pooler, root and files where asked for."""
    p = parameters

    def usable() -> None:
        many_clients.check(p)
        pgbench.has_huge_pages(p, 1 / many_clients.DATA_OVER_POOL, beside_mib=128)

    def seconds(arm: kit.Configuration) -> float:
        filled = p.fill_seconds + 1 + 0.012 * p.clients if p.fill_seconds and not arm.settings["cold"] else 0
        return int(arm.settings["seconds"] or 0) + filled + 0.012 * int(arm.settings["clients"] or 0)

    return pgbench.needs(p, map(seconds, configurations(p)), beside_s=2.0, usable=usable, restored=500e6)


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[many_clients.Bench]:
    """A private cluster with a template of the loaded tables; ``progress`` is told of the loading."""
    p = parameters
    with many_clients.enough_files(p), pgbench.tables.loaded(p.scale, p.disk_bytes, progress, "pg_prewarm") as found:
        yield many_clients.Bench(p, found)


reduce = pgbench.reduce

METRICS = {
    **pgbench.METRICS,
    **pgbench.LOOKED,
    "start_tps": kit.Metric("throughput of the first seconds", heading="TPS at first"),
    "clients_served": kit.Metric("number of clients served to the end"),
    "pooler_cpu_s": kit.Metric("processor time of the pooler", "s", format="{:.2f}".format),
    "pooler_cpu_us_per_transaction": kit.Metric("pooler's processor time per transaction", "µs"),
    "reads_per_transaction": kit.Metric(
        "number of blocks of 8 KiB read per transaction", heading="blocks read per transaction", format="{:.2f}".format
    ),
    "pool_used_share": pgbench.percent("share of the pool in use after the discarded run", "pool in use at the start"),
}


class Summary(pgbench.Summary[Parameters]):
    """One run."""

    REMEDY = "measure all parts; a pooler comes with `make pooler`"

    @property
    def direct(self) -> dict[int, str]:
        """Numbers of clients without a pooler, increasing, to their configurations."""
        p = self.parameters
        return dict(sorted({**{n: f"direct_{n}" for n in p.counts}, p.clients: "direct"}.items()))

    @property
    def pooled(self) -> dict[int, str]:
        """The same through the pooler; empty where it is not measured."""
        p = self.parameters
        every = {**{n: f"pooled_{n}" for n in p.pooled_counts}, p.clients: "pooled"}
        return dict(sorted((every | {p.many_clients: "pooled_many_clients"}).items())) if "pooled" in p.parts else {}

    @property
    def fitted(self) -> list[int]:
        """Numbers of clients to which the law is fitted: those up to the baseline's."""
        return [count for count in self.direct if count <= self.parameters.clients]

    @property
    def laws(self) -> list[statistics.Scalability]:
        """The law of each block, in block order. Raises NotEstimableError where a trial is missing."""

        def fit() -> list[statistics.Scalability]:
            if len(self.fitted) < 3:
                few = f"a law with three numbers is not fitted to {len(self.fitted)} numbers of clients"
                raise kit.NotEstimableError(few, "measure more counts below the baseline's")
            tps = np.stack([self.values(self.direct[count], "tps") for count in self.fitted], axis=1)
            return [statistics.scalability(self.fitted, row) for row in tps]

        return self.once("laws", fit)

    def law(self, count: float) -> np.ndarray:
        """Throughput that the law gives for a number of clients, by each block's own fit."""
        return np.array([float(each.at([count])[0]) for each in self.laws])

    def threads_depart(self) -> str:
        """That the threads do not match the processors of the machine that measured; "" where they do."""
        cores = self.run.provenance.get("cores") or (self.run.provenance.get("host") or {}).get("cores")
        clients, threads = self.parameters.clients, self.parameters.threads
        if cores is not None and int(cores) != threads and "half_the_clients" in self.configurations:
            return f"{threads} threads where the claim names as many as processors, {cores}"
        return "" if clients >= 2 * threads else f"{clients} clients, too few for {2 * threads} threads"

    def departures(self) -> list[str]:
        pages = [] if self.parameters.allow_vm_settings else ["pools in ordinary pages where the note has huge ones"]
        threads = filter(None, [self.threads_depart()])
        return [*pages, *threads, *kit.other_numbers(self.parameters), *super().departures()]


AA = ("direct_again", "direct")
REPORTS = {"R012": evidence("R012")}
"""What note 003's own report shows of the claim that it decides."""


def checks(summary: Summary, answer: kit.Answer) -> Iterable[kit.Gate]:
    """Equal counts, bounded memory, full pools after a warm start and empty caches after a cold one."""
    arms = answer.estimand.names(summary)
    yield from [*summary.counts_gate(arms), summary.bound_gate(arms), summary.full_gate({*arms} - {"round_1_cold"})]
    if "round_1_cold" in arms:
        rows = summary.of(["round_1_cold"]).reindex(columns=["data_in_pool_start", "data_in_os_cache_start"])
        most = float(rows.max().max()) if rows.notna().any().any() else 0.0
        yield kit.Gate("cold start", most <= 0.01, most, f"a cache held {most:.1%} of the data at the start")


def aa_gates(summary: Summary, answer: kit.Answer) -> list[kit.Gate]:
    """The baseline's two names in what the claim is about: a ratio, or a difference of shares.

    The pair starts warm, and is too short for looks at its first twelfth: of that the whole trial stands for it.
    """
    metric = answer.estimand.metric
    assert metric is not None
    if metric == "wal_first":
        return [summary.aa_share_gate(*AA, "waits_flushing", "clients_looked_at")]
    if metric.startswith("cpu_"):
        return [summary.aa_share_gate(*AA, metric, "cpu_ticks")]
    return [summary.aa_gate(*AA, metric)]


def unlike(*asks: tuple[str, int, str], threads: bool = False) -> Callable[[Summary], str]:
    """Other values of parameters than the claims name: name, what is asked, its unit; and other threads."""

    def why(summary: Summary) -> str:
        given = [(getattr(summary.parameters, name), asked, unit) for name, asked, unit in asks]
        found = [f"{here} {unit} where the claim names {asked}" for here, asked, unit in given if here != asked]
        return " and ".join(filter(None, [*found, summary.threads_depart() if threads else ""]))

    return why


def served(summary: Summary) -> float:
    """Fewest clients that a trial served to its end; 0 where a server had more connections than the note allows."""
    clients, backends = (summary.values("pooled_many_clients", name) for name in ("clients_served", "backends_most"))
    p = summary.parameters
    if p.many_seconds < 60:
        short = f"its trials with {p.many_clients:,} clients take {p.many_seconds} s"
        raise kit.NotEstimableError(short, "use many_seconds=60")
    return float(clients.min()) if backends.max() <= 250 else 0.0


def peak(summary: Summary) -> int:
    """The number of clients with the highest throughput."""
    return max(summary.direct, key=lambda count: summary.mean(summary.direct[count], "tps"))


def both(summary: Summary) -> int:
    """The most clients that were measured with a pooler and without, if more than the baseline's."""
    found = [count for count in summary.pooled if count in summary.direct]
    if not found or summary.pooled[found[-1]] == "pooled":
        raise kit.NotEstimableError("no more clients were measured both ways", "measure more counts")
    return found[-1]


def cold(metric: str, of: str = "cpu_ticks", **ground: Any) -> kit.Values:
    """A share in the trial from a cold start, in which time decides."""
    found = kit.share(metric, of=of)["round_1_cold"].as_quantity(kit.Quantity.LEVEL, metric)
    return found.but(departs=START, **ground)


START = unlike(("clients", 100, "clients"), ("waits_seconds", 60, "s"))
CLAIMED = unlike(("clients", 100, "clients"), threads=True)
tps, at_first = kit.measured("tps"), kit.measured("start_tps")
last_hits, first_hits = (kit.share(f"hit_{when}", of="hit_requests")["round_1_cold"] for when in ("last", "first"))


read_some = pgbench.treatment.unless(
    lambda s: s.values("round_1_cold", "device_read_first").min() > 0,
    "in some trial the device read nothing in the first twelfth, so nothing waited for it",
)
fewer = pgbench.treatment.unless(
    lambda s: (s.values("half_the_clients", "connected_most") < s.values("direct", "connected_most")).all(),
    "in some block half of the clients had no fewer connections",
)


def not_through(summary: Summary) -> str:
    """Why the pooler did nothing; "" where it used a processor and kept to its connections in every trial."""
    spent, most = (summary.values("pooled", metric) for metric in ("pooler_cpu_s", "connected_most"))
    if spent.min() > 0 and most.max() <= summary.parameters.pool_backends:
        return ""
    return f"the pooler used {spent.min():.2g} s of processor time, and the server had {most.max():.0f} connections"


SERVED = (
    "The count is of clients that completed a transaction in the last sixth of the trial with fewest, while the server "
    "never had more than 250 client connections; the pooler is PgBouncer"
)
NUMBERS = {
    "half": (tps["half_the_clients"] / tps["direct"]).but(idle=fewer, departs=CLAIMED),
    "through_pooler": (tps["pooled"] / tps["direct"]).but(idle=not_through, departs=CLAIMED),
    "served": kit.known(served, SERVED, "pooled_many_clients"),
    "busy": kit.percent(cold("cpu_busy", idle=read_some)),
    "user": cold("cpu_user"),
    "system": cold("cpu_system"),
    "iowait": kit.percent(cold("cpu_iowait")),
    "wal_first": kit.percent(cold("wal_first", "clients_looked_at_first")),
    **{f"{name}_{when}": kit.percent(kit.share(f"{name}_{when}", of=f"clients_looked_at_{when}")["round_1_cold"])
       for name, when in (("reading", "first"), ("reading", "warm"), ("wal", "warm"))},
    "hit_rise": kit.percent((last_hits - first_hits).as_quantity(kit.Quantity.PARTS, "reads_per_transaction")
                            .but(departs=START)),
    "peak_gain": tps[lambda s: s.direct[peak(s)]] / tps[lambda s: s.direct[min(s.direct)]],
    "most_gain": tps[lambda s: s.direct[max(s.direct)]] / tps["direct"],
    "prepared_gain": tps["prepared_twice"] / tps["direct"],
    "again": tps["direct_again"] / tps["direct"],
    "rescued": at_first[lambda s: s.pooled[both(s)]] / at_first[lambda s: s.direct[both(s)]],
    "few": tps["pooled_few_backends"] / tps["pooled"],
}  # fmt: skip


def level_with_peak(summary: Summary) -> str:
    """From how many to how many clients throughput is not shown to be below the highest; "" for one number alone."""
    best = peak(summary)
    highest = summary.direct[best]
    alike = [count for count, arm in summary.direct.items() if count == best or summary.gain(arm, highest).high >= 1]
    return f"{min(alike):,} to {max(alike):,}" if len(alike) > 1 else ""


def law(summary: Summary) -> dict[str, Any]:
    """The least and the largest of the blocks: the serial part in %, and where throughput is highest, if somewhere."""
    serial = [100 * each.contention for each in summary.laws]
    best = [each.best_clients for each in summary.laws]
    return {"serial": (min(serial), max(serial)), "peak": (min(best), max(best)) if max(best) < math.inf else ()}


def by_count(counts: Iterable[int], ask: Callable[[int], kit.Estimate]) -> dict[int, kit.Told]:
    """A ratio for each number of clients or connections of which the run has it."""
    return dict(kit.each(lambda count: (count, kit.Told(ask(count))), counts))


def ways(summary: Summary) -> dict[int, kit.Told]:
    """Throughput through the pooler over that without, over equally many first seconds."""
    direct, through = summary.direct, summary.pooled
    return by_count(sorted({*through} & {*direct}), lambda n: summary.gain(through[n], direct[n], "start_tps"))


def over_direct(summary: Summary, size: int) -> kit.Estimate:
    """Throughput of the most clients through a pooler with a pool of this size over that of as many direct ones."""
    direct = summary.direct.get(summary.parameters.many_clients, "")
    return summary.gain(f"sized_{size}", direct, "start_tps")


def sized(summary: Summary) -> dict[int, kit.Told]:
    """The same for each size of which the run has it."""
    return by_count(SIZES, partial(over_direct, summary))


def surprises(summary: Summary) -> dict[int, kit.Told]:
    """Throughput as measured over that which the law fitted to fewer clients gives, paired within blocks."""
    return by_count(
        [count for count in summary.direct if count > summary.parameters.clients],
        lambda n: summary.estimated(statistics.ratio, summary.values(summary.direct[n], "tps"), summary.law(n)),
    )


def doing(summary: Summary, arm: str, waits: str) -> list[tuple[str, float]]:
    """What most clients are found doing, in %. waits: how the names of these shares begin."""
    shares = {words: 100 * summary.mean(arm, f"{waits}_{name}") for name, words in pgbench.STATES.items()}
    return sorted(shares.items(), key=lambda item: item[1], reverse=True)[:3]


def inside(summary: Summary) -> float | None:
    """The least share of its time for which a client is inside a transaction."""
    arms = summary.having(summary.direct.values(), "littles_ratio")
    return min((float(summary.values(arm, "littles_ratio").min()) for arm in arms), default=None)


WORDS: dict[str, Callable[[Summary], Any]] = {
    "apparatus": Summary.apparatus, "peak": peak, "level_with_peak": level_with_peak, "law": law,
    "needed": partial(estimands.needed, pair=AA),
    "direct": lambda summary: summary.direct, "fitted": lambda summary: summary.fitted, "inside": inside,
    "both": both, "ways": ways, "surprises": surprises, "failed": lambda summary: summary.failures(summary.arms),
    "bounded": lambda summary: summary.run.provenance.get("memory_bound", "not known"),
    "pooler": lambda summary: summary.run.provenance.get("pooler", pgbench.UNKNOWN),
    **{f"device_{when}": pgbench.mean("round_1_cold", f"device_read_{when}", 2**20) for when in ("first", "warm")},
    **{f"{name}_{when}": pgbench.mean("round_1_cold", f"{name}_{when}", 0.01) for name in ("hit", "other_hit")
       for when in ("first", "last")},
    "doing": partial(doing, arm="direct", waits="waits"),
    "at_first": partial(doing, arm="round_1_cold", waits="waits_01"),
    "pooler_us": pgbench.mean("pooled", "pooler_cpu_us_per_transaction"),
    "pooler_busy": lambda summary: summary.mean("pooled", "pooler_cpu_s") / summary.parameters.seconds,
    "served_fewest": lambda summary: float(summary.values("pooled_many_clients", "clients_served").min()),
    "backends_most": lambda summary: float(summary.values("pooled_many_clients", "backends_most").max()),
    "itself": lambda summary: pgbench.repeated(summary, *AA, "tps", "latency_mean_ns"),
    "sized": sized, "best_size": lambda summary: max(sized(summary).items(), key=lambda item: item[1].point)[0],
    "dollar": lambda summary: {
        end: notes.number("r8g_cost", f"tps_per_usd_{end}", instance="r8g.xlarge", pricing="On-Demand")
        for end in ("lo", "hi")
    },
    "noted_waits": lambda summary: notes.table("r8g_wait_events").to_dict("records"),
    "noted": lambda summary: notes.table("r8g_cpu_hit").set_index("metric")["value"].to_dict(),
    "dollar_larger": lambda summary: notes.number("r8g_cost", "tps_per_usd_lo", instance="r8g.2xlarge"),
}  # fmt: skip


def connections(summary: Summary) -> pd.DataFrame:
    """Whether each configuration did what it is named for: connections by the server, clients, processor time."""
    columns = {
        "clients": lambda arm: f"{int(summary.configurations[arm].settings['clients'] or 0):,}",
        "pgbench threads": lambda arm: str(summary.configurations[arm].settings["threads"]),
        **kit.means(summary, "connected_most", "clients_served", "cpu_busy", "pooler_cpu_us_per_transaction"),
    }
    return kit.table([({"configuration": summary.label(arm)}, arm) for arm in summary.arms], columns)


TABLES = {"connections": connections}
MEND = "measure all parts with `benchbook run clients`"


def scaling(summary: Summary) -> kit.Drawn | kit.Blank:
    """TPS by number of clients, and the law fitted to the smaller numbers."""
    found = {n: summary.level(arm, "tps") for n, arm in summary.direct.items() if summary.has(arm, "tps")}
    if not found:
        return kit.Blank("No trial of this run has a throughput", MEND)
    plot, fit = go.Figure(), dict[float, kit.Estimate]()
    every: dict[str, Mapping[float, kit.Estimate]] = {"measured": {float(count): e for count, e in found.items()}}
    with contextlib.suppress(BenchbookError):
        grid = sorted({*np.geomspace(1, max(found), 40).tolist(), *map(float, found)})
        fit = {count: summary.estimated(statistics.geometric_mean, summary.law(count)) for count in grid}
    if fit:
        middle, low, high = ([getattr(e, end) for e in fit.values()] for end in ("point", "low", "high"))
        name = f"law fitted up to {summary.fitted[-1]} clients"
        pgbench.courses.add_course(plot, 1, name, [*fit], middle, (low, high), dash="dash")
        plot.data[-1].mode = "lines"
        every[name] = {count: e for count, e in fit.items() if count in found}
    plot.add_scatter(
        x=list(found), y=[e.point for e in found.values()], mode="markers", name="measured",
        marker={"color": COLOURS[0], "symbol": theme.SYMBOLS[0], "size": 9}, error_y=bars(found.values()),
        **hover("TPS", {f"{count:,} clients": e for count, e in found.items()}, 1.0, "", "blocks"),
    )  # fmt: skip
    ticks = list(found)
    plot.update_xaxes(type="log", title="pgbench clients", tickvals=ticks, ticktext=[f"{each:,}" for each in ticks])
    plot.update_yaxes(title="throughput (TPS)", rangemode="tozero")
    rows = [{"clients": count, "what": what, "TPS": e.point, "low": e.low, "high": e.high}
            for what, estimates in every.items() for count, e in estimates.items()]  # fmt: skip
    return kit.Drawn(plot, pd.DataFrame(rows), estimates=[*found.values()], own={"n": len(found)})


def waits(summary: Summary) -> kit.Drawn | kit.Blank:
    """What clients are found doing in each twelfth of the trial from a cold start."""
    names = {
        place: {words: f"waits_{place:02}_{name}" for name, words in pgbench.STATES.items()} for place in range(1, 13)
    }
    known = {place: of for place, of in names.items() if summary.has("round_1_cold", *of.values())}
    if not known:
        return kit.Blank("This run has no trial from a cold start", MEND)
    ends = [f"{summary.parameters.waits_seconds * place / 12:.3g}" for place in known]
    means = [{words: 100 * summary.mean("round_1_cold", name) for words, name in of.items()} for of in known.values()]
    shares, plot = pd.DataFrame(means, index=pd.Index(ends, name="up to second")), go.Figure()
    for place, words in enumerate(pgbench.STATES.values()):
        add_bars(plot, place, words, dict(zip(ends, shares[words], strict=True)), across=False)
    plot.update_layout(barmode="stack", height=theme.HEIGHT_PX + 120)
    plot.update_xaxes(title="seconds since the first transaction", type="category")
    plot.update_yaxes(title="share of the clients (%)", range=[0, 100])
    return kit.Drawn(plot, shares.reset_index(), own={"n": len(known), "series": len(pgbench.STATES)})


FIGURES: Mapping[str, Any] = {
    "scaling": scaling,
    "waits": waits,
    "pooled": kit.Lines(
        over=lambda summary: list(summary.pooled), across="pgbench clients", rows=True, tick="{:,}".format,
        series={"direct": lambda s, n: s.level(s.direct.get(n, ""), "start_tps"),
                "through PgBouncer": lambda s, n: s.level(s.pooled[n], "start_tps")},
        axis="throughput (TPS)", scale="zero", heading="how", nothing="This run did not measure a pooler", mend=MEND,
    ),
    "sizes": kit.Lines(
        over=lambda summary: SIZES, across="connections of the pooler to the server", rows=True,
        series={"through PgBouncer": over_direct}, axis="throughput ÷ throughput of direct connections",
        heading="how", nothing="This run did not measure pools of several sizes",
        mend='measure them: parts=["counts", "sizes"], counts=[1000]',
    ),
    "claims": kit.ClaimFigure(
        title="The note's claims on throughput against measurements",
        what="What note 003 expects of fewer clients and of a pooler",
        axis="throughput ÷ throughput of all clients, direct", only=lambda answer: bool(answer.row),
    ),
    "claimed_shares": kit.ClaimFigure(
        title="The note's counts of waits and processor time against measurements", units=("share",), axis="share",
        what="Shares of clients and of processor time that note 003 names", only=lambda answer: bool(answer.row),
    ),
}  # fmt: skip
