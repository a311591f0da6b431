"""The claims of the chapter: how each number comes from the trials, which figure shows it, what is said of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from benchbook import statistics
from benchbook.claims import Quantity
from benchbook.experiments.read_path.arms import (
    ALEX_ABSENT,
    ALEX_PRESENT,
    BTREE_ROCKSDB,
    BYPASS,
    BYPASS_AGAIN,
    OPTION_A,
    SQLITE_AS_RUN,
    SQLITE_AUTOCOMMIT,
    VALUE_FILE,
    VALUE_FILE_AGAIN,
)
from benchbook.experiments.read_path.summary import EACH, FILE_BYTES, MAPPED, MEAN, Summary
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.estimands import custom, named, ratio
from benchbook.model import Estimate
from benchbook.statistics import Gate

STRIDES, SPEED_UPS, INDEXES = "fig-read-path-stride", "fig-read-path-speed-up", "fig-read-path-index"
CLASSES = {"present": ALEX_PRESENT, "absent": ALEX_ABSENT}
_PAIRS = {EACH: (VALUE_FILE_AGAIN, VALUE_FILE), MEAN: (BYPASS_AGAIN, BYPASS)}
"""The value file a second and a first time, by the time that is compared: of random look-ups, and along the stride."""
MAPPED_SHARE = 0.5
"""Of the value file, what its look-ups must have mapped into memory beyond those of what it replaces."""


def right_of(summary: Summary) -> dict[str, tuple[int, int]]:
    """Key class to the answers that were right, as the probe compared them, and to the keys tried; over all trials.

    The probe ends at the first wrong answer, and a trial that ended so is not stored.
    """
    found = {}
    for name, arm in CLASSES.items():
        right, tried = (int(summary.values(arm, metric).sum()) for metric in ("right_answers", "operations"))
        found[name] = (right, tried)
    return found


def _classes(summary: Summary, confidence: float) -> Estimate:
    return statistics.exact(float(sum(right == tried for right, tried in right_of(summary).values())))


def _classes_working(summary: Summary) -> str:
    parts = (f"{name} {right:,} of {tried:,}" for name, (right, tried) in right_of(summary).items())
    return f"Keys answered correctly by ALEX alone: {', '.join(parts)}"


def _bypass_over_option_a(summary: Summary, confidence: float) -> Estimate:
    """Of speed-ups over the same SQLite."""
    sqlite = summary.values(SQLITE_AS_RUN, MEAN)
    bypass, best = (sqlite / summary.values(arm, MEAN) for arm in (BYPASS, summary.best_option_a()))
    return statistics.ratio(bypass, best, confidence=confidence, sessions=summary.sessions)


def not_from_the_file(*others: str | Callable[[Summary], str], value_file: str = BYPASS) -> Callable[[Summary], str]:
    """Why look-ups of the value file read no other place than ``others`` did; "" where they read its pages."""

    def why(summary: Summary) -> str:
        wanted = MAPPED_SHARE * summary.values(value_file, FILE_BYTES) * summary.parameters.rows
        for other in (named(each, summary) for each in others):
            more = summary.values(value_file, MAPPED) - summary.values(other, MAPPED)
            missed = int((more < wanted).sum())
            if missed:
                return (
                    f"in {missed} of {len(more)} blocks look-ups of the value file mapped less than "
                    f"{MAPPED_SHARE:.0%} of it into memory beyond what “{summary.label(other)}” mapped"
                )
        return ""

    return why


def _best_working(summary: Summary) -> str:
    return f"The best Option A setting is “{summary.label(summary.best_option_a())}”"


ANSWERS = (
    Answer(
        "O054",
        ratio(
            SQLITE_AUTOCOMMIT, VALUE_FILE, EACH, idle=not_from_the_file(SQLITE_AUTOCOMMIT, value_file=VALUE_FILE)
        ),
        SPEED_UPS,
        said="a value file instead of RocksDB makes queries 3 to 4 times as fast as SQLite's",
        seen="at random keys it makes them {} times as fast as those of SQLite with its statement prepared once",
        lead=True, brief="{} times, at random keys, over SQLite with its statement prepared once",
        row="mean query, random keys: SQLite prepared once ÷ value file",
    ),
    Answer(
        "O088", ratio(BYPASS, BTREE_ROCKSDB, MEAN, idle=not_from_the_file(BTREE_ROCKSDB)), STRIDES,
        said="the storage needs work, not the index",
        seen="with the storage changed, a look-up takes {} times as long as with the index changed",
        row="mean query: value file ÷ B-tree and RocksDB",
    ),
    Answer(
        "O095",
        custom(
            _bypass_over_option_a, Quantity.COMPARISON, SQLITE_AS_RUN, BYPASS, *OPTION_A, aa=MEAN,
            working=_best_working, idle=not_from_the_file(SQLITE_AS_RUN, Summary.best_option_a),
        ),
        STRIDES,
        said="this pays more than further tuning of RocksDB",
        seen="its speed-up is {} times that of the best tuned setting here",
        row="speed-up over SQLite: value file ÷ best tuned RocksDB",
    ),
    Answer(
        "O053", custom(_classes, Quantity.COUNTER, *CLASSES.values(), working=_classes_working), INDEXES,
        said="the index alone knows which keys exist",
        seen="of the two kinds of keys, existing and absent, it answered {} rightly",
    ),
)  # fmt: skip


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
