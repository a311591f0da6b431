"""The sentences that hold the value file against each rival: SQLite in its uses, both patterns, RocksDB's tables."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from benchbook.experiments.read_path import other_runs
from benchbook.experiments.read_path.arms import (
    BYPASS,
    HALF,
    LMDB,
    LMDB_FOR_REDB,
    OWN_TABLES,
    RIVALS,
    ROCKSDB_TUNED,
    SQLITE_AS_RUN,
    SQLITE_AUTOCOMMIT,
    SQLITE_BEST,
    VALUE_FILE,
    VALUE_FILE_AGAIN,
    VALUE_FILE_HALF,
    VALUE_FILE_SMALL,
)
from benchbook.experiments.read_path.figures import target
from benchbook.experiments.read_path.summary import EACH, HELD, LOOKUP_KIB, MEAN, P50, Summary
from benchbook.experiments.shape import read_ahead
from benchbook.experiments.shape.judging import estimated
from benchbook.experiments.shape.telling import tell, told
from benchbook.figures import Prose, with_interval
from benchbook.model import Estimate

USES = (SQLITE_AUTOCOMMIT, SQLITE_BEST)


def reached(summary: Summary) -> Prose:
    """The note's target: reached or not, against which SQLite."""
    wanted = target()
    ways: dict[str, Callable[[], Estimate]] = {
        "SQLite with its statement prepared once, at random keys,": lambda: estimated(summary, "O054"),
        "SQLite at its best, at random keys,": lambda: summary.times_faster(VALUE_FILE, SQLITE_BEST, EACH),
        "SQLite as the note ran it, along its stride,": lambda: summary.times_faster(BYPASS, SQLITE_AS_RUN, MEAN),
    }

    def against(name: str) -> str:
        found = ways[name]()
        verdict = "reached" if found.low > wanted else "missed" if found.high < wanted else "not decided"
        return f"against {name} **{verdict}** ({with_interval(found)} times)"

    parts = told(*(partial(against, name) for name in ways))
    if not parts:
        return Prose("This run is too short to decide whether the note's target is reached.")
    return Prose(
        f"The note's target is a speed-up of {wanted:g} or more at ten million rows; it does not say over which use of "
        f"SQLite. At {summary.parameters.rows:,} rows it is, {', '.join(parts)}."
    )


def patterns(summary: Summary) -> Prose:
    """The stride and the random look-ups in one place, since a speed-up of either alone misleads."""

    def speed_ups() -> str:
        once, best = (with_interval(summary.times_faster(VALUE_FILE, arm, EACH)) for arm in USES)
        stride = with_interval(summary.times_faster(BYPASS, SQLITE_AS_RUN, MEAN))
        return (
            f"At random keys, ALEX over the value file is {once} times as fast as SQLite with its statement prepared "
            f"once, and {best} times as fast as SQLite at its best, which is the fair number. Along the stride, it is "
            f"{stride} times as fast as SQLite used the note's way, which differs in more than the use of SQLite: keys "
            "rise in the order in which they were written, so neighbours in time are neighbours in the index and in "
            "the file; the faster one makes more passes; the note's rows are shorter; and look-ups are timed in "
            "batches. This run does not separate these effects."
        )

    def elsewhere() -> str:
        named = dict(zip(("prepared once", "at its best"), USES, strict=True))
        told_of = {use: other_runs.told(summary, arm, VALUE_FILE, EACH) for use, arm in named.items()}
        stride = other_runs.told(summary, SQLITE_AS_RUN, BYPASS, MEAN)
        each = [f"over SQLite {use}: {words}" for use, words in told_of.items() if words]
        if not each:
            return ""
        return (
            f"All of this was measured on {other_runs.here(summary)} alone. Published runs of earlier versions of this "
            "chapter decide nothing here, but show how far a host moves these numbers. At random keys, "
            f"{'; '.join(each)}. Along the stride, over SQLite as the note ran it: {stride}. Where they did not take "
            "turns, each key of the stride was asked for once: passes alone do not explain the distance."
        )

    def slower(name: str, stride: str, uniform: str) -> str:
        times = summary.ratio((uniform, P50), (stride, MEAN))
        return f"{name} takes {with_interval(times)} times as long at random keys as along the stride"

    return tell(
        speed_ups,
        elsewhere,
        lambda: f"{slower('ALEX over the value file, its index in small pages,', BYPASS, VALUE_FILE_SMALL)}.",
        lambda: f"{slower('LMDB', LMDB_FOR_REDB, LMDB)}.",
        otherwise="This run did not time both patterns.",
    )


