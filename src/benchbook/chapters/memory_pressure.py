"""Pools by their share of a memory that the data fill or exceed, with keys alike or popular; reads are capped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots
from pydantic import model_validator

from benchbook import kit, statistics
from benchbook.drawing import marks
from benchbook.drawing.regular import asked
from benchbook.engines.bounds.memory import SMALLEST_BYTES
from benchbook.engines.storage import devices, throttle
from benchbook.engines.storage.caps import SMALLEST_IOPS, Cap
from benchbook.errors import MachineError
from benchbook.figures import theme
from benchbook.measuring import pgbench
from benchbook.notes import table as note

POOLS = (12.5, 25.0, 37.5, 50.0, 62.5)
"""In % of the memory."""
CLAIMED, PRESSING, FAR = 0.625, 1.2, 4.0
"""Data over memory: 2.5 times the pool of 25 %, as in note 003's first round; that no longer fit; far beyond it."""
EXPONENT = 1.05
"""Of Zipf's law over the accounts, which are scattered over the pages: pgbench draws above 1 alone."""


class Line(NamedTuple):
    """Pools in the same data, asked for by the same workload. data: over memory."""

    words: str
    data: float
    pools: tuple[float, ...]
    popular: bool = False
    reads: bool = False

    def arm(self, pool: float, more: str = "") -> str:
        """Configuration name of a pool in % of the memory."""
        return name_of(self.data, pool, "_popular" * self.popular + "_reads" * self.reads + more)


LINES = {
    "625": Line("data 0.625 of memory", CLAIMED, POOLS),
    "12": Line("data 1.2 of memory", PRESSING, POOLS),
    "4": Line("data 4 of memory", FAR, (12.5, 25.0, 62.5)),
    "popular_12": Line("data 1.2, popular keys", PRESSING, (12.5, 25.0, 37.5, 62.5), popular=True),
    "popular_4": Line("data 4, popular keys", FAR, (12.5, 25.0, 37.5, 62.5), popular=True),
    "looked_up_4": Line("data 4, popular keys, look-ups", FAR, (12.5, 25.0, 62.5), popular=True, reads=True),
}
"""By what their numbers are called."""
Part = Literal["pair", "map", "popular", "uncapped"]


class Parameters(pgbench.StorageParameters):
    """Defaults are the standard profile: 630 MB of data, about twenty-five minutes a block."""

    blocks: int = kit.common("blocks", 2)
    scale: int = kit.common("scale", 40)
    clients: int = kit.common("clients", 10)
    bound_memory: bool = kit.param(
        True,
        words="bound the memory of server and page cache to the data over 0.625 to 4, and on top what the server "
        "takes beside its pool, by a control group; needs root, and is labelled where it cannot be done",
    )
    storage_iops: int = kit.param(
        0, 0, 1_000_000, "reads a second that the capped volume lets pass, from 20, writes being free; 0: half of what "
        "a pilot without a cap reads, so that reads decide; also by name: gp3_3000, gp3_16000 (EBS)",
    )  # fmt: skip
    parts: tuple[Part, ...] = kit.param(
        ("pair", "map", "popular", "uncapped"),
        words="what is measured: pools of 25 and 37.5 % with data of 0.625 times the memory (always), five pools with "
        "data of 0.625 and 1.2 times and three with 4, pools where some keys are popular, and as a control two with "
        "reads that nothing caps",
    )
    trial_seconds: int = kit.common("trial_seconds", 28)
    fill_seconds: int = kit.common(
        "fill_seconds", 18, words="discarded TPC-B run before a trial, with reads that nothing caps; 0: none"
    )
    read_ahead_kib: int = kit.param(
        8, 8, 65_536, "most that the kernel reads at once from the volume where a page of 8 KiB is asked for"
    )

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        least = max(float(arm.settings["data_over_ram"] or 1) for arm in configurations(self))
        smallest = int(self.data_bytes / least) + self.own_bytes
        twice = "pair" not in self.parts or len(set(self.parts)) != len(self.parts)
        through = "reads here go through the page cache, which an added delay does not reach; give 0"
        small = f"makes the smallest memory {smallest / 2**20:,.0f} MiB, in which no server starts"
        kit.refuse(twice, f"parts={list(self.parts)} must name pair and each part at most once")
        kit.refuse(self.storage_latency_ms > 0, f"storage_latency_ms={self.storage_latency_ms:g}: {through}")
        kit.refuse(self.bound_memory and smallest < SMALLEST_BYTES, f"scale={self.scale} {small}")
        return self

    @property
    def own_bytes(self) -> int:
        """What the server takes beside its pool, given to it on top of the memory that pool and page cache share."""
        return 32 * 2**20 + self.clients * 3 * 2**20

    @property
    def log_bytes(self) -> int:
        return pgbench.log_bytes(self, self.trial_seconds + self.fill_seconds)

    @property
    def memory_bytes(self) -> int:
        return int(self.data_bytes / CLAIMED) + self.own_bytes + 300_000_000


