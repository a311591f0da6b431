"""The note's index before RocksDB: what each part of a query takes, what leaving one out saves, and indexes alone.

Times and shares hold what reading the clock costs, as the note's do and as the claims were registered; the numbers
without it stand beside the verdicts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np
import pandas as pd
from pydantic import model_validator

from benchbook import kit, notes, statistics
from benchbook.figures import mean_count, spoken
from benchbook.measuring import kv
from benchbook.measuring.kv import timed_parts
from benchbook.numbers.quantities import Number

MOST = 200_000_000


class Parameters(kv.TurnParameters):
    """Defaults are the standard profile: the note's ten million rows where a claim asks for them."""

    blocks: int = kit.common("blocks", 6)
    rows: int = kit.common("rows", 10_000_000, 2_000, MOST, "rows of the note's scale, in most arms", asks="rows")
    law_rows: int = kit.param(1_000_000, 2_000, MOST, "rows where key patterns and a compacted store are compared")
    between_rows: tuple[int, ...] = kit.param((100_000,), words="further rows between small_rows and law_rows")
    small_rows: int = kit.param(10_000, 1_000, MOST, "rows from which growth is counted", asks="rows to grow from")
    index_rows: int = kit.param(1_000_000, 1_000, MOST, "keys where all indexes are compared")
    lookups: int = kit.common("lookups", 100_000, words="look-ups of a trial, over all keys", asks="look-ups a trial")
    tool_lookups: int = kit.common(
        "lookups", 10_000, asks="look-ups of the diagnostic program",
        words="the same of the note's diagnostic program, at every 100th key",
    )  # fmt: skip
    tool_batch_rows: int = kit.param(100, 1, 100_000, "rows of one write of that program's store; in the note one")
    benchmark_lookups: int = kit.param(
        1_000, 1, 65_536, "the same of the benchmark, evenly over all keys, unwarmed", asks="look-ups of the benchmark"
    )
    row_cache_entries: int = kit.param(
        1_000, 1, 100_000_000, "rows of the engine's cache before both", asks="rows in the row cache"
    )
    zipf_exponent: float = kit.param(0.99, words="exponent of the Zipf pattern", above=0, below=20)
    kept_samples: int = kit.common("kept_samples", 500)

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        between, small, law, rows = self.between_rows, self.small_rows, self.law_rows, self.rows
        said = f"between_rows={between} must lie between small_rows={small} and law_rows={law}, each number once"
        kit.refuse(len({*between}) != len(between) or any(not small < each < law for each in between), said)
        rise = f"small_rows={small}, law_rows={law} and rows={rows} must rise in this order"
        kit.refuse(not small < law <= rows, f"{rise}; the last two may be equal")
        kit.refuse(self.index_rows > rows, f"index_rows={self.index_rows} is above rows={rows}")
        return self

    @property
    def ladder(self) -> tuple[int, ...]:
        """Numbers of rows at which the parts of a query are timed, rising."""
        return tuple(sorted({self.small_rows, *self.between_rows, self.law_rows, self.rows}))


INDEXES = {
    "alex": "ALEX (from the paper)",
    "alex_simd": "ALEX (from the paper), SIMD",
    "note_flat": "the note's flat tree",
    "note_levels": "the note's multi-level tree",
    "btree": "B-tree (absl)",
    "hash": "hash table (absl)",
    "sorted": "sorted array",
}
GROWING = ("note_levels", "btree", "alex")
"""Indexes that are also measured alone at the ends of the ladder, on random keys."""
KEYS, KINDS = ("sequential", "random"), ("throughput", "dependent")
USUAL: kv.Options = {
    "keys": "sequential", "engine": "rocksdb", "options": "before", "statistics": False, "settle": "nothing",
    "index": "note_flat", "index_load": "single", "row_cache": False, "pattern": "whole", "law": "stride",
    "timing": "batches", "without": "nothing", "dependent": False, "absent": False,
}  # fmt: skip
"""pattern: whose keys, a fixed stride over all rows, the diagnostic program's every 100th, or the benchmark's few."""


