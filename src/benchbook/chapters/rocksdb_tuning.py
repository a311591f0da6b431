"""RocksDB's options by themselves and together, rows in the memtable and in files: what the note's tuning does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Self

import pandas as pd
from pydantic import Field, model_validator
from scipy.stats import gmean

from benchbook import kit, notes, statistics
from benchbook.claims.evidence import Inert
from benchbook.figures import mean_count
from benchbook.measuring import kv
from benchbook.numbers.inert import Control, Found, cannot_act

SMALLER_ROWS = (10_000, 100_000, 1_000_000)
"""The note's, for which it expects the same gain."""


class Parameters(kv.TurnParameters):
    """Defaults are the standard profile: the note's ten million rows and its 1,000 look-ups."""

    blocks: int = kit.common("blocks", 3)
    rows: int = kit.common("rows", 10_000_000, 2_000, words="rows of the store", asks="rows")
    smaller_rows: tuple[int, ...] = Field(
        SMALLER_ROWS, min_length=1, description="further numbers of rows in the benchmark, growing"
    )
    benchmark_lookups: int = kit.param(
        1_000, 100, 1_000_000, "its look-ups: at a fixed stride, each key once, none before them",
        asks="look-ups of the benchmark",
    )  # fmt: skip
    lookups: int = kit.common(
        "lookups", 100_000, words="look-ups of all other trials, after a tenth as many that do not count",
        asks="look-ups a trial",
    )  # fmt: skip
    slow_lookups: int = kit.param(
        500, 100, 1_000_000, "look-ups where an index or filter larger than a part of the block cache makes each slow"
    )
    load_batch_rows: int = kit.param(
        100_000, 100, 10_000_000, "rows of a write where rows must reach files; the benchmark writes all rows as one"
    )
    pilot_blocks: int = kit.common("pilot_blocks", 1)
    kept_samples: int = kit.common("kept_samples", 500)

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        sizes, smaller = [*self.smaller_rows, self.rows], f"smaller_rows={[*self.smaller_rows]}"
        few = f"benchmark_lookups={self.benchmark_lookups} different rows that are asked for"
        left = f"pilot_blocks={self.pilot_blocks} leaves none of blocks={self.blocks} to judge by"
        kit.refuse(sizes != sorted({*sizes}), f"{smaller} must grow and end below rows={self.rows}")
        kit.refuse(sizes[0] < self.benchmark_lookups, f"{smaller} and rows={self.rows} must each hold the {few}")
        kit.refuse(self.pilot_blocks >= self.blocks, left)
        return self


