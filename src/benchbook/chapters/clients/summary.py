"""Per-block values of a run, the law of scalability fitted to each block, checks of trials, and what did not act."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from benchbook import statistics
from benchbook.chapters.clients.arms import (
    COLD,
    DIRECT,
    HALF,
    MANY,
    POOLED,
    Parameters,
    direct_by_count,
    pooled_by_count,
)
from benchbook.chapters.clients.parameters import MOST_BACKENDS
from benchbook.measuring.pgbench import metric_words as words
from benchbook.measuring.pgbench import summary as family
from benchbook.measuring.pgbench.metric_words import percent
from benchbook.measuring.pgbench.parameters import NOTE_SECONDS
from benchbook.model import Effect, Estimate
from benchbook.numbers.metrics import Metric, Metrics
from benchbook.numbers.summary import NotEstimableError
from benchbook.parameters.base import other_numbers
from benchbook.statistics import Gate, Scalability

LEAST_COUNTS = 3
"""Numbers of clients from which the law's three numbers follow."""
METRICS: Metrics = {
    **words.METRICS,
    **words.LOOKED,
    "start_tps": Metric("throughput of the first seconds", heading="TPS at first"),
    "clients_served": Metric("number of clients served to the end"),
    "pooler_cpu_s": Metric("processor time of the pooler", "s", format="{:.2f}".format),
    "pooler_cpu_us_per_transaction": Metric("pooler's processor time per transaction", "µs"),
    "reads_per_transaction": Metric(
        "number of blocks of 8 KiB read per transaction", heading="blocks read per transaction", format="{:.2f}".format
    ),
    "wal_bytes_per_transaction": Metric("bytes of log per transaction", heading="log bytes per transaction"),
    "pool_used_share": percent("share of the pool in use after the discarded run", "pool in use at the start"),
    "pool_blocks": Metric("number of pages in the pool"),
    "data_blocks": Metric("number of blocks of the data"),
}


class Summary(family.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS = METRICS

    @property
    def direct(self) -> dict[int, str]:
        """Numbers of clients without a pooler to their configurations."""
        return direct_by_count(self.parameters)

    @property
    def pooled(self) -> dict[int, str]:
        """The same through the pooler."""
        return pooled_by_count(self.parameters)

    @property
    def fitted(self) -> list[int]:
        """Numbers of clients to which the law is fitted: those up to the baseline's."""
        return [count for count in self.direct if count <= self.parameters.clients]

    @property
    def predicted(self) -> list[int]:
        """Those above, which it predicts."""
        return [count for count in self.direct if count > self.parameters.clients]

    @property
    def laws(self) -> list[Scalability]:
        """The law of each block, in block order. Raises NotEstimableError where a trial is missing."""

        def fit() -> list[Scalability]:
            if len(self.fitted) < LEAST_COUNTS:
                raise NotEstimableError(
                    f"a law with three numbers is not fitted to {len(self.fitted)} numbers of clients",
                    "measure more counts below the baseline's",
                )
            tps = np.stack([self.values(self.direct[count], "tps") for count in self.fitted], axis=1)
            return [statistics.scalability(self.fitted, row) for row in tps]

        return self.once("laws", fit)

    def law(self, count: float) -> Estimate:
        """Throughput that the law gives for a number of clients, over the blocks' own fits."""
        values = [float(each.at([count])[0]) for each in self.laws]
        return self.estimated(statistics.geometric_mean, values)

    def surprise(self, count: int) -> Effect:
        """Throughput as measured over that which the law fitted to fewer clients gives, paired within blocks."""
        values = [float(each.at([count])[0]) for each in self.laws]
        return self.estimated(statistics.ratio, self.values(self.direct[count], "tps"), values)

    def against_direct(self, count: int) -> Effect:
        """Throughput through the pooler over that without, over equally many first seconds."""
        return self.ratio((self.pooled[count], "start_tps"), (self.direct[count], "start_tps"))

    def remedy(self, arm: str) -> str:
        """How to have a configuration measured that this run left out."""
        return "measure all parts; a pooler comes with `make pooler`"

    def full_gate(self, arms: Iterable[str]) -> Gate:
        """The same of those of these configurations that start warm."""
        return super().full_gate({*arms} - {COLD})

    def cold_gate(self, arms: Iterable[str]) -> Gate:
        """Whether the trials from a cold start began with empty caches."""
        names = ("data_in_pool_start", "data_in_os_cache_start")
        rows = self.of({*arms} & {COLD}).reindex(columns=[*names])
        most = float(rows.max().max()) if rows.notna().any().any() else 0.0
        return Gate("cold start", most <= 0.01, most, f"a cache held {most:.1%} of the data at the start")

    def threads_depart(self) -> str:
        """That the threads do not match the processors of the machine that measured; "" where they do."""
        cores = self.run.provenance.get("cores") or (self.run.provenance.get("host") or {}).get("cores")
        clients, threads = self.parameters.clients, self.parameters.threads
        if cores is not None and int(cores) != threads and HALF in self.configurations:
            return f"{threads} threads where the claim names as many as processors, {cores}"
        return "" if clients >= 2 * threads else f"{clients} clients, too few for {2 * threads} threads"

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        pages = [] if self.parameters.allow_vm_settings else ["pools in ordinary pages where the note has huge ones"]
        threads = filter(None, [self.threads_depart()])
        return [*pages, *threads, *other_numbers(self.parameters), *super().departures()]


def nothing_read(summary: Summary) -> str:
    """Why nothing could have been bound by reading; "" where the device read in every trial."""
    least = float(summary.values(COLD, "device_read_first").min())
    return "" if least > 0 else "in some trial the device read nothing in the first twelfth, so nothing waited for it"


def as_many(summary: Summary) -> str:
    """Why half the clients made no fewer connections; "" where they did in every trial."""
    half, whole = (summary.values(arm, "connected_most") for arm in (HALF, DIRECT))
    return "" if (half < whole).all() else "in some block half of the clients had no fewer connections"


def not_through(summary: Summary) -> str:
    """Why the pooler did nothing; "" where it used a processor and kept to its connections in every trial."""
    spent, most = summary.values(POOLED, "pooler_cpu_s"), summary.values(POOLED, "connected_most")
    if spent.min() > 0 and most.max() <= summary.parameters.pool_backends:
        return ""
    return f"the pooler used {spent.min():.2g} s of processor time, and the server had {most.max():.0f} connections"


def served(summary: Summary) -> float:
    """Fewest clients that a trial served to its end; 0 where a server had more connections than the note allows."""
    clients, backends = summary.values(MANY, "clients_served"), summary.values(MANY, "backends_most")
    p = summary.parameters
    if p.many_seconds < NOTE_SECONDS:
        raise NotEstimableError(
            f"its trials with {p.many_clients:,} clients take {p.many_seconds} s", f"use many_seconds={NOTE_SECONDS}"
        )
    return float(clients.min()) if backends.max() <= MOST_BACKENDS else 0.0


def hit_rise(summary: Summary) -> Estimate:
    """Hit ratio of the last twelfth less that of the first, within a trial."""
    last, first = (summary.values(COLD, f"hit_{when}") for when in ("last", "first"))
    fewest = int(summary.values(COLD, "hit_requests").min())
    return summary.estimated(statistics.shares_difference, last, first, fewest)