def sized(p: Parameters, rows: int) -> str:
    """The timed parts at a number of rows."""
    return "parts" if rows == p.rows else f"parts_{rows}"


def patterned(p: Parameters, law: str, place: str) -> str:
    """The timed parts under a key pattern, read from the memtable or from compacted files; the ladder has one."""
    return sized(p, p.law_rows) if (law, place) == ("stride", "memtable") else f"{place}_{law}"


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """Every arm that the claims of this chapter name. What is compared, the breakdown over sizes, takes turns."""
    p, parts = parameters, {"timing": "parts"}
    tool, counted = {"options": "tool", "pattern": "tool"}, {"statistics": True}
    after, compact = {"options": "after"}, {"settle": "compact"}
    alone: dict[str, Any] = {"engine": "none", "options": "none"}
    bulk = {**alone, "index_load": "bulk", "law": "uniform"}
    whole, out, laws = "breakdown", "parts left out", "laws of keys"
    places = [(law, place) for place in ("memtable", "compacted") for law in ("stride", "uniform", "zipf")]
    tool_of = "as the diagnostic program"
    every: Iterable[tuple[str, str, int, str, kv.Options]] = (
        ("index_then_engine", "ALEX, then RocksDB", p.rows, out, {}),
        ("index_then_engine_again", "ALEX, then RocksDB, again (A/A)", p.rows, out, {}),
        ("parts", "the same, a timer around each part", p.rows, whole, parts),
        ("point_query", "with the row cache", p.rows, whole, {"row_cache": True}),
        ("point_query_parts", "with the row cache, a timer around each part", p.rows, whole,
         {"row_cache": True, **parts}),
        ("benchmark", "as the benchmark", p.rows, out, {"row_cache": True, "pattern": "benchmark"}),
        ("without_engine", "RocksDB left out", p.rows, out, {"without": "engine"}),
        ("without_index", "ALEX left out", p.rows, out, {"without": "index"}),
        ("btree_then_engine", "B-tree, then RocksDB", p.rows, out, {"index": "btree"}),
        ("tool", tool_of, p.rows, whole, {**tool, **parts}),
        ("tool_uniform", f"{tool_of}, keys from all rows", p.rows, whole, {**tool, **parts, "law": "uniform"}),
        ("tool_timed_as_a_whole", f"{tool_of}, timed as a whole", p.rows, whole, tool),
        ("note_flat_alone", "ALEX alone, a timer around it", p.rows, whole, {**alone, **parts}),
        *((sized(p, rows), f"timed parts, {rows:,} rows", rows, whole, parts) for rows in p.ladder if rows != p.rows),
        *((f"{place}_{law}", f"{law}, {'memtable' if place == 'memtable' else 'compacted files'}", p.law_rows, laws,
           {**parts, "law": law, **({} if place == "memtable" else compact)})
          for law, place in places if (law, place) != ("stride", "memtable")),
        ("without_both", "ALEX and RocksDB left out", p.law_rows, laws, {"without": "both"}),
        ("absent_keys", "absent keys, ALEX, then RocksDB", p.law_rows, laws, {"absent": True}),
        ("absent_keys_without_index", "absent keys, RocksDB without an index", p.law_rows, laws,
         {"absent": True, "index": "none"}),
        ("witness_before", "counters, before options", p.law_rows, laws, counted),
        ("witness_after", "counters, after options", p.law_rows, laws, {**counted, **after}),
        ("witness_after_compacted", "counters, after options, compacted", p.law_rows, laws,
         {**counted, **after, **compact}),
        *((f"{index}_alone_{rows}", f"{INDEXES[index]}, {rows:,} random keys", rows, "indexes, throughput",
           {**bulk, "index": index, "keys": "random"}) for index in GROWING for rows in (p.small_rows, p.rows)),
        *((f"{index}_{keys}_{kind}", f"{words}, {keys} keys, {kind}", p.index_rows, f"indexes, {kind}",
           {**bulk, "index": index, "keys": keys, "dependent": kind == "dependent"})
          for index, words in INDEXES.items() for keys in KEYS for kind in KINDS),
    )  # fmt: skip
    for name, label, rows, group, changes in every:
        yield kit.Configuration(name, label, {"rows": rows, **USUAL, **changes}, group)


