"""Where RocksDB keeps a filter, by the size of its block cache, and what a filter or an index before it saves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Any, Self

import numpy as np
from pydantic import Field, model_validator

from benchbook import kit
from benchbook.caches import curve, trace
from benchbook.figures.prose import listed
from benchbook.measuring import kv

KIB = 1 << 10


class Parameters(kv.TurnParameters):
    """Defaults are the standard profile: a filter of 1.25 MB, and shards of 0.5 to 4 MiB."""

    blocks: int = kit.common("blocks", 6)
    rows: int = kit.common("rows", 1_000_000, 1_000, words="rows of the store, all in one file")
    value_bytes: int = kit.common("value_bytes", 16, 8, 4096)
    filter_bits: int = kit.param(10, 1, 100, "bits of the filter for each row")
    cache_mib: tuple[Annotated[int, Field(ge=1, le=65_536)], ...] = Field(
        (16, 32, 64, 80, 96, 128, 256), min_length=1, description="sizes of the block cache in MiB, growing"
    )
    control_kib: int = kit.param(
        512, 64, 1_048_576, "a cache in KiB that is smaller than the filter, however it is divided"
    )
    lookups: int = kit.common("lookups", 500, 8, 1_000_000)
    warm_lookups: int = kit.common("warm_lookups", 20_000, 8, 100_000_000)
    kept_samples: int = kit.common("kept_samples", 500)

    @model_validator(mode="after")
    def _control_is_smaller(self) -> Self:
        most = min(self.rows * self.filter_bits // 8, self.cache_mib[0] * kv.MIB) // KIB
        larger = f"control_kib={self.control_kib} must be less than {most}: than the filter, by rows and filter_bits, "
        kit.refuse([*self.cache_mib] != sorted({*self.cache_mib}), f"cache_mib={[*self.cache_mib]} must grow")
        kit.refuse(self.control_kib >= most, f"{larger}and than the smallest of cache_mib")
        return self

    @property
    def cache_kib(self) -> tuple[int, ...]:
        """All sizes of the cache, that of the control first."""
        return (self.control_kib, *(mib * KIB for mib in self.cache_mib))


WAYS = {"cached": "in the cache", "pinned": "pinned in the cache", "outside": "outside of the cache"}
"""Where the filter is kept."""
BEFORE = {"nothing": "nothing before RocksDB", "filter": "its filter", "alex": "ALEX before it"}
ASKED = {"absent": "keys that do not exist", "present": "keys that exist", "popular": "popular keys"}
"""What can spare RocksDB a search, and what is asked for; popular keys follow Zipf's law."""


