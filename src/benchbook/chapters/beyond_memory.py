"""Look-ups in a Badger store that memory holds in part, by compression, memory and the block cache's part of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from benchbook import files, kit
from benchbook.measuring import badger
from benchbook.measuring.storage import check
from benchbook.numbers import summary

COMPRESSIONS = {"none": "not compressed", "snappy": "Snappy", "zstd": "ZSTD"}
CACHES = {"small": 0.125, "large": 0.5}
"""Part of the memory that the block cache is allowed; the rest is the kernel's for the files, and the process's own."""
LEAST_MEMORY_MIB, PROCESS_BYTES, BESIDE_S = 64, 1_000_000_000, 2.0
"""Below which no process starts in a bounded memory; memory beside the bound; a trial's time beside its look-ups."""


class Parameters(kit.ExperimentParameters):
    """Defaults are the standard profile: a store of 2.1 GB, of many tables."""

    blocks: int = kit.common("blocks", 2)
    lookup_rows: int = kit.param(5_000_000, 1_000, 1_000_000_000, "rows of 400 bytes in each of the stores")
    memory_percent: tuple[Annotated[int, Field(ge=5, le=400)], ...] = Field(
        (25, 50, 100), min_length=1, description="memory of process and page cache, in % of the store, growing"
    )
    workers: int = kit.param(8, 1, 1_000, "workers that look up at the same time")
    lookup_warm_s: float = kit.param(10, None, 3_600, "look-ups before the measured ones", above=0)
    lookup_s: float = kit.param(3, None, 60, "measured look-ups of a trial", above=0)
    block_bytes: int = kit.param(4096, 1024, 1 << 20, "BlockSize: uncompressed bytes of a block, at about")
    mem_table_mib: int = kit.param(64, 1, 4096, "MemTableSize in MiB: what is flushed as one table")
    base_table_mib: int = kit.param(64, 1, 4096, "BaseTableSize in MiB")
    kept_samples: int = kit.common("kept_samples", 5_000)
    allow_slow_storage: bool = kit.param(
        True, words="put the stores on a volume of their own (a file behind a loop device, root only) with the usual "
        "read-ahead of 128 KiB; without it they lie on this machine's disk as it is",
    )  # fmt: skip

    @model_validator(mode="after")
    def _shares_grow(self) -> Self:
        shares = list(self.memory_percent)
        kit.refuse(shares != sorted(set(shares)), f"memory_percent={shares} must grow")
        begins = f"memory_percent={shares} begins with {(least := self.memory_mib(shares[0]))} MiB"
        needed = f"less than {LEAST_MEMORY_MIB}, for lookup_rows={self.lookup_rows}"
        kit.refuse(least < LEAST_MEMORY_MIB, f"{begins}, {needed}")
        return self

    def memory_mib(self, percent: int) -> int:
        """Of a configuration, from its share of the store."""
        return badger.lookups.size_bytes(self.lookup_rows) * percent // 100 >> 20


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """Each compression with each memory and each block cache, the first of them twice."""
    every = [(kind, share, cache) for kind in COMPRESSIONS for share in parameters.memory_percent for cache in CACHES]
    for place, (kind, share, cache) in enumerate([*every, every[0]]):
        again = place == len(every)
        label = f"{COMPRESSIONS[kind]}, memory {share} %, {cache} cache{' (A/A)' if again else ''}"
        yield badger.arm(
            "again" if again else f"{kind}_{share}_{cache}", label, 0, 0, scope="lookups", compression=kind,
            memory_percent=share, cache=cache, in_proportion=False, bounded=True, capped=False, dropped=False,
        )  # fmt: skip


