"""Six settings of pool, log and background writer, each on the notes' release of PostgreSQL and on the book's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from benchbook import kit
from benchbook.drawing.two_releases import Comparisons
from benchbook.engines.postgres import identity
from benchbook.engines.postgres.binaries import NOTES_SOURCE, find_notes_release
from benchbook.measuring import pgbench

RELEASES = {"ours": "the book's release", "notes": "the notes' release"}
CASES: dict[str, tuple[str, pgbench.Settings]] = {
    "full": ("TPC-B, pool for all", {"pool": 150}),
    "small": ("TPC-B, small pool", {"pool": 20}),
    "compressed": ("TPC-B, pool for all, log compressed", {"pool": 150, "compressed": True}),
    "unwritten": ("TPC-B, small pool, background writer off", {"pool": 20, "lru_maxpages": 0}),
    "reads_full": ("reads, pool for all", {"pool": 150, "reads": True}),
    "reads_small": ("reads, small pool", {"pool": 20, "reads": True}),
}
"""What is measured, with its label and settings; pools in % of the data."""


class Parameters(pgbench.Parameters):
    """Defaults are the standard profile: 300 MB of data on each release, five minutes a block."""

    blocks: int = kit.common("blocks", 4)
    scale: int = kit.common("scale", 20)
    clients: int = kit.common("clients", 10)
    trial_seconds: int = kit.common("trial_seconds", 12, high=3_600)
    fill_seconds: int = kit.common("fill_seconds", 3)

    @property
    def log_bytes(self) -> int:
        """Of one trial, whose changed pages each come with a full image."""
        return self.data_bytes + (self.trial_seconds + self.fill_seconds) * 60_000_000

    @property
    def disk_bytes(self) -> int:
        """Of both releases."""
        return 2 * super().disk_bytes

    @property
    def memory_bytes(self) -> int:
        return int(pgbench.RAM_OVER_DATA * self.data_bytes) + 300_000_000


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """Every case on both releases, those that are compared together in a block, and one twice (A/A)."""
    for case, (label, own) in CASES.items():
        for release, words in RELEASES.items():
            settings = {"release": release, "reads": False, "compressed": False, "lru_maxpages": 1_250, **own}
            yield kit.Configuration(f"{release}_{case}", f"{label}, {words}", settings)
    first = next(configurations(parameters))
    yield replace(first, name=f"{first.name}_again", label=f"{first.label}, again (A/A)")


def releases() -> dict[str, Any]:
    """The book's, and the notes' beside it."""
    notes = find_notes_release().identity()
    return identity() | {
        "notes_version": notes["engine_version"], "notes_sha256": notes["engine_sha256"],
        "notes_source": NOTES_SOURCE,
    }  # fmt: skip


def needs(parameters: Parameters) -> kit.Needs:
    """Of all trials, with templates and logs of both releases."""
    p = parameters
    trials = [p.fill_seconds + p.trial_seconds] * len([*configurations(p)])
    return replace(pgbench.needs(p, trials, beside_s=2.5, loads=2), engine=releases)


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Pair]:
    p, find = parameters, find_notes_release
    with (
        pgbench.tables.loaded(p.scale, p.disk_bytes // 2, progress, "pg_prewarm") as ours,
        pgbench.tables.loaded(p.scale, p.disk_bytes // 2, progress, "pg_prewarm", binaries=find()) as notes,
    ):
        yield Pair({"ours": Bench(p, ours), "notes": Bench(p, notes)})


@dataclass(frozen=True)
class Pair:
    """A bench for each release, of which one server runs at a time."""

    benches: Mapping[str, Bench]

    def provenance(self) -> dict[str, Any]:
        """The family's of the book's release, and which the other is."""
        return self.benches["ours"].provenance() | releases()

    def measure(self, planned: kit.PlannedTrial) -> kit.Trial:
        """Measure one configuration once, on its release."""
        return self.benches[str(planned.configuration.settings["release"])].measure(planned)


@dataclass(frozen=True)
class Bench(pgbench.Bench[Parameters]):
    """Trials on one release."""

    def ram_bytes(self, arm: kit.Configuration) -> int:
        """Memory that server and page cache may use together: room for all data in both."""
        return int(pgbench.RAM_OVER_DATA * self.tables.data_bytes)

    def settings(self, arm: kit.Configuration) -> pgbench.Settings:
        """Note 003's of its second round, and what the arm varies."""
        own = arm.settings
        blocks = pgbench.pool_blocks(int(own["pool"] or 0) / 100 * self.tables.data_bytes)
        return pgbench.NOTE_003 | {
            "shared_buffers": f"{blocks * 8}kB",
            "max_connections": self.parameters.max_connections,
            "wal_compression": "pglz" if own["compressed"] else "off",
            "bgwriter_lru_maxpages": own["lru_maxpages"],
            "max_wal_size": "50GB",
            "checkpoint_timeout": "1h",
        }

    def trial(self, planned: kit.PlannedTrial, bound: pgbench.MemoryBound) -> pgbench.Measured:
        """On a pool filled as far as it goes, after a discarded run of the same workload."""
        p, cluster, reads = self.parameters, self.tables.cluster, planned.configuration.settings["reads"]
        part = pgbench.Part.READS if reads else pgbench.Part.WARM
        script = "select-only" if reads else "tpcb-like"
        work = pgbench.Workload(script, p.clients, p.threads, p.trial_seconds, seed=2 * planned.seed)
        self.fill(replace(work, seed=work.seed + 1), p.fill_seconds)
        start, counted = self.look(), pgbench.tallies.transactions(cluster, part)
        with cluster.connect() as observer:
            before = pgbench.tallies.read(observer, cluster)
            done = self.run(work)
            window = pgbench.tallies.read(observer, cluster) - before
        kept = pgbench.subsample(done.latency_ns, 200)
        metrics: pgbench.Metrics = {
            **self.of_all(done),
            **reduce(kept),
            **window.metrics(max(1, done.processed)),
            **pgbench.of_caches(start, self.look()),
            "server_transactions": float(pgbench.tallies.transactions(cluster, part) - counted),
        }
        return metrics, {"transaction": kept}


reduce = pgbench.reduce

METRICS = {
    **pgbench.METRICS,
    "reads_per_transaction": kit.Metric("pages of a transaction that the pool lacks", format="{:.3g}".format),
}
AA = ("ours_full_again", "ours_full")
Summary = pgbench.Summary[Parameters]
COMPARED = {
    "pool": ("TPC-B: small pool ÷ pool for all", "small", "full"),
    "reads": ("reads: small pool ÷ pool for all", "reads_small", "reads_full"),
    "compression": ("log compressed ÷ not", "compressed", "full"),
    "writer": ("background writer off ÷ on", "unwritten", "small"),
}
"""Comparisons of settings: label, and the two configurations."""
COMPARISONS = Comparisons("tps", COMPARED, RELEASES)
tps, misses = kit.measured("tps"), kit.counted("reads_per_transaction")
NUMBERS = {
    **COMPARISONS.numbers(),
    "newer_writes": tps["ours_full"] / tps["notes_full"],
    "newer_reads": tps["ours_reads_full"] / tps["notes_reads_full"],
    "misses": {release: misses[f"{release}_small"].mean for release in RELEASES},
    "same": tps[AA[0]] / tps[AA[1]],
}
WORDS = COMPARISONS.words()
FIGURES = {"effects": COMPARISONS.effects("ratio of throughput (below 1: costs)")}
