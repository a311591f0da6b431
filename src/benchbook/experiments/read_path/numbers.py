"""The numbers of the chapter, each once and by name, and what its claims stand on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from benchbook import statistics
from benchbook.claims import Quantity
from benchbook.experiments import notes
from benchbook.experiments.families.kv.words import in_turns
from benchbook.experiments.read_path import other_runs, tables
from benchbook.experiments.read_path.arms import (
    ALEX_ABSENT,
    ALEX_PRESENT,
    BTREE_PRESENT,
    BTREE_ROCKSDB,
    BYPASS,
    BYPASS_AGAIN,
    DURABLE,
    HALF,
    HASH_PRESENT,
    LMDB,
    LMDB_FOR_REDB,
    OPTION_A,
    OWN_TABLES,
    RIVALS,
    ROCKSDB_HALF,
    ROCKSDB_TUNED,
    SQLITE_AS_RUN,
    SQLITE_AUTOCOMMIT,
    SQLITE_BEST,
    STRIDE,
    VALUE_FILE,
    VALUE_FILE_AGAIN,
    VALUE_FILE_BESIDE,
    VALUE_FILE_HALF,
    VALUE_FILE_HASH,
    VALUE_FILE_SMALL,
)
from benchbook.experiments.read_path.measure import NOT_COUNTED, WARM
from benchbook.experiments.read_path.summary import (
    EACH,
    FILE_BYTES,
    HELD,
    INDEX_BYTES,
    LOOKUP_KIB,
    MEAN,
    METRICS,
    P50,
    Summary,
    not_from_the_file,
)
from benchbook.experiments.shape import read_ahead
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.estimands import custom, level, ratio
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.experiments.shape.telling import listed
from benchbook.figures import with_interval
from benchbook.model import Estimate
from benchbook.statistics import Gate

__all__ = ["METRICS", "NUMBERS", "TABLES", "WORDS", "Summary", "aa_gates", "checks"]
CLASSES = {"present": ALEX_PRESENT, "absent": ALEX_ABSENT}
_PAIRS = {EACH: (VALUE_FILE_AGAIN, VALUE_FILE), MEAN: (BYPASS_AGAIN, BYPASS)}
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


def _classes(summary: Summary, confidence: float) -> Estimate:
    return statistics.exact(float(sum(right == tried for right, tried in _right_of(summary).values())))


def _classes_working(summary: Summary) -> str:
    parts = (f"{name} {right:,} of {tried:,}" for name, (right, tried) in _right_of(summary).items())
    return f"Keys answered correctly by ALEX alone: {', '.join(parts)}"


def _bypass_over_option_a(summary: Summary, confidence: float) -> Estimate:
    """Of speed-ups over the same SQLite."""
    sqlite = summary.values(SQLITE_AS_RUN, MEAN)
    bypass, best = (sqlite / summary.values(arm, MEAN) for arm in (BYPASS, summary.best_option_a()))
    return statistics.ratio(bypass, best, confidence=confidence, sessions=summary.sessions)


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


def _own_table(summary: Summary) -> str:
    """The faster of RocksDB's tables for mapped files."""
    return min(OWN_TABLES, key=lambda arm: summary.level(arm, P50).point)


NUMBERS = {
    "over_autocommit": ratio(
        SQLITE_AUTOCOMMIT, VALUE_FILE, EACH, idle=not_from_the_file(SQLITE_AUTOCOMMIT, value_file=VALUE_FILE)
    ),
    "over_best": ratio(SQLITE_BEST, VALUE_FILE, EACH),
    "over_as_run": ratio(SQLITE_AS_RUN, BYPASS, MEAN),
    "over_tuned": ratio(ROCKSDB_TUNED, VALUE_FILE, EACH),
    "over_btree": ratio(BYPASS, BTREE_ROCKSDB, MEAN, idle=not_from_the_file(BTREE_ROCKSDB)),
    "over_option_a": custom(
        _bypass_over_option_a, Quantity.COMPARISON, SQLITE_AS_RUN, BYPASS, *OPTION_A, aa=MEAN,
        working=_best_working, idle=not_from_the_file(SQLITE_AS_RUN, Summary.best_option_a),
    ),
    "over_lmdb": ratio(BYPASS, LMDB_FOR_REDB, MEAN),
    "existing": custom(_classes, Quantity.COUNTER, *CLASSES.values(), working=_classes_working),
    "alex": level(ALEX_PRESENT, MEAN),
    "hash_alone": ratio(HASH_PRESENT, ALEX_PRESENT, MEAN),
    "btree_alone": ratio(BTREE_PRESENT, ALEX_PRESENT, MEAN),
    "hash_over_file": ratio(VALUE_FILE_HASH, VALUE_FILE_BESIDE, P50),
    "tuned_p50": ratio(ROCKSDB_TUNED, VALUE_FILE, P50),
    "own_table_p50": ratio(_own_table, VALUE_FILE_BESIDE, P50),
    "bypass_itself": ratio(BYPASS_AGAIN, BYPASS, MEAN),
    "file_itself": ratio(VALUE_FILE_AGAIN, VALUE_FILE, P50),
    "slower_file": ratio((VALUE_FILE_SMALL, P50), (BYPASS, MEAN)),
    "slower_lmdb": ratio((LMDB, P50), (LMDB_FOR_REDB, MEAN)),
    "half_file": level(VALUE_FILE_HALF, EACH, 1e3),
    "half_rocksdb": ratio(ROCKSDB_HALF, VALUE_FILE_HALF, EACH),
}  # fmt: skip