def name_of(data: float, pool: float, more: str = "") -> str:
    """Configuration name of a pool in % of the memory and of the data over it, such as data_1_2_pool_25."""
    return f"data_{data:g}_pool_{pool:g}{more}".replace(".", "_")


QUARTER, THREE_EIGHTHS = name_of(CLAIMED, 25), name_of(CLAIMED, 37.5)
AA = (f"{QUARTER}_again", QUARTER)


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """Every arm, in the order of the figures; what is compared stands together in a block.

    Without slow storage none is capped, and those that would repeat others are left out.
    """

    def arm(line: Line, pool: float, *, capped: bool, more: str = "", words: str = "") -> kit.Configuration:
        share = {"pool_over_ram": pool / 100, "pool_over_data": pool / 100 / line.data}
        settings = {"data_over_ram": line.data, **share, "popular": line.popular, "reads": line.reads, "capped": capped}
        return kit.Configuration(line.arm(pool, more), f"{line.words}, pool {pool:g} %{words}", settings, line.words)

    slow, parts = parameters.allow_slow_storage, parameters.parts
    for line in LINES.values():
        part = "popular" if line.popular else "map"
        for pool in line.pools:
            if part in parts or line.arm(pool) in (QUARTER, THREE_EIGHTHS):
                yield arm(line, pool, capped=slow)
            if line.arm(pool) == QUARTER:
                yield arm(line, pool, capped=slow, more="_again", words=" again (A/A)")
    if "uncapped" in parts and slow:
        for pool in (25.0, 62.5):
            yield arm(LINES["12"], pool, capped=False, more="_not_capped", words=", reads not capped")


def needs(parameters: Parameters) -> kit.Needs:
    """Of all trials, each with a certificate of its storage, and of the pilot."""
    p, looked = parameters, (5.0, 2.0) if parameters.allow_slow_storage else (0.0, 0.0)
    each = [p.fill_seconds + p.trial_seconds + looked[not arm.settings["capped"]] for arm in configurations(p)]
    pilot = p.fill_seconds + pgbench.storage.PILOT_SECONDS if p.allow_slow_storage and not p.storage_iops else 0
    return pgbench.needs(p, each, beside_s=3.0, once_s=pilot, usable=pgbench.capped.usable(p))


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """A private cluster with a template of the loaded tables; ``progress`` is told of the loading."""
    p = parameters
    with pgbench.storage.placed(p) as place:
        if place.volume is not None:
            devices.set_read_ahead(devices.Device(place.volume.device, place.volume.number), p.read_ahead_kib)
        with pgbench.tables.loaded(p.scale, p.disk_bytes, progress, "pg_prewarm", place=place) as found:
            arm = next(arm for arm in configurations(p) if arm.name == QUARTER)
            data = {"data_over_ram": PRESSING, "pool_over_data": 0.25 / PRESSING, "capped": False}
            pilot = replace(arm, settings={**arm.settings, **data})
            yield Bench(p, found, p.storage_iops).with_cap(progress, lambda: pilot)


