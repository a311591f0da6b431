"""The numbers of the chapter, each once and by name, its tables, and what its claims stand on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import pandas as pd

from benchbook import notes, statistics
from benchbook.chapters.read_path import arms
from benchbook.chapters.read_path.arms import BYPASS, SQLITE_AS_RUN, VALUE_FILE, VALUE_FILE_HALF
from benchbook.chapters.read_path.measure import NOT_COUNTED, WARM
from benchbook.chapters.read_path.summary import (
    EACH,
    FILE_BYTES,
    HELD,
    INDEX_BYTES,
    LOOKUP_KIB,
    MEAN,
    P50,
    Summary,
    not_from_the_file,
)
from benchbook.claims import Quantity
from benchbook.measuring.kv.words import in_turns
from benchbook.model import Estimate
from benchbook.numbers import read_ahead
from benchbook.numbers.answers import Answer
from benchbook.numbers.estimands import custom, level, ratio
from benchbook.numbers.host_kinds import processor_name
from benchbook.numbers.quantities import Told
from benchbook.numbers.summary import NotEstimableError
from benchbook.pages.prose import listed
from benchbook.pages.tables import levels, means, table
from benchbook.statistics import Gate

Ask = Callable[[Summary, str], Any]
"""A summary and a configuration to what is told of it; it raises BenchbookError where the run has none."""
WAYS = {
    arms.STRIDE: "fixed stride",
    arms.UNIFORM: "uniform gets",
    arms.INDEX: "index alone",
    arms.DURABLE: "durable",
    arms.HALF: "half in memory",
}
CLASSES = {"present": arms.ALEX_PRESENT, "absent": arms.ALEX_ABSENT}
_PAIRS = {EACH: (arms.VALUE_FILE_AGAIN, VALUE_FILE), MEAN: (arms.BYPASS_AGAIN, BYPASS)}
"""The value file a second and a first time, by the time that is compared: of random look-ups, and along the stride."""


def _right_of(summary: Summary) -> dict[str, tuple[int, int]]:
    """Key class to the answers that were right, as the probe compared them, and to the keys tried; over all trials.

    The probe ends at the first wrong answer, and a trial that ended so is not stored.
    """
    found = {}
    for name, arm in CLASSES.items():
        right, tried = (int(summary.values(arm, metric).sum()) for metric in ("right_answers", "operations"))
        found[name] = (right, tried)
    return found


def _classes(summary: Summary) -> Estimate:
    return statistics.exact(float(sum(right == tried for right, tried in _right_of(summary).values())))


def _classes_working(summary: Summary) -> str:
    parts = (f"{name} {right:,} of {tried:,}" for name, (right, tried) in _right_of(summary).items())
    return f"Keys answered correctly by ALEX alone: {', '.join(parts)}"


def _bypass_over_option_a(summary: Summary) -> Estimate:
    """Of speed-ups over the same SQLite."""
    sqlite = summary.values(SQLITE_AS_RUN, MEAN)
    bypass, best = (sqlite / summary.values(arm, MEAN) for arm in (BYPASS, summary.best_option_a()))
    return summary.estimated(statistics.ratio, bypass, best)


def _best_working(summary: Summary) -> str:
    return f"The best Option A setting is “{summary.label(summary.best_option_a())}”"


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Where a time is compared: every value verified, and the store in memory.

    Where right answers are counted, a wrong one is the finding and no fault of the machine.
    """
    estimand = answer.estimand
    if estimand.metric is None:
        return []
    return summary.gates({*estimand.names(summary), _PAIRS[estimand.metric][0]})


def aa_gates(summary: Summary, answer: Answer) -> list[Gate]:
    """The value file against itself, timed as the claim's configurations are."""
    metric = answer.estimand.metric
    return [] if metric is None else [summary.aa_gate(*_PAIRS[metric], metric)]