CACHED: kv.Options = {**kv.BEFORE, "cache_index_and_filter_blocks": True}
FILTER: kv.Options = {"bloom_bits": 10}
OUTSIDE: kv.Options = {"cache_index_and_filter_blocks": False}
LARGE: kv.Options = {"block_cache_bytes": 512 * kv.MIB}
USES: dict[str, tuple[str, kv.Options]] = {
    "before": ("before the change", kv.BEFORE),
    "bloom": ("Bloom filter", {**kv.BEFORE, **FILTER}),
    "cache": ("512 MB block cache", {**kv.BEFORE, **LARGE}),
    "cached_index": ("index and filter in the cache", CACHED),
    "pinned": ("these pinned for level 0", {**CACHED, "pin_level0": True}),
    "large_blocks": ("16 KB blocks", {**kv.BEFORE, "block_bytes": 16 * 1024}),
    "bloom_and_cache": ("Bloom filter and 512 MB cache", {**kv.BEFORE, **FILTER, **LARGE}),
    "after": ("all five options", kv.AFTER),
    "universal": ("universal compaction", {**kv.AFTER, "compaction": "universal"}),
    "direct": ("direct reads", {**kv.AFTER, "direct_reads": True}),
    "larger_cache": ("1 GB block cache", {**kv.AFTER, "block_cache_bytes": 1024 * kv.MIB}),
    "open_files": ("5,000 open files", {**kv.AFTER, "open_files": 5_000}),
    "compacted": ("a full compaction", kv.AFTER),
    "unpinned": ("all but pinning", {**kv.AFTER, "pin_level0": False}),
    "uncached_index": ("index and filter outside of the cache", {**kv.AFTER, **OUTSIDE}),
    "tight": ("RocksDB's defaults, 8 MB cache", {"block_cache_bytes": 8 * kv.MIB}),
    "relaxed": ("RocksDB's defaults, Bloom filter and 512 MB cache", {**FILTER, **LARGE}),
    "sqlite": ("SQLite as run", kv.uses.SQLITE_PER_QUERY),
}
"""Label and options, which bear what the note calls them."""
LABELS = {use: label for use, (label, _) in USES.items()}
SINGLES = ("bloom", "cache", "cached_index", "pinned", "large_blocks")
"""The note's five options one by one; pinning needs the one before it."""
ROUND_TWO = ("universal", "direct", "larger_cache", "open_files", "compacted")
"""What the note proposes next, and a full compaction."""
NAMED = {
    "again": ("before", " (A/A)"),
    "as_written": ("before", ", as written"),
    "parts": ("after", ", in parts"),
    "sqlite_beside_before": ("sqlite", ", beside before"),
    "sqlite_beside_after": ("sqlite", ", beside after"),
}
"""What is not called by its use. SQLite stands twice in the benchmark: beside each state of the note's engine."""
WAYS: dict[str, tuple[str, tuple[str, ...]]] = {
    "benchmark": ("benchmark", ("before", *SINGLES, "bloom_and_cache", "after", "again", "sqlite_beside_before",
                                "sqlite_beside_after")),
    "sizes": ("benchmark", ("before", "after")),
    "stride": ("stride, warm", ("before", "after", *ROUND_TWO, "sqlite", "again", "parts")),
    "uniform": ("uniform", ("before", "after", "larger_cache")),
    "random": ("random keys, uniform", ("before", "after")),
    "files": ("in files", ("as_written", "before", "bloom", "cache", "cached_index", "large_blocks", "after",
                           "larger_cache", "again")),
    "level0": ("in level 0", ("before", "after", "unpinned")),
    "defaults": ("in batches", ("tight", "relaxed")),
    "counted": ("counted", ("bloom", "before", "cache", "after", "uncached_index")),
}  # fmt: skip
"""Ways to look up, in words, and what is measured so. Benchmark: the note's, unwarmed, also at smaller sizes. Stride:
every key at a smaller stride, warm. Uniform, random: at random, of sequential and of random keys. All these go through
the note's whole engine, and rows are written as one. Files: RocksDB alone, rows in compacted files, or in the memtable
as written. Level0: alone, all rows in files of level 0. Defaults: alone, written in batches. Counted: alone, with
RocksDB's counters on, which cost time."""
ALONE = ("files", "level0", "defaults", "counted")
SLOW = ("files_cached_index", "files_after", "stride_compacted", "counted_after", "counted_uncached_index")
"""Where the index or the filter of one file, kept in the block cache, can be larger than each of the parts into which
RocksDB divides the cache: then every look-up reads it anew. The last of them is counted beside the one before it."""


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """Every arm that the claims of this chapter name, in the order of the figures."""
    p = parameters
    for kind, (words, names) in WAYS.items():
        small, way = kind == "sizes", "benchmark" if kind == "sizes" else kind
        for rows in p.smaller_rows if small else [p.rows]:
            for name in names:
                (use, more), arm = NAMED.get(name, (name, "")), f"{name}_{rows}" if small else f"{way}_{name}"
                compacted = arm == "stride_compacted" or way in ("files", "counted")
                in_memory = arm in ("files_as_written", "counted_bloom")
                settings: dict[str, kit.Scalar] = {
                    "way": way, "use": use, "rows": rows, "timing": "parts" if name == "parts" else "batches",
                    "settle": "flush" if way == "level0" else "compact" if compacted and not in_memory else "nothing",
                    "alone": way in ALONE, "slow": arm in SLOW,
                }  # fmt: skip
                label = f"{LABELS[use]}, {words}{f', {rows:,} rows' if small else ''}{more}"
                group = "" if way == "counted" else f"{way} {rows}" if small else way
                yield kit.Configuration(arm, label, settings, group)


