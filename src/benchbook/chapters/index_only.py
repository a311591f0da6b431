"""What updates do to index-only scans: rows updated since the last VACUUM, with heaps in the pool or not."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Annotated, Any, Self

import psycopg
from pydantic import Field, model_validator

from benchbook import kit
from benchbook.engines import pgbench
from benchbook.engines.pgbench import residency
from benchbook.engines.storage import latency
from benchbook.errors import MachineError
from benchbook.measuring import features

COVERED = 3
"""Features that stand in the index too."""


class Parameters(features.clients.Parameters):
    """Defaults are the standard profile: 200 MB in five tables, of which the indexes are two fifths."""

    blocks: int = kit.common("blocks", 3)
    n_tables: int = kit.param(5, 1, 100, "tables read per request, one row each")
    rows_per_table: int = kit.param(100_000, 1_000, 10_000_000, "rows of each table")
    fillfactor_percent: int = kit.param(80, 50, 90, "how full pages are; the rest is room for new versions")
    updated_permille: tuple[Annotated[int, Field(ge=1, le=100)], ...] = kit.param(
        (2, 10, 50), words="rows updated since the last VACUUM, in thousandths, growing"
    )
    beside_mib: int = kit.param(8, 1, 100_000, "room in MiB that the small pool has beside the indexes, for heaps")
    slow_read_ms: float = kit.param(1.0, 0.05, 100, "added to each read of the server, as by a network")
    trial_seconds: int = kit.param(4, 1, 3_600, "length of a trial in whole seconds")
    kept_samples: int = kit.common("kept_samples", 400)

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        doses, past = list(self.updated_permille), "only reads past the page cache can be made slower; give true"
        kit.refuse(doses != sorted(set(doses)) or not doses, f"updated_permille={doses} must grow")
        kit.refuse(not self.direct_io, f"direct_io=false: {past}")
        return self

    @property
    def hot_keys(self) -> int:
        """Every key is asked for."""
        return self.rows_per_table

    @property
    def data_bytes(self) -> int:
        """Estimated bytes of heaps and covering indexes, with pages four fifths full."""
        return self.n_tables * self.rows_per_table * 400


POOLS = {"large": "all in the pool", "small": "heaps not in the pool"}
AA = ("small_0_again", "small_0")


def doses(p: Parameters) -> dict[int, str]:
    """Shares of rows updated, in thousandths, none first, in words."""
    return {0: "nothing updated", **{each: f"{each / 10:g} % updated" for each in p.updated_permille}}


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """Every share in both pools, a column more without updates, and none in the small pool again."""
    shares = doses(parameters)
    arms = [(f"{pool}_{each}", pool, each, True, "") for pool in POOLS for each in shares]
    arms += [(f"{pool}_not_covered", pool, 0, False, "") for pool in POOLS]
    for name, pool, each, covered, again in [*arms, (AA[0], "small", 0, True, " (A/A)")]:
        label = f"{shares[each] if covered else 'a column more'}, {POOLS[pool]}{again}"
        settings = {"small_pool": pool == "small", "updated_permille": each, "covered": covered}
        yield kit.Configuration(name, label, settings)


def needs(parameters: Parameters) -> kit.Needs:
    """Disk for the tables and their log, memory for the pool, a PostgreSQL, and what slows its reads."""
    mend = "read the published run: half of this chapter's configurations are on reads that are made slower"
    usable = partial(features.usable, reads=True, trips=False, mend=mend)
    trials, data = len([*configurations(parameters)]), parameters.data_bytes
    return features.clients.needs(parameters, trials, 4 * data, 2 * data, beside_s=3.0, usable=usable)


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """A private cluster with the tables; each trial leaves all of their pages visible to all, as it found them."""
    # The VACUUM of loading came before the log of the rows was on the disk, and marks no page.
    disk, extensions = needs(parameters).disk_bytes, ("pg_prewarm", "pg_visibility")
    with features.made(parameters, progress, disk, *extensions, covered=COVERED, after=vacuum) as found:
        yield Bench(parameters, *found)


COUNTED = """SELECT sum(idx_scan)::bigint, sum(idx_tup_fetch)::bigint, (SELECT sum(heap_blks_read)::bigint
    FROM pg_statio_user_tables) FROM pg_stat_user_indexes"""
"""Look-ups by index, rows that these fetched from heaps, and blocks of heaps read, until now."""
UPDATE = """UPDATE {table} SET feature_{last} = feature_{last} + 1
    WHERE (hashint8extended(updated_at, {seed}) & 1048575) < {below}"""
"""A new version of so many rows, chosen by a hash; no indexed column changes."""
Connection = psycopg.Connection[tuple[Any, ...]]


class Bench(features.clients.Bench[Parameters]):
    """Rows updated since the last VACUUM, look-ups of any key by a covering index, and the VACUUM at the end."""

    def settings(self) -> dict[str, kit.Scalar]:
        """Reads past the page cache by the server's own processes, slower or not; nothing works beside them."""
        plain = {"autovacuum": False, "max_connections": 20, "enable_seqscan": False, "enable_bitmapscan": False}
        return latency.settings(self.binaries) | plain

    def trial(self, planned: kit.PlannedTrial) -> features.clients.Found:
        """On a pool that holds the indexes, and the heaps where it has room for them."""
        p, own, data = self.parameters, planned.configuration.settings, self.data
        asked = COVERED if own["covered"] else features.FEATURES
        work = self.work(planned.seed, hot=False, pipeline=True, features=asked, warm_up_s=1)
        added = latency.add(self.cluster, read_ms=p.slow_read_ms)
        large = 1.5 * (self.heap_bytes + self.index_bytes)
        pool = self.index_bytes + p.beside_mib * 2**20 if own["small_pool"] else large
        with self.fresh({"shared_buffers": f"{round(pool / 2**20)}MB"}, added.environment):
            with pgbench.connect(self.cluster) as connection:
                with added.suspended():
                    below = int(own["updated_permille"] or 0) * 1048576 // 1000
                    for number, table in enumerate(data.tables if below else ()):
                        row = {"table": table, "last": features.FEATURES, "seed": planned.seed + number}
                        connection.execute(UPDATE.format(**row, below=below).encode())
                    hidden = hidden_pages(connection, data)
                    heaps = () if own["small_pool"] else data.tables
                    residency.prewarm(connection, (*heaps, *data.indexes))
                labels = {"settings": features.sessions.checked(connection)}
            before = self.counted(COUNTED)
            done = pgbench.run(self.cluster, work, pinned=self.cores)
            lookups, fetched, read = (int(each) for each in self.counted(COUNTED) - before)
            added.confirm(added.delayed())
            with pgbench.connect(self.cluster) as connection, added.suspended():
                vacuum_s = vacuum(connection, data)
        if done.failed or lookups != done.processed * p.n_tables:
            made = f"{done.processed:,} requests and {done.failed or 0} failed ones made {lookups:,} look-ups by index"
            raise MachineError(made, "report this")
        shares = {"fetched_share": fetched / lookups, "hidden_pages": hidden}
        return done, {**shares, "heap_reads": read / done.processed, "vacuum_s": vacuum_s}, labels