NUMBERS = {
    "over_autocommit": ratio(
        arms.SQLITE_AUTOCOMMIT, VALUE_FILE, EACH, idle=not_from_the_file(arms.SQLITE_AUTOCOMMIT, value_file=VALUE_FILE)
    ),
    "over_best": ratio(arms.SQLITE_BEST, VALUE_FILE, EACH),
    "over_as_run": ratio(SQLITE_AS_RUN, BYPASS, MEAN),
    "over_tuned": ratio(arms.ROCKSDB_TUNED, VALUE_FILE, EACH),
    "over_btree": ratio(BYPASS, arms.BTREE_ROCKSDB, MEAN, idle=not_from_the_file(arms.BTREE_ROCKSDB)),
    "over_option_a": custom(
        _bypass_over_option_a, Quantity.COMPARISON, SQLITE_AS_RUN, BYPASS, *arms.OPTION_A, aa=MEAN,
        working=_best_working, idle=not_from_the_file(SQLITE_AS_RUN, Summary.best_option_a),
    ),
    "over_lmdb": ratio(BYPASS, arms.LMDB_FOR_REDB, MEAN),
    "existing": custom(_classes, Quantity.COUNTER, *CLASSES.values(), working=_classes_working),
    "alex": level(arms.ALEX_PRESENT, MEAN),
    "alex_over_hash": ratio(arms.ALEX_PRESENT, arms.HASH_PRESENT, MEAN),
    "hash_alone": ratio(arms.HASH_PRESENT, arms.ALEX_PRESENT, MEAN),
    "btree_alone": ratio(arms.BTREE_PRESENT, arms.ALEX_PRESENT, MEAN),
    "hash_over_file": ratio(arms.VALUE_FILE_HASH, arms.VALUE_FILE_BESIDE, P50),
    "tuned_p50": ratio(arms.ROCKSDB_TUNED, VALUE_FILE, P50),
    "own_table_p50": ratio(Summary.own_table, arms.VALUE_FILE_BESIDE, P50),
    "bypass_itself": ratio(arms.BYPASS_AGAIN, BYPASS, MEAN),
    "file_itself": ratio(arms.VALUE_FILE_AGAIN, VALUE_FILE, P50),
    "slower_file": ratio((arms.VALUE_FILE_SMALL, P50), (BYPASS, MEAN)),
    "slower_lmdb": ratio((arms.LMDB, P50), (arms.LMDB_FOR_REDB, MEAN)),
    "half_file": level(VALUE_FILE_HALF, EACH, 1e3),
    "half_read": level(VALUE_FILE_HALF, LOOKUP_KIB),
    "half_sqlite": ratio(arms.SQLITE_HALF, VALUE_FILE_HALF, EACH),
    "half_lmdb": ratio(arms.LMDB_HALF, VALUE_FILE_HALF, EACH),
}  # fmt: skip


def _states(summary: Summary) -> dict[str, int]:
    """Trials that hold a whole store, those that read next to nothing from the device, those of which nobody knows."""
    trials = summary.run.trials
    if "cache_state" not in trials:
        raise NotEstimableError("no trial says what it read from the device", "measure again")
    states = trials.loc[~trials["configuration"].isin(summary.way(arms.HALF)), "cache_state"]
    return {"all": len(states), "warm": (states == WARM).sum(), "unknown": (states == NOT_COUNTED).sum()}


def _ends(values: list[float]) -> dict[str, float]:
    if not values:
        raise NotEstimableError("this run did not count it", "measure again")
    return {"least": min(values), "most": max(values)}


def _each(ask: Ask, names: Callable[[Summary], Iterable[str]]) -> Callable[[Summary], dict[str, Any]]:
    """By label what is asked of each of these configurations, of which a run may lack some."""

    def one(summary: Summary, arm: str) -> tuple[str, Any]:
        return summary.label(arm), ask(summary, arm)

    return lambda summary: dict(listed(*(partial(one, summary, arm) for arm in names(summary))))


def _times(base: str, names: Callable[[Summary], list[str]], metric: str) -> Callable[[Summary], dict[str, Any]]:
    """How many times as long as one of these configurations the others take."""
    return _each(
        lambda summary, arm: Told(summary.over(arm, base, metric)),
        lambda summary: [arm for arm in names(summary) if arm != base],
    )


def _durables(summary: Summary) -> list[str]:
    return summary.way(arms.DURABLE)


def _durable(summary: Summary, arm: str) -> dict[str, Any]:
    written = Told(summary.level(arm, "write_ns_per_row"), 1e-3)
    return {"syncs": summary.mean(arm, "syncs_per_batch"), "written": written}


def _expected(end: str, option: str) -> float:
    return notes.number("omendb_options", f"expected_speedup_{end}", id=option)