def refaults(stat: Path | None) -> float:
    """Pages that the page cache was asked for again after it had dropped them for want of memory.

    stat: its memory.stat, of either version of control groups. NaN where nobody counts them.
    """
    # Of version 1 with the groups below, of version 2, and of kernels before 5.9.
    names = ("total_workingset_refault_file", "workingset_refault_file", "total_workingset_refault")
    try:
        found = dict(line.split() for line in stat.read_text().splitlines()) if stat else {}
    except (OSError, ValueError):
        found = {}
    return next((float(found[name]) for name in names if name in found), np.nan)


@dataclass(frozen=True)
class Bench(pgbench.Capped[Parameters]):
    """Trials in memories of several sizes, the data being the same. iops: the reads that the cap lets pass."""

    def provenance(self) -> dict[str, Any]:
        """The family's, the cap of the reads, and what is given to the server on top of the shared memory."""
        p = self.parameters
        iops, ahead = (self.iops, p.read_ahead_kib) if p.allow_slow_storage else (None, None)
        return {**super().provenance(), "storage_iops": iops, "read_ahead_kib": ahead, "own_bytes": p.own_bytes}

    def piloted(self, arm: kit.Configuration) -> int:
        """The cap: half of what is read in a second without one."""
        p = self.parameters.model_copy(update={"trial_seconds": pgbench.storage.PILOT_SECONDS, "keep_going": False})
        found = replace(self, parameters=p).measure(kit.PlannedTrial(0, 0, arm, seed=p.seed)).metrics
        return max(SMALLEST_IOPS, round(0.5 * (found["tps"] or 0) * (found["disk_reads_per_transaction"] or 0)))

    def shared_by_both(self, arm: kit.Configuration) -> int:
        """Memory that pool and page cache share in a trial, in bytes."""
        return int(self.tables.data_bytes / float(arm.settings["data_over_ram"] or 1))

    def ram_bytes(self, arm: kit.Configuration) -> int:
        """The same, and what the server takes beside."""
        return self.shared_by_both(arm) + self.parameters.own_bytes

    def pool_blocks(self, arm: kit.Configuration) -> int:
        """Shared buffers in blocks of 8 KiB."""
        return pgbench.pool_blocks(float(arm.settings["pool_over_ram"] or 0) * self.shared_by_both(arm))

    def settings(self, arm: kit.Configuration) -> pgbench.Settings:
        """Note 003's of its second round, in ordinary pages and without compression of the log."""
        p = self.parameters
        return pgbench.NOTE_003 | {
            "shared_buffers": f"{self.pool_blocks(arm) * 8}kB",
            "huge_pages": "off",
            "max_connections": p.max_connections,
            "wal_compression": "off",
            "wal_buffers": "16MB",
            "checkpoint_timeout": "1h",
            "max_wal_size": "50GB",
            "min_wal_size": "32MB",
            "autovacuum_naptime": f"{p.fill_seconds + p.trial_seconds}s",
        }

    def slowness(self, arm: kit.Configuration) -> pgbench.storage.Slowness:
        """The cap of the reads of a configuration on slow storage."""
        return pgbench.storage.Slowness(Cap(read_iops=self.iops) if arm.settings["capped"] else Cap())

    def trial(self, planned: kit.PlannedTrial, bound: pgbench.MemoryBound) -> pgbench.Measured:
        """On caches that settled in a discarded run, with what counts the pressure around the measured seconds."""
        p, cluster, arm = self.parameters, self.tables.cluster, planned.configuration
        blocks, ram, came_back = self.pool_blocks(arm), self.shared_by_both(arm), np.nan
        part = pgbench.Part.READS if arm.settings["reads"] else pgbench.Part.WARM
        pressure, sampler = pgbench.Pressure(bound), pgbench.WaitSampler(cluster.connect, 0.25)
        stat = bound.group / "memory.stat" if bound.group else None

        @contextmanager
        def watching() -> Iterator[None]:
            nonlocal came_back
            with pressure:
                before = refaults(stat)
                with sampler:
                    yield
                came_back = refaults(stat) - before

        with self._lifted(arm):
            with pgbench.connect(cluster) as connection:
                pgbench.residency.prewarm(connection)
            if p.fill_seconds:
                self.run(self.workload(planned, p.fill_seconds, 1))
        with pgbench.connect(cluster) as connection:
            resident, dirty = pgbench.residency.pool_pages(connection)
        vacuumed = pgbench.tallies.autovacuums(cluster)
        done, _, metrics = self.counted(self.workload(planned, p.trial_seconds), watching(), part)
        end, now, kept = self.look(), bound.reading(), pgbench.subsample(done.latency_ns, 200)
        read_bytes, reads = (metrics[f"disk_read{each}_per_transaction"] for each in ("_bytes", "s"))
        return {
            **metrics,
            **reduce(kept),
            **pgbench.of_waits(sampler.waits, p.clients),
            **pressure.metrics(self.ram_bytes(arm)),
            "bytes_per_read": read_bytes / reads if read_bytes is not None and reads else None,
            "refaults_per_transaction": None if np.isnan(came_back) else came_back / max(1, done.processed),
            "own_bytes": None
            if now is None
            else float(now.used_bytes - now.cache_bytes - min(now.shared_bytes, blocks * 8192)),
            "autovacuums": pgbench.tallies.autovacuums(cluster) - vacuumed,
            "dirty_pool_start": float(dirty),
            "pool_used_share": resident / blocks,
            "pool_blocks": float(blocks),
            "ram_blocks": float(ram // 8192),
            **pgbench.at_end(end),
            "data_in_pool_end": end.pool / end.data,
            "held_twice_share_end": (
                None if end.os is None or end.either is None else (end.pool + end.os - end.either) / end.data
            ),
        }, {"transaction": kept}

    def workload(self, planned: kit.PlannedTrial, seconds: int, number: int = 0) -> pgbench.Workload:
        """TPC-B; where keys are popular with its accounts by Zipf's law, or its look-ups alone."""
        work, own = self.tpcb(planned, seconds, number), planned.configuration.settings
        if not own["popular"]:
            return work
        scale, script = self.parameters.scale, self.tables.cluster.folder / "transaction.sql"
        accounts = 100_000 * scale
        account = f"permute(random_zipfian(1, {accounts}, {EXPONENT}) - 1, {accounts}, 3) + 1"
        asks = pgbench.LOOK_UP if own["reads"] else pgbench.TPCB
        script.write_text(asks.format(account=account, branches=scale, tellers=10 * scale))
        return replace(work, script=script)

    @contextmanager
    def _lifted(self, arm: kit.Configuration) -> Iterator[None]:
        """Lift the cap of a trial meanwhile, so that the caches settle sooner; whoever capped removes it in the end."""
        volume, cap = self.tables.place.volume, self.slowness(arm).cap
        if volume is None or not cap:
            yield
            return
        rules = throttle.find()
        rules.put(volume.number, Cap())
        yield
        rules.put(volume.number, cap)
        if (found := rules.rule(volume.number)) != cap:
            raise MachineError(f"the kernel made {found} of a cap of {cap}", "measure again")


reduce = pgbench.reduce

SPENT, share, some = pgbench.SPENT, pgbench.percent, partial(kit.Metric, format="{:.2f}".format)
METRICS = {
    **pgbench.METRICS,
    **{name: metric for name, metric in SPENT.items() if name != "transactions"},
    "user_s_per_transaction": SPENT["user_s_per_transaction"].but(heading="user time"),
    "system_s_per_transaction": SPENT["system_s_per_transaction"].but(heading="system time"),
    "reads_per_transaction": some(SPENT["reads_per_transaction"].words, heading="pages read into the pool"),
    "disk_reads_per_transaction": some(SPENT["disk_reads_per_transaction"].words, heading="reads from the device"),
    "disk_writes_per_transaction": some(SPENT["disk_writes_per_transaction"].words, heading="writes to the device"),
    "bytes_per_read": kit.Metric("size of a read from the device", "KiB", 2**-10, "{:.1f}".format, "size of a read"),
    "refaults_per_transaction": some(
        "number of pages of 4 KiB that came back into the page cache per transaction", heading="pages that came back"
    ),
    "own_bytes": kit.Metric(
        "memory of the server beside its pool", "MiB", pgbench.MIB, heading="server beside its pool"
    ),
    "least_available_share": share("least available memory, page cache included", "least available memory"),
    "pool_used_share": share("share of the pool in use"),
    "dirty_pool_start": kit.Metric("number of changed pages in the pool at the start"),
    "resident_share_end": share("share of the data in either cache at the end", "data in either cache"),
    "held_twice_share_end": share("share of the data in both caches at the end", "data in both caches"),
    "data_in_pool_end": share("share of the data in the pool at the end", "data in the pool"),
    "data_in_os_cache_end": share("share of the data in the page cache at the end", "data in the page cache"),
    "ram_blocks": kit.Metric("number of blocks that pool and page cache can hold"),
    **{f"{name}_share_of_requests": share(f"share of requests served by the {by}")
       for name, by in {"pool": "pool", "os": "page cache", "device": "device"}.items()},
    **pgbench.WAITED,
    "wait_read_share": share("share of the clients that wait for a read", "clients that wait for a read"),
    "storage_read_iops": kit.Metric("reads of 8 KiB that the storage did in a second"),
    "storage_read_p50_us": kit.Metric("median time of a read of 8 KiB", "µs"),
    "wal_bytes": kit.Metric("log written", "MiB", pgbench.MIB),
}  # fmt: skip


class Summary(pgbench.Summary[Parameters]):
    """One run."""

    REMEDY = "measure all parts, with allow_slow_storage=true, as root"

    def departures(self) -> list[str]:
        free = "reads that are not capped" * (not self.parameters.allow_slow_storage)
        return [*filter(None, [free]), *(each for each in super().departures() if "compressed" not in each)]


checks = pgbench.treatment.full_pools


def evicts(summary: Summary) -> str:
    """Why the pool of a quarter had no page to keep that a larger one would; "" where it evicted some in each trial."""
    evicted = summary.values(QUARTER, "evictions")
    none = int((evicted == 0).sum())
    return f"the pool of 25 % evicted nothing in {none} of {len(evicted)} trials" if none else ""


def presses(summary: Summary) -> str:
    """Why no pool left too little to the page cache; "" where that of a quarter read from the device in each block."""
    least = summary.values(name_of(PRESSING, 25), "disk_reads_per_transaction").min()
    few = f"a transaction read as few as {least:.2g} pages from the device"
    return "" if least >= 0.01 else f"with a pool of 25 % and data of {PRESSING:g} times the memory {few}"


def departs(summary: Summary) -> str:
    """How the trials of the claims' data depart from what the claims name; "" where they do not."""
    p, free = summary.parameters, ""
    if not p.allow_slow_storage:
        free = "reads as fast as this machine's disk where the claim names a cap"
    elif p.storage_iops:
        free = f"reads capped at {p.storage_iops:,} a second where the claim names half of a pilot's"
    # The least of note 003's rounds 2 and 3.
    few = pgbench.treatment.too_few(summary, [name_of(data, 25) for data in (CLAIMED, PRESSING)], 0.51)
    return " and ".join(filter(None, (free, few)))


def best(summary: Summary) -> kit.Effect:
    """Largest ratio of the TPS of another pool to that of 25 %, with data of both sizes that the claim names.

    The intervals of all eight hold together (Bonferroni): each ratio is taken within its block, and stands against 1.
    """
    found = {
        name_of(data, pool): summary.values(name_of(data, pool), "tps") / summary.values(name_of(data, 25), "tps")
        for data in (CLAIMED, PRESSING) for pool in POOLS if pool != 25
    }  # fmt: skip
    return kit.outermost(summary.estimated(statistics.many_to_one, np.ones(summary.run.blocks), found).values())


def drift(summary: Summary, pool: float) -> kit.Effect:
    """Throughput in the last third of a trial over that in its first, with data that press: 1 where it had settled."""
    every = [summary.values(name_of(PRESSING, pool), part) for part in PARTS]
    return summary.estimated(statistics.ratio, np.mean(every[-40:], axis=0), np.mean(every[:40], axis=0))


def digits(pool: float) -> str:
    """Of a pool in %, for the names of numbers: 12_5, 25."""
    return f"{pool:g}".replace(".", "_")


PARTS = pgbench.courses.parts_of("part_{}_tps")
tps, reads, both = kit.measured("tps"), kit.counted("disk_reads_per_transaction"), kit.counted("held_twice_share_end")
pages = kit.counted("reads_per_transaction")
EVERY = {f"{name}_{digits(pool)}": (line, pool) for name, line in LINES.items() for pool in line.pools}
FREE = {digits(pool): name_of(PRESSING, pool, "_not_capped") for pool in (25, 62.5)}
GAINS = {name: tps[line.arm(pool)] / tps[line.arm(25)] for name, (line, pool) in EVERY.items() if pool != 25}
SAME = tps[AA[0]] / tps[AA[1]]
NUMBERS = {
    "misses": (pages[THREE_EIGHTHS] / pages[QUARTER]).but(idle=evicts, departs=departs),
    "best_share": kit.custom(
        best, kit.Quantity.COMPARISON, *(name_of(data, pool) for data in (CLAIMED, PRESSING) for pool in POOLS),
        aa="tps", idle=pgbench.treatment.every(evicts, presses), departs=departs,
        working=lambda _: "The intervals hold together for eight comparisons",
    ),
    "tps": GAINS,
    "reads": {name: reads[line.arm(pool)].mean for name, (line, pool) in EVERY.items()},
    "twice": {digits(pool): kit.percent(both[name_of(PRESSING, pool)].mean) for pool in (25, 37.5, 62.5)},
    "free": tps[FREE["62_5"]] / tps[FREE["25"]],
    "free_reads": {name: reads[arm].mean for name, arm in FREE.items()},
    "lifted": tps[FREE["25"]] / tps[name_of(PRESSING, 25)],
    "drift": {digits(pool): kit.told(drift, pool, quantity=kit.Quantity.PARTS) for pool in (25, 62.5)},
    "same": SAME,
}  # fmt: skip


def every(summary: Summary, metric: str) -> np.ndarray:
    """A metric of all trials that have it."""
    return np.concatenate([summary.values(arm, metric) for arm in summary.having(summary.arms, metric)])


def noted(summary: Summary) -> dict[str, float]:
    """Of the note's first round, by its raw report: reads from its volume, in a second and in a transaction."""
    first = note("raw/r8g_reports").query("note_name == 'Round 1'").iloc[0]
    return {"reads": float(first["data_reads_per_s"]), "each": float(first["data_reads_per_s"] / first["tps"])}


WORDS: dict[str, Callable[[Summary], Any]] = {
    "apparatus": Summary.apparatus,
    "noted": noted,
    "capped": lambda summary: bool(summary.parameters.allow_slow_storage),
    "certified": lambda summary: summary.mean(QUARTER, "storage_read_iops"),
    "read_kib": lambda summary: float(every(summary, "bytes_per_read").max()) / 1024,
    "own_most": lambda summary: float(every(summary, "own_bytes").max()) / 2**20,
    "to_device_25": pgbench.mean(name_of(PRESSING, 25), "device_share_of_requests", 0.01),
    "to_device_62_5": pgbench.mean(name_of(PRESSING, 62.5), "device_share_of_requests", 0.01),
    "own_given": lambda summary: summary.parameters.own_bytes / 2**20,
    "available": lambda summary: float(every(summary, "least_available_share").min()),
}
MEND = "measure again with `benchbook run memory_pressure`"
BASE = statistics.exact(1.0)
"""A pool of 25 % over itself."""


def gain(line: Line, summary: Summary, pool: float) -> kit.Estimate:
    """Throughput over that with a pool of 25 %."""
    found = (tps[line.arm(pool)] / tps[line.arm(25)])(summary)
    return BASE if pool == 25 else found


def read(line: Line, summary: Summary, pool: float) -> kit.Estimate:
    return reads[line.arm(pool)].mean(summary)


def pressed(summary: Summary) -> kit.Drawn | kit.Blank:
    """Throughput over that with a quarter of the memory, and device reads, by pool: a line for data and keys."""
    asks = {"throughput over that with 25 %": gain, "device reads per transaction": read}
    gains, levels = panels = [
        asked(summary, {line.words: partial(ask, line) for line in LINES.values()}, POOLS) for ask in asks.values()
    ]
    if not levels or all(each is BASE for found in gains.values() for each in found.values()):
        return kit.Blank("This run did not measure pools of several sizes", MEND)
    plot, rows = make_subplots(rows=2, cols=1, shared_xaxes=True, subplot_titles=[*asks], vertical_spacing=0.12), []
    for row, (head, panel) in enumerate(zip(asks, panels, strict=True), start=1):
        for place, (name, found) in enumerate(panel.items()):
            named = {f"pool {pool:g} %": each for pool, each in found.items()}
            plot.add_scatter(
                x=[pool + 0.6 * place for pool in found],  # each a little to the right, for the intervals' sake
                y=[each.point for each in found.values()], error_y=marks.bars(found.values()),
                mode="lines+markers", name=name, showlegend=row == 1, legendgroup=name,
                line={"color": marks.COLOURS[place % 6], "dash": theme.DASHES[place % 6], "width": 2},
                marker=marks.of_series(place),
                row=row, col=1, **marks.hover(name, named, 1.0, "", "blocks"),
            )  # fmt: skip
            rows += [(name, pool, head, each.point, each.low, each.high) for pool, each in found.items()]
    plot.add_hline(y=1, line={"color": marks.COLOURS[5], "dash": "dot"}, row=1, col=1)
    plot.update_yaxes(title="TPS over 25 %", row=1, col=1)
    plot.update_yaxes(title="reads", rangemode="tozero", row=2, col=1)
    plot.update_xaxes(tickvals=[*POOLS], ticktext=[f"{pool:g}" for pool in POOLS])
    plot.update_xaxes(title="pool in % of the memory", row=2, col=1)
    plot.update_annotations(font_size=13)
    plot.update_layout(height=560)
    table = pd.DataFrame(rows, columns=["data", "pool (% of memory)", "what", "value", "low", "high"])
    estimates = [e for panel in panels for found in panel.values() for e in found.values() if e is not BASE]
    said = {name: (found, levels.get(name, {})) for name, found in gains.items()}
    return kit.Drawn(plot, table, said, estimates, own={"n": len(said)})


def tiers(summary: Summary) -> kit.Drawn | kit.Blank:
    """Where a block was served that the pool lacked: by page cache or device, for each pool with data that press."""
    metrics = {"device_share_of_requests": "device", "os_share_of_requests": "page cache"}
    known = {pool: arm for pool in POOLS if summary.has(arm := name_of(PRESSING, pool), *metrics)}
    if not known:
        return kit.Blank("Nobody counted in this run where blocks were served", "measure on Linux")
    plot, shares = go.Figure(), {}
    for place, (metric, by) in enumerate(metrics.items()):
        shares[by] = {f"pool {pool:g} %": 100 * summary.mean(arm, metric) for pool, arm in known.items()}
        marks.add_bars(plot, place, by, shares[by])
    plot.update_layout(barmode="stack", height=120 + 42 * len(known), legend_traceorder="normal")
    plot.update_xaxes(title="share of the requests for a block (%)", rangemode="tozero")
    plot.update_yaxes(autorange="reversed")
    rows = [{"pool": pool, "served by": by, "%": v} for by, own in shares.items() for pool, v in own.items()]
    return kit.Drawn(plot, pd.DataFrame(rows), shares, own={"n": len(known)})


FIGURES = {
    "map": pressed,
    "tiers": tiers,
    "claims": kit.ClaimFigure(),
}  # fmt: skip
