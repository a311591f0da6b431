"""The numbers of the chapter, each once and by name, its tables, and what its claims stand on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd

from benchbook import notes, statistics
from benchbook.chapters.rocksdb_tuning import arms
from benchbook.chapters.rocksdb_tuning.arms import AFTER, BEFORE, BENCHMARK, COUNTED, IN_FILES, STRIDE, at, sized
from benchbook.chapters.rocksdb_tuning.summary import (
    B_AFTER,
    B_BEFORE,
    S_AFTER,
    S_BEFORE,
    S_SQLITE,
    SETTLED,
    TIME,
    WRITTEN,
    Summary,
    no_file,
    nothing_in_level_0,
    stated_defaults,
    without_files,
)
from benchbook.claims import Quantity
from benchbook.claims.evidence import Inert
from benchbook.figures import with_interval
from benchbook.measuring.kv import note
from benchbook.measuring.kv.checks import compared
from benchbook.measuring.kv.piloted import over, picked
from benchbook.measuring.kv.words import in_turns
from benchbook.model import Estimate
from benchbook.numbers.answers import Answer
from benchbook.numbers.estimands import Estimand, counts, custom, known, ratio, rise, saved, share
from benchbook.numbers.quantities import percent
from benchbook.numbers.summary import NotEstimableError
from benchbook.pages.tables import Columns, levels, means, table
from benchbook.parameters.base import other_numbers
from benchbook.statistics import Gate

CANDIDATES = tuple(at(STRIDE, use) for use in arms.ROUND_TWO)
COMPACTIONS = (at(STRIDE, arms.UNIVERSAL), at(STRIDE, arms.COMPACTED))
RELAXED = at(arms.DEFAULTS, arms.RELAXED)
SINGLE_ARMS = tuple(at(BENCHMARK, use) for use in arms.SINGLES)
USUAL_FILE_MIB, USUAL_ROW_BYTES, FILTER_BITS = 64, 108, 10
"""Of RocksDB's default file, of a row with a key of 8 bytes and a value of 100, and of the note's filter per row."""
_PAIRS = {
    BENCHMARK: (at(BENCHMARK, arms.AGAIN), B_BEFORE),
    STRIDE: (at(STRIDE, arms.AGAIN), S_BEFORE),
    IN_FILES: (at(IN_FILES, arms.AGAIN), SETTLED),
}
_AS = {arms.UNIFORM: STRIDE, arms.RANDOM: STRIDE, arms.LEVEL_0: IN_FILES, arms.DEFAULTS: IN_FILES, COUNTED: IN_FILES}


def departs(summary: Summary) -> str:
    """What a claim names and this run has otherwise; the sizes are named by the claim about them alone."""
    return " and ".join(other_numbers(summary.parameters))


def aa_gates(summary: Summary, answer: Answer) -> list[Gate]:
    """The state before the options against itself, measured as the claim's configurations are."""
    known = [arm for arm in answer.estimand.names(summary) if arm in summary.configurations]
    ways = sorted({str(summary.configurations[arm].settings["way"]) for arm in known})
    pairs = sorted({_PAIRS[_AS.get(way, way)] for way in ways})
    return [summary.aa_gate(*pair, TIME, pairs=len(pairs)) for pair in pairs]


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Every look-up was compared."""
    return compared(summary.run.trials)


def _several(*pairs: tuple[str, str]) -> Estimand:
    """Geometric mean of the ratio over several pairs of configurations, each after the options and before.

    All of them hold their rows in the memtable.
    """
    after, before = zip(*pairs, strict=True)

    def compute(summary: Summary) -> Estimate:
        pair = (summary.together(names) for names in (after, before))
        return summary.estimated(statistics.ratio, *pair)

    return custom(compute, Quantity.COMPARISON, *after, *before, aa=TIME, inert=no_file(*after, *before))


def _single(use: str) -> Estimand:
    """One of the five options by itself."""
    return custom(lambda summary: summary.singles()[use], Quantity.COMPARISON, *SINGLE_ARMS)


def _default_cache_mib() -> float:
    return notes.reading("rocksdb_default_block_cache_mib")


_SCOPE = "this is so only while all rows are in one memtable: once they are in files, the setting can act"


def _best_without_files(summary: Summary) -> Inert | None:
    """That the compaction setting which the pilot chose had no file to act on, and what a full compaction costs."""
    try:
        chosen, full = summary.chosen(COMPACTIONS), summary.ratio((at(STRIDE, arms.COMPACTED), TIME), (S_AFTER, TIME))
    except NotEstimableError:
        return None
    times = with_interval(full)
    scope = f"a full compaction makes a file, and a query with the options takes {times} times as long then; {_SCOPE}"
    return no_file(chosen, S_AFTER, scope=scope)(summary)


_SHORT = {
    arms.BLOOM: "bloom",
    arms.CACHE: "cache",
    arms.INDEX: "index",
    arms.LARGE: "large",
    AFTER: "all",
    arms.LARGER: "larger",
}
NUMBERS = {
    "whole": ratio(B_AFTER, B_BEFORE, TIME, inert=no_file(B_AFTER, B_BEFORE)),
    "warm": ratio(S_AFTER, S_BEFORE, TIME, inert=no_file(S_AFTER, S_BEFORE)),
    "skipped": percent(share(at(COUNTED, arms.BLOOM), "filtered_share", "lookups")),
    "more_hits": percent(
        rise(at(COUNTED, arms.CACHE), at(COUNTED, BEFORE), "block_cache_hit_ratio", "block_requests")
    ),
    "relaxed": ratio(RELAXED, at(arms.DEFAULTS, arms.TIGHT), TIME, idle=without_files(RELAXED)),
    "removed": percent(saved(SETTLED, WRITTEN, TIME, inert=no_file(WRITTEN))),
    "further_lead": picked(over(S_SQLITE, None), CANDIDATES, S_SQLITE),
    "further_gain": picked(over(S_AFTER, None), CANDIDATES, S_AFTER),
    "further_time": picked(over(None, S_AFTER), CANDIDATES, S_AFTER),
    "further_quotient": picked(
        Summary.quotient, CANDIDATES, S_AFTER, S_BEFORE,
        inert=no_file(
            S_AFTER, S_BEFORE, refutes=False,
            scope="gains of nothing, first and second, are diminishing returns; but no setting is their cause",
        ),
    ),
    "gained": custom(
        Summary.gained, Quantity.COMPARISON, B_AFTER, B_BEFORE, *arms.BESIDE.values(), aa=TIME,
        inert=no_file(B_AFTER, B_BEFORE),
    ),
    "beside": ratio(arms.BESIDE[AFTER], arms.BESIDE[BEFORE], TIME),
    "speedup": ratio(arms.BESIDE[AFTER], B_AFTER, TIME),
    "pair": ratio(at(BENCHMARK, arms.PAIR), B_BEFORE, TIME, inert=no_file(at(BENCHMARK, arms.PAIR), B_BEFORE)),
    **{f"single_{use}": _single(use) for use in arms.SINGLES},
    "slowest": custom(
        Summary.slowest, Quantity.COMPARISON, B_BEFORE, *SINGLE_ARMS, aa=TIME, inert=no_file(B_BEFORE, *SINGLE_ARMS)
    ),
    "uniform": _several(*((at(way, AFTER), at(way, BEFORE)) for way in (arms.UNIFORM, arms.RANDOM))),
    "smaller": _several(*((sized(AFTER, rows), sized(BEFORE, rows)) for rows in arms.SMALLER_ROWS)),
    "level_0": ratio(at(arms.LEVEL_0, AFTER), at(arms.LEVEL_0, BEFORE), TIME),
    "pinning": ratio(at(arms.LEVEL_0, AFTER), at(arms.LEVEL_0, arms.UNPINNED), TIME, idle=nothing_in_level_0),
    "in_files": ratio(SETTLED, WRITTEN, TIME),
    **{f"files_{name}": ratio(at(IN_FILES, use), SETTLED, TIME) for use, name in _SHORT.items()},
    "large_bytes": counts(at(IN_FILES, arms.LARGE), SETTLED, "files_bytes"),
    **{f"hits_{use}": percent(share(at(COUNTED, use), "block_cache_hit_ratio", "block_requests"))
       for use in (BEFORE, arms.CACHE)},
    "cached_index_bytes": counts(at(COUNTED, AFTER), at(COUNTED, arms.UNCACHED), "file_bytes_per_lookup"),
    "part": percent(share(at(STRIDE, arms.PARTS), "engine_share", "lookups", quantity=Quantity.PARTS, aa=TIME)),
    "universal": ratio(
        at(STRIDE, arms.UNIVERSAL), S_AFTER, TIME, inert=no_file(at(STRIDE, arms.UNIVERSAL), S_AFTER, scope=_SCOPE)
    ),
    "full_compaction": ratio(at(STRIDE, arms.COMPACTED), S_AFTER, TIME),
    "direct": ratio(
        at(STRIDE, arms.DIRECT), S_AFTER, TIME, inert=no_file(at(STRIDE, arms.DIRECT), S_AFTER, scope=_SCOPE)
    ),
    "larger_uniform": ratio(at(arms.UNIFORM, arms.LARGER), at(arms.UNIFORM, AFTER), TIME),
    "compaction": picked(over(None, S_AFTER), COMPACTIONS, S_AFTER, inert=_best_without_files),
    "stated_defaults": known(
        stated_defaults,
        "RocksDB 10.4.2, which the note's project builds, makes a block cache of "
        f"{_default_cache_mib():.0f} MiB and no filter by default",
    ),
    "open_files": known(lambda summary: notes.reading("rocksdb_default_max_open_files"),
                        "-1 means that RocksDB keeps every file open"),
}  # fmt: skip


def _mean(arm: str, metric: str, unit: float = 1.0) -> Callable[[Summary], float]:
    return lambda summary: summary.mean(arm, metric) / unit


def _filter_mb(rows: float) -> float:
    """Size of the note's Bloom filter over so many rows of one file, in MB."""
    return FILTER_BITS * rows / 8e6