def hidden_pages(connection: Connection, data: features.Data) -> float:
    """Share of the heaps' pages that are not marked as visible to all."""
    asked = "SELECT pg_relation_size('{0}') / 8192, all_visible FROM pg_visibility_map_summary('{0}')"
    rows = [connection.execute(asked.format(table).encode()).fetchone() or (0, 0) for table in data.tables]
    every, visible = (sum(int(row[place]) for row in rows) for place in (0, 1))
    return 1 - visible / every


def vacuum(connection: Connection, data: features.Data) -> float:
    """Have every page marked, and say how many seconds that took; MachineError where one stays without its mark."""
    begun = time.monotonic()
    for table in data.tables:
        connection.execute(f"VACUUM {table}".encode())
    took = time.monotonic() - begun
    if hidden_pages(connection, data):
        raise MachineError("VACUUM left pages that are not marked as visible to all", "report this")
    return took


reduce = features.clients.reduce

METRICS = {
    **features.OF_CLIENTS,
    "fetched_share": kit.Metric(
        "share of the look-ups that visit the heap", "%", 100, format="{:.1f}".format, heading="visit the heap"
    ),
    "hidden_pages": kit.Metric(
        "share of the heaps' pages not marked as visible to all", "%", 100, "{:.1f}".format, "pages not marked"
    ),
    "heap_reads": kit.Metric("heap blocks read for a request", format="{:.2f}".format, heading="heap blocks read"),
    "vacuum_s": kit.Metric("time of VACUUM over all tables", "s", format="{:.3f}".format, heading="VACUUM"),
}
Summary = kit.Summary[Parameters]


