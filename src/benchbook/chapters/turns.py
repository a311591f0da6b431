"""Four engines, one of them in three forms, measured in turns and one after the other: how far ratios move."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchbook import kit, statistics
from benchbook.figures import with_interval
from benchbook.figures.prose import digits
from benchbook.measuring import kv


class Parameters(kv.TurnParameters):
    """Defaults are the standard profile. Both ways take the same turns; one has nobody else's in between."""

    blocks: int = kit.common("blocks", 12)
    rows: int = kit.common("rows", 500_000, 1_000)
    value_bytes: int = kit.common("value_bytes", 100, 8, 4096)
    warm_lookups: int = kit.common("warm_lookups", 50_000, 1, 100_000_000)
    kept_samples: int = kit.common("kept_samples", 500)


WAYS = {"turns": "in turns", "alone": "one after the other"}
USES: dict[str, kv.Options] = {
    "value_file": {"engine": "value_file", "value_index": "alex_huge_pages", "sync": False},
    "value_file_small_pages": {"engine": "value_file", "value_index": "alex", "sync": False},
    "lmdb": {"engine": "lmdb", "sync": False, "transaction": "read"},
    "sqlite": {"engine": "sqlite", "prepare": "once", "transaction": "read", "mutex": "none", "mmap_bytes": 8 << 30},
    "rocksdb": {"engine": "rocksdb", **kv.AFTER, "write_ahead_log": False},
}
"""Options of each engine; what a lookup takes spans a factor of ten."""
ENGINES = {
    "value_file": "value file",
    "value_file_again": "value file, again (A/A)",
    "value_file_small_pages": "value file, small pages",
    "lmdb": "LMDB",
    "sqlite": "SQLite",
    "rocksdb": "RocksDB",
}
"""The value file's index lies in huge pages; in small ones the kernel deals each process other memory, which neither
way of measuring can take out."""


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """Every engine in both ways; those by themselves are a group of one."""
    for way, words in WAYS.items():
        for engine, label in ENGINES.items():
            settings = {"use": engine.removesuffix("_again"), "way": way}
            group = way if way == "turns" else engine
            yield kit.Configuration(f"{engine}_{way}", f"{label}, {words}", settings, group)


def request_of(parameters: Parameters, arm: kit.Configuration, seed: int) -> kv.Request:
    """What the probe is asked for in a trial; batches are so short that a turn holds many, even of a slow engine."""
    p, options = parameters, USES[str(arm.settings["use"])]
    settle = "compact" if options["engine"] == "rocksdb" else "nothing"
    run = {"law": "uniform", "operations": 64, "warm_operations": p.warm_lookups, "batch_operations": 64}
    return kv.request(seed, options, p.rows, run, value_bytes=p.value_bytes, batch_rows=100_000, settle=settle)


def read(asked: kv.Asked[Parameters]) -> kv.Reading:
    """The mean of the lookups that count, and how many answers were compared."""
    record = asked.answer.record
    found = {**kv.looked_up(record, asked.request["run"]), "timer_ns": float(record["timer_ns"])}
    return kv.Reading(found, "batch", asked.answer.series["batch.service"])


PROBING = kv.Probing("Value file, SQLite, LMDB, RocksDB", (), lambda p: [*configurations(p)], request_of, read)
needs, session, reduce = PROBING.needs, PROBING.session, kv.reduce


METRICS = kv.METRICS
Summary = kv.Summary[Parameters]
OTHERS = {engine: label for engine, label in ENGINES.items() if engine != "value_file"}
"""What is compared with the value file."""
PAIRS = [engine for engine in OTHERS if engine != "value_file_small_pages"]
"""Of these the ones whose processes are alike."""
HALF_WIDTH = 0.02
time, start = kit.measured("lookup_mean_ns"), kit.counted("discarded_over_kept")
over = {way: time[f"{{}}_{way}"] / time[f"value_file_{way}"] for way in WAYS}
beside = time["{}_turns"] / time["{}_alone"]