def _chosen(summary: Summary) -> str:
    """The best of the further settings."""
    return arms.USES[str(summary.configurations[summary.chosen(CANDIDATES)].settings["use"])].label


def _all_in_memory(summary: Summary) -> bool:
    """Whether no row was in a file when the benchmark's look-ups were made."""
    held, files = (summary.values(S_AFTER, metric) for metric in ("memtable_rows", "table_files"))
    return bool(held.min() >= summary.parameters.rows and np.max(files) <= 0)


WORDS: dict[str, Callable[[Summary], Any]] = {
    "in_turns": lambda summary: in_turns(summary.parameters),
    "release": lambda summary: next((each for each in summary.on().split(", ") if each.startswith("RocksDB")),
                                    "this release"),
    "held_rows": _mean(S_AFTER, "memtable_rows"),
    "table_files": _mean(S_AFTER, "table_files"),
    "all_in_memory": _all_in_memory,
    "took_ms": lambda summary: summary.parameters.benchmark_lookups * note.latency_us("OmenDB", "before") / 1e3,
    "files_mb": _mean(SETTLED, "files_bytes", 1e6),
    "row_bytes": lambda summary: summary.mean(SETTLED, "files_bytes") / summary.parameters.rows,
    "level0_files": _mean(at(arms.LEVEL_0, AFTER), "level0_files"),
    "read_mb": _mean(at(COUNTED, AFTER), "file_bytes_per_lookup", 1e6),
    "read_uncached": _mean(at(COUNTED, arms.UNCACHED), "file_bytes_per_lookup"),
    "filter_mb": lambda summary: _filter_mb(summary.parameters.rows),
    "usual_file_mib": lambda summary: USUAL_FILE_MIB,
    "usual_rows": lambda summary: round(USUAL_FILE_MIB * 2**20 / USUAL_ROW_BYTES, -4),
    "usual_filter_mb": lambda summary: _filter_mb(USUAL_FILE_MIB * 2**20 / USUAL_ROW_BYTES),
    "settings": lambda summary: len(CANDIDATES),
    "chosen": _chosen,
    "default_cache_mib": lambda summary: _default_cache_mib(),
}  # fmt: skip


def _overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: time of a look-up, of the insert, and where the rows were."""
    columns: Columns = {
        **levels(summary, TIME),
        **means(summary, "insert_s", "memtable_rows", "table_files", "level0_files", "files_bytes"),
        **means(summary, "file_bytes_per_lookup"),
    }
    named = (
        ({"configuration": summary.label(arm), "rows": f"{summary.configurations[arm].settings['rows']:,}"}, arm)
        for arm in summary.arms
    )
    return table(named, columns)


def _note_claims(summary: Summary) -> pd.DataFrame:
    """The five options as the note lists them."""
    return notes.table("omendb_optimizations").set_index("optimization")[["before", "after"]].rename_axis("option")


TABLES = {"note_claims": _note_claims, "overview": _overview}