def shards(cache_bytes: int) -> int:
    """Into how many parts RocksDB divides an LRU cache whose number of shards nobody sets.

    The largest power of two up to 64 whose shards have at least half a MiB (``GetDefaultCacheShardBits``).
    """
    return 1 << (min(64, max(1, cache_bytes // (512 * KIB))).bit_length() - 1)


def shard_mib(cache_kib: int) -> float:
    """Size of each part of a cache."""
    return cache_kib / KIB / shards(cache_kib * KIB)


def sized(cache_kib: int) -> str:
    """What figures call a cache."""
    return f"{cache_kib / KIB:g} MiB = {shards(cache_kib * KIB)} × {shard_mib(cache_kib):g}"


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """Every way at every size; then what helps for which keys, beside the largest cache. One of each part twice (A/A).

    The configurations of a part take turns with each other.
    """
    usual: dict[str, Any] = {"before": "filter", "asked": "present", "keys": "sequential"}
    arms = [(way, kib, f"{way}_{kib}", "") for kib in parameters.cache_kib for way in WAYS]
    for way, kib, name, more in [*arms, ("outside", parameters.cache_kib[1], "outside_again", " (A/A)")]:
        label = f"{WAYS[way]}, {sized(kib)}{more}"
        yield kit.Configuration(name, label, {"way": way, "cache_kib": kib, **usual}, "turns")
    store: dict[str, Any] = {"way": "outside", "cache_kib": parameters.cache_kib[-1], "keys": "random"}
    helped = [(asked, before, f"{asked}_{before}", "") for asked in ASKED for before in BEFORE]
    for asked, before, name, more in [*helped, ("absent", "filter", "absent_filter_again", " (A/A)")]:
        label = f"{ASKED[asked]}, {BEFORE[before]}{more}"
        yield kit.Configuration(name, label, {**store, "before": before, "asked": asked}, "what helps")


def request_of(parameters: Parameters, arm: kit.Configuration, seed: int) -> kv.Request:
    """What the probe is asked for in a trial.

    The write buffer holds all rows, which so come into one file; batches are short, since a look-up can take a
    millisecond and a turn is to hold several of them.
    """
    p, way, before = parameters, arm.settings["way"], arm.settings["before"]
    options: dict[str, Any] = {
        "engine": "rocksdb", "statistics": True, "write_ahead_log": False, "compression": "none",
        "bloom_bits": p.filter_bits if before == "filter" else 0,
        "block_cache_bytes": int(arm.settings["cache_kib"] or 0) * KIB,
        "cache_index_and_filter_blocks": way != "outside", "pin_level0": way == "pinned",
        "write_buffer_bytes": max(64 * kv.MIB, p.rows * (p.value_bytes + 128)),
    }  # fmt: skip
    options |= {"index": "alex", "index_load": "single"} if before == "alex" else {}
    run: dict[str, Any] = {"operations": p.lookups, "warm_operations": p.warm_lookups, "batch_operations": 8}
    run |= {"law": "zipf", "exponent": 0.99} if arm.settings["asked"] == "popular" else {"law": "uniform"}
    run |= {"absent": True} if arm.settings["asked"] == "absent" else {}
    load: dict[str, Any] = {"keys": arm.settings["keys"], "value_bytes": p.value_bytes, "batch_rows": 100_000}
    return kv.request(seed, options, p.rows, run, settle="flush", **load)


def read(asked: kv.Asked[Parameters]) -> kv.Reading:
    """The mean of the look-ups that count, and what RocksDB counted in all that followed the warm-up."""
    record, run, rows = asked.answer.record, asked.request["run"], int(asked.request["load"]["rows"])
    counters, made = record["counters"], kv.lookups_made(record, run)
    engine = counters["run"]["engine"]
    inserted = engine["tickers"].get("rocksdb.block.cache.filter.add", 0)
    misses = {what: f"rocksdb.block.cache.{what}.miss" for what in ("filter", "index", "data")}
    found: dict[str, float | None] = {
        **kv.looked_up(record, run),
        **{f"{what}_misses_per_lookup": kv.ticked(counters, "warm", name) / made for what, name in misses.items()},
        "file_bytes_per_lookup": kv.ticked(counters, "warm", *kv.READ_BYTES) / made,
        "rejected_per_lookup": kv.ticked(counters, "warm", "rocksdb.bloom.filter.useful") / made,
        "filter_bytes": engine["tickers"]["rocksdb.block.cache.filter.bytes.insert"] / inserted if inserted else None,
        "cache_capacity_bytes": kv.summed(engine, "rocksdb.block-cache-capacity"),
        "files_bytes": kv.summed(engine, "rocksdb.total-sst-files-size"),
        "table_files": kv.table_files(engine),
        "memtable_rows": kv.memtable_rows(engine),
        "written_ns_per_row": 1e9 * record["seconds"]["load_engine"] / rows,
    }
    if index := counters["run"].get("index"):
        found["index_bytes_per_row"] = index["bytes"] / rows
        found["indexed_ns_per_row"] = 1e9 * record["seconds"]["load_index"] / rows
    return kv.Reading(found, "batch", asked.answer.series["batch.service"])


PROBING = kv.Probing("RocksDB", ("RocksDB",), configurations, request_of, read)
needs, session, reduce = PROBING.needs, PROBING.session, kv.reduce

MISSES = kit.Metric("misses of the filter per look-up", format="{:.3g}".format, heading="filter")
METRICS = {
    **kv.METRICS,
    "filter_misses_per_lookup": MISSES,
    "index_misses_per_lookup": MISSES.but(words="misses of the index per look-up", heading="index"),
    "data_misses_per_lookup": MISSES.but(words="misses of data blocks per look-up", heading="data"),
    "file_bytes_per_lookup": kit.Metric("bytes read from the file per look-up", "KB", 1e-3, "{:,.1f}".format, "read"),
    "filter_bytes": kit.Metric("size of the filter", "MiB", 2**-20, "{:.3g}".format),
    "cache_capacity_bytes": kit.Metric("size of the block cache", "MiB", 2**-20, "{:g}".format),
    "files_bytes": kit.Metric("size of the file", "MB", 1e-6, "{:,.1f}".format, "file"),
    "rejected_per_lookup": kit.Metric("look-ups that the filter rejected", "%", 100, heading="rejected by the filter"),
    "written_ns_per_row": kit.Metric("time to write a row", "ns", heading="write of a row"),
    "indexed_ns_per_row": kit.Metric("time to enter a row's key into the index", "ns", heading="entry in ALEX"),
    "index_bytes_per_row": kit.Metric("bytes of the index for a row", "B", format="{:.1f}".format, heading="ALEX"),
}
Summary = kv.Summary[Parameters]
time, misses = kit.measured("lookup_mean_ns"), kit.counted("filter_misses_per_lookup")


def of_caches(summary: Summary) -> dict[int, np.ndarray]:
    """Misses of the filter per look-up where the cache is to hold it, by size in KiB, without that of the control."""
    return {kib: summary.values(f"cached_{kib}", misses.name) for kib in summary.parameters.cache_kib[1:]}


def turned_away(summary: Summary) -> list[int]:
    """The caches that turned the filter away in every trial: at least half of the look-ups missed it."""
    return [kib for kib, found in of_caches(summary).items() if found.min() >= 0.5]


def held(summary: Summary) -> list[int]:
    """Those that held it in every trial: at most a hundredth missed it."""
    return [kib for kib, found in of_caches(summary).items() if found.max() <= 0.01]


EDGES = ("away", "holds", "control")


def edge(summary: Summary, name: str) -> int:
    """In KiB: the largest cache that turned the filter away, the smallest that held it, or the control."""
    if name == "control":
        return summary.parameters.control_kib
    found = turned_away(summary)[-1:] if name == "away" else held(summary)[:1]
    if not found:
        raise kit.NotEstimableError("no cache of this run did so", "measure more sizes of the cache")
    return found[0]


def at(name: str, way: str) -> Callable[[Summary], str]:
    """Its configuration with the filter kept in one of the ways."""
    return lambda summary: f"{way}_{edge(summary, name)}"


def between(summary: Summary) -> str:
    """The caches that did neither in every trial; "" for none."""
    neither = {*summary.parameters.cache_kib[1:]} - {*turned_away(summary), *held(summary)}
    return listed([sized(kib) for kib in sorted(neither)]) if neither else ""


BESIDE_A_BLOCK = 120
"""Bytes that the cache keeps beside a block."""


def predicted(summary: Summary) -> dict[str, float]:
    """Misses of data blocks per look-up with the filter outside of the smallest cache of the sweep, and those measured.

    As an LRU of that many blocks in shards has them for random blocks (libCacheSim).
    """
    p, arm = summary.parameters, f"outside_{summary.parameters.cache_kib[1]}"
    if not (measured := summary.mean(arm, "data_misses_per_lookup")):
        raise kit.NotEstimableError("that cache holds all blocks", "measure a smaller cache")
    block = summary.mean(arm, "file_bytes_per_lookup") / measured
    blocks = int((summary.mean(arm, "files_bytes") - p.filter_bits * p.rows / 8) / block)
    keys = np.random.default_rng(3).integers(0, blocks, 400_000)
    places = summary.mean(arm, "cache_capacity_bytes") / (block + BESIDE_A_BLOCK)
    parts = shards(p.cache_kib[1] * KIB)
    [point] = curve.curve(trace.of_keys(keys), [places], curve.SHARDED, shards=parts, warm_up=0.5)
    return {"misses": 1 - point.hits, "measured": measured}


def in_the_file(summary: Summary) -> float:
    """Bytes of the filter for a row: what the file is larger by."""
    with_filter, without = (summary.mean(f"absent_{before}", "files_bytes") for before in ("filter", "nothing"))
    return (with_filter - without) / summary.parameters.rows


AA = ("outside_again", lambda summary: f"outside_{summary.parameters.cache_kib[1]}")
NUMBERS = {
    **{name: time[at(name, "cached")] / time[at(name, "outside")] for name in EDGES},
    **{f"{name}_pinned": time[at(name, "pinned")] / time[at(name, "outside")] for name in ("away", "control")},
    **{f"{name}_misses": misses[at(name, "cached")].mean for name in EDGES},
    **{f"{asked}_{before}": time[f"{asked}_{before}"] / time[f"{asked}_nothing"]
       for asked in ASKED for before in ("filter", "alex")},
    "alex_to_filter": time["absent_alex"] / time["absent_filter"],
    "rejected": kit.percent(kit.counted("rejected_per_lookup")["absent_filter"].mean),
    "entering": kit.measured("indexed_ns_per_row")["absent_alex"] / kit.measured("written_ns_per_row")["absent_alex"],
    "equal": time[AA[0]] / time[AA[1]],
    "equal_absent": time["absent_filter_again"] / time["absent_filter"],
}  # fmt: skip
WORDS = {
    "filter_mib": kit.mean(at("control", "cached"), "filter_bytes", 2**20),
    "file_mb": kit.mean("outside_again", "files_bytes", 1e6),
    "away_mib": lambda summary: edge(summary, "away") / KIB,
    "away_shard": lambda summary: shard_mib(edge(summary, "away")),
    "away_read": kit.mean(at("away", "cached"), "file_bytes_per_lookup", 2**20),
    "holds_mib": lambda summary: edge(summary, "holds") / KIB,
    "holds_shard": lambda summary: shard_mib(edge(summary, "holds")),
    "between": between,
    "predicted": predicted,
    "index_bytes": kit.mean("absent_alex", "index_bytes_per_row"),
    "filter_cost": in_the_file,
}


def caches(summary: Summary) -> dict[int, str]:
    """Each cache by its size, the smallest on top."""
    return {kib: f"{shard_mib(kib):g} MiB, of {kib / KIB:g}" for kib in summary.parameters.cache_kib}


FIGURES = {
    "times": kit.Dots(
        rows=caches, row="shard, of a cache", series={words: time[f"{way}_{{}}"] for way, words in WAYS.items()},
        heading="filter", metric=METRICS["lookup_mean_ns"],
    ),
}  # fmt: skip