def logs(summary: Summary, engine: str, way: str) -> np.ndarray:
    """Log ratio of an engine's time to the value file's, per block, shape (blocks,)."""
    own, base = (np.log(summary.positive(f"{each}_{way}", time.name)) for each in (engine, "value_file"))
    found: np.ndarray = own - base
    return found


def spread(way: str) -> kit.Ask:
    """Standard deviation of the log ratio over the blocks: for small values the variation of the ratio."""
    return lambda summary, engine: statistics.sd_interval(np.exp(logs(summary, engine, way)))


def small(way: str) -> Callable[[Summary], kit.Estimate]:
    """The same of the value file with small pages."""
    return lambda summary: spread(way)(summary, "value_file_small_pages")


def between(summary: Summary) -> dict[str, kit.Estimate]:
    """What each ratio is in turns over what it is one after the other, by label, simultaneous at 95 % (Bonferroni)."""
    strict, ways = summary.at(1 - 0.05 / len(OTHERS)), over["turns"] / over["alone"]
    return {label: ways(strict, engine) for engine, label in OTHERS.items()}


def closer(summary: Summary) -> kit.Estimate:
    """How many times as far ratios move one after the other as in turns, over all pairs with the value file."""
    alone, turns = (np.column_stack([logs(summary, pair, way) for pair in PAIRS]) for way in ("alone", "turns"))
    return statistics.spread_ratio(alone, turns)


def pooled(summary: Summary, way: str) -> float:
    """Standard deviation of the log ratio over all pairs of engines with the value file."""
    return float(np.sqrt(np.mean([logs(summary, engine, way).var(ddof=1) for engine in PAIRS])))


def of_way(way: str) -> dict[str, Any]:
    """In words, how far ratios vary, in %, and the blocks for an interval of HALF_WIDTH."""

    def blocks(summary: Summary) -> str:
        found = statistics.blocks_for_half_width(pooled(summary, way), HALF_WIDTH)
        return f"{found:,}" if found else "more than 10,000"

    return {f"spread_{way}": lambda summary: digits(100 * pooled(summary, way)), f"blocks_{way}": blocks}


def listed(each: dict[str, kit.Estimate]) -> str:
    """Each with its interval."""
    return "; ".join(f"{label} {with_interval(estimate)}" for label, estimate in each.items())


NUMBERS = {
    "closer": kit.custom(closer, kit.Quantity.DISPERSION),
    "equal": {way: time[f"value_file_again_{way}"] / time[f"value_file_{way}"] for way in WAYS},
    "small": {way: kit.percent(kit.custom(small(way), kit.Quantity.DISPERSION)) for way in WAYS},
    "start": {way: start[f"value_file_{way}"] for way in WAYS},
}
WORDS = {
    "engines": lambda summary: f"itself, {', '.join(OTHERS[pair] for pair in PAIRS[1:-1])} and {OTHERS[PAIRS[-1]]}",
    "differ": lambda summary: ", ".join(
        label for label, effect in between(summary).items() if not effect.low <= 1 <= effect.high
    ),
    "same": lambda summary: listed(between(summary)),
    "beside": lambda summary: listed({label: beside(summary, engine) for engine, label in ENGINES.items()}),
    **of_way("turns"),
    **of_way("alone"),
    "pairs": lambda summary: len(PAIRS),
    "half_width": lambda summary: f"{100 * HALF_WIDTH:g}",
}
FIGURES = {
    "spread": kit.Dots(
        rows=OTHERS, row="over the value file", series={words: spread(way) for way, words in WAYS.items()},
        heading="measured", axis="standard deviation of the ratio over blocks (%)", quantity="standard deviation (%)",
        factor=100, replicates="blocks",
    ),
    "ratios": kit.Dots(
        rows=OTHERS, row="over the value file", series={words: over[way] for way, words in WAYS.items()},
        heading="measured", axis="time of a look-up ÷ the value file's (above 1: slower)", quantity="ratio",
        replicates="blocks", rule=1,
    ),
}  # fmt: skip