def request_of(parameters: Parameters, arm: kit.Configuration, seed: int) -> kv.Request:
    p, settings = parameters, arm.settings
    way, use, rows = str(settings["way"]), str(settings["use"]), int(settings["rows"] or 0)
    keys = "random" if way == "random" else "sequential"
    options: dict[str, Any] = {"engine": "rocksdb"}
    if use != "sqlite" and not settings["alone"]:
        # A batch of random keys is sorted before its keys are given to the tree; the probe sorts what it loads in bulk.
        options = {**kv.ENGINE, "index_load": "bulk" if keys == "random" else "single"}
    options |= {**USES[use][1], **({"statistics": True} if way == "counted" else {})}
    settle = settings["settle"]
    in_batches = way in ("level0", "defaults") or (settle == "compact" and bool(settings["alone"]))
    load: dict[str, Any] = {"settle": settle, "batch_rows": p.load_batch_rows if in_batches else 0}
    return kv.request(seed, options, rows, asked_for(p, arm, rows), keys=keys, **load)


def asked_for(p: Parameters, arm: kit.Configuration, rows: int) -> dict[str, Any]:
    """Which keys are asked for, how many, and which before them."""
    way, slow = arm.settings["way"], arm.settings["slow"]
    if way == "benchmark" or arm.name == "counted_bloom":
        lookups = p.benchmark_lookups
        run = {"law": "stride", "stride": rows // lookups, "operations": lookups, "timing": "batches"}
        return run | {"batch_operations": min(100, lookups)}
    lookups = p.slow_lookups if slow else p.lookups
    # Hits are counted after a warm-up of the same length.
    run = {"operations": lookups, "warm_operations": lookups if way == "counted" else lookups // 10}
    run |= {"timing": arm.settings["timing"]} | ({"batch_operations": 10} if slow else {})
    if way == "stride":  # after a prime: what warms comes from everywhere and not from the keys that are measured
        return run | {"law": "stride", "stride": max(1, rows // lookups), "warm_stride": 7_919}
    return run | {"law": "uniform"}


def read(asked: kv.Asked[Parameters]) -> kv.Reading:
    """A trial's metrics, and its one series of times. What an engine does not have is missing, never 0."""
    answer, run, record = asked.answer, asked.request["run"], asked.answer.record
    counters, made = record["counters"], kv.lookups_made(record, run)
    engine = counters["run"]["engine"]
    found = kv.queried(record, run) | kv.where_rows_lie(engine)
    series = "query" if run["timing"] == "parts" else "batch"
    times = answer.series[f"{series}.service"]
    if series == "query":
        for name in ("index", "engine"):
            found[f"{name}_share"] = float(answer.series[f"{name}.service"].mean() / times.mean())
    if "files_at_level" in engine:
        found["cache_capacity_bytes"] = kv.summed(engine, "rocksdb.block-cache-capacity")
    if "tickers" in engine:  # of the look-ups; bytes from files since the store was settled, warming included
        cache = "rocksdb.block.cache.data."
        hits, misses = (kv.ticked(counters, "warm", f"{cache}{each}") for each in ("hit", "miss"))
        every = made + int(run.get("warm_operations", 0))
        found |= {
            "filtered_share": kv.ticked(counters, "warm", "rocksdb.bloom.filter.useful") / made,
            "block_requests": hits + misses,
            "block_cache_hit_ratio": hits / (hits + misses) if hits + misses else None,
            "file_bytes_per_lookup": kv.ticked(counters, "load", *kv.READ_BYTES) / every,
        }
    labels = {"engine": f"{record['engine']} {record['engine_version']}"}
    return kv.Reading(found, series, times, labels)


def once(arm: kit.Configuration, request: kv.Request) -> bool:
    """A slow batch does not fit into a turn."""
    return bool(arm.settings["slow"]) or kv.unwarmed(arm, request)


PROBING = kv.Probing("RocksDB and SQLite", ("RocksDB", "SQLite"), configurations, request_of, read, once=once)
needs, session, reduce = PROBING.needs, PROBING.session, kv.reduce

METRICS = {
    **kv.METRICS,
    "insert_s": kit.Metric("time to insert all rows", "s", 1, "{:.3g}".format, "insert"),
    "level0_files": kit.Metric("number of files in level 0", "", 1, mean_count, "of them in level 0"),
    "files_bytes": kit.Metric("size of all table files", "MB", 1e-6, "{:,.1f}".format, "table files"),
    "cache_capacity_bytes": kit.Metric("size of the block cache", "MiB", 2**-20, "{:,.0f}".format),
    "index_share": kit.Metric("the index's share of a query's time", "%", 100),
    "engine_share": kit.Metric("RocksDB's share of a query's time", "%", 100),
    "filtered_share": kit.Metric("look-ups per filter that skipped a file", "%", 100),
    "block_requests": kit.Metric("number of data blocks asked for"),
    "block_cache_hit_ratio": kit.Metric("hit ratio of the block cache", "%", 100),
    "file_bytes_per_lookup": kit.Metric("bytes read from files per look-up", "bytes", 1, "{:,.1f}".format),
}


class Summary(kv.Summary[Parameters]):
    def departures(self) -> list[str]:
        left = [f"{rows:,} rows left out" for rows in SMALLER_ROWS if rows not in self.parameters.smaller_rows]
        return [*left, *super().departures()]

    def sizes(self) -> str:
        return f", {self.parameters.rows:,} rows unless stated otherwise"


PAIRS = {
    "benchmark": ("benchmark_again", "benchmark_before"),
    "stride": ("stride_again", "stride_before"),
    "files": ("files_again", "files_before"),
}
checks = kv.all_compared
AS = {"uniform": "stride", "random": "stride", "level0": "files", "defaults": "files", "counted": "files"}


def departs(summary: Summary) -> str:
    """What a claim names and this run has otherwise; the sizes are named by the claim about them alone."""
    return " and ".join(kit.other_numbers(summary.parameters))


def aa_gates(summary: Summary, answer: kit.Answer) -> list[kit.Gate]:
    """The state before the options against itself, measured as the claim's configurations are."""
    known = [arm for arm in answer.estimand.names(summary) if arm in summary.configurations]
    ways = {str(summary.configurations[arm].settings["way"]) for arm in known}
    pairs = sorted({PAIRS[AS.get(way, way)] for way in ways})
    return [summary.aa_gate(*pair, time.name, pairs=len(pairs)) for pair in pairs]


def without_files(summary: Summary) -> str:
    """That RocksDB had no file in some trial, so that what concerns files had nothing to act on."""
    without = int((summary.values("defaults_relaxed", "table_files") == 0).sum())
    label = summary.label("defaults_relaxed")
    why = "RocksDB had no file, and the options and a compaction act on files alone"
    return f"in {without} of {summary.run.blocks} trials of “{label}” {why}" if without else ""


def nothing_in_level_0(summary: Summary) -> str:
    """That pinning level 0 had no file to pin; "" where each trial had one."""
    least = min(float(summary.values(f"level0_{use}", "level0_files").min()) for use in ("after", "unpinned"))
    return "" if least else "in some trial level 0 had no file"


def no_file(*names: str, scope: str = "", refutes: bool = True) -> Found:
    """That the note's benchmark has no file at all, so what concerns files cannot act; the rest as in ``Inert``."""
    return cannot_act(
        "table_files", names, scope=scope, refutes=refutes, counted="RocksDB had 0 files in {} trials",
        why="as the note's benchmark writes its rows, all of them are in one memtable while it looks them up, and "
        "filters, block cache and compaction act on files alone",
        control=Control("files_before", "table_files",
                        "flushed and compacted, the same rows make at least {} file a trial", ""),
    )  # fmt: skip


def inert(number: kit.Values, scope: str = "") -> kit.Values:
    """The same, which cannot be the options' work where none of its configurations has a file."""
    return number.but(inert=no_file(*(arm for arm in number.arms if isinstance(arm, str)), scope=scope))


SCOPE = "this is so only while all rows are in one memtable: once they are in files, the setting can act"
time = kit.measured("query_mean_ns")
skipped, hits = kit.share("filtered_share", of="lookups"), kit.share("block_cache_hit_ratio", of="block_requests")
sizes, file_bytes = kit.counted("files_bytes"), kit.counted("file_bytes_per_lookup")
CANDIDATES = tuple(f"stride_{use}" for use in ROUND_TWO)
COMPACTIONS = ("stride_universal", "stride_compacted")
chosen, compaction = (kit.fastest(time, *arms, pilot="pilot_blocks") for arms in (CANDIDATES, COMPACTIONS))
best = kit.picked(time, *CANDIDATES, pilot="pilot_blocks")
whole, warm = time["benchmark_after"] / time["benchmark_before"], time["stride_after"] / time["stride_before"]
full_compaction = time["stride_compacted"] / time["stride_after"]
in_files = time["files_before"] / time["files_as_written"]
beside = {state: time[f"benchmark_sqlite_beside_{state}"] for state in ("before", "after")}
speedup = {state: sqlite / time[f"benchmark_{state}"] for state, sqlite in beside.items()}


def together(*pairs: str) -> kit.Values:
    """With the options over before, of several pairs of configurations together."""
    states = [[time[each.format(state)] for each in pairs] for state in ("after", "before")]
    after, before = (kit.blockwise(lambda *times: gmean(times), *each) for each in states)
    return inert(after / before)


def singles(summary: Summary) -> dict[str, kit.Effect]:
    """Of each of the five options by itself, from intervals that hold together."""
    values = {use: summary.values(f"benchmark_{use}", time.name) for use in SINGLES}
    return summary.estimated(statistics.many_to_one, summary.values("benchmark_before", time.name), values)


def single(use: str, summary: Summary) -> kit.Effect:
    return singles(summary)[use]


def best_without_files(summary: Summary) -> Inert | None:
    """That the compaction setting which the pilot chose had no file to act on, and what a full compaction costs."""
    try:
        setting, full = compaction(summary), full_compaction(summary)
    except kit.NotEstimableError:
        return None
    costs = f"a query with the options takes {kit.with_interval(full)} times as long then"
    return no_file(setting, "stride_after", scope=f"a full compaction makes a file, and {costs}; {SCOPE}")(summary)


def chosen_without_files(summary: Summary) -> Inert | None:
    """That the further setting which the pilot chose had no file to act on."""
    try:
        return no_file(chosen(summary), "stride_after", scope=SCOPE)(summary)
    except kit.NotEstimableError:
        return None


def stated_defaults(summary: Summary) -> float:
    """How many of the two defaults that the note states, 8 MiB and no filter, its project's release has."""
    cache, filters = (notes.reading(f"rocksdb_default_{each}") for each in ("block_cache_mib", "filter_policies"))
    return float((cache == 8) + (filters == 0))


SINGLE_ARMS = tuple(f"benchmark_{use}" for use in SINGLES)
IN_FILES = {"bloom": "bloom", "cache": "cache", "index": "cached_index", "large": "large_blocks", "all": "after",
            "larger": "larger_cache"}  # fmt: skip
NUMBERS = {
    "whole": inert(whole),
    "warm": inert(warm),
    "skipped": kit.percent(skipped["counted_bloom"]),
    "more_hits": kit.percent(hits["counted_cache"] - hits["counted_before"]),
    "relaxed": (time["defaults_relaxed"] / time["defaults_tight"]).but(idle=without_files),
    "removed": kit.percent((1 - in_files).but(inert=no_file("files_as_written"))),
    "further_lead": (time["stride_sqlite"] / best).after("pilot_blocks"),
    "further_gain": (time["stride_after"] / best).after("pilot_blocks").but(inert=chosen_without_files),
    "further_time": (best / time["stride_after"]).after("pilot_blocks"),
    "further_quotient": (best / time["stride_after"] / warm).after("pilot_blocks").but(inert=no_file(
        "stride_after", "stride_before", refutes=False,
        scope="gains of nothing, first and second, are diminishing returns; but no setting is their cause")),
    "gained": (speedup["after"] / speedup["before"]).but(inert=no_file("benchmark_after", "benchmark_before")),
    "beside": beside["after"] / beside["before"],
    "speedup": speedup["after"],
    "pair": inert(time["benchmark_bloom_and_cache"] / time["benchmark_before"]),
    "single": {use: kit.custom(partial(single, use), kit.Quantity.COMPARISON, *SINGLE_ARMS) for use in SINGLES},
    "slowest": kit.custom(
        lambda summary: kit.outermost(singles(summary).values()), kit.Quantity.COMPARISON, "benchmark_before",
        *SINGLE_ARMS, aa=time.name, inert=no_file("benchmark_before", *SINGLE_ARMS)),
    "uniform": together("uniform_{}", "random_{}"),
    "smaller": together(*(f"{{}}_{rows}" for rows in SMALLER_ROWS)),
    "level_0": time["level0_after"] / time["level0_before"],
    "pinning": (time["level0_after"] / time["level0_unpinned"]).but(idle=nothing_in_level_0),
    "in_files": in_files,
    "files": {name: time[f"files_{use}"] / time["files_before"] for name, use in IN_FILES.items()},
    "large_bytes": sizes["files_large_blocks"] / sizes["files_before"],
    "hits": {use: kit.percent(hits[f"counted_{use}"]) for use in ("before", "cache")},
    "cached_index_bytes": file_bytes["counted_after"] / file_bytes["counted_uncached_index"],
    "part": kit.percent(kit.share("engine_share", of="lookups")["stride_parts"].as_quantity(
        kit.Quantity.PARTS, time.name)),
    "universal": inert(time["stride_universal"] / time["stride_after"], SCOPE),
    "full_compaction": full_compaction,
    "direct": inert(time["stride_direct"] / time["stride_after"], SCOPE),
    "larger_uniform": inert(time["uniform_larger_cache"] / time["uniform_after"], SCOPE),
    "compaction": (kit.picked(time, *COMPACTIONS, pilot="pilot_blocks") / time["stride_after"]).after(
        "pilot_blocks").but(inert=best_without_files),
    "stated_defaults": kit.known(
        stated_defaults, "RocksDB 10.4.2, which the note's project builds, makes a block cache of "
        f"{notes.reading('rocksdb_default_block_cache_mib'):.0f} MiB and no filter by default"),
    "open_files": kit.known(lambda summary: notes.reading("rocksdb_default_max_open_files"),
                            "-1 means that RocksDB keeps every file open"),
}  # fmt: skip


USUAL_ROWS = 64 * 2**20 / 108
"""In a file of RocksDB's default size: with a key of 8 bytes and a value of 100 each."""
WORDS: dict[str, Callable[[Summary], Any]] = {
    "in_turns": lambda summary: kv.in_turns(summary.parameters),
    "release": lambda summary: next((each for each in summary.on().split(", ") if each.startswith("RocksDB")),
                                    "this release"),
    "held_rows": kit.mean("stride_after", "memtable_rows"),
    "table_files": kit.mean("stride_after", "table_files"),
    "all_in_memory": lambda summary: bool(
        summary.values("stride_after", "memtable_rows").min() >= summary.parameters.rows
        and summary.values("stride_after", "table_files").max() <= 0),
    "took_ms": lambda summary: summary.parameters.benchmark_lookups * kv.note.latency_us("OmenDB", "before") / 1e3,
    "files_mb": kit.mean("files_before", "files_bytes", 1e6),
    "row_bytes": lambda summary: summary.mean("files_before", "files_bytes") / summary.parameters.rows,
    "level0_files": kit.mean("level0_after", "level0_files"),
    "read_mb": kit.mean("counted_after", "file_bytes_per_lookup", 1e6),
    "read_uncached": kit.mean("counted_uncached_index", "file_bytes_per_lookup"),
    "filter_mb": lambda summary: 10 * summary.parameters.rows / 8e6,  # 10 bits a row
    "usual_file_mib": lambda summary: 64,
    "usual_rows": lambda summary: round(USUAL_ROWS, -4),
    "usual_filter_mb": lambda summary: 10 * USUAL_ROWS / 8e6,
    "settings": lambda summary: len(CANDIDATES),
    "chosen": lambda summary: LABELS[str(summary.configurations[chosen(summary)].settings["use"])],
    "default_cache_mib": lambda summary: notes.reading("rocksdb_default_block_cache_mib"),
}  # fmt: skip


def note_claims(summary: Summary) -> pd.DataFrame:
    """The five options as the note lists them."""
    return notes.table("omendb_optimizations").set_index("optimization")[["before", "after"]].rename_axis("option")


TABLES = {"note_claims": note_claims}
SPEEDUPS = {
    "benchmark, before": speedup["before"],
    "benchmark, all five options": speedup["after"],
    "every 100th key, before": time["stride_sqlite"] / time["stride_before"],
    "every 100th key, all five options": time["stride_sqlite"] / time["stride_after"],
    **{f"… and {LABELS[use]}": time["stride_sqlite"] / time[f"stride_{use}"] for use in ROUND_TWO},
}
"""SQLite over the engine by what was tuned."""
NOTE_GAIN = kv.note.latency_us("OmenDB", "after") / kv.note.latency_us("OmenDB", "before")
LARGER = {"larger_cache": "all five, with 1 GB of cache"}


def over(way: str, base: str) -> kit.Values:
    """A use's mean look-up over that of another, in one way to look up."""
    return time[f"{way}_{{}}"] / time[f"{way}_{base}"]


smaller = time["after_{}"] / time["before_{}"]
ratios = partial(kit.Dots, heading="look-ups", rule=1.0, replicates="blocks")
FIGURES = {
    "in_files": ratios(
        rows={use: LABELS[use] for use in (*SINGLES, "after")} | LARGER, row="options", height=180,
        series={"RocksDB alone, rows in files": over("files", "before")},
        axis="mean look-up / before the options (right of 1 = slower)", quantity="mean look-up / before the options",
    ),
    "options": ratios(
        rows={use: LABELS[use] for use in (*SINGLES, "bloom_and_cache", "after")} | LARGER, row="options",
        series={"the note's benchmark": over("benchmark", "before"),
                "every 100th key, warm": over("stride", "before")},
        axis="mean query / before the options (right of 1 = slower)", quantity="mean query / before the options",
        height=190, each=26,
        given=lambda summary: [kit.Given("the note", {"after": NOTE_GAIN})],
    ),
    "speedups": ratios(
        rows={row: row for row in SPEEDUPS}, row="state", heading="", height=180, each=28,
        series={"here": lambda summary, row: SPEEDUPS[row](summary)},
        axis="SQLite's mean look-up / the engine's (right of 1 = engine faster)",
        quantity="SQLite's mean look-up / the engine's", table_only=lambda summary: [f"… and {LABELS['compacted']}"],
        given=lambda summary: [
            kit.Given("the note", {"benchmark, before": kv.note.printed()[10_000_000],
                                   "benchmark, all five options": kv.note.speedup_after()}),
            kit.Given("the note's target", dict.fromkeys(SPEEDUPS, 2.0), line="dash", listed=False),
        ],
    ),
    "further": ratios(
        rows={use: LABELS[use] for use in ROUND_TWO}, row="setting", height=180, each=28,
        series={"every 100th key": over("stride", "after"), "uniform keys": over("uniform", "after")},
        axis="mean query / with the five options alone (right of 1 = slower)",
        quantity="mean query / with the five options", table_only=lambda summary: ["compacted"],
    ),
    "counters": kit.Dots(
        rows={
            "bloom": "Bloom filter, rows in the memtable",
            "before": "8 MB cache, rows in files",
            "cache": "512 MB cache, rows in files",
            "uncached_index": "all five but index in the cache, rows in files",
            "after": "all five options, rows in files",
        },
        row="options", heading="counted", axis="share (%)", factor=100, scale="percent", height=180, each=30,
        series={"look-ups in which a filter skipped a file": skipped["counted_{}"],
                "data blocks found in the block cache": hits["counted_{}"]},
        replicates="blocks",
    ),
    "sizes": kit.Lines(
        over=lambda summary: [*summary.parameters.smaller_rows, summary.parameters.rows], across="rows", rows=True,
        series={"all five options": lambda summary, rows:
                (whole if rows == summary.parameters.rows else smaller)(summary, rows)},
        aside=True, tick="{:,}".format, heading="", axis="mean query / before the options", replicates="blocks",
        given=lambda summary: [
            kit.Given("the note", {10_000_000: NOTE_GAIN}),
            kit.Given("no change", {summary.parameters.smaller_rows[0]: 1, summary.parameters.rows: 1}, "dash", False),
        ],
    ),
    "claims": kit.ClaimFigure(what="The chapter's claims that are ratios"),
}  # fmt: skip