def halves(summary: Summary) -> Prose:
    """What each engine takes and reads where memory holds half of its files, against the value file."""

    def slower(arm: str) -> str:
        times = with_interval(summary.ratio((arm, "query_mean_ns"), (VALUE_FILE_HALF, "query_mean_ns")))
        return f"{summary.label(arm)}, takes {times} times as long"

    def held() -> str:
        shares = [100 * summary.mean(arm, HELD) for arm in summary.having(summary.way(HALF), HELD)]
        if not shares:
            return ""
        return f"Afterwards the page cache holds {min(shares):.0f} to {max(shares):.0f} % of the files."

    def read(arm: str) -> str:
        return f"{summary.label(arm)}, {summary.mean(arm, LOOKUP_KIB):,.1f}"

    def ratios() -> str:
        others = told(*(partial(slower, arm) for arm in summary.way(HALF) if arm != VALUE_FILE_HALF))
        own = with_interval(summary.level(VALUE_FILE_HALF, "query_mean_ns"), 1e-3)
        return f"By the mean, ALEX over the value file takes {own} µs. {'; '.join(others)}."

    def reads() -> str:
        each = told(*(partial(read, arm) for arm in summary.way(HALF)))
        if not each:
            return ""
        return (
            f"KiB read from the device for a look-up: {'; '.join(each)}. Of a mapped file the kernel reads far beyond "
            f"the page that is missing, as far as {read_ahead.in_words(summary.run)}, allows."
        )

    def shown() -> str:
        return (
            "Stores that map their files usually lower it, or ask for single pages (madvise with MADV_RANDOM); the "
            "value file, SQLite and LMDB did neither here. So these ratios are of this disk's setting: which engine is "
            "faster with less memory is not shown until both have been tried."
        )

    return tell(ratios, reads, shown, held, otherwise="This run did not bound memory.")


def rivals(summary: Summary) -> Prose:
    """Every engine's P50 as a multiple of the value file's, with the A/A arm beside it."""

    def multiple(arm: str) -> str:
        return f"{summary.label(arm)} {with_interval(summary.times_faster(summary.base(arm), arm, P50))}"

    lines = told(*(partial(multiple, arm) for arm in (*RIVALS, VALUE_FILE_SMALL)))
    if not lines:
        return Prose("This run timed nothing.")
    share = summary.share_in_huge_pages()
    return tell(
        f"P50 of an engine over that of “{summary.label(VALUE_FILE)}”, one comparison at a time: {'; '.join(lines)} "
        "(its index in small pages).",
        lambda: _own_tables(summary),
        lambda: (
            "The value file in huge pages against itself: "
            f"{with_interval(summary.times_faster(VALUE_FILE, VALUE_FILE_AGAIN, P50))}."
        ),
        "" if share is None else f"The kernel gave huge pages for {share:.0%} of the index.",
        "Neither CuckooTable nor the hash table keeps its keys in order: to read a range, all of them must first be "
        "sorted.",
    )


def _own_tables(summary: Summary) -> str:
    """RocksDB as the note tuned it, and with the faster of its tables for mapped files."""
    best = min(OWN_TABLES, key=lambda arm: summary.level(arm, P50).point)
    tuned, own = (summary.times_faster(summary.base(arm), arm, P50) for arm in (ROCKSDB_TUNED, best))
    return (
        f"Against RocksDB as the note tuned it the value file is {with_interval(tuned)} times as fast, against "
        f"“{summary.label(best)}”, the faster of RocksDB's own tables for mapped files, {with_interval(own)} times."
    )