_INDEXES = {arms.ALEX_PRESENT: "ALEX", arms.HASH_PRESENT: "hash table", arms.BTREE_PRESENT: "B-tree"}
WORDS: dict[str, Callable[[Summary], Any]] = {
    "in_turns": lambda summary: in_turns(summary.parameters),
    "versions": lambda summary: summary.run.provenance.get("versions", {}),
    "states": _states,
    "target": lambda summary: _expected("lo", "A+C"),
    "forecast_low": lambda summary: _expected("lo", "B"),
    "forecast_high": lambda summary: _expected("hi", "B"),
    "bypass_passes": lambda summary: summary.passes(BYPASS),
    "sqlite_passes": lambda summary: summary.passes(SQLITE_AS_RUN),
    "passes": lambda summary: _ends(
        [summary.passes(arm) for arm in summary.having(summary.way(arms.STRIDE), "operations")]
    ),
    "best_option_a": lambda summary: summary.label(summary.best_option_a()),
    "own_table": lambda summary: summary.label(summary.own_table()),
    "right_of": _right_of,
    "together": lambda summary: sum(
        summary.level(arms.VALUE_FILE_SMALL, each).point for each in (FILE_BYTES, INDEX_BYTES)
    ),
    "index_bytes": lambda summary: {
        _INDEXES[arm]: summary.mean(arm, INDEX_BYTES) for arm in summary.having(_INDEXES, INDEX_BYTES)
    },
    "durable": _each(_durable, _durables),
    "here": lambda summary: [*dict.fromkeys(filter(None, (processor_name(p.provenance) for p in summary.run.parts)))],
    "others_once": lambda summary: summary.earlier(arms.SQLITE_AUTOCOMMIT, VALUE_FILE, EACH),
    "others_best": lambda summary: summary.earlier(arms.SQLITE_BEST, VALUE_FILE, EACH),
    "others_stride": lambda summary: summary.earlier(SQLITE_AS_RUN, BYPASS, MEAN),
    "half_others": _times(VALUE_FILE_HALF, Summary.halves, EACH),
    "half_kib": _each(lambda summary, arm: summary.mean(arm, LOOKUP_KIB), Summary.halves),
    "half_held": lambda summary: _ends(
        [100 * summary.mean(arm, HELD) for arm in summary.having(summary.halves(), HELD)]
    ),
    "read_ahead": lambda summary: read_ahead.in_words(summary.run),
    "rivals": _each(
        lambda summary, arm: Told(summary.over(arm, summary.base(arm), P50)),
        lambda summary: (*arms.RIVALS, arms.VALUE_FILE_SMALL),
    ),
    "multiples": Summary.multiples,
    "scan_multiples": _times(arms.DURABLE_VALUE_FILE, _durables, "scan_p50_ns"),
    "write_multiples": _times(arms.DURABLE_VALUE_FILE, _durables, "write_ns_per_row"),
    "opening_multiples": _times(arms.DURABLE_VALUE_FILE, _durables, "reopen_s"),
    "huge_share": Summary.share_in_huge_pages,
    "clock_ns": lambda summary: summary.run.provenance.get("probe_timer_ns"),
}


def _note_claims(summary: Summary) -> pd.DataFrame:
    """The note's three options with what it expects of each, beside what it had measured."""
    rows = []
    for name, each in notes.table("omendb_options").set_index("id").iterrows():
        low, high = each["expected_speedup_lo"], each["expected_speedup_hi"]
        span = f"{low:g} or more" if pd.isna(high) else f"{low:g} to {high:g}"
        rows.append((f"{name}: {each['name']}", span, "expected"))
    speed = notes.table("omendb_speedup").set_index("scale_rows").loc[10_000_000]
    rows += [(f"measured {state} tuning", f"{speed[state]:g}", "measured") for state in ("before", "after")]
    return pd.DataFrame(rows, columns=["option", "speed-up over SQLite", "kind"]).set_index("option")


def _overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: times with intervals, bytes per key, memory, and how long filling the store took."""
    columns = levels(summary, MEAN, P50, "query_p99_ns", "query_p999_ns", "scan_p50_ns")
    columns |= means(summary, FILE_BYTES, INDEX_BYTES, "anonymous_bytes", "load_s")
    rows = [
        ({"measured with": words, "configuration": summary.label(arm)}, arm)
        for way, words in WAYS.items()
        for arm in summary.way(way)
    ]
    return table(rows, columns).reset_index("configuration")


TABLES = {"note_claims": _note_claims, "overview": _overview}