def dose(pool: str, which: int) -> Callable[[Summary], str]:
    """The configuration with the fewest rows updated, or with the most."""
    return lambda summary: f"{pool}_{summary.parameters.updated_permille[which]}"


mean = kit.measured("latency_mean_ns")
fetched, hidden = kit.counted("fetched_share"), kit.counted("hidden_pages")
least, most = dose("small", 0), dose("small", -1)
NUMBERS = {
    "least": {pool: mean[dose(pool, 0)] / mean[f"{pool}_0"] for pool in POOLS},
    "most": {pool: mean[dose(pool, -1)] / mean[f"{pool}_0"] for pool in POOLS},
    "plain": {pool: mean[f"{pool}_not_covered"] / mean[f"{pool}_0"] for pool in POOLS},
    "most_over_plain": mean[most] / mean["small_not_covered"],
    "fetched_none": kit.percent(fetched["small_0"].mean),
    "fetched": {"least": kit.percent(fetched[least].mean), "most": kit.percent(fetched[most].mean)},
    "hidden": {"least": kit.percent(hidden[least].mean), "most": kit.percent(hidden[most].mean)},
    "reads_most": kit.counted("heap_reads")[most].mean,
    "vacuum": kit.counted("vacuum_s")[dose("large", -1)],
    "equal": mean[AA[0]] / mean[AA[1]],
}


def rows_per_page(summary: Summary) -> float:
    """Of the heaps as loaded."""
    rows = summary.parameters.n_tables * summary.parameters.rows_per_table
    return rows / (float(summary.run.provenance["heap_bytes"]) / 8192)


def independent(summary: Summary, which: int) -> float:
    """Share in % of pages with an updated row where rows are drawn independently: 1 - (1 - share) ^ rows of a page."""
    share: float = summary.parameters.updated_permille[which] / 10 / 100
    return float(100 * (1 - (1 - share) ** rows_per_page(summary)))


WORDS = {
    "few": lambda summary: f"{summary.parameters.updated_permille[0] / 10:g}",
    "many": lambda summary: f"{summary.parameters.updated_permille[-1] / 10:g}",
    "rows_per_page": rows_per_page,
    "expected_least": lambda summary: independent(summary, 0),
    "expected_most": lambda summary: independent(summary, -1),
    "index_mib": lambda summary: summary.run.provenance["index_bytes"] / 2**20,
    "heap_mib": lambda summary: summary.run.provenance["heap_bytes"] / 2**20,
}


FIGURES = {
    "latencies": kit.Dots(
        rows=lambda summary: doses(summary.parameters) | {"not_covered": "a column more"}, row="rows updated",
        series={label: mean[f"{pool}_{{}}"] for pool, label in POOLS.items()}, heading="pool",
        metric=METRICS[mean.name],
    ),
    "visits": kit.Dots(
        rows=lambda summary: doses(summary.parameters), row="rows updated", heading="share", axis="share (%)",
        series={"pages not marked": hidden["small_{}"].mean, "look-ups that visit the heap": fetched["small_{}"].mean},
        factor=100, scale="percent",
    ),
}  # fmt: skip