def needs(parameters: Parameters) -> kit.Needs:
    """Disk for a store of each compression, memory for the largest bound, and the probe."""
    p: Any = parameters
    filling_s = len(COMPRESSIONS) * badger.lookups.size_bytes(p.lookup_rows) / badger.lookups.FILL_BYTES_PER_S
    block_s = len([*configurations(p)]) * (p.lookup_warm_s + p.lookup_s + BESIDE_S)
    return kit.Needs(
        badger.lookups.room_bytes(p, COMPRESSIONS) + badger.storage.SPARE_BYTES,
        (p.memory_mib(p.memory_percent[-1]) << 20) + PROCESS_BYTES,
        lambda: badger.identity(badger.Build.NOTE),
        (filling_s + p.blocks * block_s) / 60,
        lambda: check(allowed=p.allow_slow_storage),
    )


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[badger.Trials]:
    """A store of each compression, filled once, gone at the end."""
    p: Any = parameters
    scratch, least = files.scratch(needs(p).disk_bytes), p.memory_mib(p.memory_percent[0])
    with badger.lookups.filled(p, COMPRESSIONS, scratch, progress) as stores:

        def provenance() -> dict[str, Any]:
            return badger.identity(badger.Build.NOTE) | badger.lookups.surroundings(stores, least, ", not capped")

        yield badger.Trials(provenance, partial(measured, p, stores, scratch), p.kept_samples)


def measured(p: Any, stores: badger.lookups.Stores, scratch: Path, planned: kit.PlannedTrial) -> badger.Measured:
    """One trial, in the memory of its configuration."""
    arm, program = planned.configuration, badger.find(badger.Build.NOTE)
    memory = p.memory_mib(arm.settings["memory_percent"])
    cache = int(CACHES[str(arm.settings["cache"])] * memory)
    sized = replace(planned, configuration=replace(arm, settings={**arm.settings, "block_mib": cache}))
    own = p.model_copy(update={"lookup_memory_mib": memory})  # all that look-ups ask for
    found, latencies, labels = badger.lookups.measure(own, sized, program, stores, scratch)
    return found | {"memory_bytes": float(memory << 20), "cache_bytes": float(cache << 20)}, latencies, labels


reduce = badger.reduce

METRICS: kit.Metrics = {
    **badger.METRICS,
    "lookup_mean_ns": kit.Metric("mean of a look-up", "µs", 1e-3, heading="mean"),
    "memory_bytes": kit.Metric("memory of process and page cache", "MB", 1e-6, heading="memory"),
    "cache_bytes": kit.Metric("size of the block cache", "MB", 1e-6, heading="cache"),
}
Summary = summary.Summary[Parameters]


def of(kind: str, cache: str, which: int = 0) -> Callable[[Summary], str]:
    """The configuration with the least memory. which: -1 for that with the most."""
    return lambda summary: f"{kind}_{summary.parameters.memory_percent[which]}_{cache}"


time, read = kit.measured("lookup_mean_ns"), kit.counted("lookup_read_bytes")
hits = kit.share("lookup_hit_ratio", of="lookup_accesses")
PLAIN, SNAPPY = (time[of(kind, "large")] for kind in ("none", "snappy"))
FIRST, MOST = time[of("none", "small")], time[of("none", "small", -1)]
AA = ("again", FIRST.arms[0])
NUMBERS = {
    "large": {"plain": PLAIN / FIRST, "snappy": SNAPPY / time[of("snappy", "small")],
              "zstd": time[of("zstd", "large")] / time[of("zstd", "small")]},
    "snappy": SNAPPY / FIRST,
    "zstd": time[of("zstd", "large")] / SNAPPY,
    "all_memory": FIRST / MOST,
    "snappy_all": time[of("snappy", "small", -1)] / MOST,
    "hits": {"plain": kit.percent(hits[of("none", "large")]), "snappy": kit.percent(hits[of("snappy", "large")])},
    "read_plain": read[AA[1]].mean,
    "equal": time["again"] / FIRST,
}  # fmt: skip
KINDS = {f"{words}, {cache} cache": f"{kind}_{{}}_{cache}" for kind, words in COMPRESSIONS.items() for cache in CACHES}


def figure(metric: str, series: dict[str, kit.Values], scale: str = "log") -> kit.Dots:
    """By memory, for each compression and block cache."""
    return kit.Dots(
        rows=lambda summary: {share: f"{share} % of the store" for share in summary.parameters.memory_percent},
        row="memory", series=series, heading="store", metric=METRICS[metric], scale=scale,
    )  # fmt: skip


FIGURES = {
    "times": figure("lookup_mean_ns", {words: time[arm] for words, arm in KINDS.items()}),
    "reads": figure("lookup_read_bytes", {words: read[arm].mean for words, arm in KINDS.items()}, "zero"),
}