def _states(summary: Summary) -> dict[str, int]:
    """Trials that hold a whole store, those that read next to nothing from the device, those of which nobody knows."""
    trials = summary.run.trials
    if "cache_state" not in trials:
        raise NotEstimableError("no trial says what it read from the device", "measure again")
    states = trials.loc[~trials["configuration"].isin(summary.way(HALF)), "cache_state"]
    return {"all": len(states), "warm": (states == WARM).sum(), "unknown": (states == NOT_COUNTED).sum()}


def _ends(values: list[float]) -> dict[str, float]:
    if not values:
        raise NotEstimableError("this run did not count it", "measure again")
    return {"least": min(values), "most": max(values)}


def _clock_ns(summary: Summary) -> float:
    """One reading of the clock."""
    if (found := summary.run.provenance.get("probe_timer_ns")) is None:
        raise NotEstimableError("the run does not say what a reading of the clock takes", "measure again")
    return float(found)


def _huge_share(summary: Summary) -> float:
    if (share := summary.share_in_huge_pages()) is None:
        raise NotEstimableError("no trial counted huge pages", "measure again")
    return share


def _durable(summary: Summary, arm: str) -> dict[str, Any]:
    written = with_interval(summary.level(arm, "write_ns_per_row"), 1e-3)
    return {"label": summary.label(arm), "syncs": summary.mean(arm, "syncs_per_batch"), "written": written}


def _half_slower(summary: Summary, arm: str) -> dict[str, str]:
    return {"label": summary.label(arm), "times": with_interval(summary.over(arm, VALUE_FILE_HALF, EACH))}


def _rival(summary: Summary, arm: str) -> str:
    return f"{summary.label(arm)} {with_interval(summary.times_faster(summary.base(arm), arm, P50))}"


def _each(ask: Callable[[Summary, str], Any], arms: Callable[[Summary], Iterable[str]]) -> Callable[[Summary], Any]:
    """What is asked of each of these configurations, of which a run may lack some."""
    return lambda summary: listed(*(partial(ask, summary, arm) for arm in arms(summary)))


def _index_bytes(summary: Summary) -> list[str]:
    names = {ALEX_PRESENT: "ALEX", HASH_PRESENT: "hash table", BTREE_PRESENT: "B-tree"}
    counted = summary.having(names, INDEX_BYTES)
    return [f"{names[arm]} {summary.mean(arm, INDEX_BYTES):.1f}" for arm in counted]


def _expected(end: str, option: str) -> float:
    return notes.number("omendb_options", f"expected_speedup_{end}", id=option)


WORDS: dict[str, Callable[[Summary], Any]] = {
    "in_turns": lambda summary: in_turns(summary.parameters),
    "versions": lambda summary: summary.run.provenance.get("versions", {}),
    "states": _states,
    "target": lambda summary: _expected("lo", "A+C"),
    "forecast_low": lambda summary: _expected("lo", "B"),
    "forecast_high": lambda summary: _expected("hi", "B"),
    "bypass_passes": lambda summary: summary.passes(BYPASS),
    "sqlite_passes": lambda summary: summary.passes(SQLITE_AS_RUN),
    "passes": lambda summary: _ends([summary.passes(a) for a in summary.having(summary.way(STRIDE), "operations")]),
    "best_option_a": lambda summary: summary.label(summary.best_option_a()),
    "own_table": lambda summary: summary.label(_own_table(summary)),
    "right_of": _right_of,
    "together": lambda summary: sum(summary.level(VALUE_FILE_SMALL, each).point for each in (FILE_BYTES, INDEX_BYTES)),
    "index_bytes": _index_bytes,
    "durable": _each(_durable, lambda summary: summary.way(DURABLE)),
    "here": other_runs.here,
    "others_once": lambda summary: other_runs.told(summary, SQLITE_AUTOCOMMIT, VALUE_FILE, EACH),
    "others_best": lambda summary: other_runs.told(summary, SQLITE_BEST, VALUE_FILE, EACH),
    "others_stride": lambda summary: other_runs.told(summary, SQLITE_AS_RUN, BYPASS, MEAN),
    "once_elsewhere": lambda summary: other_runs.from_to(summary, SQLITE_AUTOCOMMIT, VALUE_FILE, EACH),
    "best_elsewhere": lambda summary: other_runs.from_to(summary, SQLITE_BEST, VALUE_FILE, EACH),
    "half_others": _each(_half_slower, lambda summary: [a for a in summary.way(HALF) if a != VALUE_FILE_HALF]),
    "half_kib": _each(
        lambda summary, arm: f"{summary.label(arm)}, {summary.mean(arm, LOOKUP_KIB):,.1f}",
        lambda summary: summary.way(HALF),
    ),
    "half_held": lambda summary: _ends([100 * summary.mean(a, HELD) for a in summary.having(summary.way(HALF), HELD)]),
    "read_ahead": lambda summary: read_ahead.in_words(summary.run),
    "rivals": _each(_rival, lambda summary: (*RIVALS, VALUE_FILE_SMALL)),
    "huge_share": _huge_share,
    "clock_ns": _clock_ns,
}
TABLES = {"note_claims": tables.note_claims, "overview": tables.overview}