def request_of(parameters: Parameters, arm: kit.Configuration, seed: int) -> kv.Request:
    p, settings, rows = parameters, arm.settings, int(arm.settings["rows"] or 0)
    # The diagnostic program's store has a buffer of the note's size, and all else by default.
    store = {"before": kv.BEFORE, "after": kv.AFTER, "tool": {"write_buffer_bytes": kv.BEFORE["write_buffer_bytes"]},
             "none": {}}  # fmt: skip
    options: dict[str, Any] = {"engine": settings["engine"], "index": settings["index"]}
    options |= {"index_load": settings["index_load"]} if settings["index"] != "none" else {}
    options |= {"row_cache_entries": p.row_cache_entries} if settings["row_cache"] else {}
    options |= {**store[str(settings["options"])], **({"statistics": True} if settings["statistics"] else {})}
    run = {name: settings[name] for name in ("law", "timing", "without", "dependent", "absent")}
    if settings["pattern"] == "benchmark":
        run |= {"stride": max(1, rows // p.benchmark_lookups), "operations": p.benchmark_lookups}
        run |= {"batch_operations": p.benchmark_lookups}
    elif settings["pattern"] == "tool":
        run |= {"operations": p.tool_lookups, "warm_operations": 1_000, "warm_stride": 1_000}
        run |= {"stride": 100} if settings["law"] == "stride" else {}
    else:
        run |= {"operations": p.lookups, "warm_operations": p.lookups // 10}
        if settings["law"] == "stride":  # a prime, so that look-ups before come from everywhere, not from the same keys
            run |= {"stride": max(1, rows // p.lookups), "warm_stride": 7_919}
        run |= {"exponent": p.zipf_exponent} if settings["law"] == "zipf" else {}
    batch = p.tool_batch_rows if settings["options"] == "tool" else 0
    return kv.request(seed, options, rows, run, keys=settings["keys"], settle=settings["settle"], batch_rows=batch)


def metrics(answer: kv.Answer, request: Mapping[str, Any]) -> kv.Metrics:
    """What was not measured is missing, never 0. request: what the probe was asked.

    Raises BenchbookError when the probe timed other look-ups than it was asked for.
    """
    record, run, rows = answer.record, request["run"], int(request["load"]["rows"])
    counters, seconds, made = record["counters"], record["seconds"], kv.lookups_made(record, run)
    faults = (counters[phase]["memory"]["major_faults"] for phase in ("run", "warm"))
    found: kv.Metrics = {
        **kv.looked_up(record, run, "mean_ns"),
        "timer_ns": float(record["timer_ns"]),
        "row_cache_hits": float(counters["run"]["row_cache_hits"]),
        "major_faults": float(np.subtract(*faults)),
        "resident_bytes": float(record["memory"]["resident_bytes"]),
        "load_rows_per_s": rows / seconds["load_engine"] if seconds.get("load_engine") else None,
    }
    if run["timing"] == "parts":
        cached = float(counters["run"]["row_cache_hits"]) / made
        found |= timed_parts.parts(answer.series, int(run["operations"]), float(record["timer_ns"]), cached)
    if "engine" in counters["run"]:
        found |= timed_parts.engine(counters)
    if "index" in counters["run"]:
        alone = request["options"]["engine"] == "none"
        found |= timed_parts.index(counters, rows, kv.drawn_bytes(record, run), alone=alone)
    return found | ({} if request["load"]["settle"] == "nothing" else {"settle_s": float(seconds["settle"])})


def read(asked: kv.Asked[Parameters]) -> kv.Reading:
    """A trial's metrics, and the times of its queries, or of batches of them."""
    series, held = asked.request["run"]["timing"], timed_parts.rows_in(asked.answer)
    kind = "batch" if series == "batches" else "query"
    times, labels = asked.answer.series[f"{kind}.service"], {} if held is None else {"rows_in": held}
    return kv.Reading(metrics(asked.answer, asked.request), kind, times, labels)


# The note's two programs asked for so many keys and no more; which ones is what some claims are about.
PROBING = kv.Probing(
    "RocksDB", ("RocksDB",), configurations, request_of, read, pinned=True,
    once=lambda arm, request: arm.settings["pattern"] != "whole" or kv.unwarmed(arm, request),
)  # fmt: skip
needs, session, reduce = PROBING.needs, PROBING.session, kv.reduce

TIME, LOOP = "mean_ns", "index_then_engine"
"""The first of the baseline's two labels: parts of a query are timed in configurations that have no second label."""
AA = (f"{LOOP}_again", LOOP)
WORDS_OF = {"query": "a query", "index": "ALEX", "engine": "RocksDB's get", "rest": "the rest of a query"}
QUANTILES = {"mean_ns": "mean", "p50_ns": "P50", "p99_ns": "P99", "p999_ns": "P99.9"}
METRICS = {
    **kv.METRICS,
    **{f"{part}_{name}": kit.Metric(f"{'mean time' if word == 'mean' else word} of {words}", "ns")
       for part, words in WORDS_OF.items() for name, word in QUANTILES.items()},
    **{f"{part}_net_ns": kit.Metric(f"mean time of {words} less the clock's", "ns")
       for part, words in WORDS_OF.items()},
    **{f"{part}_{net}share": kit.Metric(f"share of {words} in a query's mean time{less}", "%", 100)
       for part, words in WORDS_OF.items() for net, less in {"": "", "net_": " less the clock's"}.items()},
    TIME: kit.Metric("mean time of a query", "ns", heading="mean"),
    "timer_ns": kit.Metric("time to read the clock", "ns"),
    "background_work": kit.Metric("number of flushes and compactions that were running"),
    "files": kit.Metric("number of table files", format=mean_count, heading="files"),
    "writes": kit.Metric("number of writes that loaded the rows", heading="writes"),
    "leaves": kit.Metric("number of leaves"),
    "depth": kit.Metric("depth of the index"),
    **{f"{name}_hits": kit.Metric(f"number of {name.replace('_', ' ')} hits", heading=f"{name.replace('_', ' ')} hits")
       for name in ("row_cache", "block_cache")},
    "block_cache_misses": kit.Metric("number of block cache misses", heading="block cache misses"),
    "memtable_hits": kit.Metric("number of look-ups that the memtable answered", heading="memtable hits"),
    "memtable_misses": kit.Metric("number of look-ups that the memtable did not answer", heading="memtable misses"),
    "bloom_useful": kit.Metric("number of look-ups that a Bloom filter rejected", heading="bloom useful"),
    "bloom_passed": kit.Metric("number of look-ups that a Bloom filter passed", heading="bloom passed"),
}  # fmt: skip


class Summary(kit.Summary[Parameters]):
    def smallest(self) -> str:
        """The configuration with the parts timed at the fewest rows."""
        return sized(self.parameters, self.parameters.small_rows)

    def sizes(self) -> str:
        return f", {self.parameters.rows:,} rows unless stated otherwise"

    def positive(self, arm: str, metric: str) -> np.ndarray:
        """The same for a time less the clock's own; NotEstimableError when the clock takes all of it."""
        values = self.values(arm, metric)
        if values.min() <= 0:
            raise kit.NotEstimableError(
                f"{self.in_words(metric)} of “{self.label(arm)}” is below the cost of reading the clock",
                "raise rows, or measure on a machine with a cheaper clock",
            )
        return values

    def share(self, arm: str, metric: str, of: str = "lookups") -> kit.Estimate:
        """Mean share of a query's time over trials, resolved by the number of look-ups.

        What is left of the rest without the clock may come out below 0; such a share has no logit, and the interval
        is then that of a mean.
        """
        values = self.values(arm, metric)
        if values.min() < 0 or values.max() > 1:
            return self.estimated(statistics.arithmetic_mean, values)
        return super().share(arm, metric, of)

    def rows_in(self, arm: str) -> list[str]:
        """Where RocksDB held the rows in each trial, in block order; empty when no trial says."""
        rows = self.in_blocks(arm)
        return [] if "rows_in" not in rows else [str(each) for each in rows["rows_in"] if isinstance(each, str)]


def checks(summary: Summary, answer: kit.Answer) -> Iterable[kit.Gate]:
    """Every answer of the store was compared, which without store and index there is none of.

    RocksDB held the rows where a configuration put them, and did nothing else while they were read.
    """
    trials, wrong = summary.run.trials, []
    yield from kv.compared(trials[trials["configuration"] != "without_both"])
    for name, arm in summary.configurations.items():
        if name not in answer.estimand.names(summary) or arm.settings["engine"] == "none":
            continue
        states = summary.rows_in(name)
        wanted = "files" if arm.settings["settle"] == "compact" else "memtable"
        off = len(states) - states.count(wanted) or summary.run.blocks - len(states)
        if off and arm.settings["options"] != "tool":  # where that store has its rows is for its buffer to say
            wrong.append(f"{off} trials of “{arm.label}” did not read from {wanted} alone")
        if summary.has(name, "background_work") and summary.values(name, "background_work").any():
            wrong.append(f"RocksDB worked in the background during “{arm.label}”")
    yield kit.Gate("state", not wrong, float(len(wrong)), "; ".join(wrong) or "every store was in its named state")


def without_clock(estimate: kit.Estimate) -> str:
    """What a number would be less what reading the clock costs."""
    return f"Without the cost of reading the clock it would be {kit.with_interval(estimate)}; as registered"


def _share_without_clock(arm: str, part: str, summary: Summary) -> str:
    return without_clock(summary.share(arm, f"{part}_net_share"))


def part_of(arm: str, part: str, *, net: bool = False, own: str = "share") -> Number:
    """Share of a part of the mean time of a query. net: whether it is also told less what reading the clock costs."""
    found = kit.custom(lambda summary: summary.share(arm, f"{part}_{own}"), kit.Quantity.PARTS, arm, aa=TIME)
    beside = partial(_share_without_clock, arm, part)
    return kit.percent(replace(found, working=beside) if net else found)


def no_level(summary: Summary) -> str:
    """That RocksDB's part of a query is not the read path that the note's sentence names; "" where it may be."""
    files = max(float(summary.values(arm, "files").max()) for arm in ("parts", summary.smallest()))
    none = "RocksDB had no file, each get is a search in the memtable's skip list, and no LSM level was read"
    return "" if files else none


def engine_of_growth(summary: Summary) -> kit.Estimate:
    """RocksDB's part of what a query takes longer at the most rows than at the fewest.

    Growth is a difference, so what reading the clock costs is in neither number.
    """
    most, fewest = "parts", summary.smallest()
    engine, query = (summary.values(most, f"{part}_net_ns") - summary.values(fewest, f"{part}_net_ns")
                     for part in ("engine", "query"))  # fmt: skip
    if query.min() <= 0:
        raise kit.NotEstimableError(
            "in one block the query took no longer with the most rows than with the fewest, so there is no growth to "
            "divide", "raise rows or blocks",
        )  # fmt: skip
    return summary.estimated(statistics.arithmetic_mean, engine / query)


def between_processes(summary: Summary) -> kit.Estimate:
    """Coefficient of variation of the mean query time between fresh processes of one configuration.

    One process of each block counts: the A/A pair's two share the block's moment and are no two witnesses of it.
    """
    return statistics.sd_interval(summary.positive(LOOP, TIME))


def _too_few(summary: Summary) -> str:
    return f"{summary.run.blocks} processes where the claim names 10" if summary.run.blocks < 10 else ""


def _at(index: str, size: str) -> Callable[[Summary], str]:
    return lambda summary: f"{index}_alone_{getattr(summary.parameters, size)}"


def _drawn(law: str, place: str) -> Callable[[Summary], str]:
    return lambda summary: patterned(summary.parameters, law, place)


def times(top: tuple[str, str], bottom: tuple[str, str], also: Callable[[Summary], str] | None = None) -> kit.Values:
    """Ratio of the mean times of two parts, each of a configuration, which is also told without the clock."""
    found, net = (part[top[1], kind][top[0]] / part[bottom[1], kind][bottom[0]] for kind in ("mean", "net"))

    def beside(summary: Summary) -> str:
        return ". ".join(filter(None, [also(summary) if also else "", without_clock(net(summary))]))

    return found.but(working=beside)


time, query = kit.measured(TIME), kit.measured("query_mean_ns", pair=TIME)
part = {(name, kind): kit.measured(f"{name}_{kind}_ns", pair=TIME) for name in WORDS_OF for kind in ("mean", "net")}
grown = {index: time[_at(index, "rows")] / time[_at(index, "small_rows")] for index in GROWING}
risen = {(name, kind): part[name, kind]["parts"] / part[name, kind][Summary.smallest]
         for name in ("index", "engine") for kind in ("mean", "net")}  # fmt: skip
alone = {(index, kind): time[f"{index}_random_{kind}"] for index in INDEXES for kind in KINDS}
NUMBERS = {
    "tool": {name: kit.on_hosts(part_of("tool", name), " %") for name in ("index", "engine", "rest")}
    | {"index_over_engine": part["index", "mean"]["tool"] / part["engine", "mean"]["tool"],
       "rest_ns": kit.counted("rest_mean_ns")["tool"], "of_benchmark": kit.percent(query["tool"] / time["benchmark"])},
    "engine": part_of("parts", "engine", net=True),
    "index": part_of("parts", "index", net=True),
    "rest": part_of("point_query_parts", "rest", net=True),
    "net": {name: kit.on_hosts(part_of("parts", name, own="net_share"), " %") for name in ("engine", "index")},
    "removed": {"index": kit.on_hosts(kit.percent(1 - time["without_index"] / time[LOOP]), " %"),
                "engine": kit.percent(1 - time["without_engine"] / time[LOOP])},
    "engine_of_growth": kit.percent(kit.custom(engine_of_growth, kit.Quantity.COMPARISON, "parts", Summary.smallest,
                                               aa=TIME, working=no_level)),
    "btree_first": time["btree_then_engine"] / time[LOOP],
    # The note's tree against the usual index; against a store that it stands in front of, a small one could only lose.
    "scales": grown["note_levels"] / grown["btree"],
    "all_keys": query["tool_uniform"] / query["tool"],
    "sum_of_parts": query["parts"] / time["point_query"],
    "alone_over_engine": time[_at("note_levels", "rows")] / part["engine", "mean"]["tool"],
    "among_engine": times(("parts", "index"), ("note_flat_alone", "index")),
    "engine_over_index": times(("parts", "engine"), ("parts", "index"), no_level),
    "between_processes": kit.custom(between_processes, kit.Quantity.DISPERSION, LOOP, departs=_too_few),
    "clocks": query["tool"] / time["tool_timed_as_a_whole"],
    "clock_ns": kit.counted("timer_ns")["tool"],
    # Each trial without a part still holds the loop, so the loop is taken off once.
    "additivity": kit.blockwise(lambda one, other, loop: one + other - loop, time["without_engine"],
                                time["without_index"], time["without_both"]) / time[LOOP],
    "row_cache": time["point_query"] / time[LOOP],
    **{law: {name: query[_drawn(law, place)] / query[_drawn("stride", place)]
             for name, place in {"memory": "memtable", "files": "compacted"}.items()} for law in ("uniform", "zipf")},
    "settled": part["engine", "mean"][_drawn("uniform", "compacted")]
    / part["engine", "mean"][_drawn("uniform", "memtable")],
    "without_index": kit.on_hosts(time["without_index"] / time[LOOP]),
    "absent": time["absent_keys_without_index"] / time["absent_keys"],
    **{f"{index}_over_alex": kit.on_hosts(alone[index, "dependent"] / alone["alex", "dependent"])
       for index in ("hash", "btree", "note_levels")},
    **{f"{index}_grows": growth for index, growth in grown.items()},
    "parts_grow": {kind: risen["index", kind] / risen["engine", kind] for kind in ("mean", "net")},
    **{index: {kind: alone[index, kind] / alone["btree", kind] for kind in KINDS}
       for index in ("note_flat", "note_levels", "alex")},
    "tree_bytes": kit.counted("resident_bytes_per_key")["note_levels_random_throughput"],
}  # fmt: skip


def _total(arm: str, *names: str) -> Callable[[Summary], float]:
    return lambda summary: float(sum(summary.values(arm, metric).sum() for metric in names))


COMPONENTS = {"index": "ALEX index lookup", "engine": "RocksDB get", "rest": "Overhead/other", "query": "Total"}
"""Name of a part here to its name in the note's breakdown."""


def noted(column: str) -> dict[str, float]:
    """The note's breakdown by part: mean times, ``before_ns``, or shares in %, ``share_percent``."""
    return {part: notes.number("omendb_breakdown", column, component=name) for part, name in COMPONENTS.items()}


def benchmark_ns() -> float:
    """Mean time of a query in the note's benchmark, before the change."""
    return 1_000 * kv.note.latency_us("OmenDB", "before")


WORDS: dict[str, Callable[[Summary], Any]] = {
    "in_turns": lambda summary: kv.in_turns(summary.parameters),
    "held_rows": kit.mean(LOOP, "memtable_rows"),
    "files": kit.mean(LOOP, "files"),
    "writes": kit.mean(LOOP, "writes"),
    "leaves": kit.mean(LOOP, "leaves"),
    "leaf_bytes": kit.mean(LOOP, "index_bytes_per_key"),
    "asked": _total("witness_after", "lookups"),
    "answered": _total("witness_after", "memtable_hits"),
    "cached": _total("witness_after", "block_cache_hits", "block_cache_misses"),
    "filtered": _total("witness_after", "bloom_useful", "bloom_passed"),
    "cached_compacted": _total("witness_after_compacted", "block_cache_hits", "block_cache_misses"),
    "passed_compacted": _total("witness_after_compacted", "bloom_passed"),
    "tool_files": kit.mean("tool", "files"),
    "tool_rows": kit.mean("tool", "memtable_rows"),
    "tool_in_memory": lambda summary: {*summary.rows_in("tool")} == {"memtable"},
    "noted": lambda summary: noted("share_percent"),
    "noted_ns": lambda summary: noted("before_ns"),
    "benchmark_ns": lambda summary: benchmark_ns(),
    # Which the project reported of its index's memory, a key: an estimate that counts the leaves' headers.
    "noted_bytes": lambda summary: (
        notes.reading("alex_isolated_memory_mib") * 2**20 / notes.reading("alex_isolated_memory_keys")
    ),
}


def note_claims(summary: Summary) -> pd.DataFrame:
    """The note's breakdown and the two other times that it prints for the same rows."""
    ns, shares = noted("before_ns"), noted("share_percent")
    rows = [(name, f"{ns[part]:,.0f}", f"{shares[part]:.1f} %") for part, name in COMPONENTS.items()]
    alone = 1_000 * notes.number("omendb_latency", "latency_us", system="ALEX", state="isolated")
    rows += [("query in the benchmark", f"{benchmark_ns():,.0f}", ""), ("ALEX, isolated", f"{alone:,.0f}", "")]
    return pd.DataFrame(rows, columns=["10 million rows", "mean (ns)", "share"]).set_index("10 million rows")


def evidence(summary: Summary) -> pd.DataFrame:
    """RocksDB's own counters, mean over trials: rows in the memtable, files, and who answered the look-ups."""
    shown = (LOOP, "point_query", "benchmark", "tool", "tool_uniform", "compacted_uniform", "witness_before",
             "witness_after", "witness_after_compacted")  # fmt: skip
    columns = {"read from": lambda arm: " or ".join(sorted({*summary.rows_in(arm)}))} | kit.means(
        summary, "memtable_rows", "files", "writes", "row_cache_hits", *timed_parts.TICKERS
    )
    return kit.table([({"configuration": summary.label(arm)}, arm) for arm in shown], columns)


def levels_over(leaves: float) -> int:
    """Levels of the note's multi-level tree, leaves included: nodes of 64 children up to a single one."""
    return 1 if leaves <= 1 else 1 + levels_over(math.ceil(leaves / 64))


def height(summary: Summary, arm: str) -> str:
    """Nodes from the root to a leaf: the deepest path of ALEX, every path of the note's multi-level tree."""
    of_note = summary.configurations[arm].settings["index"] == "note_levels"
    return f"{levels_over(summary.mean(arm, 'leaves')) if of_note else summary.mean(arm, 'depth') + 1:,.0f}"


def index_table(summary: Summary) -> pd.DataFrame:
    """Every index alone: times, bytes per key, height."""

    def look_up(keys: str, kind: str) -> Callable[[str], str]:
        return lambda arm: spoken(summary.level(arm.replace("random_throughput", f"{keys}_{kind}"), TIME))

    columns = {f"{keys}, {kind}": look_up(keys, kind) for keys in KEYS for kind in KINDS}
    columns |= kit.levels(summary, "index_bytes_per_key", "resident_bytes_per_key")
    rows = [({"index": words}, f"{index}_random_throughput") for index, words in INDEXES.items()]
    return kit.table(rows, columns | {"levels": partial(height, summary)})


TABLES = {"note_claims": note_claims, "evidence": evidence, "index_table": index_table}
NAMES = {"query": "whole query", "index": "ALEX", "engine": "RocksDB get", "rest": "rest"}
TIMED = {"tool": "diagnostic program", "parts": "engine's store, keys over all rows",
         "point_query_parts": "with the row cache"}  # fmt: skip


def _net(name: str, summary: Summary, rows: float) -> kit.Estimate:
    return summary.level(sized(summary.parameters, int(rows)), f"{name}_net_ns")


def _share(metric: str) -> kit.Ask:
    return lambda summary, key: summary.share(key[1], f"{key[0]}_{metric}")


FIGURES = {
    "breakdown": kit.Dots(
        nothing="This run timed no part",
        rows={(part, arm): f"{NAMES[part]}, {name}" for part in ("index", "engine", "rest")
              for arm, name in TIMED.items()},
        series={"as timed": _share("share"), "less the clock": _share("net_share")},
        axis="share of a query's mean time (%)", row="part", quantity="share (%)", factor=100, scale="plain",
        words=lambda e: f"{kit.with_interval(e, 100)} %",
        given=lambda summary: [kit.Given("the note", {(part, arm): share for part, share in
                                                      noted("share_percent").items() if part != "query"
                                                      for arm in TIMED}, listed=False)],
    ),
    "left_out": kit.Dots(
        rows=lambda summary: ("without_engine", "without_index", "btree_then_engine"),
        series={"time, as a ratio to ALEX, then RocksDB": time["{}"] / time[LOOP]},
        axis="mean time / that of the whole query (right of 1 = slower)", row="query", quantity="ratio",
        scale="zero", rule=1, nothing="This run timed no query",
    ),
    "scale": kit.Lines(
        nothing="This run timed no part",
        over=lambda summary: summary.parameters.ladder, across="rows", rows=True, tick="{:,}".format,
        series={NAMES[name]: partial(_net, name) for name in ("query", "engine", "index")},
        axis="mean time less the clock's (ns)", quantity="mean (ns)", heading="part",
    ),
    "alone": kit.Dots(
        rows=INDEXES, series={f"random keys, {kind}": time[f"{{}}_random_{kind}"] for kind in KINDS},
        metric=METRICS[TIME].but(words="mean time of a look-up", heading="look-up"), row="index", words=spoken,
        nothing="This run timed no index alone",
    ),
    "claims": kit.ClaimFigure(),
    "shares": kit.ClaimFigure(
        title="Claimed shares against measurements", what="The note's claims that are shares", axis="share",
        units=("fraction",),
    ),
}  # fmt: skip
