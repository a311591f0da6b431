"""Four ways to read, by the read-ahead of the disk and the share of the files in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from time import monotonic
from typing import Annotated, Any, Self

import numpy as np
import pandas as pd
from pydantic import Field, model_validator

from benchbook import files, kit
from benchbook.engines import bounds
from benchbook.engines import kv as programs
from benchbook.engines.storage import devices
from benchbook.engines.storage.volumes import Volume, volume
from benchbook.errors import MachineError
from benchbook.measuring import kv, storage

MACHINES = -1
"""In place of KiB: the machine's own disk, with whatever read-ahead it has."""
MOST_MISSES = 0.01
"""Of RocksDB's filter for a look-up: with more, a time is that of reading filters."""


class Parameters(kit.ExperimentParameters):
    """Defaults are the standard profile: stores of some 300 MB, about fifteen minutes a block."""

    blocks: int = kit.common("blocks", 3)
    rows: int = kit.common("rows", 2_000_000, 10_000)
    value_bytes: int = kit.common("value_bytes", 100, 8, 4096)
    lookups: int = kit.param(
        2_000, 100, 1_000_000, "random look-ups, timed one by one, after as many that do not count"
    )
    memory_percent: tuple[Annotated[int, Field(ge=5, le=95)], ...] = Field(
        (10, 20, 50, 80, 95), min_length=1, description="shares of a store's files that memory holds, in %, growing"
    )
    read_ahead_kib: tuple[Annotated[int, Field(ge=0, le=65_536)], ...] = Field(
        (0, 128, 8_192), min_length=1, description="read-ahead of the volume in KiB, growing (Linux's default is 128)"
    )
    allow_slow_storage: bool = kit.param(
        True, words="put the stores on a volume of their own (a file behind a loop device), whose read-ahead can be "
        "set (root only); without it they lie on this machine's disk as it is",
    )  # fmt: skip
    kept_samples: int = kit.common("kept_samples", 500)

    @model_validator(mode="after")
    def _growing(self) -> Self:
        for name in ("memory_percent", "read_ahead_kib"):
            values = [*getattr(self, name)]
            kit.refuse(values != sorted({*values}), f"{name}={values} must grow")
        return self

    @property
    def sizes(self) -> tuple[int, ...]:
        """The read-aheads that are measured, in KiB; MACHINES where they cannot be set."""
        return self.read_ahead_kib if self.allow_slow_storage else (MACHINES,)

    @property
    def middle(self) -> int:
        """The share of memory that most figures show."""
        return self.memory_percent[len(self.memory_percent) // 2]


ROCKSDB: kv.Options = {**kv.uses.ROCKSDB_SMALL_CACHE, "write_ahead_log": False, "statistics": True}
ENGINES: dict[str, tuple[str, kv.Options]] = {
    "value_file": ("value file, mapped", kv.uses.VALUE_FILE),
    "sqlite": ("SQLite, mapped", kv.uses.SQLITE_BEST),
    "lmdb": ("LMDB, mapped", kv.uses.LMDB),
    "sqlite_calls": ("SQLite, by calls", {**kv.uses.SQLITE_BEST, "mmap_bytes": 0, "cache_kib": 2_000}),
    "rocksdb": ("RocksDB, by calls", {**ROCKSDB, "cache_index_and_filter_blocks": False}),
    "one_shard": ("RocksDB, filter in a cache of one shard", {**ROCKSDB, "cache_shard_bits": 0}),
    "as_tuned": ("RocksDB as the note tuned it", ROCKSDB),
}
"""By calls: pages are asked for by read calls and not by touching mapped memory, and the engine's own cache is small,
so that the page cache is what holds the file. RocksDB keeps its filter outside of that cache, as it does by default;
the other two keep it inside."""
FILTERED = ("rocksdb_", "one_shard_")
"""Configurations that must find RocksDB's filter."""
COMPARED = {name: label for name, (label, _) in ENGINES.items() if name not in ("one_shard", "as_tuned")}
"""At every share in memory; where a filter is kept is asked at the middle one alone."""


def named(kib: int) -> str:
    """A read-ahead in names."""
    return "own" if kib == MACHINES else str(kib)


def at(engine: str, kib: int, percent: int) -> str:
    """Configuration name."""
    return f"{engine}_{named(kib)}_{percent}"


def sized(kib: int) -> str:
    """A read-ahead in words."""
    if kib <= 0:
        return "none" if kib == 0 else "the machine's own"
    return f"{kib} KiB" if kib % 1024 else f"{kib // 1024} MiB"


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """Every engine at every share and read-ahead, and one of them twice (A/A)."""
    p = parameters
    arms = [(engine, kib, percent, at(engine, kib, percent), "")
            for percent in p.memory_percent for kib in p.sizes for engine in ENGINES
            if engine in COMPARED or percent == p.middle]  # fmt: skip
    again = ("value_file", p.sizes[0], p.middle, "value_file_again", ", again (A/A)")
    for engine, kib, percent, name, more in [*arms, again]:
        label, options = ENGINES[engine]
        settings: kv.Options = {
            "memory_percent": percent, "read_ahead_kib": kib, "batch_rows": 100_000,
            "settle": "compact" if options["engine"] == "rocksdb" else "nothing",
            **options, **kv.uses.FASTER_LOADING.get(str(options["engine"]), {}),
        }  # fmt: skip
        yield kit.Configuration(name, f"{label}, {percent} % in memory, read-ahead {sized(kib)}{more}", settings)


def request_of(parameters: Parameters, arm: kit.Configuration, seed: int) -> kv.Request:
    p, options = parameters, dict(arm.settings)
    _, _, *load = (options.pop(name) for name in ("memory_percent", "read_ahead_kib", "batch_rows", "settle"))
    run = {"law": "uniform", "operations": p.lookups, "warm_operations": max(p.lookups, 2_000), "timing": "queries"}
    return kv.request(seed, options, p.rows, run, value_bytes=p.value_bytes, batch_rows=load[0], settle=load[1])


def read(asked: kv.Asked[Parameters]) -> kv.Reading:
    """A trial's metrics and its single look-ups."""
    record, times = asked.answer.record, asked.answer.series["query.service"]
    found: kv.Metrics = {
        "lookups": float(kv.lookups_made(record, asked.request["run"])),
        "checked_reads": float(record["counters"]["run"]["checked_reads"]),
        **kv.quantiles(times, "query", ("mean_ns", "p50_ns", "p95_ns")),
    }
    if "statistics" in asked.arm.settings:
        missed = kv.ticked(record["counters"], "warm", "rocksdb.block.cache.filter.miss")
        found["filter_misses_per_lookup"] = missed / (found["lookups"] or 1.0)
    return kv.Reading(found, "query", times)


PROBING = kv.Probing("Value file, SQLite, LMDB, RocksDB", (), configurations, request_of, read)
reduce = kv.reduce


def largest(parameters: Parameters) -> int:
    """What the largest store takes on disk in bytes, with what it writes while it is filled."""
    return kv.costs.SPARE_BYTES + max(map(kv.costs.disk_bytes, PROBING.requests(parameters).values()))


def volume_mib(parameters: Parameters) -> int:
    """Size of the volume; 0 where there is none."""
    return -(-largest(parameters) >> 20) if parameters.allow_slow_storage else 0


def needs(parameters: Parameters) -> kit.Needs:
    """The family's, and a control group; where asked for, a volume, which takes root and a loop device."""
    p, family, asked = parameters, PROBING.needs(parameters), PROBING.requests(parameters)

    def usable() -> None:
        with bounds.memory(1 << 30) as bound:
            if not bound.bounded:
                raise MachineError(f"memory cannot be bounded here: {bound.label}", "measure as root")
        storage.check(allowed=p.allow_slow_storage)

    minutes = p.blocks * sum(kv.costs.seconds(request) + 6.0 for request in asked.values()) / 60  # slow look-ups
    return replace(family, disk_bytes=largest(p) + volume_mib(p) * 2**20, minutes=minutes, usable=usable)


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """The family's, its stores on a volume of their own whose read-ahead is set for each trial, or on the disk."""
    progress("finding the probe", 1.0)
    own = Bench(PROBING, parameters, programs.find(), files.scratch(needs(parameters).disk_bytes), None)
    if not parameters.allow_slow_storage:
        yield own
        return
    with volume(volume_mib(parameters), allowed=True) as place:
        yield replace(own, folder=place.folder, volume=place)


@dataclass(frozen=True)
class Bench(kv.Bench[Parameters]):
    """Trials in bounded memory. volume: on which their stores lie; None for the machine's own disk."""

    volume: Volume | None = None

    def provenance(self) -> dict[str, Any]:
        """The family's, and where the stores lie."""
        kept = "local disk" if self.volume is None else "a volume of their own, not capped"
        return {**super().provenance(), "storage": kept}

    def measure(self, planned: kit.PlannedTrial) -> kit.Trial:
        """Measure one configuration once; the page cache may hold 5 points more or less than what is asked for."""
        started_at, clock = datetime.now(UTC).isoformat(timespec="seconds"), monotonic()
        arm, asked = planned.configuration, self._request(planned)
        kib, share = (int(arm.settings[name] or 0) for name in ("read_ahead_kib", "memory_percent"))
        if self.volume is not None and kib != MACHINES:
            devices.set_read_ahead(devices.Device(self.volume.device, self.volume.number), kib)
        found = kv.bounded.ask(
            self.program, asked, self.parameters.lookups, self.folder, share / 100, full=True, spare_bytes=kv.MIB
        )
        counted, took_s = kv.counting(asked, found.answer), monotonic() - clock
        made = self._trial(planned, counted, found.answer, found.device_bytes, started_at, took_s)
        each = None if (drawn := found.device_bytes) is None else drawn / 1024 / float(made.metrics["lookups"] or 0)
        metrics = {"held_share": found.held_share, "device_kib_per_lookup": each}
        near = abs(found.held_share - share / 100) <= 0.05
        labels = {"memory": "bounded", "share": "as asked for" if near else "another share in memory"}
        return replace(made, metrics={**made.metrics, **metrics}, labels={**made.labels, **labels})


METRICS = {
    **kv.METRICS,
    "device_kib_per_lookup": kit.Metric("data read from the disk, over all look-ups, settling ones too", "KiB"),
    "read_kib": kit.Metric("data read from the disk per look-up", "KiB", 1, "{:,.1f}".format, "read"),
    "held_share": kit.Metric("share of the files in the page cache", "%", 100, heading="in memory"),
    "filter_misses_per_lookup": kit.Metric("filter misses per look-up", format="{:.3g}".format, heading="filter"),
    "checked_reads": kit.Metric("number of answers that were checked"),
}


class Summary(kv.Summary[Parameters]):
    def values(self, arm: str, metric: str) -> np.ndarray:
        """A time counts where memory held the share that was asked for, and look-ups found RocksDB's filter."""
        if metric == time.name and (why := refused(self.in_blocks(arm), filtered=arm.startswith(FILTERED))):
            raise kit.NotEstimableError(f"“{self.label(arm)}”: {why}", "see the table of all configurations")
        return super().values(arm, metric)

    def _values(self, arm: str, metric: str) -> np.ndarray | None:
        """Trials divide what the look-ups that count read by all of them, those that settle among them."""
        if metric != read_kib.name:
            return super()._values(arm, metric)
        each, lookups = (super(Summary, self)._values(arm, name) for name in ("device_kib_per_lookup", "lookups"))
        return None if each is None or lookups is None else each * lookups / self.parameters.lookups


def refused(trials: pd.DataFrame, *, filtered: bool) -> str:
    """Why the times of trials do not count; "" where they do. filtered: whether they must find RocksDB's filter."""
    if off := int(trials.get("share", pd.Series(dtype=object)).ne("as asked for").sum()):
        return f"in {off} trials memory held another share of the files"
    missed = trials.get("filter_misses_per_lookup", pd.Series(np.nan, trials.index))
    if not filtered or (missed <= MOST_MISSES).all():
        return ""
    return (
        "misses of its filter were not counted"
        if missed.isna().any()
        else f"its filter was missed {missed.max():.3g} times"
    )


def size(summary: Summary, which: str) -> int:
    """A read-ahead of this run: the smallest, the largest, or Linux's default."""
    sizes = summary.parameters.sizes
    if which == "usual" and 128 not in sizes:
        raise kit.NotEstimableError("Linux's default was not measured", "give read_ahead_kib with 128")
    if which == "most" and len(sizes) == 1:
        raise kit.NotEstimableError("one read-ahead was measured", "measure as root, with several read_ahead_kib")
    return {"least": sizes[0], "most": sizes[-1], "usual": 128}[which]


def arm(engine: str, which: str) -> Callable[[Summary], str]:
    """The configuration of an engine with such a read-ahead, at the share that most figures show."""
    return lambda summary: at(engine, size(summary, which), summary.parameters.middle)


def rows(summary: Summary) -> dict[str, str]:
    """Each read-ahead at that share, in words, the smallest on top."""
    p = summary.parameters
    return {f"{named(kib)}_{p.middle}": sized(kib) for kib in p.sizes}


def shares(summary: Summary) -> dict[str, str]:
    """Each share in memory under each read-ahead."""
    p = summary.parameters
    return {f"{named(kib)}_{each}": f"{each} % in memory, {sized(kib)}" for kib in p.sizes for each in p.memory_percent}


time, read_kib = kit.measured("query_mean_ns"), kit.counted("read_kib")
AA = ("value_file_again", arm("value_file", "least"))
SIZES = ("least", "usual", "most")
NUMBERS = {
    **{f"{each}_more": time[arm(each, "most")] / time[arm(each, "least")] for each in COMPARED},
    **{f"{each}_usual": time[arm(each, "usual")] / time[arm(each, "least")] for each in ("value_file", "lmdb")},
    "mapping": {which: time[arm("sqlite", which)] / time[arm("sqlite_calls", which)] for which in SIZES},
    "read": {which: read_kib[arm("value_file", which)] for which in SIZES},
    "calls": {which: read_kib[arm("sqlite_calls", which)] for which in ("least", "most")},
    "blocks": {which: read_kib[arm("rocksdb", which)] for which in ("least", "most")},
    "rocksdb": {which: time[arm("value_file", which)] / time[arm("rocksdb", which)] for which in SIZES},
    "shard": time[arm("one_shard", "least")] / time[arm("rocksdb", "least")],
    "tuned": time[arm("as_tuned", "least")] / time[arm("rocksdb", "least")],
    "tuned_misses": kit.counted("filter_misses_per_lookup")[arm("as_tuned", "least")].mean,
    "same": time["value_file_again"] / time[arm("value_file", "least")],
}
WORDS = {
    "least": lambda summary: sized(size(summary, "least")),
    "most": lambda summary: sized(size(summary, "most")),
    "several": lambda summary: len(summary.parameters.sizes) > 1,
    "off": lambda summary: int(summary.run.trials.filter(["share"]).ne("as asked for").to_numpy().sum()),
    "held": lambda summary: summary.run.trials["held_share"].dropna().agg(["min", "max"]).tolist(),
}
FIGURES = {
    "times": kit.Dots(
        rows=rows, row="read-ahead", series={label: time[f"{each}_{{}}"] for each, label in COMPARED.items()},
        heading="engine", metric=METRICS[time.name],
    ),
    "reads": kit.Dots(
        rows=rows, row="read-ahead", series={label: read_kib[f"{each}_{{}}"].mean for each, label in COMPARED.items()},
        heading="engine", metric=METRICS[read_kib.name], scale="zero",
    ),
    "memory": kit.Dots(
        rows=shares, row="share in memory, read-ahead", heading="engine",
        series={label: time[f"{each}_{{}}"] / time["sqlite_calls_{}"] for each, label in COMPARED.items()
                if each != "sqlite_calls"},
        axis="time of a look-up over that in SQLite by calls (below 1: faster)",
        quantity="time over SQLite's by calls", scale="log", rule=1, replicates="blocks",
    ),
}  # fmt: skip
